"""The knowledge base: from a question to the passages that may answer it, within filter and audience."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agent.language.registry import languages
from agent.ports import Embeddings, LexicalIndex, Passages, TokenMatching, VectorIndex
from agent.retrieval.changes import with_changes
from agent.retrieval.days import dated
from agent.retrieval.fold import Folding
from agent.retrieval.loanwords import borrowed
from agent.retrieval.matching import Matching
from agent.retrieval.mending import mended, with_words
from agent.retrieval.must_have import Targets, counted, promoted, targets_of
from agent.retrieval.pack import resumed, with_hits
from agent.retrieval.ranking import CANDIDATES, Ranked, Ranking
from agent.retrieval.word_ranking import READ
from agent.text import tokens
from agent.types import Audience, Hit, Language, Passage, Query, SearchFilter, SearchRequest, SearchResult, TermCounts
from agent.word_frequency import rarities

NARROWED = 200
"""Passages of the target documents that are looked at."""
TOLD = 200
"""Passages that are told to be excluded."""
SAME, FIGURES = 0.7, 4
"""Share of their figures that a passage and its translation have in common, and how many of them tell it."""
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
ABROAD = 8
"""Passages in other languages that are found by their own words."""
_NO_NAME = re.compile(rf"[\W_]+(?:(?:{'|'.join(languages())})(?![^\W_]))?|^(?:{'|'.join(languages())})(?![^\W_])")
FURTHEST = 5_000
"""Candidates, where one statement that many documents repeat fills the first ones."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kept:
    """A ranking without what it says twice."""

    hits: list[Hit] = field(default_factory=list)
    rest: list[Hit] = field(default_factory=list)
    """What was read and not kept, doubles among them."""
    folded: dict[int, int] = field(default_factory=dict)


class KnowledgeBase:
    """Search over what the team knows."""

    def __init__(
        self,
        *,
        lexical: LexicalIndex,
        passages: Passages,
        vectors: VectorIndex | None = None,
        embeddings: Embeddings | None = None,
        matching: TokenMatching | None = None,
        pieces: Callable[[Passage], Sequence[str]] = lambda passage: (passage.text,),
    ) -> None:
        self._passages = passages
        self._matching = Matching(matching, pieces) if matching else None
        self._ranking = Ranking(lexical=lexical, passages=passages, vectors=vectors, embeddings=embeddings)

    async def search(self, request: SearchRequest, audience: Audience) -> SearchResult:
        """Return the best passages that all of the audience may read, and what was given up to find them.

        A filter that leaves nothing gives way part by part, but for its collections. Must-have words
        narrow the search to the documents that hold them, where these hold anything for the question.
        """
        started = time.perf_counter()
        abroad: Sequence[Query] = _abroad_of(request)
        counted = await counts(self._ranking.lexical, (*request.queries, *abroad), audience)
        request, read_as = await self._mended(request, counted, audience)
        result = SearchResult(hits=(), read_as=read_as)
        for filter, dropped in relaxations(request.filter):
            result = await self._within(replace(request, filter=filter), audience)
            if result.hits:
                rest = [hit for hit in result.excluded if hit.passage.id not in result.folded]
                result = with_hits(result, with_changes(result.hits, rest))
                result = resumed(replace(result, warnings=(*dropped, *result.warnings)), request.before)
                if read_as or _speaks(request, counted):
                    result = await self._with_told(request, result, audience)
                if self._matching is not None:
                    result = await self._matching.of(request, result)
                break
        if read_as:
            abroad = tuple(with_words(query, read_as) for query in abroad)
            counted = await counts(self._ranking.lexical, (*request.queries, *abroad), audience)
        unheld = frozenset(term for term, passages in counted.holding.items() if not passages)
        result = replace(result, rarity=rarities(counted), unheld=unheld, read_as=read_as)
        for query in abroad:
            foreign = await self._abroad(request, query, counted, audience)
            result = with_foreign(result, foreign, request.language)
        return replace(result, total_ms=(time.perf_counter() - started) * 1000)

    async def passages(self, references: Sequence[str], audience: Audience) -> Sequence[Passage]:
        """Return the readable ones of these passages by reference, in the order asked for."""
        return await self._passages.by_reference(references, audience=audience)

    async def standing(self, words: Sequence[str], audience: Audience, filter: SearchFilter) -> frozenset[str]:
        """Return which of these words stand in a readable document within a filter."""
        held = await self._ranking.lexical.documents_holding(words, filter=filter, audience=audience)
        return frozenset(word for word, documents in zip(words, held, strict=True) if len(documents))

    async def of_document(self, passage: Passage, start: int, stop: int, audience: Audience) -> Sequence[Passage]:
        """Return the readable passages of a passage's document at the positions `start:stop`, in its order."""
        return await self._passages.of_document(
            passage.collection, passage.document_id, start=start, stop=stop, audience=audience
        )

    async def titles(self, audience: Audience, filter: SearchFilter, k: int) -> tuple[int, Sequence[str]]:
        """Return how many documents there are for this audience, and the titles of `k`, latest first."""
        return await self._passages.titles(audience=audience, collections=filter.collections, k=k)

    async def empty(self, audience: Audience, filter: SearchFilter) -> bool:
        """Tell whether there is nothing to search for this audience."""
        return await self._passages.empty(audience=audience, collections=filter.collections)

    async def _with_told(self, request: SearchRequest, result: SearchResult, audience: Audience) -> SearchResult:
        """Return what was found with what the last answer rests on, as far as the request's filter lets it in.

        What the search did not find of that comes last among the hits.
        """
        if not request.told:
            return result
        place = {reference: n for n, reference in enumerate(request.told, start=1)}
        within, narrowed = request.filter.collections, replace(request.filter, collections=()) != SearchFilter()
        hits = [replace(hit, told=place.pop(hit.passage.reference, 0)) for hit in result.hits]
        if place and not narrowed and not request.must_have:
            ranked = {hit.passage.id: hit for hit in result.excluded}
            for passage in await self.passages(list(place), audience):
                hit = ranked.get(passage.id, Hit(passage=passage, score=0.0))
                if not within or passage.collection in within:
                    hits.append(replace(hit, told=place[passage.reference]))
        return with_hits(result, hits)

    async def _mended(
        self, request: SearchRequest, counted: TermCounts, audience: Audience
    ) -> tuple[SearchRequest, Mapping[str, str]]:
        """Return a request with its words as the passages write them, and what was read in the place of which."""
        lexical, passages = self._ranking.lexical, self._passages
        found = {
            **await mended(request.queries, counted, lexical=lexical, passages=passages, audience=audience),
            **await borrowed(request.queries, counted, lexical=lexical, passages=passages, audience=audience),
        }
        if request.today is not None:
            found |= await dated(request.queries, request.today, lexical=lexical, passages=passages, audience=audience)
        if not found:
            return request, {}
        return replace(request, queries=tuple(with_words(query, found) for query in request.queries)), found

    async def _abroad(
        self, request: SearchRequest, query: Query, counted: TermCounts, audience: Audience
    ) -> Sequence[Hit]:
        """Return what its words find among the passages in other languages than the question's."""
        if not any(counted.holding.get(term) for term in _terms([query])):
            return ()
        filter = replace(request.filter, foreign_to=request.language)
        kept = await self._best(replace(request, queries=(query,), filter=filter), ABROAD, CANDIDATES, audience)
        result = _with_excluded(SearchResult(hits=tuple(kept.hits)), kept.rest, kept.folded)
        return resumed(result, request.before).hits

    async def _within(self, request: SearchRequest, audience: Audience) -> SearchResult:
        """Return what is found within the filter, as narrow as the must-have words allow."""
        warnings: tuple[str, ...] = ()
        nowhere: tuple[str, ...] = ()
        if request.must_have:
            lexical = self._ranking.lexical
            targets = await targets_of(lexical, request.must_have, filter=request.filter, audience=audience)
            narrowed = await self._narrowed(request, targets, audience)
            if narrowed.hits:
                return narrowed
            nowhere = targets.nowhere
            warnings = ("must_have_unrelated" if targets.documents else "must_have_nowhere",)
        kept = await self._best(request, request.k, CANDIDATES, audience)
        result = SearchResult(hits=tuple(kept.hits), nowhere=nowhere, warnings=warnings if kept.hits else ())
        return _with_excluded(result, kept.rest, kept.folded)

    async def _narrowed(self, request: SearchRequest, targets: Targets, audience: Audience) -> SearchResult:
        """Return what the target documents hold for the question: findings, sections, blocks and the rest."""
        if not targets.documents:
            return SearchResult(hits=())
        request = replace(request, filter=replace(request.filter, documents=targets.documents))
        kept = await self._best(request, NARROWED, NARROWED, audience)
        found = promoted(kept.hits, targets.words)
        blocks, cut = found.blocks[: request.k], found.blocks[request.k :]
        given_up = {word.strip() for word in request.must_have if word.strip()} - set(targets.words)
        result = SearchResult(
            hits=blocks,
            findings=found.findings,
            sections=found.sections,
            must_have=targets.words,
            nowhere=targets.nowhere,
            target_documents=len(targets.documents),
            keyword_freq={word: sum(each) for word, each in counted(kept.hits, targets.words).items()},
            keyword_block_counts={word: len(each) for word, each in counted(blocks, targets.words).items()},
            warnings=("must_have_partly",) if given_up else (),
        )
        return _with_excluded(result, [*cut, *found.rest, *kept.rest], kept.folded)

    async def _best(self, request: SearchRequest, most: int, candidates: int, audience: Audience) -> _Kept:
        """Return the best passages, looking further where what is folded fills the first ones found."""
        while True:
            k = max(candidates, most)
            ranked = await self._ranking.of(request, k=k, audience=audience)
            kept = await self._kept(request, ranked, most, audience)
            if len(kept.hits) >= most or len(kept.folded) < k // 2 or candidates >= FURTHEST:
                return kept
            candidates *= 10

    async def _kept(self, request: SearchRequest, ranked: Ranked, most: int, audience: Audience) -> _Kept:
        """Return the best of a ranking, each statement once; reads on only where much is folded."""
        folding = Folding(" ".join(query.text for query in request.queries))
        kept = _Kept()
        start, stop = 0, max(READ, most + most // 2)
        while len(kept.hits) < most and start < len(ranked.order):
            for hit in await self._read(ranked, start, stop, audience):
                double = folding.fold(hit.passage) if len(kept.hits) < most else None
                if double is not None:
                    kept.folded[hit.passage.id] = double.id
                (kept.hits if double is None and len(kept.hits) < most else kept.rest).append(hit)
            start, stop = stop, 2 * stop
        return kept

    async def _read(self, ranked: Ranked, start: int, stop: int, audience: Audience) -> list[Hit]:
        part, read = ranked.order[start:stop], ranked.read
        missing = [identity for identity, _ in part if identity not in read]
        known = {**read, **{p.id: p for p in await self._passages.get(missing, audience=audience)}} if missing else read
        return [
            Hit(
                passage=known[identity],
                score=score,
                near=ranked.near(identity),
                words=ranked.words.get(identity, 0.0),
            )
            for identity, score in part
            if identity in known
        ]


def _with_excluded(result: SearchResult, rest: Sequence[Hit], folded: Mapping[int, int]) -> SearchResult:
    told = tuple(rest[:TOLD])
    return replace(
        result, excluded=told, folded={i: folded[i] for i in (hit.passage.id for hit in told) if i in folded}
    )


async def counts(lexical: LexicalIndex, queries: Sequence[Query], audience: Audience) -> TermCounts:
    """Return how many readable passages hold each term of these queries. Raises StorageError."""
    terms = _terms(queries)
    return await lexical.counts(terms, audience=audience) if terms else TermCounts(passages=0)


def _speaks(request: SearchRequest, counted: TermCounts) -> bool:
    """Tell whether anything holds a word of the question itself, or it has none: else it is about something else."""
    own = tokens(request.queries[0].text) if request.queries else []
    return not own or any(counted.holding.get(term) for term in own)


def _terms(queries: Sequence[Query]) -> Sequence[str]:
    """Return the terms of these queries, each once."""
    texts = (text for query in queries for text in (query.text, *(each.text for each in query.terms)))
    return list(dict.fromkeys(term for text in texts for term in tokens(text)))


def _abroad_of(request: SearchRequest) -> Sequence[Query]:
    """Return how other languages are searched; not at all where words or a language are a must."""
    wanted = request.language is not None and request.filter.language is None and not request.must_have
    return (request.abroad,) if request.abroad is not None and wanted else ()


def with_foreign(result: SearchResult, foreign: Sequence[Hit], language: Language | None) -> SearchResult:
    """Return what was found, and behind it what was found in other languages by their own words.

    Of a document that stands beside its translations the reader's own is enough.
    """
    own = [hit.passage for hit in result.hits if hit.passage.language == language]
    found = {hit.passage.id: hit for hit in foreign if not any(_is_translation(hit.passage, each) for each in own)}
    scores = {identity: (hit.score, hit.words) for identity, hit in found.items()}
    hits = [replace(hit, abroad=scores.get(hit.passage.id)) for hit in result.hits]
    known = {hit.passage.id for hit in hits}
    new = (replace(hit, score=0.0, words=0.0, abroad=scores[n]) for n, hit in found.items() if n not in known)
    return with_hits(result, (*hits, *new))


def _is_translation(one: Passage, other: Passage) -> bool:
    """Tell whether a passage tells in another language what another does, by its file's name or by its figures."""
    mine, its = (frozenset(_FIGURE.findall(each.text)) for each in (one, other))
    alike = len(mine & its) >= SAME * max(len(mine), len(its)) and len(mine) >= FIGURES
    return alike or _name(one) == _name(other)


def _name(passage: Passage) -> tuple[str, str]:
    """Return what a document and its translations have in common: `guide-en.md`, `ko/guide.md`."""
    return passage.collection, " ".join(_NO_NAME.sub(" ", passage.document_id.casefold()).split())


_PARTS = {
    "entity": "filter_dropped_entity",
    "names": "filter_dropped_names",
    "page_range": "filter_dropped_page_range",
    "date_range": "filter_dropped_date_range",
    "categories": "filter_dropped_categories",
    "kinds": "filter_dropped_kinds",
    "language": "filter_dropped_language",
    "sources": "filter_dropped_sources",
    "documents": "filter_dropped_documents",
}
"""In the order in which they give way, with what is said then. Collections never do."""


def relaxations(filter: SearchFilter) -> Iterator[tuple[SearchFilter, tuple[str, ...]]]:
    """Yield the filter as it is, then without one part, then without the first two, three ..., with what to say."""
    yield filter, ()
    nothing = SearchFilter()
    given = [name for name in _PARTS if getattr(filter, name) != getattr(nothing, name)]
    alone = [(name,) for name in given]
    together = [tuple(given[:count]) for count in range(2, len(given) + 1)]
    for dropped in (*alone, *together):
        said = ("filter_dropped",) if len(dropped) == len(given) else tuple(_PARTS[name] for name in dropped)
        yield replace(filter, **{name: getattr(nothing, name) for name in dropped}), said

"""A library in memory, with rank_bm25 itself as its index: what the contract suites compare the real ones with."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import date

import numpy as np
from rank_bm25 import BM25Okapi

from agent.edits import edits
from agent.language.ko.loanwords import sound_of
from agent.retrieval.search import KnowledgeBase
from agent.text import tokens
from agent.types import (
    OF_NO_PACK,
    Audience,
    Passage,
    Query,
    SearchFilter,
    SearchRequest,
    SearchResult,
    TermCounts,
)


def _comes_from(source: str, named: Sequence[str]) -> bool:
    return source in named or source.rpartition("/")[2] in named


class MemoryLibrary:
    """Passages by id, readers and packs by collection; fits `LexicalIndex` and `Passages`."""

    def __init__(
        self,
        passages: Sequence[Passage] = (),
        readers: Mapping[str, frozenset[str]] | None = None,
        packs: Mapping[str, str] | None = None,
    ) -> None:
        self.passages = list(passages)
        self.readers = dict(readers or {})
        self.packs = dict(packs or {})

    def within(self, filter: SearchFilter, audience: Audience) -> list[Passage]:
        return [
            p
            for p in self.passages
            if audience.may_read(self.readers.get(p.collection, frozenset({"*"})))
            and (
                not filter.collections
                or p.collection in filter.collections
                or (OF_NO_PACK in filter.collections and not self.packs.get(p.collection))
            )
            and (not filter.sources or _comes_from(p.source, filter.sources))
            and (not filter.categories or p.category in filter.categories)
            and (filter.language is None or p.language == filter.language)
            and p.language != filter.foreign_to
            and (not filter.entity or filter.entity in p.entities)
            and set(filter.names) <= set(p.entities)
            and (not filter.kinds or p.kind in filter.kinds)
            and (not filter.documents or (p.document or p.id) in filter.documents)
            and (
                not filter.date_range
                or (p.date and filter.date_range[0] <= p.date <= (filter.date_range[1] or "9999-12-31"))
            )
            and (
                not filter.page_range or (p.page is not None and filter.page_range[0] <= p.page <= filter.page_range[1])
            )
        ]

    async def search(self, query: Query, *, k: int, filter: SearchFilter, audience: Audience):
        texts = [tokens(f"{p.title}\n{p.section}\n{p.title}\n{p.section}\n{p.text}") for p in self.passages]
        if not any(texts):
            return []
        okapi = BM25Okapi(texts, b=0.6)
        factors = dict(query.factors)
        scores = np.zeros(len(texts))
        for text, weight in ((query.text, 1.0), *((extra.text, extra.weight) for extra in query.terms)):
            for term in tokens(text):
                scores = scores + weight * factors.get(term, 1.0) * okapi.get_scores([term])
        wanted = {t for text in (query.text, *(e.text for e in query.terms)) for t in tokens(text)}
        admitted = {p.id for p in self.within(filter, audience)}
        found = [
            (p.id, round(float(score), 9), len(wanted & set(words)))
            for p, score, words in zip(self.passages, scores, okapi.doc_freqs, strict=True)
            if p.id in admitted and wanted & set(words)
        ]
        found.sort(key=lambda item: (-item[1], -item[2], item[0]))
        return [(identity, score) for identity, score, _ in found[:k]]

    async def counts(self, terms: Collection[str], *, audience: Audience):
        texts = [set(tokens(f"{p.title}\n{p.section}\n{p.text}")) for p in self.within(SearchFilter(), audience)]
        return TermCounts(passages=len(texts), holding={term: sum(term in text for text in texts) for term in terms})

    async def near(self, terms: Collection[str], *, audience: Audience):
        within = self.within(SearchFilter(), audience)
        held = Counter(t for p in within for t in set(tokens(f"{p.title}\n{p.section}\n{p.text}")))
        found = {term: (set(edits(term)) - {term}) & held.keys() for term in terms}
        return {term: sorted(others, key=lambda t: (-held[t], t))[:5] for term, others in found.items()}

    async def sounding(self, sounds: Collection[str], *, audience: Audience):
        within = self.within(SearchFilter(), audience)
        held = Counter(t for p in within for t in set(tokens(f"{p.title}\n{p.section}\n{p.text}")))
        return sorted((term for term in held if sound_of(term) in sounds), key=lambda t: (-held[t], t))[:200]

    async def documents_holding(self, words: Sequence[str], *, filter: SearchFilter, audience: Audience):
        texts = [
            (p.document or p.id, set(tokens(f"{p.title}\n{p.section}\n{p.text}")))
            for p in self.within(filter, audience)
        ]
        return [
            np.array(sorted({d for d, text in texts if tokens(word) and set(tokens(word)) <= text}), dtype=np.int64)
            for word in words
        ]

    async def get(self, ids: Sequence[int], *, audience: Audience):
        known = {p.id: p for p in self.within(SearchFilter(), audience)}
        return [known[i] for i in ids if i in known]

    async def by_reference(self, references: Sequence[str], *, audience: Audience):
        known = {p.reference: p for p in self.within(SearchFilter(), audience)}
        return [known[i] for i in references if i in known]

    async def of_document(self, collection: str, document_id: str, *, start: int, stop: int, audience: Audience):
        found = [
            p
            for p in self.within(SearchFilter(collections=(collection,)), audience)
            if p.document_id == document_id and start <= p.position < stop
        ]
        return sorted(found, key=lambda p: p.position)

    async def titles(self, *, audience: Audience, collections: Sequence[str] = (), k: int):
        within = self.within(SearchFilter(collections=tuple(collections)), audience)
        titles = {(p.collection, p.document_id): p.title for p in within}
        return len(titles), sorted(titles.values())[:k]

    async def empty(self, *, audience: Audience, collections: Sequence[str] = ()) -> bool:
        return not self.within(SearchFilter(collections=tuple(collections)), audience)


def base_of(texts: Sequence[str], *secret: str) -> KnowledgeBase:
    """Return a knowledge base of passages by number, the secret ones last: nobody but one user may read these."""
    stored = [*((text, "open") for text in texts), *((text, "closed") for text in secret)]
    passages = [
        Passage(id=n, document_id=f"d{n}", collection=name, title="", text=text)
        for n, (text, name) in enumerate(stored)
    ]
    library = MemoryLibrary(passages, {"closed": frozenset({"user:a"})})
    return KnowledgeBase(lexical=library, passages=library)


async def searched(text: str, knowledge: KnowledgeBase, today: date | None = None) -> SearchResult:
    """Return what everybody finds."""
    request = SearchRequest(queries=(Query(text=text),), today=today)
    return await knowledge.search(request, Audience(principals=frozenset({"*"})))

"""Words of a question that the documents write in the other letters: 라우터 where they say router, and the reverse.

A Korean word that no readable passage holds is read, in this order, as the letters that it names (에이피아이), as what
the glossary calls it where that sounds like it, or as the word of the passages that it sounds most like. A Latin word
that none holds is read as a Korean one that the glossary knows to be written for it.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain

from agent.language.ko.glossary import glossary
from agent.language.ko.letters import is_hangul
from agent.language.ko.loanwords import is_written_for, likely, sound_of, sounds_of, spelt
from agent.language.ko.particles import strip_particle
from agent.language.ko.stems import stem_of
from agent.ports import LexicalIndex, Passages
from agent.retrieval.mending import texts_with
from agent.text import indexed_words, terms_of
from agent.types import Audience, Query, TermCounts

MOST = 5
"""Words of a question that are looked for."""
LIKELY = 0.5
"""From which likelihood on a word is read as the one that it sounds most like: rather than not."""


async def borrowed(
    queries: Sequence[Query], counts: TermCounts, *, lexical: LexicalIndex, passages: Passages, audience: Audience
) -> Mapping[str, str]:
    """Return words of queries, each with what readable passages write in its place. Raises StorageError.

    `counts`: of the queries' terms.
    """
    words = _nowhere(queries, counts)
    out = await _in_korean(queries, counts, lexical, passages, audience)
    knows = {stem: _known(stem) for stems in words.values() for stem in stems}
    terms = {term for each in knows.values() for term in each}
    held = (await lexical.counts(terms, audience=audience)).holding if terms else {}
    for word, stems in words.items():
        known = [(stem, term) for stem in stems for term in knows[stem] if held.get(term)]
        stem, term = max(known, key=lambda each: held[each[1]], default=("", ""))
        if not term and not any(each in glossary() for each in stems):
            alike = {each: await lexical.sounding(sounds_of(each), audience=audience) for each in stems}
            stem, term = _nearest(alike)
        if term and (written := await _written(term, stem, lexical, passages, audience)):
            out[word] = written + word[len(stem) :]
    return out


def _nowhere(queries: Sequence[Query], counts: TermCounts) -> Mapping[str, Sequence[str]]:
    """Return Korean words that no passage holds: each without its endings, and as a whole."""
    out: dict[str, Sequence[str]] = {}
    for word in dict.fromkeys(word for query in queries for word in indexed_words(query.text) if is_hangul(word)):
        bare = min(strip_particle(word), stem_of(word), key=len)
        if sounds_of(bare) and not all(counts.holding.get(bare[n : n + 2]) for n in range(len(bare) - 1)):
            out[word] = tuple(dict.fromkeys((bare, word)))
    return dict(list(out.items())[:MOST])


async def _in_korean(
    queries: Sequence[Query], counts: TermCounts, lexical: LexicalIndex, passages: Passages, audience: Audience
) -> dict[str, str]:
    """Return Latin words that no passage holds, each with the Korean word for it that some do."""
    words = dict.fromkeys(word for query in queries for word in indexed_words(query.text) if sound_of(word.lower()))
    out: dict[str, str] = {}
    for word in [word for word in words if not any(map(counts.holding.get, terms_of(word)))][:MOST]:
        for other in _called().get(word.lower(), ()):
            if not is_written_for(other, word.lower()):
                continue
            if any(other in text for text in await texts_with(other, lexical, passages, audience)):
                out[word] = other
                break
    return out


@cache
def _called() -> Mapping[str, Sequence[str]]:
    """Return by what Korean words are called these words, by the glossary."""
    out: dict[str, list[str]] = defaultdict(list)
    for word, names in glossary().items():
        for name in names:
            out[name.lower()].append(word)
    return out


def _known(stem: str) -> Sequence[str]:
    """Return the terms of what a word is known to be written for: the letters that it names, what it is called."""
    letters = (term for each in spelt(stem) for term in terms_of(each))
    alike = (name for name in glossary().get(stem, ()) if is_written_for(stem, name.lower()))
    return (*letters, *chain.from_iterable(terms_of(name)[:1] for name in alike))


def _nearest(alike: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Return the word, of those with terms that may sound like them, and its term that it is likeliest written for."""
    chances = {
        (stem, term): chance
        for stem, terms in alike.items()
        for term in terms
        if (chance := likely(stem, term, len(terms))) > LIKELY
    }
    return max(chances, key=lambda each: chances[each], default=("", ""))


async def _written(term: str, stem: str, lexical: LexicalIndex, passages: Passages, audience: Audience) -> str:
    """Return how passages write a term, in the form that sounds most like a word; empty if they do not."""
    texts = await texts_with(term, lexical, passages, audience)
    forms = Counter(form for text in texts for form in indexed_words(text) if terms_of(form)[:1] == (term,))
    chances = {form: round(likely(stem, form.lower(), 1), 2) for form in forms}
    return max(sorted(forms), key=lambda form: (chances[form], forms[form]), default="")

"""Misspelt words of a question, mended against the words that the index holds.

Of English only a word that no readable passage holds and that is no general one: it is read as the two words that a
passage has side by side, or as one that is a slip away; a name with its number (`wave2`) as a passage parts them. Of
Korean a word of which one syllable stands beside none of its neighbours in any passage, where another sound of that
syllable makes a word that some passage holds; other slips are borne by what the index has of words, pairs of syllables.
"""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from agent.edits import edits
from agent.language.ko.glossary import glossary
from agent.language.ko.letters import is_hangul, one_sound_away
from agent.language.ko.particles import strip_particle
from agent.language.ko.stems import is_predicate, meant_of
from agent.ports import LexicalIndex, Passages
from agent.retrieval.general_words import LONGEST, in_two, strange_words
from agent.text import indexed_words, terms_of
from agent.types import Audience, Query, SearchFilter, TermCounts

MOST = 5
"""Words of a question that are mended."""
SYLLABLES = 3
"""Of a Korean word that is mended, at least: with two any word is near to many."""
TRIED = 3
"""Words that one with a wrong syllable may be read as, which are looked for in passages."""
_NAME_AND_NUMBER = re.compile(r"([A-Za-z]{2,24})(\d{1,4})")
_READ = 20
"""Passages in which a term is looked for as it is written."""


async def mended(
    queries: Sequence[Query], counts: TermCounts, *, lexical: LexicalIndex, passages: Passages, audience: Audience
) -> Mapping[str, str]:
    """Return words of queries, each with what readable passages hold a slip away. Raises StorageError.

    `counts`: of the queries' terms.
    """
    latin, korean = _misspelt(queries, counts), _misspelt_korean(queries, counts)
    out = {word: parts for word in latin if (parts := await _in_two(word, lexical, passages, audience))}
    for word, name, number in _numbered(queries, counts):
        apart = re.compile(rf"\b{name}[ -]{number}\b", re.IGNORECASE)
        for text in await texts_with(f"{name} {number}", lexical, passages, audience):
            if found := apart.search(text):
                out[word] = found.group()
                break
    latin = {word: term for word, term in latin.items() if word not in out}
    if latin:
        near = await lexical.near(latin.values(), audience=audience)
        for word, term in latin.items():
            slips = _slips(word.lower()) if near[term] else {}
            for other in near[term]:
                if other[0] != term[0] or (other,) not in slips.values():
                    continue
                if written := await _written(other, word, slips, lexical, passages, audience):
                    out[word] = written
                    break
    for word, place in korean.items():
        if meant := await _meant(strip_particle(word), place, lexical, passages, audience):
            out[word] = meant + word[len(meant) :]
    return out


def _misspelt(queries: Sequence[Query], counts: TermCounts) -> Mapping[str, str]:
    """Return words that nobody may have meant as they are written, each with its term."""
    held = {term for term, passages in counts.holding.items() if passages}
    out = {word: term for query in queries for word, term in strange_words(query.text, held).items()}
    return dict(list(out.items())[:MOST])


def _numbered(queries: Sequence[Query], counts: TermCounts) -> list[tuple[str, str, str]]:
    """Return names with a number behind them that no passage writes in one, `wave2`, each with its two parts."""
    words = dict.fromkeys(word for query in queries for word in indexed_words(query.text))
    found = [(word, parts) for word in words if (parts := _NAME_AND_NUMBER.fullmatch(word))]
    left = [(word, parts[1], parts[2]) for word, parts in found if not any(map(counts.holding.get, terms_of(word)))]
    return left[:MOST]


def _misspelt_korean(queries: Sequence[Query], counts: TermCounts) -> Mapping[str, int]:
    """Return words of Korean of which no passage holds one syllable with any neighbour, with the place of it.

    Not the last one, as in English: it makes another word of the same family. A predicate has many endings, and
    what the glossary knows is a word.
    """
    out: dict[str, int] = {}
    for word in dict.fromkeys(word for query in queries for word in indexed_words(query.text) if is_hangul(word)):
        stem = strip_particle(word)
        if (
            len(meant_of(word)) >= SYLLABLES
            and len(stem) <= LONGEST
            and not is_predicate(stem)
            and stem not in glossary()
        ):
            unheld = [n for n in range(len(stem) - 1) if not counts.holding.get(stem[n : n + 2])]
            place = unheld[-1] if unheld else 0
            if unheld == [n for n in (place - 1, place) if n >= 0]:  # the pairs that this syllable is in, and no other
                out[word] = place
    return dict(list(out.items())[:MOST])


async def _in_two(word: str, lexical: LexicalIndex, passages: Passages, audience: Audience) -> str:
    """Return a word as the two that passages write it in, `load test` or `load-test`; empty where none does."""
    parts = in_two(word)
    terms = {part: terms_of(part) for pair in parts for part in pair}
    held = (await lexical.counts(set(chain.from_iterable(terms.values())), audience=audience)).holding
    likely = [pair for pair in parts if all(any(map(held.get, terms[part])) for part in pair)]
    for first, second in sorted(likely, key=lambda pair: -min(held[terms[part][0]] for part in pair))[:TRIED]:
        beside = re.compile(rf"\b{re.escape(first)}[ -]([a-z]+)", re.IGNORECASE)
        for text in await texts_with(f"{first} {second}", lexical, passages, audience):
            if found := next((each for each in beside.finditer(text) if terms_of(each[1]) == terms[second]), None):
                return found.group().lower()
    return ""


async def _meant(stem: str, place: int, lexical: LexicalIndex, passages: Passages, audience: Audience) -> str:
    """Return the word that passages hold with another sound in one syllable; empty where there is none."""
    pairs = {
        f"{stem[:place]}{other}{stem[place + 1 :]}": [
            *([stem[place - 1] + other] if place else []),
            other + stem[place + 1],
        ]
        for other in one_sound_away(stem[place])
    }
    counts = (await lexical.counts(set(chain.from_iterable(pairs.values())), audience=audience)).holding
    held = {word: min(counts.get(pair, 0) for pair in each) for word, each in pairs.items()}
    for word in sorted((word for word, count in held.items() if count), key=lambda word: -held[word])[:TRIED]:
        if any(word in text for text in await texts_with(word, lexical, passages, audience)):
            return word
    return ""


def with_words(query: Query, words: Mapping[str, str]) -> Query:
    """Return a query with words in the place of others."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    text = pattern.sub(lambda match: words[match.group()], query.text)
    terms = tuple(replace(t, text=pattern.sub(lambda match: words[match.group()], t.text)) for t in query.terms)
    return replace(query, text=text, terms=terms)


def _slips(word: str) -> Mapping[str, Sequence[str]]:
    """Return what a word may have been meant as, with the terms of each.

    What differs in the last letter alone is no slip: it is mostly another word of the same family, pager and page.
    """
    return {slip: terms_of(slip) for slip in edits(word) if not slip.startswith(word[:-1])}


async def _written(
    term: str, word: str, slips: Container[str], lexical: LexicalIndex, passages: Passages, audience: Audience
) -> str:
    """Return how passages write a term, rather as a slip of the word than with another ending; empty if they do not."""
    texts = await texts_with(term, lexical, passages, audience)
    forms = {form.lower() for text in texts for form in indexed_words(text) if terms_of(form) == (term,)}
    return min(forms, key=lambda form: (form not in slips, abs(len(form) - len(word)), form), default="")


async def texts_with(word: str, lexical: LexicalIndex, passages: Passages, audience: Audience) -> Sequence[str]:
    """Return the passages that are found by a word."""
    found = await lexical.search(Query(text=word), k=_READ, filter=SearchFilter(), audience=audience)
    read = await passages.get([identity for identity, _ in found], audience=audience)
    return [f"{each.title} {each.section} {each.text}" for each in read]

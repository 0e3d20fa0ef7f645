"""Misspelt words of a question, mended against the words that the index holds.

Only a word that no readable passage holds and that is no word of general English, which `english.txt` lists by stem
(made of public passages by `benchmarks/usual.py`). Korean needs none of this: its pairs of syllables bear a slip.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from agent.edits import edits
from agent.ports import LexicalIndex, Passages
from agent.text import indexed_words, terms_of
from agent.types import Audience, Query, SearchFilter, TermCounts

FILE = Path(__file__).with_name("english.txt")
SHORTEST, LONGEST = 5, 24
"""Letters of a word that is mended: shorter ones are too near to each other."""
MOST = 5
"""Words of a question that are mended."""
_READ = 20
"""Passages in which a term is looked for as it is written."""
_PLAIN = re.compile(r"[A-Za-z]?[a-z]+")


def misspelt(queries: Sequence[Query], counts: TermCounts) -> Mapping[str, str]:
    """Return words that nobody may have meant as they are written, each with its term."""
    out: dict[str, str] = {}
    for word in dict.fromkeys(word for query in queries for word in indexed_words(query.text)):
        if SHORTEST <= len(word) <= LONGEST and _PLAIN.fullmatch(word) and len(terms_of(word)) == 1:
            (term,) = terms_of(word)
            if not counts.holding.get(term) and term not in _english():
                out[word] = term
    return dict(list(out.items())[:MOST])


async def mended(
    words: Mapping[str, str], *, lexical: LexicalIndex, passages: Passages, audience: Audience
) -> Mapping[str, str]:
    """Return for words, given with their terms, what readable passages hold a slip away. Raises StorageError."""
    near = await lexical.near(words.values(), audience=audience)
    out: dict[str, str] = {}
    for word, term in words.items():
        for other in near[term]:
            if other[0] == term[0] and (written := await _written(other, word, lexical, passages, audience)):
                out[word] = written
                break
    return out


def with_words(query: Query, words: Mapping[str, str]) -> Query:
    """Return a query with words in the place of others."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    text = pattern.sub(lambda match: words[match.group()], query.text)
    terms = tuple(replace(t, text=pattern.sub(lambda match: words[match.group()], t.text)) for t in query.terms)
    return replace(query, text=text, terms=terms)


async def _written(term: str, word: str, lexical: LexicalIndex, passages: Passages, audience: Audience) -> str:
    """Return how passages write a term a slip away from a word; empty where they do not.

    What differs in the last letter alone is no slip: it is mostly another word of the same family, pager and page.
    """
    found = await lexical.search(Query(text=term), k=_READ, filter=SearchFilter(), audience=audience)
    read = await passages.get([identity for identity, _ in found], audience=audience)
    texts = (f"{each.title} {each.section} {each.text}" for each in read)
    forms = {form.lower() for text in texts for form in indexed_words(text) if terms_of(form) == (term,)}
    near = [form for form in forms & set(edits(word.lower())) if not form.startswith(word[:-1].lower())]
    return min(near, key=lambda form: (abs(len(form) - len(word)), form), default="")


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    return frozenset(FILE.read_text(encoding="utf-8").split())

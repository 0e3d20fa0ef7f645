"""What a ranking by words counts besides its words: the document around a passage, what it records, and phrases.

Passages of one document support each other: one of a few hundred characters often leaves out what it is about, because
the one before it said so. Records of what has changed, a change log or amendments, count less than what holds today:
they name the same things, often many times over, and what they say may long be otherwise. Words that stand side by side
in a question and in a passage count more: `annual leave` is not `leave` and `annual`, and BM25 knows nothing of order.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log1p

from agent.language.lexicon import pattern
from agent.text import indexed_words, stems_of
from agent.types import Passage
from agent.values.codes import codes_in

READ = 20
"""The best passages of a ranking whose phrases are read; reading 50 changed nothing."""
# In shares of the best score. Of each, half and twice as much found about as many on the sets that were measured.
_PHRASES = 0.5
"""What a question's phrases, all found, add to a score."""
_NEIGHBOUR = 0.05
"""What a passage has of the scores of those right before and after it."""
_DOCUMENT = 0.1
"""What it has of the logarithm of all that else was found of its document."""
_CODES = 0.3
"""What it adds that a passage holds all codes and numbers of a question: a long list of extensions or error codes is
found behind short texts with the question's other words otherwise."""
_RECORD = 0.7
"""What a record of changes, or what was replaced, has of its score."""

Scored = Sequence[tuple[int, float]]
"""Passages by id with their scores, best first."""


@lru_cache(maxsize=1_024)
def stems(text: str) -> tuple[str, ...]:
    """Return the words of a text that carry meaning, by stem, in order. The passages that many ask for are known."""
    return tuple(stem for word in indexed_words(text) for stem in stems_of(word))


def best_first(scored: Scored) -> Scored:
    """Return passages in the order of their scores."""
    return sorted(scored, key=lambda pair: -pair[1])


def supported(ranked: Scored, read: Mapping[int, Passage]) -> Scored:
    """Return a ranking by words with what the passages of a document add to each other, best first.

    Only those that were `read` support and are supported; they are the best ones, so the others stay behind them.
    """
    best = max((score for _, score in ranked), default=0.0)
    if best <= 0:
        return ranked
    shares = {identity: score / best for identity, score in ranked if identity in read}
    places = {(read[i].collection, read[i].document_id, read[i].position): share for i, share in shares.items()}
    totals: defaultdict[tuple[str, str], float] = defaultdict(float)
    for identity, share in shares.items():
        totals[read[identity].collection, read[identity].document_id] += share

    def added(identity: int) -> float:
        passage = read[identity]
        where = passage.collection, passage.document_id
        around = sum(places.get((*where, passage.position + step), 0.0) for step in (-1, 1))
        return _NEIGHBOUR * around + _DOCUMENT * log1p(max(0.0, totals[where] - shares[identity]))

    return best_first([(i, score + (best * added(i) if i in shares else 0.0)) for i, score in ranked])


def without_records(question: str, ranked: Scored, read: Mapping[int, Passage]) -> Scored:
    """Return a ranking by words, best first, in which what was replaced stands lower, unless a question is for that.

    So do records of changes. Only those that were `read` are known for what they are.
    """
    late = set[int]()
    for form, is_late in (("reading.asks_for_changes", _records), ("reading.former", is_replaced)):
        if not pattern(form).search(question):
            late |= {identity for identity, passage in read.items() if is_late(passage)}
    return best_first([(i, score * _RECORD if i in late and score > 0 else score) for i, score in ranked])


def is_replaced(passage: Passage) -> bool:
    """Tell whether the name of a document, or of its file, says that it is no longer in force."""
    return pattern("documents.out_of_force").search(f"{passage.title} {passage.document_id}") is not None


def _records(passage: Passage) -> bool:
    heads = f"{passage.title}\n{passage.section.replace(' > ', chr(10))}"
    return pattern("documents.records_of_changes", flags=re.IGNORECASE | re.MULTILINE).search(heads) is not None


def by_phrases(question: str, ranked: Scored, read: Mapping[int, Sequence[str]]) -> Scored:
    """Return a ranking by words with scores that count phrases too, best first, 1 for what the best had without.

    `read` holds the stems of the best passages; the others keep their scores.
    """
    best = max((abs(score) for _, score in ranked), default=0.0) or 1.0
    words = stems(question)
    pairs = {pair for pair in pairwise(words) if pair[0] != pair[1]}
    each = _PHRASES / max(1, len(words))
    codes = {stem for code in codes_in(question) for stem in stems(code)}

    def added(order: Sequence[str]) -> float:
        return each * _together(pairs, order) + (_CODES * len(codes & set(order)) / len(codes) if codes else 0.0)

    return best_first([(i, score / best + added(read.get(i, ()))) for i, score in ranked])


def _together(pairs: set[tuple[str, str]], order: Sequence[str]) -> int:
    """Return how many of the pairs stand side by side in a text, or are written together: 육아 휴직 as 육아휴직."""
    found = pairs & set(pairwise(order))
    known = set(order)
    return len(found) + sum("".join(pair) in known for pair in pairs - found)

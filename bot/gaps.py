"""Questions that the documents did not answer well, those that are alike together."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agent.reasoning.rules.reading.answer_type import read
from agent.types import ReasonKind
from storage.gaps import Shortfall, WeakTurn

ALIKE = 0.5
"""Cosine of two questions' words, weighed by rarity, from which they count as one. A figure chosen, not fitted."""
_TITLES = 3
_Words = Mapping[str, float]


@dataclass(slots=True)
class Gap:
    """Questions that are alike."""

    question: str
    """The latest of them."""
    asked: int = 0
    last: str = ""
    """The day on which it was asked last, 2026-03-31, in the machine's zone."""
    shortfalls: dict[Shortfall, int] = field(default_factory=dict)
    near: list[str] = field(default_factory=list)
    """Titles of the documents that came nearest, the most frequent first."""
    reasons: dict[ReasonKind, int] = field(default_factory=dict)
    """What people said was wrong with the answer, how many each."""
    remarks: list[str] = field(default_factory=list)
    """The same in their own words, the latest question first."""


def grouped(weak: Sequence[WeakTurn]) -> list[Gap]:
    """Return questions that are alike as one gap each: those asked most first, then the latest.

    A question joins the group whose first question it is most like, the latest questions beginning the groups.
    """
    asked = [{term.stem.casefold(): term.weight for term in read(turn.question).terms} for turn in weak]
    seen = Counter(word for words in asked for word in words)
    vectors = [_weighed(words, seen, len(weak)) for words in asked]
    heads: list[tuple[_Words, list[WeakTurn]]] = []
    for turn, vector in sorted(zip(weak, vectors, strict=True), key=lambda each: -each[0].at):
        alike = [_cosine(head, vector) for head, _ in heads]
        if max(alike, default=0.0) >= ALIKE:
            heads[alike.index(max(alike))][1].append(turn)
        else:
            heads.append((vector, [turn]))
    return sorted((_gap(turns) for _, turns in heads), key=lambda gap: -gap.asked)


def _gap(turns: Sequence[WeakTurn]) -> Gap:
    """Return questions that are alike as one; the latest stands first."""
    titles = Counter(title for turn in turns for title in turn.titles)
    reasons = [reason for turn in turns for reason in turn.reasons]
    return Gap(
        question=turns[0].question,
        asked=len(turns),
        last=datetime.fromtimestamp(turns[0].at).date().isoformat(),
        shortfalls=dict(Counter(turn.shortfall for turn in turns)),
        near=[title for title, _ in titles.most_common(_TITLES)],
        reasons=dict(Counter(reason.kind for reason in reasons).most_common()),
        remarks=[reason.text for reason in reasons if reason.text],
    )


def _weighed(words: _Words, seen: Counter[str], questions: int) -> _Words:
    """Return words at their weight and rarity, of length 1. A question without words is like none."""
    weights = {word: weight * math.log(1 + questions / seen[word]) for word, weight in words.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()} if length else {}


def _cosine(one: _Words, other: _Words) -> float:
    return sum(weight * other.get(word, 0.0) for word, weight in one.items())

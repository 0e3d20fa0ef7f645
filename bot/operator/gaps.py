"""`weft gaps`: what people ask and the documents do not answer, questions that are alike together."""

import json
import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

import click

from agent.reasoning.rules.reading.answer_type import read
from agent.types import ReasonKind
from bot.app import data_folder
from bot.operator.snippets import printable
from bot.settings import Settings
from storage.database import Database
from storage.gaps import Shortfall, WeakTurn, weak_turns
from storage.schema import WEFT

ALIKE = 0.5
"""Cosine of two questions' words, weighed by rarity, from which they count as one. A figure chosen, not fitted."""
_DAY = 86_400.0
_TITLES = 3
_REMARKS = 3
"""Of one gap that are printed; the object has them all."""
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


async def print_gaps(settings: Settings, *, days: int, most: int, as_json: bool) -> int:
    """Print the gaps of the last days, those asked most first; returns the exit code. Raises StorageError."""
    database = await Database.open(data_folder(settings) / "weft.db", WEFT)
    try:
        weak = await weak_turns(database, since=time.time() - days * _DAY)
    finally:
        await database.close()
    gaps = grouped(weak)
    if as_json:
        report = {"days": days, "questions": len(weak), "gaps": [asdict(gap) for gap in gaps[:most]]}
        click.echo(json.dumps(report, ensure_ascii=False))
        return 0
    if not gaps:
        click.echo(f"No question of the last {days} days was left without a good answer.")
        return 0
    for gap in gaps[:most]:
        told = ", ".join(f"{count} {name}" for name, count in sorted(gap.shortfalls.items()))
        click.echo(f"{gap.asked:>4}x  {printable(gap.question)}\n       {told}; last on {gap.last}")
        if gap.near:
            click.echo(f"       nearest: {printable(' · '.join(gap.near))}")
        if gap.reasons:
            counted = ", ".join(f"{count} {kind.value}" for kind, count in gap.reasons.items())
            click.echo(f"       why: {counted}")
        for remark in gap.remarks[:_REMARKS]:
            click.echo(f"       “{printable(remark)}”")
    if len(gaps) > most:
        click.echo(f"... and {len(gaps) - most} more: --most {len(gaps)}")
    return 0


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

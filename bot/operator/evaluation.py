"""`weft eval`: a team's own questions, each with what its answer must hold, asked and marked."""

import json
import statistics
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, Self

import click
from pydantic import Field, field_validator, model_validator

from agent.language.registry import languages
from agent.packs.slots import Part
from agent.packs.yaml_reading import parsed, text_of
from agent.types import Response
from bot.app import open_engine
from bot.models.vector_progress import shown
from bot.operator.asking import Asker, Console
from bot.operator.snippets import printable
from bot.settings import Settings

Mark = Literal["whole", "part", "wrong", "declined"]
MARKS: tuple[Mark, ...] = ("whole", "part", "wrong", "declined")
SURE = 0.5
"""Confidence from which an answer counts as sure, where it comes without a word of doubt."""
_BANDS = (0.0, 0.25, 0.5, 0.75, 1.01)
Text = Annotated[str, Field(min_length=1, max_length=2_000)]


class Question(Part):
    """A question, and what an answer to it must hold."""

    question: Text
    kind: Annotated[str, Field(max_length=40)] = "question"
    facts: tuple[Text, ...] = ()
    """All of them stand in an answer that is told whole, spaces apart."""
    file: tuple[Text, ...] = ()
    """Documents of which the first citation is one, by how their ids end."""
    answered: bool = True
    """False: the documents do not answer it; it is declined, or asked back about."""

    @field_validator("file", mode="before")
    @classmethod
    def _one_or_several(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _can_be_marked(self) -> Self:
        if self.answered and not self.facts and not self.file:
            raise ValueError("give facts or a file that the answer must hold, or answered: false")
        if not self.answered and (self.facts or self.file):
            raise ValueError("a question with answered: false has no facts and no file")
        return self


class Bar(Part):
    """What a run must reach; a figure that is not given is not asked for."""

    first: Annotated[int, Field(ge=0)] = 0
    """Questions with the right source first; one that is rightly left open counts."""
    told: Annotated[int, Field(ge=0)] = 0
    """Questions told whole, or in part with a word of doubt; one that is rightly left open counts."""
    sure_and_wrong: Annotated[int, Field(ge=0)] | None = None
    """At most so many."""
    left_open: Annotated[int, Field(ge=0)] = 0
    """Unanswerable questions that are declined or asked back about."""


class Questions(Part):
    """A file of questions."""

    questions: Annotated[tuple[Question, ...], Field(min_length=1, max_length=5_000)]
    bar: Bar = Bar()


@dataclass(frozen=True, kw_only=True, slots=True)
class Marked:
    """A question with how it was answered."""

    question: str
    kind: str
    answerable: bool
    mark: Mark
    first: bool
    """The first source is right; of one without documents that it was left open."""
    sure: bool
    confidence: float
    milliseconds: float
    missing: tuple[str, ...] = ()
    """Facts that the answer does not hold."""
    source: str = ""
    """The document that was cited first."""

    @property
    def good(self) -> bool:
        """Whether it was told whole, or in part with a word of doubt, or rightly left open."""
        if not self.answerable:
            return self.mark == "declined"
        return self.mark == "whole" or (self.mark == "part" and not self.sure)


def load_questions(path: Path) -> Questions:
    """Read a file of questions. Raises PackError with a line for each mistake."""
    text = text_of(path, missing="there is no such file of questions")
    return parsed(text, Questions, path, what="a file of questions", languages=lambda _: languages())


def marked(question: Question, response: Response) -> Marked:
    """Return how a response answers a question."""
    left_open = response.response_type in ("not_found", "declined", "clarification") or not response.citations
    said = "".join(response.answer.split()).casefold()
    missing = tuple(fact for fact in question.facts if "".join(fact.split()).casefold() not in said)
    source = response.citations[0].document_id if response.citations else ""
    first = left_open if not question.answered else _is_one_of(source, question.file)
    mark: Mark
    if left_open:
        mark = "declined"
    elif not question.answered or (question.facts and len(missing) == len(question.facts)):
        mark = "wrong"
    elif not question.facts:
        mark = "whole" if first else "wrong"
    else:
        mark = "part" if missing else "whole"
    return Marked(
        question=question.question,
        kind=question.kind,
        answerable=question.answered,
        mark=mark,
        first=first,
        sure=not left_open and response.response_type != "passages" and response.confidence >= SURE,
        confidence=round(response.confidence, 3),
        milliseconds=round(response.total_ms, 1),
        missing=missing,
        source=source,
    )


def _is_one_of(source: str, files: Sequence[str]) -> bool:
    return bool(source) and (not files or any(source == file or source.endswith(f"/{file}") for file in files))


def shortfalls(rows: Sequence[Marked], bar: Bar) -> list[str]:
    """Return a line for each figure of the bar that is not reached."""
    sums = totals(rows)
    least = {name: getattr(bar, name) for name in ("first", "told", "left_open")}
    out = [f"{name}: {sums[name]}, wanted at least {most}" for name, most in least.items() if sums[name] < most]
    if bar.sure_and_wrong is not None and sums["sure_and_wrong"] > bar.sure_and_wrong:
        out.append(f"sure_and_wrong: {sums['sure_and_wrong']}, wanted at most {bar.sure_and_wrong}")
    return out


def totals(rows: Sequence[Marked]) -> dict[str, int]:
    """Return the figures that a bar asks for."""
    return {
        "questions": len(rows),
        "first": sum(row.first for row in rows),
        "told": sum(row.good for row in rows),
        "sure_and_wrong": sum(row.sure and row.mark == "wrong" for row in rows),
        "left_open": sum(not row.answerable and row.mark == "declined" for row in rows),
    }


def calibration(rows: Sequence[Marked]) -> list[dict[str, float]]:
    """Return for each band of confidence of what was answered how many answers it has, and the share told whole."""
    told = [row for row in rows if row.mark != "declined"]
    out = []
    for low, high in pairwise(_BANDS):
        mine = [row for row in told if low <= row.confidence < high]
        if mine:
            right = sum(row.mark == "whole" for row in mine) / len(mine)
            mean = statistics.fmean(row.confidence for row in mine)
            out.append({"from": low, "answers": len(mine), "confidence": round(mean, 2), "whole": round(right, 2)})
    return out


async def run_questions(settings: Settings, questions: Questions) -> list[Marked]:
    """Ask every question in a thread of its own, each as somebody of whom nothing is known.

    What one of them tells ("I take warfarin") is not to bear on the next, nor to stay; nor is any of them kept as what
    people ask. Passages that have no vector yet get theirs first, where there is an embedding model. Raises
    StorageError, PackError.
    """
    rows: list[Marked] = []
    async with open_engine(settings, follows=True) as engine:
        with shown() as tell:
            followed = await engine.meanings.follow(tell)
        if followed.problem:
            click.echo(f"{followed.missing:,} passages have no vector: {printable(followed.problem)}", err=True)
        console = Console(engine, quiet=True)
        for question in questions.questions:
            message = Asker().message(question.question, "")
            message = replace(message, key=replace(message.key, workspace_id=f"eval-{message.message_id}"))
            try:
                rows.append(marked(question, await console.ask(message)))
            finally:
                await engine.turns.forget(message.turn_id)
                await engine.profiles.forget(f"{message.key.platform}:{message.key.workspace_id}:{message.author.id}")
    return rows


async def evaluate(settings: Settings, path: Path, *, fresh: bool, as_json: bool) -> int:
    """Ask the questions of a file and print the table; returns 1 below the file's bar. Raises PackError, StorageError.

    `fresh`: in a data folder of its own, which holds the pack's documents and nothing else.
    """
    questions = load_questions(path)
    if fresh:
        with tempfile.TemporaryDirectory(prefix="weft-eval-") as folder:
            rows = await run_questions(settings.model_copy(update={"data": Path(folder)}), questions)
    else:
        rows = await run_questions(settings, questions)
    below = shortfalls(rows, questions.bar)
    if as_json:
        report = {
            "totals": totals(rows), "calibration": calibration(rows), "below": below, "rows": [asdict(r) for r in rows]
        }  # fmt: skip
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        click.echo("\n".join(table(rows, below)))
    return 1 if below else 0


def table(rows: Sequence[Marked], below: Sequence[str]) -> list[str]:
    """Return the report as lines: a table by kind, the calibration, latency, and what was not right."""
    lines = [f"{'kind':<16}{'asked':>6}{'first':>7}" + "".join(f"{mark:>10}" for mark in MARKS)]
    for kind in [*dict.fromkeys(row.kind for row in rows), "all"]:
        mine = [row for row in rows if kind in (row.kind, "all")]
        marks = Counter(row.mark for row in mine)
        figures = "".join(f"{marks[mark]:>10}" for mark in MARKS)
        lines.append(f"{kind:<16}{len(mine):>6}{sum(row.first for row in mine):>7}{figures}")
    sums = totals(rows)
    lines += ["", f"told whole, with doubt, or rightly left open: {sums['told']} of {sums['questions']}"]
    lines.append(f"sure and wrong: {sums['sure_and_wrong']}")
    for band in calibration(rows):
        lines.append(
            f"confidence {band['confidence']:.2f}: {band['answers']} answers, {100 * band['whole']:.0f} % told whole"
        )
    times = sorted(row.milliseconds for row in rows)
    lines.append(f"latency: median {statistics.median(times):.0f} ms, slowest {times[-1]:.0f} ms")
    for row in rows:
        if not (row.good and row.first):
            why = f"; missing: {', '.join(row.missing)}" if row.missing else ""
            lines.append(f"  {row.mark}, {row.source or 'no source'}: {printable(row.question)}{printable(why)}")
    return [*lines, *(f"below the bar: {line}" for line in below)]

"""What an answer is made of: passages, sentences with their places, checks, sources, files."""

from dataclasses import dataclass
from typing import Literal

from agent.types.knowledge import Hit


@dataclass(frozen=True, kw_only=True, slots=True)
class Block(Hit):
    """A passage that the answer may rest on; `n` is its number in the composer's context, from 1."""

    n: int
    further: bool = False
    """Whether a model may rest on it alone: what is quoted without one is among the others."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Support:
    """The characters `start:end` of a block's text that a sentence rests on."""

    block: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A piece of an answer that is checked, cited and streamed as one."""

    text: str
    """Markdown without citation marks."""
    support: tuple[Support, ...] = ()
    lead: str = " "
    """What stands before it: a space, a line break, a list bullet."""
    hedged: bool = False
    """Whether it is told as what comes closest, and not as the answer."""
    part: str = ""
    """Which question of a message it answers, where its writer knows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """An answer before it is checked. No sentence: nothing in the evidence answers the question."""

    sentences: tuple[Sentence, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remedy:
    """What another draft can do better."""

    kind: Literal["unsupported", "unanswered"]
    """A sentence does not hold; a part of the question is left out."""
    about: str
    """That sentence or part."""
    problem: str = ""
    """Of what does not hold: what is wrong with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class QualityCheck:
    """The verdict of a check; `score` within 0..1."""

    is_valid: bool
    score: float
    reason: str = ""
    suggestions: tuple[Remedy, ...] = ()
    needs_retry: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Grade:
    """How good an answer is, whether or not it is true: see `QualityCheck` for what is to be done about it."""

    check: QualityCheck
    """`needs_retry`: write again with the suggestions."""
    score: float
    """Within 0..1: the weighted mean of the terms that have data."""
    length: float | None = None
    evidence: float | None = None
    personalization: float | None = None
    """None: there is nothing to judge it by."""
    confidence: float = 0.0
    """How likely the answer holds what was asked for, within 0..1: one calibrated figure."""
    unanswered: tuple[str, ...] = ()
    """The questions of a message that the answer leaves open."""
    final: bool = False
    """Whether it is in vain to search again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """A source of the answer. `quote` stands verbatim in the document."""

    n: int
    document_id: str
    passage_id: str
    title: str
    quote: str
    section: str = ""
    page: int | None = None
    source: str = ""
    score: float = 0.0
    collection: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProducedFile:
    """A file made for the answer."""

    name: str
    media_type: str
    path: str
    text: str = ""
    """What it shows, in words: for who cannot see it."""

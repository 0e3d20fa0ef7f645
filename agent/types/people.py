"""What is known of a person."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.language.registry import Language


@dataclass(frozen=True, kw_only=True, slots=True)
class Preferences:
    """How somebody wants to be answered; empty: as the question suggests."""

    language: Language | None = None
    length: Literal["", "short", "long"] = ""
    format: Literal["", "list", "table"] = ""


MOST_VALUES = 50
"""Values of one list that are remembered of somebody."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """What somebody told of themselves: the pack's slots, and how they want to be answered."""

    slots: Mapping[str, Any] = field(default_factory=dict)
    preferences: Preferences = Preferences()


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """A question that somebody asked, and what was answered."""

    turn_id: str
    question: str
    answer: str
    at: float
    """Seconds since the epoch."""
    evidence: tuple[str, ...] = ()
    """References of the passages that the answer cites: it is shown only to who may read them all."""

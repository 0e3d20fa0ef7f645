"""What another platform would show of a turn: the payloads that its adapter sends, to be looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from adapters.contract import Failure, TodoList
from agent.types import Clarification, Response


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """What there is to see of a turn at one moment."""

    todo: TodoList | None = None
    draft: str | None = None
    """The answer under way; None where none is, empty where it was withdrawn."""
    outcome: Response | Clarification | Failure | None = None


class Preview(Protocol):
    """Turns what there is to see into one platform's messages."""

    def __call__(self, shown: Shown, /) -> Sequence[Mapping[str, Any]]:
        """Return the payload of each message, as that platform's API takes it."""
        ...

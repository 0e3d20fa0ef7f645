"""Channels that live as long as a turn."""

from collections.abc import Callable, Sequence
from typing import Any, Self

from langgraph.channels import UntrackedValue


class Gathered(UntrackedValue[Any]):
    """Joins what nodes that run side by side write, and is never checkpointed.

    `Annotated[tuple[int, ...], Gathered(join)]` in the state; `join(old, new)` is a pure function.
    """

    __slots__ = ("join",)

    def __init__(self, join: Callable[[Any, Any], Any]) -> None:
        super().__init__(object)
        self.join = join

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gathered) and other.join == self.join

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> Self:
        """Return a copy that shares nothing with this channel but the value."""
        twin = self._empty()
        twin.value = self.value
        return twin

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Return an empty channel: a new turn begins with nothing."""
        return self._empty()

    def update(self, values: Sequence[Any]) -> bool:
        """Join the values, in the order of the nodes that wrote them."""
        for value in values:
            self.value = self.join(self.value, value) if self.is_available() else value
        return bool(values)

    def _empty(self) -> Self:
        twin = self.__class__(self.join)
        twin.key = self.key
        return twin

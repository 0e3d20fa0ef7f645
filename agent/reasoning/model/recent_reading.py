"""What was heard a moment ago, for the nodes that follow in the same turn."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

_KEPT = 64


class Recent(Generic[T]):
    """The latest few of something."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """Return what is kept under a key."""
        return self._kept.get(key)

    def keep(self, key: Hashable, value: T) -> None:
        """Keep a value, and forget the oldest where there are too many."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

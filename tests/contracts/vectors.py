"""What every vector index does. A test class inherits `VectorIndexContract` and gives `make`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.ports import VectorIndex
from agent.types import Audience, SearchFilter

DIMENSIONS = 8
ALL = Audience(principals=frozenset(), operator=True)


@dataclass(frozen=True)
class Entry:
    """A passage as far as a vector index is concerned."""

    id: int
    vector: NDArray[np.float32]
    collection: str = "open"
    readers: frozenset[str] = frozenset({"*"})

    def within(self, filter: SearchFilter, audience: Audience) -> bool:
        if filter.collections and self.collection not in filter.collections:
            return False
        return audience.may_read(self.readers)


def unit(*values: float) -> NDArray[np.float32]:
    """Return a vector of length 1 that begins with these values."""
    row = np.zeros(DIMENSIONS, dtype=np.float32)
    row[: len(values)] = values
    return row / np.linalg.norm(row)


def someone(*principals: str) -> Audience:
    return Audience(principals=frozenset({"*", *principals}))


class VectorIndexContract(ABC):
    """The suite; `change` is how an index is filled, which no port describes."""

    @abstractmethod
    async def make(self, entries: Mapping[int, Entry]) -> VectorIndex:
        """Return an index of these entries; the mapping may change later."""

    @abstractmethod
    async def change(self, index: VectorIndex, *, add: Mapping[int, Entry], remove: tuple[int, ...] = ()) -> None:
        """Add or replace entries, and remove some."""

    async def test_nearest_come_first_with_their_inner_product(self) -> None:
        entries = {n: Entry(n, unit(1.0, n)) for n in (1, 2, 3, 40)}
        found = await (await self.make(entries)).search(unit(1.0, 1.0), k=3, filter=SearchFilter(), audience=ALL)
        assert [id for id, _ in found] == [1, 2, 3]
        assert found[0][1] == pytest.approx(1.0, abs=1e-6)
        assert found[1][1] == pytest.approx(float(unit(1.0, 1.0) @ unit(1.0, 2.0)), abs=1e-6)

    async def test_an_empty_index_is_not_ready_and_finds_nothing(self) -> None:
        index = await self.make({})
        assert not await index.ready()
        assert list(await index.search(unit(1.0), k=3, filter=SearchFilter(), audience=ALL)) == []
        await self.change(index, add={1: Entry(1, unit(1.0))})
        assert await index.ready()

    async def test_more_than_there_is_gives_all_there_is(self) -> None:
        index = await self.make({1: Entry(1, unit(1.0)), 2: Entry(2, unit(-1.0))})
        found = await index.search(unit(1.0), k=50, filter=SearchFilter(), audience=ALL)
        assert [id for id, _ in found] == [1, 2]
        assert list(await index.search(unit(1.0), k=0, filter=SearchFilter(), audience=ALL)) == []

    async def test_the_audience_acts_inside_the_search(self) -> None:
        """A hundred nearer secrets must not use up the `k` places."""
        secret = frozenset({"channel:s:w:c1"})
        entries = {n: Entry(n, unit(1.0, n / 1000), readers=secret) for n in range(1, 101)}
        entries |= {n: Entry(n, unit(0.1, 1.0)) for n in (501, 502)}
        index = await self.make(entries)
        found = await index.search(unit(1.0), k=5, filter=SearchFilter(), audience=someone())
        assert {id for id, _ in found} == {501, 502}
        found = await index.search(unit(1.0), k=5, filter=SearchFilter(), audience=someone("channel:s:w:c1"))
        assert [id for id, _ in found] == [1, 2, 3, 4, 5]
        nobody = Audience(principals=frozenset())
        assert list(await index.search(unit(1.0), k=5, filter=SearchFilter(), audience=nobody)) == []

    async def test_the_filter_acts_inside_the_search(self) -> None:
        entries = {n: Entry(n, unit(1.0, n / 1000), collection="a") for n in range(1, 51)}
        entries |= {60: Entry(60, unit(0.1, 1.0), collection="b")}
        index = await self.make(entries)
        found = await index.search(unit(1.0), k=3, filter=SearchFilter(collections=("b",)), audience=ALL)
        assert [id for id, _ in found] == [60]
        none = SearchFilter(collections=("c",))
        assert list(await index.search(unit(1.0), k=3, filter=none, audience=ALL)) == []

    async def test_an_id_added_again_is_replaced(self) -> None:
        index = await self.make({1: Entry(1, unit(1.0)), 2: Entry(2, unit(0.0, 1.0))})
        await self.change(index, add={1: Entry(1, unit(0.0, 0.0, 1.0))})
        found = await index.search(unit(1.0), k=9, filter=SearchFilter(), audience=ALL)
        assert sorted(id for id, _ in found) == [1, 2]
        assert all(score == pytest.approx(0.0, abs=1e-6) for _, score in found)

    async def test_what_is_removed_is_not_found(self) -> None:
        index = await self.make({n: Entry(n, unit(1.0, n)) for n in (1, 2, 3)})
        await self.change(index, add={}, remove=(1, 99))
        found = await index.search(unit(1.0, 1.0), k=9, filter=SearchFilter(), audience=ALL)
        assert [id for id, _ in found] == [2, 3]

"""What keeps the vectors of all passages does. A test class inherits `VectorStoreContract` and gives `open`."""

from abc import ABC, abstractmethod

import numpy as np
import pytest

from agent.errors import SettingsError
from storage.contracts import VectorStore
from tests.contracts.vectors import DIMENSIONS, unit
from tests.vector_files import ids, rows


class VectorStoreContract(ABC):
    """The suite. Whatever was stored is seen by a second one, as another process has it, once it was saved."""

    @abstractmethod
    async def open(self, *, embedding: str = "e") -> VectorStore:
        """Return the vectors of this test, as often as it asks."""

    async def test_what_was_saved_is_there_for_others(self) -> None:
        one, other = await self.open(), await self.open()
        assert await other.count() == 0 and (await other.ids()).tolist() == []
        await one.add(ids(5, 2, 9), rows(unit(1.0), unit(0.0, 1.0), unit(1.0, 1.0)))
        await one.save()
        assert await other.count() == 3 and (await other.ids()).tolist() == [2, 5, 9]

    async def test_an_id_has_one_vector_the_last(self) -> None:
        store = await self.open()
        await store.add(ids(1, 2, 1), rows(unit(1.0), unit(0.0, 1.0), unit(1.0, 1.0)))
        await store.add(ids(2), rows(unit(0.0, 0.0, 1.0)))
        await store.save()
        assert (await (await self.open()).ids()).tolist() == [1, 2]

    async def test_removing_tells_how_many_there_were(self) -> None:
        store = await self.open()
        await store.add(ids(1, 2, 3), rows(unit(1.0), unit(0.0, 1.0), unit(1.0, 1.0)))
        assert await store.remove(ids(2, 7)) == 1
        await store.save()
        assert (await (await self.open()).ids()).tolist() == [1, 3]
        assert await store.remove(ids()) == 0

    async def test_what_is_no_vector_is_not_taken(self) -> None:
        store = await self.open()
        await store.add(ids(), np.empty((0, DIMENSIONS), dtype=np.float32))
        for numbers, vectors in ((ids(1, 2), rows(unit(1.0))), (ids(1), unit(1.0)), (ids(1), rows(unit(1.0) * np.nan))):
            with pytest.raises(ValueError, match="vector"):
                await store.add(numbers, vectors)
        assert await store.count() == 0

    async def test_vectors_of_another_embedding_or_length_are_refused_with_what_to_do(self) -> None:
        store = await self.open()
        await store.add(ids(1), rows(unit(1.0)))
        await store.save()
        with pytest.raises(SettingsError, match=f"{DIMENSIONS} and 3 dimensions.*weft reindex"):
            await store.add(ids(2), np.ones((1, 3), dtype=np.float32))
        other = await self.open(embedding="other")
        with pytest.raises(SettingsError, match=r"made by the embedding 'e'.*weft reindex"):
            await other.count()
        await other.clear()
        await other.save()
        assert await (await self.open(embedding="other")).count() == 0

    async def test_those_made_beside_take_their_place_in_one_step(self) -> None:
        store = await self.open()
        await store.add(ids(1, 2), rows(unit(1.0), unit(0.0, 1.0)))
        await store.save()
        fresh = store.beside()
        await fresh.add(ids(3), rows(unit(0.0, 0.0, 1.0)))
        await fresh.save()
        again = store.beside()  # as a call that failed left it
        assert (await again.ids()).tolist() == [3] and (await store.ids()).tolist() == [1, 2]
        await again.add(ids(4), rows(unit(1.0, 1.0)))
        await again.save(whole=True)
        await store.take(again)
        for each in (fresh, again):
            await each.close()
        assert (await store.ids()).tolist() == [3, 4] == (await (await self.open()).ids()).tolist()
        assert await store.beside().count() == 0

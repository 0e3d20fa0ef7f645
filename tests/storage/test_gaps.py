"""Questions that fell short, from the turns of either database."""

from functools import partial

import pytest

from storage.gaps import weak_turns
from storage.ratings import SqlRatings
from storage.turns import SqlTurns
from tests.contracts.gaps import GapsContract


class TestStoredGaps(GapsContract):
    @pytest.fixture
    def weak(self, database):
        return partial(weak_turns, database)

    @pytest.fixture
    def keep(self, database):
        return SqlTurns(database).put

    @pytest.fixture
    def ratings(self, database):
        return SqlRatings(database)

    @pytest.fixture
    def damage(self, database):
        async def damage(turn_id: str) -> None:
            sql = "UPDATE turns SET response='[]' WHERE turn_id=?"
            await database.write(lambda c: c.execute(sql, (turn_id,)).close())

        return damage

"""Ratings of answers: the same contract for the database and for the fake; they go with their turn."""

import pytest

from storage.ratings import SqliteRatings
from storage.turns import SqliteTurns
from tests.contracts.ratings import NO, OTHER, RatingsContract
from tests.fakes_ratings import MemoryRatings
from tests.storage.turns import stored


class TestSqliteRatings(RatingsContract):
    @pytest.fixture
    def ratings(self, database):
        return SqliteRatings(database)


class TestMemoryRatings(RatingsContract):
    @pytest.fixture
    def ratings(self):
        return MemoryRatings()


async def test_they_are_forgotten_with_their_turn_and_not_when_it_is_answered_anew(database):
    turns, ratings = SqliteTurns(database), SqliteRatings(database)
    for turn_id in ("t1", "t2"):
        await turns.put(stored(turn_id, at=1.0))
        await ratings.put(turn_id, NO)
    await turns.put(stored("t1", at=2.0))
    assert await ratings.of("t1") == [NO]
    await turns.forget("t1")
    assert await ratings.of("t1") == [] and await ratings.of("t2") == [NO]
    await ratings.put("t2", OTHER)
    await turns.prune(older_than=5.0)
    assert await ratings.of("t2") == []

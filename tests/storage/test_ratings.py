"""Ratings of answers: the same contract for the database and for the fake; they go with their turn."""

from dataclasses import replace

import pytest

from agent.types import Reason, ReasonKind
from storage.ratings import SqlRatings
from storage.turns import SqlTurns
from tests.contracts.ratings import NO, OTHER, RatingsContract
from tests.fakes_ratings import MemoryRatings
from tests.storage.turns import stored


class TestSqliteRatings(RatingsContract):
    @pytest.fixture
    def ratings(self, database):
        return SqlRatings(database)

    @pytest.fixture
    def answer(self, database):
        async def answer(turn_id: str, thread: str) -> None:
            await SqlTurns(database).put(replace(stored(turn_id, at=1.0), thread=thread))

        return answer


class TestMemoryRatings(RatingsContract):
    @pytest.fixture
    def ratings(self):
        return MemoryRatings()

    @pytest.fixture
    def answer(self, ratings):
        async def answer(turn_id: str, thread: str) -> None:
            ratings.threads[turn_id] = thread

        return answer


async def test_they_are_forgotten_with_their_turn_and_not_when_it_is_answered_anew(database):
    turns, ratings = SqlTurns(database), SqlRatings(database)
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


async def test_the_words_of_who_is_forgotten_stand_nowhere_in_the_files(tmp_path, sqlite_database):
    turns, ratings = SqlTurns(sqlite_database), SqlRatings(sqlite_database)
    await turns.put(stored("t1", at=1.0))
    await ratings.put("t1", replace(NO, reason=Reason(kind=ReasonKind.OTHER, text="a-rare-remark")))
    assert await ratings.forget("slack:T1:U1") == 1
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert left and b"rare-remark" not in left

"""The latest messages heard: the same contract for the database and for the fake."""

from dataclasses import dataclass

import pytest

from storage.database import Database
from storage.last_heard import SqlLastHeard
from storage.schema import WEFT
from tests.contracts.last_heard import LastHeardContract, place
from tests.fakes_last_heard import MemoryLastHeard


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


class TestSqliteLastHeard(LastHeardContract):
    @pytest.fixture
    def heard(self, database, clock):
        return SqlLastHeard(database, now=clock)


class TestMemoryLastHeard(LastHeardContract):
    @pytest.fixture
    def heard(self, clock):
        return MemoryLastHeard(now=clock)


async def test_it_is_there_after_a_restart(tmp_path):
    for expected in ({}, {place(): "10"}):
        opened = await Database.open(tmp_path / "weft.db", WEFT)
        heard = SqlLastHeard(opened)
        assert await heard.of("discord") == expected
        await heard.put({place(): "10"})
        await opened.close()

"""The calendar in `weft.db`: the contract, rows that are damaged, and answers that outlive their days."""

import pytest

from storage.database import Database
from storage.schedules import SqliteSchedules
from storage.schema import WEFT
from storage.turns import SqliteTurns
from tests.contracts.schedules import SchedulesContract, standing
from tests.storage.turns import stored


@pytest.fixture
async def database(tmp_path):
    opened = await Database.open(tmp_path / "weft.db", WEFT)
    yield opened
    await opened.close()


class TestSqliteSchedules(SchedulesContract):
    @pytest.fixture
    def schedules(self, database):
        return SqliteSchedules(database)


@pytest.mark.parametrize(
    "damage",
    [
        "plan='often'", "plan=''", "zone='Mars/Base'", "thread='slack'", "kind='dance'", "details='{'", "details='[]'",
        "owner='U1'", "owner='{}'", "language='tlh'", "since='soon'", "plan=x'fffe'",
    ],
)  # fmt: skip
async def test_a_damaged_row_is_told_once_and_the_others_go_on(database, damage, caplog):
    schedules = SqliteSchedules(database)
    bad, good = await schedules.put(standing("secret words")), await schedules.put(standing())
    await database.write(lambda c: c.execute(f"UPDATE schedules SET {damage} WHERE id=?", (bad.id,)).close())
    for _ in range(3):
        assert await schedules.all() == [good]
    assert await schedules.damaged() == [bad.id] and await schedules.get(bad.id) is None
    assert caplog.text.count("cannot be read") == 1 and "secret" not in caplog.text
    assert await schedules.remove(bad.id) and await schedules.damaged() == []


async def test_the_last_answers_of_a_standing_question_stay_and_go_with_it(database):
    schedules, turns = SqliteSchedules(database), SqliteTurns(database)
    put = await schedules.put(standing())
    for number, name in enumerate(("t1", "t2", "t3", "t4")):
        await turns.put(stored(name, at=number))
        if name != "t4":
            await schedules.went_well(put.id, turn_id=name)
    assert await turns.prune(older_than=100.0) == 2
    assert await turns.get("t2") and await turns.get("t3") and await turns.get("t1") is None
    await schedules.remove(put.id)
    assert await turns.prune(older_than=100.0) == 2

"""The calendar in `weft.db`: the contract, rows that are damaged, and answers that outlive their days."""

import pytest

from storage.schedules import SqlSchedules
from storage.turns import SqlTurns
from tests.contracts.schedules import SchedulesContract, standing
from tests.storage.turns import stored


class TestSqliteSchedules(SchedulesContract):
    @pytest.fixture
    def schedules(self, database):
        return SqlSchedules(database)


@pytest.mark.parametrize(
    "damage",
    [
        "plan='often'", "plan=''", "zone='Mars/Base'", "thread='slack'", "kind='dance'", "details='{'", "details='[]'",
        "owner='U1'", "owner='{}'", "language='tlh'",
    ],
)  # fmt: skip
async def test_a_damaged_row_is_told_once_and_the_others_go_on(database, damage, caplog):
    await damaged(database, damage, caplog)


@pytest.mark.parametrize("damage", ["since='soon'", "plan=x'fffe'"])
async def test_so_is_one_whose_columns_hold_another_type_as_only_a_file_can(sqlite_database, damage, caplog):
    await damaged(sqlite_database, damage, caplog)


async def damaged(database, damage, caplog):
    schedules = SqlSchedules(database)
    bad, good = await schedules.put(standing("secret words")), await schedules.put(standing())
    await database.write(lambda c: c.execute(f"UPDATE schedules SET {damage} WHERE id=?", (bad.id,)).close())
    for _ in range(3):
        assert await schedules.all() == [good]
    assert await schedules.damaged() == [bad.id] and await schedules.get(bad.id) is None
    assert caplog.text.count("cannot be read") == 1 and "secret" not in caplog.text
    assert await schedules.remove(bad.id) and await schedules.damaged() == []


async def test_the_last_answers_of_a_standing_question_stay_and_go_with_it(database):
    schedules, turns = SqlSchedules(database), SqlTurns(database)
    put = await schedules.put(standing())
    for number, name in enumerate(("t1", "t2", "t3", "t4")):
        await turns.put(stored(name, at=number))
        if name != "t4":
            await schedules.went_well(put.id, turn_id=name)
    assert await turns.prune(older_than=100.0) == 2
    assert await turns.get("t2") and await turns.get("t3") and await turns.get("t1") is None
    await schedules.remove(put.id)
    assert await turns.prune(older_than=100.0) == 2

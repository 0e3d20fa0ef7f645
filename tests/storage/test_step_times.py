"""How long steps took, from the turns that are stored."""

from agent.types import Plan, Response, Step, StepStatus
from storage.database import Database
from storage.step_times import FRESH, LATEST, SqlStepTimes
from storage.turns import SqlTurns, StoredTurn


def step(team: str, seconds: float, status=StepStatus.COMPLETED) -> Step:
    return Step(id=team, team=team, task="t", status=status, started_at=100.0, completed_at=100.0 + seconds)


async def store(database: Database, name: str, *steps: Step) -> None:
    response = Response(
        thread_id="T", turn_id=name, pack="p", mode="agent", language="en", route="research", answer="a",
        response_type="answer", plan=Plan(steps=steps) if steps else None,
    )  # fmt: skip
    turn = StoredTurn(thread="T", message_id=name, asked_by="U", at=1.0, response=response)
    await SqlTurns(database).put(turn)


async def test_the_median_of_the_steps_that_were_done_by_team(database):
    await store(database, "a", step("search", 1.0), step("document", 4.0))
    await store(database, "b", step("search", 3.0), step("analysis", 9.0, StepStatus.FAILED))
    await store(database, "c", step("search", 2.0), Step(id="x", team="analysis", task="t"))
    await store(database, "d")
    assert dict(await SqlStepTimes(database).typical()) == {"search": 2000.0, "document": 4000.0}


async def test_nothing_is_known_of_an_empty_library(database):
    assert await SqlStepTimes(database).typical() == {}


async def test_old_turns_no_longer_count(database):
    await store(database, "old", step("search", 100.0))
    for n in range(LATEST):
        await store(database, f"t{n}", step("search", 1.0))
    assert await SqlStepTimes(database).typical() == {"search": 1000.0}


async def test_a_turn_that_is_damaged_is_left_out(sqlite_database):
    await store(sqlite_database, "a", step("search", 1.0))
    await store(sqlite_database, "b", step("search", 9.0))
    harm = "UPDATE turns SET response=CAST(x'7b22ec22' AS TEXT) WHERE turn_id='b'"
    await sqlite_database.write(lambda c: c.execute(harm).close())
    assert await SqlStepTimes(sqlite_database).typical() == {"search": 1000.0}


async def test_what_was_read_is_used_for_a_while(database):
    now = [0.0]
    times = SqlStepTimes(database, clock=lambda: now[0])
    assert await times.typical() == {}
    await store(database, "a", step("search", 1.0))
    assert await times.typical() == {}
    now[0] = FRESH
    assert await times.typical() == {"search": 1000.0}

"""Housekeeping: what is old goes, what is in use stays, and the scheduler really runs it."""

import asyncio
from dataclasses import replace

import pytest

from agent.types import Response
from bot.processes.housekeeping import DAY, Housekeeping, schedule
from storage.checkpoints import SqliteCheckpoints
from storage.database import Database
from storage.deliveries import SqlDeliveries
from storage.inbox import SqlInbox
from storage.schema import WEFT
from storage.turns import SqlTurns, StoredTurn
from tests.contracts.inbox import Time, message


@pytest.fixture
async def stores(tmp_path):
    clock = Time()
    inbox = await SqlInbox.open(tmp_path / "inbox.db", now=clock)
    checkpoints = await SqliteCheckpoints.open(tmp_path / "checkpoints.db")
    database = await Database.open(tmp_path / "weft.db", WEFT)
    yield clock, inbox, checkpoints, SqlDeliveries(database), SqlTurns(database)
    await inbox.close()
    await checkpoints.close()
    await database.close()


async def test_old_words_are_forgotten_and_waiting_messages_kept(stores):
    clock, inbox, checkpoints, deliveries, turns = stores
    for n in range(2):
        await inbox.add(message(f"e{n}", f"T{n}", text="words to forget"))
    await inbox.finish(await inbox.claim("w", lease=30, platforms=["slack"]))
    clock.at += 31 * DAY
    housekeeping = Housekeeping(
        inbox=inbox, checkpoints=checkpoints, deliveries=deliveries, turns=turns, keep_days=30, now=clock
    )
    assert await housekeeping.prune_inbox() == 1
    row = await inbox.claim("w", lease=30, platforms=["slack"])
    assert row.message.text == "words to forget"  # not answered yet: still needed


async def test_the_scheduler_does_every_job_at_once_and_again(stores):
    clock, inbox, checkpoints, deliveries, turns = stores
    done: list[str] = []

    class Watched(Housekeeping):
        @property
        def jobs(self):
            async def job(name):
                done.append(name)
                return await super(Watched, self).jobs[name]()

            return {name: (lambda name=name: job(name)) for name in super().jobs}

    watched = Watched(inbox=inbox, checkpoints=checkpoints, deliveries=deliveries, turns=turns, keep_days=30, now=clock)
    scheduler = schedule(watched, every_seconds=0.05)
    scheduler.start()
    async with asyncio.timeout(60):
        while min(done.count(name) for name in ("prune_conversations", "prune_inbox", "prune_deliveries")) < 2:
            await asyncio.sleep(0.01)
    scheduler.shutdown(wait=False)


async def test_a_missed_job_is_made_up_for_once(stores):
    clock, inbox, checkpoints, deliveries, turns = stores
    housekeeping = Housekeeping(
        inbox=inbox, checkpoints=checkpoints, deliveries=deliveries, turns=turns, keep_days=30, now=clock
    )
    scheduler = schedule(housekeeping)
    scheduler.start(paused=True)
    jobs = scheduler.get_jobs()
    assert len(jobs) == len(housekeeping.jobs)
    assert all(job.coalesce and job.misfire_grace_time is None for job in jobs)
    scheduler.shutdown(wait=False)


async def test_a_job_that_is_under_way_when_weft_stops_is_told_in_one_line(stores, caplog):
    _, inbox, checkpoints, deliveries, turns = stores
    housekeeping = Housekeeping(inbox=inbox, checkpoints=checkpoints, deliveries=deliveries, turns=turns, keep_days=30)
    begun, ended = asyncio.Event(), asyncio.Event()

    async def waits(**_) -> int:
        begun.set()
        try:
            return await asyncio.Event().wait()
        finally:
            ended.set()

    turns.prune = waits
    scheduler = schedule(housekeeping)
    with caplog.at_level("INFO"):
        scheduler.start()
        async with asyncio.timeout(60):
            await begun.wait()
            scheduler.shutdown(wait=False)
            await ended.wait()
            while "prune_turns was cut off" not in caplog.text:
                await asyncio.sleep(0)
            await asyncio.sleep(0)
    assert "Traceback" not in caplog.text and not [each for each in caplog.records if each.levelname == "ERROR"]


async def test_old_turns_are_forgotten(stores):
    clock, inbox, checkpoints, deliveries, turns = stores
    for age, name in ((31, "old"), (1, "new")):
        made = replace(response_of(name), turn_id=name)
        at = clock.at - age * DAY
        await turns.put(StoredTurn(thread="T", message_id=name, asked_by="U", at=at, response=made))
    housekeeping = Housekeeping(
        inbox=inbox, checkpoints=checkpoints, deliveries=deliveries, turns=turns, keep_days=30, now=clock
    )
    assert await housekeeping.prune_turns() == 1
    assert await turns.get("old") is None and (await turns.get("new")).response.answer == "new"


def response_of(answer: str) -> Response:
    return Response(
        thread_id="T", turn_id="t", pack="p", mode="agent", language="en", route="research", answer=answer,
        response_type="answer",
    )  # fmt: skip

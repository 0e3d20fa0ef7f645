"""Checkpoints on PostgreSQL: the contract, what is kept of a thread, and a connection that is cut."""

import asyncio

import pytest

from storage.postgres.checkpoints import PostgresCheckpoints
from tests.contracts.checkpoints import CheckpointsContract, run
from tests.databases import rows


@pytest.fixture
async def checkpoints(postgres_database):
    opened = await PostgresCheckpoints.open(postgres_database.url)
    yield opened
    await opened.close()


class TestPostgresCheckpoints(CheckpointsContract):
    place = "PostgreSQL at 127"

    async def spoil(self, checkpoints: PostgresCheckpoints) -> None:
        await checkpoints.close()


async def test_pruning_keeps_the_latest_and_what_it_needs(checkpoints, postgres_database):
    database = postgres_database
    for word in "abcde":
        await run(checkpoints, word)
        await checkpoints.prune("T")
    await run(checkpoints, "x", thread="other")
    assert rows(database, "SELECT count(*) FROM checkpoints WHERE thread_id='T'") == [(1,)]
    assert rows(database, "SELECT count(*) FROM checkpoint_blobs WHERE thread_id='T' AND channel='words'") == [(1,)]
    await checkpoints.forget("T")
    for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
        assert rows(database, f"SELECT count(*) FROM {table} WHERE thread_id='T'") == [(0,)]
    assert rows(database, "SELECT count(*) FROM checkpoints") == [(1,)]


async def test_a_connection_cut_while_a_turn_is_kept_loses_nothing_of_it(checkpoints, postgres_database):
    await run(checkpoints, "a")
    waiting = """SELECT pid FROM pg_stat_activity WHERE application_name='weft checkpoints' AND wait_event_type='Lock'
    AND datname=current_database()"""

    def cut(connection) -> None:
        (pid,) = connection.execute(waiting).fetchone()
        connection.execute("SELECT pg_terminate_backend(?, 5000)", (pid,))

    async with asyncio.timeout(60):
        with postgres_database.moment() as holding:
            holding.execute("LOCK TABLE checkpoints, checkpoint_blobs IN EXCLUSIVE MODE")  # it may read, and not write
            turn = asyncio.create_task(run(checkpoints, "b"))
            while not rows(postgres_database, waiting):
                await asyncio.sleep(0.01)
            await postgres_database.read(cut)
        assert (await turn)["words"] == ["a", "b"]
    assert (await run(checkpoints, "c"))["words"] == ["a", "b", "c"]

"""Checkpoints in a file: the contract. What the agent keeps in it is tested with the graph."""

import pytest

from storage.checkpoints import SqliteCheckpoints
from tests.contracts.checkpoints import CheckpointsContract


class TestSqliteCheckpoints(CheckpointsContract):
    place = "checkpoints.db"

    @pytest.fixture
    async def checkpoints(self, tmp_path):
        opened = await SqliteCheckpoints.open(tmp_path / "checkpoints.db")
        yield opened
        await opened.close()

    async def spoil(self, checkpoints: SqliteCheckpoints) -> None:
        for table in ("checkpoints", "writes", "used"):
            await checkpoints.database.write(lambda c, table=table: c.execute(f"DROP TABLE {table}").close())

"""The latest message that was heard in each place, in `weft.db` (`storage.contracts.LastHeard`)."""

import time
from collections.abc import Callable, Mapping

from agent.types import ThreadKey
from storage.sql import SqlDatabase


class SqlLastHeard:
    """One row for each channel, thread and workspace."""

    def __init__(self, database: SqlDatabase, *, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now

    async def of(self, platform: str) -> Mapping[ThreadKey, str]:
        """Return the ids of the messages by their place."""
        sql = "SELECT platform, workspace, channel, thread, message FROM last_heard WHERE platform=?"
        rows = await self._database.read(lambda c: c.execute(sql, (platform,)).fetchall())
        return {
            ThreadKey(platform=each, workspace_id=workspace, channel_id=channel, thread_id=thread): message
            for each, workspace, channel, thread, message in rows
        }

    async def put(self, heard: Mapping[ThreadKey, str]) -> None:
        """Keep these instead of what was kept of their places."""
        now = self._now()
        # in one order, so that two who put the same places wait for each other in turn
        places = sorted(heard, key=str)
        rows = [(k.platform, k.workspace_id, k.channel_id, k.thread_id, heard[k], now) for k in places]
        sql = """INSERT INTO last_heard(platform, workspace, channel, thread, message, at) VALUES(?,?,?,?,?,?)
        ON CONFLICT(platform, workspace, channel, thread) DO UPDATE SET message=excluded.message, at=excluded.at"""
        await self._database.write(lambda c: c.executemany(sql, rows).close())

    async def prune(self, *, older_than: float) -> int:
        """Forget places, though no whole workspace, of which nothing was put since."""
        sql = "DELETE FROM last_heard WHERE at<? AND channel<>''"
        return await self._database.write(lambda c: c.execute(sql, (older_than,)).rowcount)

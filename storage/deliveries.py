"""What was posted for which turn, kept over restarts (`adapters.contract.Deliveries`)."""

import time
from collections.abc import Sequence

from agent.types import Delivery, DeliveryRef
from storage.sql import Connection, SqlDatabase


class SqlDeliveries:
    """The deliveries in `weft.db`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    async def get(self, turn_id: str, slot: str) -> Delivery | None:
        """Return what is known, or None when nothing was tried yet."""
        return dict(await self.slots(turn_id)).get(slot)

    async def begin(self, turn_id: str, slot: str) -> None:
        """Note that a send is about to be tried."""
        sql = "INSERT INTO deliveries(turn_id, slot, begun_at) VALUES(?,?,?) ON CONFLICT DO NOTHING"
        await self._database.write(lambda c: c.execute(sql, (turn_id, slot, time.time())).close())

    async def record(self, turn_id: str, slot: str, ref: DeliveryRef, digest: str) -> None:
        """Note what was posted, or what it shows after an edit."""
        sql = """
        INSERT INTO deliveries(turn_id, slot, channel_id, message_id, digest, begun_at) VALUES(?,?,?,?,?,?)
        ON CONFLICT(turn_id, slot) DO UPDATE
        SET channel_id=excluded.channel_id, message_id=excluded.message_id, digest=excluded.digest"""
        values = (turn_id, slot, ref.channel_id, ref.message_id, digest, time.time())
        await self._database.write(lambda c: c.execute(sql, values).close())

    async def slots(self, turn_id: str) -> Sequence[tuple[str, Delivery]]:
        """Return everything known of a turn, in the order in which it was begun."""
        sql = "SELECT slot, channel_id, message_id, digest FROM deliveries WHERE turn_id=? ORDER BY id"

        def work(connection: Connection) -> list[tuple[str, Delivery]]:
            rows = connection.execute(sql, (turn_id,)).fetchall()
            return [(slot, Delivery(ref=_ref(channel, message), digest=d)) for slot, channel, message, d in rows]

        return await self._database.read(work)

    async def turn_of(self, posted: DeliveryRef) -> str | None:
        """Return the turn that a message belongs to, as an answer of it or as its question; an anchor is neither."""
        sql = "SELECT turn_id FROM deliveries WHERE message_id=? AND channel_id=? AND slot<>'anchor' LIMIT 1"
        values = (posted.message_id, posted.channel_id)
        found = await self._database.read(lambda c: c.execute(sql, values).fetchone())
        return str(found[0]) if found else None

    async def forget(self, turn_id: str, slot: str) -> None:
        """Drop a message that is no longer there."""
        sql = "DELETE FROM deliveries WHERE turn_id=? AND slot=?"
        await self._database.write(lambda c: c.execute(sql, (turn_id, slot)).close())

    async def prune(self, *, older_than: float) -> int:
        """Forget deliveries begun before this time (seconds since the epoch); returns how many."""
        sql = "DELETE FROM deliveries WHERE begun_at<?"
        return await self._database.write(lambda c: c.execute(sql, (older_than,)).rowcount)


def _ref(channel_id: str | None, message_id: str | None) -> DeliveryRef | None:
    if channel_id is None or message_id is None:
        return None
    return DeliveryRef(channel_id=channel_id, message_id=message_id)

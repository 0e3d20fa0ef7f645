"""Which messages are answered in which channel, and by which pack, in `weft.db` (`storage.contracts`)."""

import sqlite3
from collections.abc import Mapping, Sequence

from agent.types import ChannelMode
from storage.contracts import Place
from storage.database import Database


class SqliteChannelModes:
    """The modes of channels and workspaces; read anew for every message, so that a change acts at once everywhere."""

    def __init__(self, database: Database, *, usual: Mapping[str, ChannelMode] | None = None) -> None:
        self._database = database
        self._usual = usual or {}
        """By platform, what holds where nothing is set; else `THREAD`."""

    async def mode_of(self, place: Place) -> ChannelMode:
        """Return what holds there: of the channel, else of its workspace, else the usual."""
        sql = """SELECT mode FROM channel_modes WHERE platform=? AND workspace=? AND channel IN (?, '')
        ORDER BY channel='' LIMIT 1"""
        values = (place.platform, place.workspace, place.channel)
        found = await self._database.read(lambda c: c.execute(sql, values).fetchone())
        return ChannelMode(found[0]) if found else self._usual.get(place.platform, ChannelMode.THREAD)

    async def set(self, place: Place, mode: ChannelMode | None) -> None:
        """Set what holds there; None: nothing of its own."""
        where = (place.platform, place.workspace, place.channel)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM channel_modes WHERE platform=? AND workspace=? AND channel=?", where)
            if mode is not None:
                connection.execute("INSERT INTO channel_modes VALUES(?,?,?,?)", (*where, mode.value))

        await self._database.write(work)

    async def all(self) -> Sequence[tuple[Place, ChannelMode]]:
        """Return everything that is set, in the order of the places, workspaces before their channels."""
        sql = "SELECT platform, workspace, channel, mode FROM channel_modes ORDER BY platform, workspace, channel"
        found = await self._database.read(lambda c: c.execute(sql).fetchall())
        return [
            (Place(platform=platform, workspace=workspace, channel=channel), ChannelMode(mode))
            for platform, workspace, channel, mode in found
        ]


class SqliteChannelPacks:
    """The packs of channels and workspaces; read anew for every message."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pack_of(self, place: Place) -> str:
        """Return what is set there: of the channel, else of its workspace; empty where nothing is."""
        sql = """SELECT pack FROM channel_packs WHERE platform=? AND workspace=? AND channel IN (?, '')
        ORDER BY channel='' LIMIT 1"""
        values = (place.platform, place.workspace, place.channel)
        found = await self._database.read(lambda c: c.execute(sql, values).fetchone())
        return str(found[0]) if found else ""

    async def set(self, place: Place, pack: str | None) -> None:
        """Set the pack of a place; None: none of its own."""
        where = (place.platform, place.workspace, place.channel)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM channel_packs WHERE platform=? AND workspace=? AND channel=?", where)
            if pack is not None:
                connection.execute("INSERT INTO channel_packs VALUES(?,?,?,?)", (*where, pack))

        await self._database.write(work)

    async def all(self) -> Sequence[tuple[Place, str]]:
        """Return everything that is set, in the order of the places, workspaces before their channels."""
        sql = "SELECT platform, workspace, channel, pack FROM channel_packs ORDER BY platform, workspace, channel"
        found = await self._database.read(lambda c: c.execute(sql).fetchall())
        return [
            (Place(platform=platform, workspace=workspace, channel=channel), pack)
            for platform, workspace, channel, pack in found
        ]

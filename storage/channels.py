"""Which messages are answered in which channel, how, and by which pack, in `weft.db` (`storage.contracts`)."""

from collections.abc import Mapping, Sequence

from agent.types import ChannelMode, Overlap
from storage.contracts import Place
from storage.sql import Connection, SqlDatabase

_MODE = ("channel_modes", "mode")
_OVERLAP = ("channel_overlaps", "overlap")


class SqlChannelModes:
    """The modes of channels and workspaces; read anew for every message, so that a change acts at once everywhere."""

    def __init__(self, database: SqlDatabase, *, usual: Mapping[str, ChannelMode] | None = None) -> None:
        self._database = database
        self._usual = usual or {}
        """By platform, what holds where nothing is set; else `THREAD`."""

    async def mode_of(self, place: Place) -> ChannelMode:
        """Return what holds there: of the channel, else of its workspace, else the usual."""
        return self._mode(await self._database.read(lambda c: _of(c, *_MODE, place)), place)

    async def set(self, place: Place, mode: ChannelMode | None) -> None:
        """Set what holds there; None: nothing of its own."""
        await self._set("channel_modes", place, mode.value if mode is not None else None)

    async def all(self) -> Sequence[tuple[Place, ChannelMode]]:
        """Return everything that is set, in the order of the places, workspaces before their channels."""
        return [(place, ChannelMode(mode)) for place, mode in await self._all("channel_modes", "mode")]

    async def overlap_of(self, place: Place) -> Overlap:
        """Return what becomes there of messages that come on top of each other: of the channel, else its workspace."""
        return _overlap(await self._database.read(lambda c: _of(c, *_OVERLAP, place)))

    async def conduct_of(self, place: Place) -> tuple[ChannelMode, Overlap]:
        """Return both, as of one moment."""
        mode, overlap = await self._database.read(lambda c: (_of(c, *_MODE, place), _of(c, *_OVERLAP, place)))
        return self._mode(mode, place), _overlap(overlap)

    async def set_overlap(self, place: Place, overlap: Overlap | None) -> None:
        """Set that; None: nothing of its own."""
        await self._set("channel_overlaps", place, overlap.value if overlap is not None else None)

    async def overlaps(self) -> Sequence[tuple[Place, Overlap]]:
        """Return everything that is set of this, in the same order."""
        return [(place, Overlap(overlap)) for place, overlap in await self._all("channel_overlaps", "overlap")]

    def _mode(self, found: str | None, place: Place) -> ChannelMode:
        return ChannelMode(found) if found else self._usual.get(place.platform, ChannelMode.THREAD)

    async def _set(self, table: str, place: Place, value: str | None) -> None:
        where = (place.platform, place.workspace, place.channel)

        def work(connection: Connection) -> None:
            connection.execute(f"DELETE FROM {table} WHERE platform=? AND workspace=? AND channel=?", where)
            if value is not None:
                connection.execute(f"INSERT INTO {table} VALUES(?,?,?,?)", (*where, value))

        await self._database.write(work)

    async def _all(self, table: str, column: str) -> list[tuple[Place, str]]:
        sql = f"SELECT platform, workspace, channel, {column} FROM {table} ORDER BY platform, workspace, channel"
        found = await self._database.read(lambda c: c.execute(sql).fetchall())
        return [
            (Place(platform=platform, workspace=workspace, channel=channel), value)
            for platform, workspace, channel, value in found
        ]


def _of(connection: Connection, table: str, column: str, place: Place) -> str | None:
    sql = f"""SELECT {column} FROM {table} WHERE platform=? AND workspace=? AND channel IN (?, '')
    ORDER BY channel='' LIMIT 1"""
    found = connection.execute(sql, (place.platform, place.workspace, place.channel)).fetchone()
    return found[0] if found else None


def _overlap(found: str | None) -> Overlap:
    return Overlap(found) if found else Overlap.QUEUE


class SqlChannelPacks:
    """The packs of channels and workspaces; read anew for every message."""

    def __init__(self, database: SqlDatabase) -> None:
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

        def work(connection: Connection) -> None:
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

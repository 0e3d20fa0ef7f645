"""An installation of files, carried over into an empty database: all of it, or nothing."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from agent.errors import UsageError
from storage import schema
from storage.checkpoints import SqliteCheckpoints
from storage.database import Database
from storage.installations import FILE, SCHEMA
from storage.postgres import transfer
from storage.postgres.checkpoints import PostgresCheckpoints
from storage.postgres.database import PostgresDatabase
from storage.postgres.transfer import NUMBERED, TABLES, columns_of, fill, filling, rows_of
from storage.postgres.vectors import PostgresVectors

_FILES: tuple[tuple[str, Sequence[str], Sequence[str]], ...] = (
    ("weft.db", schema.WEFT, (*transfer.LIBRARY, *transfer.TURNS, *transfer.PLACES, "sqlite_sequence")),
    ("inbox.db", schema.INBOX, ("inbox",)),
    ("people.db", schema.PEOPLE, transfer.PEOPLE),
    ("board.db", schema.BOARD, transfer.BOARD),
    (FILE, SCHEMA, ("installations",)),
)
VECTORS = "vectors.faiss"
_AT_ONCE = 2_000


async def carry_over(folder: Path, url: str) -> dict[str, int]:
    """Copy what a data folder holds; returns how many rows of which table, and conversations, files and vectors.

    Nothing may run on the folder, which stays as it is. Raises UsageError where there is nothing to carry, or the
    database is in use; StorageError.
    """
    if not (folder / "weft.db").exists():
        raise UsageError(f"{folder} holds no data of Weft: name the data folder of the installation")
    for name, migrations, _ in _FILES:  # brings older files up to date
        if (folder / name).exists():
            await (await Database.open(folder / name, migrations)).close()
    counts = await asyncio.to_thread(_tables, folder, url)
    counts["conversations"] = await _checkpoints(folder, url)
    counts["vectors"] = await _vectors(folder, url)
    return counts


def _tables(folder: Path, url: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    with filling(url) as connection:
        for name, _, tables in _FILES:
            for table in tables if (folder / name).exists() else ():
                if table not in (*TABLES, "installations"):
                    raise ValueError(table)
                if table == "sqlite_sequence":
                    connection.execute("DELETE FROM sqlite_sequence")
                columns, rows = rows_of(folder / name, table, columns_of(connection, table))
                if table == "sqlite_sequence":
                    rows = [row for row in rows if row[0] in NUMBERED]
                    rows += [(each, 0) for each in NUMBERED if each not in dict(rows)]
                counts[table] = fill(connection, table, columns, rows) if columns else 0
        made = [path for path in sorted((folder / "files").rglob("*")) if path.is_file() and not path.is_symlink()]
        rows = [(path.parent.name, path.name, path.read_bytes(), path.stat().st_mtime) for path in made]
        counts["files"] = fill(connection, "files", ("turn_id", "name", "data", "at"), rows)
    del counts["sqlite_sequence"]
    return counts


async def _checkpoints(folder: Path, url: str) -> int:
    """Carry over what conversations keep; one that cannot be read is made anew from its turns, as it always is."""
    if not (folder / "checkpoints.db").exists():
        return 0
    source, target = await SqliteCheckpoints.open(folder / "checkpoints.db"), await PostgresCheckpoints.open(url)
    try:
        threads = await source.idle(since=float("inf"))
        carried = 0
        for thread in threads:
            if not await source.readable(thread, version=2**31):
                continue
            found = await source.saver.aget_tuple({"configurable": {"thread_id": thread}})
            if found is not None:
                place = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
                versions = found.checkpoint["channel_versions"]
                await target.saver.aput(place, found.checkpoint, found.metadata, versions)  # type: ignore[arg-type]
                await target.prune(thread)
                carried += 1
        return carried
    finally:
        await source.close()
        await target.close()


async def _vectors(folder: Path, url: str) -> int:
    if not (folder / VECTORS).exists():
        return 0
    from storage.vectors import VectorFile, embedding_of

    path = folder / VECTORS
    embedding = await asyncio.to_thread(embedding_of, path)
    source = VectorFile(path, embedding=embedding)
    database = await PostgresDatabase.open(url, folder=folder, name="vectors")
    try:
        target = PostgresVectors(database, embedding=embedding)
        for ids, rows in await source.parts():
            for start in range(0, len(ids), _AT_ONCE):
                await target.add(ids[start : start + _AT_ONCE], np.asarray(rows[start : start + _AT_ONCE]))
        await target.save(whole=True)
        return await target.count()
    finally:
        await source.close()
        await database.close()

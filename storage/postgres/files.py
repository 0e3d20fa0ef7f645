"""Files made for answers, kept in PostgreSQL: whichever machine delivers an answer has its files."""

import time
from collections.abc import Sequence
from pathlib import Path

from agent.types import ProducedFile
from storage.files import TurnFiles
from storage.sql import Connection, SqlDatabase

_KEEP = """INSERT INTO files(turn_id, name, data, at) VALUES(?,?,?,?)
ON CONFLICT(turn_id, name) DO UPDATE SET data=excluded.data, at=excluded.at"""


class SharedFiles:
    """The files in the database, with a copy in this machine's folder for whoever uploads them."""

    def __init__(self, database: SqlDatabase, folder: Path) -> None:
        self._database = database
        self._copies = TurnFiles(folder)

    async def keep(self, turn_id: str, name: str, media_type: str, data: bytes, *, text: str = "") -> ProducedFile:
        """Keep a file of a turn, in place of the one of its name. Raises StorageError."""
        file = await self._copies.keep(turn_id, name, media_type, data, text=text)
        await self._database.write(lambda c: c.execute(_KEEP, (turn_id, file.name, data, time.time())).close())
        return file

    async def here(self, turn_id: str, files: Sequence[ProducedFile]) -> tuple[ProducedFile, ...]:
        """Return the files of a turn as they stand on this machine, brought here where another one made them.

        One that is kept nowhere any more stays as it is: whoever uploads it says that it is missing.
        """
        if not files:
            return ()
        sql = "SELECT name, data FROM files WHERE turn_id=?"
        found = dict(await self._database.read(lambda c: c.execute(sql, (turn_id,)).fetchall()))
        return tuple(
            [
                await self._copies.keep(turn_id, file.name, file.media_type, found[file.name], text=file.text)
                if file.name in found
                else file
                for file in files
            ]
        )

    async def forget(self, turn_id: str) -> None:
        """Delete the files of a turn. Raises StorageError."""
        await self._copies.forget(turn_id)
        await self._database.write(lambda c: c.execute("DELETE FROM files WHERE turn_id=?", (turn_id,)).close())

    async def prune(self, *, older_than: float) -> int:
        """Delete the files of turns that wrote none since this time (seconds since the epoch); returns how many turns.

        Raises StorageError.
        """
        await self._copies.prune(older_than=older_than)
        sql = "DELETE FROM files WHERE turn_id IN (SELECT turn_id FROM files GROUP BY turn_id HAVING max(at)<?)"
        turns = sql.replace("DELETE FROM files", "SELECT count(DISTINCT turn_id) FROM files")

        def work(connection: Connection) -> int:
            (gone,) = connection.execute(turns, (older_than,)).fetchone()
            connection.execute(sql, (older_than,))
            return int(gone)

        return await self._database.write(work)

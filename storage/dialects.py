"""What the models of an endpoint were found to take, kept in `weft.db` over restarts."""

from collections.abc import Mapping

from storage.sql import Connection, SqlDatabase


class SqlDialects:
    """Implements the model's `DialectStore` for one endpoint, named by its host, port and path; never by a key."""

    def __init__(self, database: SqlDatabase, endpoint: str) -> None:
        self._database = database
        self._endpoint = endpoint

    async def load(self) -> Mapping[str, tuple[str, float]]:
        """Return, by model, the text that was kept, and its end (seconds since the epoch). Raises StorageError."""
        # As bytes: a text that is no UTF-8 would stop the whole statement, and with it the rows that can be read.
        sql = f"""SELECT {self._database.bytes_of("model")}, {self._database.bytes_of("dialect")}, until FROM dialects
        WHERE endpoint=? AND typeof(until) IN ('real', 'integer')"""

        def work(connection: Connection) -> dict[str, tuple[str, float]]:
            found: dict[str, tuple[str, float]] = {}
            for model, text, until in connection.execute(sql, (self._endpoint,)):
                try:
                    found[model.decode()] = (text.decode(), float(until))
                except UnicodeDecodeError:
                    continue
            return found

        return await self._database.read(work)

    async def keep(self, model: str, text: str, until: float) -> None:
        """Keep a text about a model in the place of the one before. Raises StorageError."""
        values = (self._endpoint, model, text, until)
        sql = """INSERT INTO dialects(endpoint, model, dialect, until) VALUES(?,?,?,?)
        ON CONFLICT(endpoint, model) DO UPDATE SET dialect=excluded.dialect, until=excluded.until"""
        await self._database.write(lambda c: c.execute(sql, values).close())

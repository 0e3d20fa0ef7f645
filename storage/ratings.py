"""What people think of answers, in `weft.db` (`storage.contracts.Ratings`); a rating goes with its turn."""

from collections.abc import Sequence

from agent.types import Rating
from storage.sql import SqlDatabase


class SqliteRatings:
    """The ratings of all answers. One that was taken back stays as such: what comes late must not bring it again."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    async def put(self, turn_id: str, rating: Rating) -> None:
        """Keep a rating, unless one of the same person is kept that was given later."""
        sql = """INSERT INTO ratings(turn_id, "user", helpful, at) VALUES(?,?,?,?)
        ON CONFLICT(turn_id, "user") DO UPDATE
        SET helpful=excluded.helpful, at=excluded.at WHERE excluded.at>=ratings.at"""
        values = (turn_id, rating.user, rating.helpful, rating.at)
        await self._database.write(lambda c: c.execute(sql, values).close())

    async def of(self, turn_id: str) -> Sequence[Rating]:
        """Return the ratings of an answer that hold, the earliest first."""
        sql = 'SELECT "user", helpful, at FROM ratings WHERE turn_id=? AND helpful IS NOT NULL ORDER BY at, "user"'
        rows = await self._database.read(lambda c: c.execute(sql, (turn_id,)).fetchall())
        return [Rating(user=user, helpful=bool(helpful), at=at) for user, helpful, at in rows]

"""What people think of answers, in `weft.db` (`storage.contracts.Ratings`); a rating goes with its turn."""

from collections.abc import Sequence

from agent.types import REASON_CHARACTERS, Rating, Reason, ReasonKind
from storage.sql import SqlDatabase

_PUT = """
INSERT INTO ratings(turn_id, "user", helpful, at, reason, words) VALUES(?,?,?,?,?,?)
ON CONFLICT(turn_id, "user") DO UPDATE SET helpful=excluded.helpful, at=excluded.at,
  reason=CASE WHEN excluded.reason='' AND excluded.helpful=ratings.helpful THEN ratings.reason ELSE excluded.reason END,
  words=CASE WHEN excluded.reason='' AND excluded.helpful=ratings.helpful THEN ratings.words ELSE excluded.words END
WHERE excluded.at>=ratings.at
"""


class SqlRatings:
    """The ratings of all answers. One that was taken back stays as such: what comes late must not bring it again."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    async def put(self, turn_id: str, rating: Rating) -> None:
        """Keep a rating, unless one of the same person is kept that was given later."""
        kind, words = "", ""
        if rating.reason is not None and rating.helpful is False:
            text = rating.reason.text.strip()[:REASON_CHARACTERS]
            kind, words = rating.reason.kind.value, text.encode("utf-8", "replace").decode()
        values = (turn_id, rating.user, rating.helpful, rating.at, kind, words)
        await self._database.write(lambda c: c.execute(_PUT, values).close())

    async def of(self, turn_id: str) -> Sequence[Rating]:
        """Return the ratings of an answer that hold, the earliest first."""
        sql = """SELECT "user", helpful, at, reason, words FROM ratings WHERE turn_id=? AND helpful IS NOT NULL
        ORDER BY at, "user\""""
        rows = await self._database.read(lambda c: c.execute(sql, (turn_id,)).fetchall())
        return [
            Rating(user=user, helpful=bool(helpful), at=at, reason=reason_of(kind, words))
            for user, helpful, at, kind, words in rows
        ]

    async def forget(self, user: str) -> int:
        """Forget what somebody thinks of answers, and why; `user` is `platform:workspace:id`. Returns how many.

        Ids are those of the platform: what they gave in another workspace of it, or in direct messages, goes too.
        """
        platform, _, rest = user.partition(":")
        sql = """DELETE FROM ratings WHERE "user"=? AND (SELECT substr(thread, 1, length(?)+1) FROM turns
        WHERE turns.turn_id=ratings.turn_id)=?||':'"""

        values = (rest.rpartition(":")[2], platform, platform)
        count = await self._database.erase(lambda c: c.execute(sql, values).rowcount)
        if count:
            await self._database.scrub()
        return count


def reason_of(kind: str, words: str) -> Reason | None:
    """Return a reason as it stands in a row; None where there is none, or of a later version."""
    return Reason(kind=ReasonKind(kind), text=words) if kind in set(ReasonKind) else None

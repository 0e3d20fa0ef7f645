"""Questions that the documents did not answer well, from the stored turns: for whoever looks after the documents."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from storage.sql import Connection, SqlDatabase

Shortfall = Literal["unanswered", "hedged", "disliked"]
"""Nothing was found; what was found was told with a word of doubt; somebody called the answer not helpful."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WeakTurn:
    """A question and how its answer fell short. Nothing tells who asked, or where."""

    question: str
    """As it can be read alone."""
    shortfall: Shortfall
    at: float
    """Seconds since the epoch."""
    titles: tuple[str, ...]
    """Of the documents that the answer cites or, where it cites none, of those that came near."""


_SQL = """
SELECT t.at, t.response,
  EXISTS(SELECT 1 FROM ratings r WHERE r.turn_id=t.turn_id AND r.helpful=0 AND r.at>=t.at)
FROM turns t WHERE t.at>=? ORDER BY t.at"""


async def weak_turns(database: SqlDatabase, *, since: float) -> Sequence[WeakTurn]:
    """Return the questions answered badly since a time (seconds since the epoch), oldest first. Raises StorageError."""

    def work(connection: Connection) -> list[WeakTurn]:
        found = (_weak(*row) for row in connection.execute(_SQL, (since,)))
        return [turn for turn in found if turn is not None]

    return await database.read(work)


def _weak(at: float, response: str, disliked: int) -> WeakTurn | None:
    """Return how a turn fell short; None for a good one, and for a row that is damaged."""
    try:
        said = json.loads(response)
        question, kind = said["standalone_query"], said["response_type"]
        titles = dict.fromkeys(citation["title"] for citation in said["citations"])
    except (ValueError, KeyError, TypeError):
        return None
    if not question or not (disliked or kind in ("not_found", "passages")):
        return None
    shortfall: Shortfall = "disliked" if disliked else "hedged" if kind == "passages" else "unanswered"
    return WeakTurn(
        question=question, shortfall=shortfall, at=at, titles=tuple(titles) or tuple(said.get("nearest") or ())
    )

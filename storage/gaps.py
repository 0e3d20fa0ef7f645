"""Questions that the documents did not answer well, from the stored turns: for whoever looks after the documents."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.types import Reason
from storage.database import Database
from storage.ratings import reason_of

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
    reasons: tuple[Reason, ...] = ()
    """That people gave for a thumb down."""


_SQL = """
SELECT question, iif(disliked, 'disliked', iif(kind='passages', 'hedged', 'unanswered')), at, cited, nearest, reasons
FROM (
  SELECT t.at AS at, json_extract(t.response,'$.standalone_query') AS question,
    json_extract(t.response,'$.response_type') AS kind,
    (SELECT json_group_array(DISTINCT json_extract(c.value,'$.title'))
      FROM json_each(t.response,'$.citations') c) AS cited,
    coalesce(json_extract(t.response,'$.nearest'), '[]') AS nearest,
    EXISTS(SELECT 1 FROM ratings r WHERE r.turn_id=t.turn_id AND r.helpful=0 AND r.at>=t.at) AS disliked,
    (SELECT json_group_array(json_array(r.reason, r.words)) FROM ratings r
      WHERE r.turn_id=t.turn_id AND r.helpful=0 AND r.at>=t.at AND r.reason<>'') AS reasons
  FROM turns t WHERE t.at>=? AND iif(json_valid(t.response), 1, 0))
WHERE question<>'' AND (kind IN ('not_found','passages') OR disliked)
ORDER BY at"""


async def weak_turns(database: Database, *, since: float) -> Sequence[WeakTurn]:
    """Return the questions answered badly since a time (seconds since the epoch), oldest first. Raises StorageError."""
    rows = await database.read(lambda c: c.execute(_SQL, (since,)).fetchall())
    return [
        WeakTurn(
            question=question,
            shortfall=shortfall,
            at=at,
            titles=tuple(json.loads(cited)) or tuple(json.loads(nearest)),
            reasons=tuple(filter(None, (reason_of(kind, words) for kind, words in json.loads(reasons)))),
        )
        for question, shortfall, at, cited, nearest, reasons in rows
    ]

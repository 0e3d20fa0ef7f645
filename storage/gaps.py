"""Questions that the documents did not answer well, from the stored turns: for whoever looks after the documents."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.types import Reason, ThreadKey
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
    alone: bool = False
    """Whether only its asker read the answer: asked in direct messages, or answered to them alone."""
    reasons: tuple[Reason, ...] = ()
    """That people gave for a thumb down."""


_SQL = """
SELECT question, iif(disliked, 'disliked', iif(kind='passages', 'hedged', 'unanswered')), at, cited, nearest, reasons,
  thread
FROM (
  SELECT t.at AS at, t.thread AS thread, json_extract(t.response,'$.standalone_query') AS question,
    json_extract(t.response,'$.response_type') AS kind,
    (SELECT json_group_array(DISTINCT json_extract(c.value,'$.title'))
      FROM json_each(t.response,'$.citations') c) AS cited,
    coalesce(json_extract(t.response,'$.nearest'), '[]') AS nearest,
    EXISTS(SELECT 1 FROM ratings r WHERE r.turn_id=t.turn_id AND r.helpful=0 AND r.at>=t.at) AS disliked,
    (SELECT json_group_array(json_array(r.reason, r.words)) FROM ratings r
      WHERE r.turn_id=t.turn_id AND r.helpful=0 AND r.at>=t.at AND r.reason<>'') AS reasons
  FROM turns t WHERE t.at>=? AND substr(t.thread, 1, length(?))=? AND iif(json_valid(t.response), 1, 0))
WHERE question<>'' AND (kind IN ('not_found','passages') OR disliked)
ORDER BY at"""


async def weak_turns(database: Database, *, since: float, channel: str = "") -> Sequence[WeakTurn]:
    """Return the questions answered badly since a time (seconds since the epoch), oldest first. Raises StorageError.

    `channel`: only those asked there; how the keys of its threads begin.
    """
    rows = await database.read(lambda c: c.execute(_SQL, (since, channel, channel)).fetchall())
    return [
        WeakTurn(
            question=question,
            shortfall=shortfall,
            at=at,
            titles=tuple(json.loads(cited)) or tuple(json.loads(nearest)),
            alone=is_alone(thread),
            reasons=tuple(filter(None, (reason_of(kind, words) for kind, words in json.loads(reasons)))),
        )
        for question, shortfall, at, cited, nearest, reasons, thread in rows
    ]


def is_alone(thread: str) -> bool:
    """Tell whether a thread is one person's: a direct message of Slack or Discord, the console, a private answer."""
    try:
        key = ThreadKey.parse(thread)
    except ValueError:
        return True
    direct = (key.platform == "slack" and key.channel_id.startswith("D")) or key.workspace_id.startswith("@")
    return direct or key.platform == "console" or key.thread_id.endswith("~alone")

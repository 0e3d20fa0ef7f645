"""Questions that the documents did not answer well, from the stored turns: for whoever looks after the documents."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent.types import Reason, ThreadKey
from storage.ratings import reason_of
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
    alone: bool = False
    """Whether only its asker read the answer: asked in direct messages, or answered to them alone."""
    reasons: tuple[Reason, ...] = ()
    """That people gave for a thumb down."""


_SQL = """
SELECT t.at, t.thread, t.response,
  EXISTS(SELECT 1 FROM ratings r WHERE r.turn_id=t.turn_id AND r.helpful=0 AND r.at>=t.at), t.turn_id
FROM turns t WHERE t.at>=? AND substr(t.thread, 1, length(?))=? ORDER BY t.at"""
_REASONS = """
SELECT r.turn_id, r.reason, r.words FROM ratings r JOIN turns t ON t.turn_id=r.turn_id
WHERE t.at>=? AND r.helpful=0 AND r.at>=t.at AND r.reason<>'' ORDER BY r."user", r.turn_id"""


async def weak_turns(database: SqlDatabase, *, since: float, channel: str = "") -> Sequence[WeakTurn]:
    """Return the questions answered badly since a time (seconds since the epoch), oldest first. Raises StorageError.

    `channel`: only those asked there; how the keys of its threads begin.
    """

    def work(connection: Connection) -> list[WeakTurn]:
        reasons: dict[str, list[Reason]] = {}
        for turn, kind, words in connection.execute(_REASONS, (since,)):
            if (reason := reason_of(kind, words)) is not None:
                reasons.setdefault(turn, []).append(reason)
        found: list[WeakTurn] = []
        for at, thread, response, disliked, turn in connection.execute(_SQL, (since, channel, channel)):
            weak = _weak(at, response, disliked)
            if weak is not None:
                found.append(replace(weak, alone=is_alone(thread), reasons=tuple(reasons.get(turn, ()))))
        return found

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


def is_alone(thread: str) -> bool:
    """Tell whether a thread is one person's: a direct message of Slack or Discord, the console, a private answer."""
    try:
        key = ThreadKey.parse(thread)
    except ValueError:
        return True
    direct = (key.platform == "slack" and key.channel_id.startswith("D")) or key.workspace_id.startswith("@")
    return direct or key.platform == "console" or key.thread_id.endswith("~alone")

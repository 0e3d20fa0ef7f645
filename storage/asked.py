"""Questions that were asked and looked up, with what came of them, from the stored turns."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent.types import ResponseType
from storage.sql import Connection, SqlDatabase


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedTurn:
    """A question and its answer. Nothing tells who asked, or where."""

    question: str
    """As it can be read alone."""
    intent: str
    kind: ResponseType
    answer: str
    file: str
    """Id of the document that was cited first; empty where none was."""
    quote: str
    """What was cited first."""
    confidence: float
    disliked: bool
    """Whether somebody called the answer not helpful."""
    at: float
    """Seconds since the epoch."""


_SQL = """
SELECT t.response, t.at, EXISTS(SELECT 1 FROM ratings r WHERE r.turn_id=t.turn_id AND r.helpful=0 AND r.at>=t.at)
FROM turns t WHERE t.at>=? ORDER BY t.at DESC"""
_ROUTES = ("research", "contextualize", "decline")
_KINDS = ("answer", "passages", "not_found", "declined")


async def asked_turns(database: SqlDatabase, *, since: float) -> Sequence[AskedTurn]:
    """Return what was asked since a time (seconds since the epoch), the latest first. Raises StorageError."""

    def work(connection: Connection) -> list[AskedTurn]:
        found = (_asked(*row) for row in connection.execute(_SQL, (since,)))
        return [turn for turn in found if turn is not None]

    return await database.read(work)


def _asked(response: str, at: float, disliked: int) -> AskedTurn | None:
    """Return what was asked; None for what was not looked up, and for a row that is damaged."""
    try:
        said = json.loads(response)
        if said["route"] not in _ROUTES or said["response_type"] not in _KINDS or not said["standalone_query"]:
            return None
        first: dict[str, Any] = next(iter(said["citations"]), {})
        return AskedTurn(
            question=said["standalone_query"],
            intent=(said.get("intent") or {}).get("name") or "",
            kind=said["response_type"],
            answer=said["answer"],
            file=first.get("document_id") or "",
            quote=first.get("quote") or "",
            confidence=said.get("confidence") or 0.0,
            disliked=bool(disliked),
            at=at,
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None

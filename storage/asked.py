"""Questions that were asked and looked up, with what came of them, from the stored turns."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.types import ResponseType
from storage.database import Database


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
SELECT json_extract(response,'$.standalone_query'), coalesce(json_extract(response,'$.intent.name'), ''),
  json_extract(response,'$.response_type'), json_extract(response,'$.answer'),
  coalesce(json_extract(response,'$.citations[0].document_id'), ''),
  coalesce(json_extract(response,'$.citations[0].quote'), ''),
  coalesce(json_extract(response,'$.confidence'), 0.0), disliked, at
FROM (
  SELECT t.at AS at, iif(json_valid(t.response), t.response, '{}') AS response,
    EXISTS(SELECT 1 FROM ratings r WHERE r.turn_id=t.turn_id AND r.helpful=0 AND r.at>=t.at) AS disliked
  FROM turns t WHERE t.at>=?)
WHERE json_extract(response,'$.route') IN ('research','contextualize','decline')
  AND json_extract(response,'$.response_type') IN ('answer','passages','not_found','declined')
ORDER BY at DESC"""


async def asked_turns(database: Database, *, since: float) -> Sequence[AskedTurn]:
    """Return what was asked since a time (seconds since the epoch), the latest first. Raises StorageError."""
    rows = await database.read(lambda c: c.execute(_SQL, (since,)).fetchall())
    return [
        AskedTurn(
            question=question, intent=intent, kind=kind, answer=answer, file=file, quote=quote,
            confidence=confidence, disliked=bool(disliked), at=at,
        )
        for question, intent, kind, answer, file, quote, confidence, disliked, at in rows
        if question
    ]  # fmt: skip

"""Conversations whose checkpoint cannot be read go on from their stored turns."""

import logging
from typing import Protocol

from agent.run import Agent
from agent.state import VERSION
from agent.types import TurnRecord, reference_of
from storage.turns import SqlTurns, StoredTurn

logger = logging.getLogger(__name__)


class Checkpoints(Protocol):
    """What is kept of conversations, as `storage.checkpoints` has it."""

    async def readable(self, thread: str, *, version: int) -> bool | None:
        """Tell whether what a thread has kept can be read here; None where there is nothing. Raises StorageError."""
        ...

    async def forget(self, thread: str) -> None:
        """Delete what a thread has kept."""
        ...


async def recover(thread: str, *, agent: Agent, checkpoints: Checkpoints, turns: SqlTurns) -> bool:
    """Make what a conversation keeps anew where it is lost, damaged or of a later version; tells whether it was.

    What was asked back, and which documents were near, is lost then. Raises StorageError.
    """
    readable = await checkpoints.readable(thread, version=VERSION)
    if readable:
        return False
    stored = await turns.thread(thread)
    if readable is None and not stored:
        return False  # it begins
    logger.warning(
        "A conversation's checkpoint is %s: it goes on from its %d stored turns.",
        "missing" if readable is None else "damaged, or of a later version",
        len(stored),
        extra={"action": "conversation_rebuilt"},
    )
    await checkpoints.forget(thread)
    if stored:
        await agent.rebuild(thread, [record_of(turn) for turn in stored])
    return True


def record_of(turn: StoredTurn) -> TurnRecord:
    """Return a stored turn as its conversation remembers it; its question in the form that stands alone."""
    response = turn.response
    return TurnRecord(
        turn_id=response.turn_id,
        message_id=turn.message_id,
        asked_by=turn.asked_by,
        question=response.standalone_query,
        standalone=response.standalone_query,
        answer=response.answer,
        route=response.route,
        at=turn.at,
        evidence=tuple(reference_of(citation.collection, citation.passage_id) for citation in response.citations),
        titles=tuple(dict.fromkeys(citation.title for citation in response.citations)),
    )

"""Stored turns for tests."""

from typing import Any

from agent.types import Response
from storage.turns import StoredTurn


def stored(turn_id: str, *, at: float, **response: Any) -> StoredTurn:
    """Return a turn; `response` overrides fields of its response."""
    fields = {
        "thread_id": "slack:T1:C1:1.1", "pack": "handbook", "mode": "agent", "language": "en", "route": "research",
        "answer": "…", "response_type": "answer", **response,
    }  # fmt: skip
    return StoredTurn(
        thread="slack:T1:C1:1.1", message_id="1.1", asked_by="U1", at=at, response=Response(turn_id=turn_id, **fields)
    )

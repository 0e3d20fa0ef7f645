"""Load the conversation as it was before this turn."""

import logging

from langgraph.runtime import Runtime

from agent.context import Context
from agent.state import State, Update
from agent.types import TurnRecord

logger = logging.getLogger(__name__)


async def recall(state: State, runtime: Runtime[Context]) -> Update:
    """Find the turns before this one; an edited question sees only those before its first asking."""
    request = runtime.context.request
    # A type or field that was renamed comes back as a plain dict: what cannot be read is left out.
    readable = [turn for turn in state.turns if isinstance(turn, TurnRecord)]
    if len(readable) != len(state.turns):
        logger.warning("A conversation holds turns of another version.", extra={"action": "turns_unreadable"})
    places = [place for place, turn in enumerate(readable) if turn.message_id == request.message_id]
    return {"earlier": tuple(readable[: places[0]] if places else readable)}

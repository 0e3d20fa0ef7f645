"""Load the conversation as it was before this turn, and what is remembered of the asker."""

import logging

from langgraph.runtime import Runtime

from agent.context import Context
from agent.state import State, Update
from agent.types import Pending, Profile, Summary, TurnRecord

logger = logging.getLogger(__name__)


async def recall(state: State, runtime: Runtime[Context]) -> Update:
    """Find the turns before this one; an edited question sees only those before its first asking."""
    request = runtime.context.request
    # A type or field that was renamed comes back as a plain dict: what cannot be read is left out.
    readable = [turn for turn in state.turns if isinstance(turn, TurnRecord)]
    if len(readable) != len(state.turns):
        logger.warning("A conversation holds turns of another version.", extra={"action": "turns_unreadable"})
    places = [place for place, turn in enumerate(readable) if turn.message_id == request.message_id]
    return {
        "earlier": tuple(readable[: places[0]] if places else readable),
        "before": state.summary if isinstance(state.summary, Summary) else None,
        "pending": _open(state, request.message_id),
        "profile": await _profile(runtime.context),
    }


def _open(state: State, message_id: str) -> Pending | None:
    """Return the question back that waits; one about this very message is asked anew, or not."""
    pending = state.pending if isinstance(state.pending, Pending) else None
    return None if pending is not None and pending.message_id == message_id else pending


async def _profile(context: Context) -> Profile:
    """Return what may be used of what is known: in front of others, only how somebody wants to be answered."""
    if context.memory is None:
        return Profile()
    known = await context.memory.load(context.request.user, context.pack.name)
    return known if context.request.private else Profile(preferences=known.preferences)

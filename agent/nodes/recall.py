"""Load the conversation as it was before this turn, and what is remembered of the asker."""

import logging
import time

from langgraph.runtime import Runtime

from agent.context import Context
from agent.language import say
from agent.reasoning.previous_questions import has_changed, is_same, near
from agent.reasoning.quoted_line import quoted_last
from agent.state import State, Update
from agent.types import Memory, Pending, Profile, Standalone, Summary, TurnRecord, Understood

logger = logging.getLogger(__name__)

_LOOKED_AT = 200
"""Past questions that are compared with a new one: as many as are kept."""


async def recall(state: State, runtime: Runtime[Context]) -> Update:
    """Find the turns before this one, the one that the message quotes last.

    An edited question sees only those before its first asking.
    """
    request = runtime.context.request
    # A type or field that was renamed comes back as a plain dict: what cannot be read is left out.
    readable = [turn for turn in state.turns if isinstance(turn, TurnRecord)]
    if len(readable) != len(state.turns):
        logger.warning("A conversation holds turns of another version.", extra={"action": "turns_unreadable"})
    places = [place for place, turn in enumerate(readable) if turn.message_id == request.message_id]
    return {
        "earlier": quoted_last(request.text, readable[: places[0]] if places else readable),
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


async def asked_before(standalone: Standalone, understood: Understood, state: State, context: Context) -> Update:
    """Return past questions of the asker that are near this one, and a notice where an answer of then holds no longer.

    In private alone, and only those whose sources are all still open to their asker; the turns of this conversation
    are known anyway.
    """
    request = context.request
    if context.memory is None or not request.private or understood.route not in ("research", "contextualize"):
        return {}
    known = {request.turn_id, *(turn.turn_id for turn in state.earlier)}
    kept = await context.memory.memories(request.user, context.pack.name, "", k=_LOOKED_AT)
    found = near(standalone.text, [memory for memory in kept if memory.turn_id not in known])
    wanted = list(dict.fromkeys(reference for memory in found for reference in memory.evidence))
    passages = await context.knowledge.passages(wanted, request.audience) if wanted else ()
    now = {passage.reference: passage for passage in passages}
    readable = [memory for memory in found if memory.evidence and now.keys() >= set(memory.evidence)]
    same = [memory for memory in readable if is_same(standalone.text, memory.question)]
    update: Update = {"memories": tuple(readable)}
    if same and has_changed(same[0], [now[reference] for reference in same[0].evidence]):
        update["warnings"] = (say("asked_before_changed", understood.language, day=_day(same[0])),)
    return update


def _day(memory: Memory) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(memory.at))

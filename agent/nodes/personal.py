"""What a message wants of the memory of its author: tell it, forget it, keep a preference."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.nodes.understand import message_of
from agent.state import State, Update
from agent.types import Memory, Preferences
from agent.words import say

SHOWN = 5
"""Past questions that are shown at once."""


async def personal(state: State, runtime: Runtime[Context]) -> Update:
    """Answer from the memory of the asker alone; in front of others without what was said elsewhere."""
    context = runtime.context
    assert state.understood is not None  # noqa: S101 - the graph's order
    language, user = state.understood.language, context.request.user
    if context.profiles is None or context.pack.flags.memory_mode == "none":
        return {"answer": say("no_memory", language)}
    match state.understood.personal:
        case "forget":
            count = await context.profiles.forget(user)
            return {"answer": say("forgotten" if count else "nothing_known", language)}
        case "prefer":
            wanted = _joined(state.profile.preferences, state.understood.preferences)
            await context.profiles.prefer(user, wanted)
            return {"answer": say("preference_kept", wanted.language or language)}
    if not context.request.private:
        return {"answer": say("ask_in_private", language)}
    message = message_of(state, context)
    text = state.understood.question if state.understood.personal == "recollect" else ""
    memories = await context.profiles.memories(user, context.pack.name, text, k=4 * SHOWN)
    readable = [memory for memory in memories if await _may_read(memory, context)][:SHOWN]
    return {"answer": await context.reasoner.recollect(message, state.understood, readable)}


def _joined(old: Preferences, new: Preferences | None) -> Preferences:
    if new is None:
        return old
    return Preferences(
        language=new.language or old.language, length=new.length or old.length, format=new.format or old.format
    )


async def _may_read(memory: Memory, context: Context) -> bool:
    """Tell whether everything that an old answer rests on is still open to its asker."""
    found = await context.knowledge.passages(memory.evidence, context.request.audience)
    return len(found) == len(set(memory.evidence))

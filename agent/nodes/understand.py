"""Read the message: language, intent, slots, route."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.reasoning.contract import Message
from agent.state import State, Update
from agent.types import Standalone


def message_of(state: State, context: Context) -> Message:
    """Return what was said, and after what."""
    request = context.request
    return Message(text=request.text, pack=context.pack, turns=state.earlier, locale=request.locale)


async def understand(state: State, runtime: Runtime[Context]) -> Update:
    """Read the message; until it is rewritten it stands for itself."""
    context = runtime.context
    understood = await context.reasoner.understand(message_of(state, context))
    return {"understood": understood, "standalone": Standalone(text=understood.question)}

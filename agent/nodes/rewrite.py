"""Make a follow-up understandable without its conversation."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.nodes.understand import message_of
from agent.state import State, Update


async def rewrite(state: State, runtime: Runtime[Context]) -> Update:
    """Resolve what the message leaves to the turns before it."""
    context = runtime.context
    return {"standalone": await context.reasoner.resolve(message_of(state, context))}

"""Make a follow-up understandable without its conversation."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.nodes.recall import asked_before
from agent.nodes.understand import for_asker, message_of
from agent.state import State, Update


async def rewrite(state: State, runtime: Runtime[Context]) -> Update:
    """Resolve what the message leaves to the turns before it."""
    context = runtime.context
    assert state.understood is not None  # noqa: S101 - the graph's order
    standalone = await context.reasoner.resolve(message_of(state, context))
    standalone = for_asker(standalone, state.understood, state, context)
    return {**await asked_before(standalone, state.understood, state, context), "standalone": standalone}

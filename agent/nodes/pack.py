"""Choose the passages that the answer may rest on."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.retrieval.pack import merged, pack, titles
from agent.state import State, Update


async def pack_context(state: State, runtime: Runtime[Context]) -> Update:
    """Number the best passages of all steps, within the pack's budget."""
    limits = runtime.context.pack.limits
    hits = merged(result.hits for result in state.found)
    blocks = pack(hits, passages=limits.passages, characters=limits.context_characters)
    return {"blocks": blocks, "nearest": titles(hits)}

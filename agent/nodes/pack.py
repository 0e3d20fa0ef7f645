"""Choose the passages that the answer may rest on."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.retrieval.pack import excluded, focused, merged, pack, titles
from agent.state import State, Update


async def pack_context(state: State, runtime: Runtime[Context]) -> Update:
    """Number the best passages of all steps, within the pack's budget; what the asker chose comes first."""
    limits = runtime.context.pack.limits
    hits = merged(result.hits for result in state.found)
    if state.standalone is not None and state.standalone.focus:
        hits = focused(hits, state.standalone.focus)
    packed = pack(hits, passages=limits.passages, characters=limits.context_characters)
    left = excluded((result.search for result in state.found if result.search), packed)
    return {"blocks": packed.blocks, "left": left, "nearest": titles(hits)}

"""Mark the answer: whether it is to be written again, searched for again, or good."""

import asyncio
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.nodes.compose import brief_of, nothing_to_tell
from agent.nodes.ground import may_retry
from agent.state import State, Update


async def grade(state: State, runtime: Runtime[Context]) -> Update:
    """Grade the draft, where there is time for it."""
    context = runtime.context
    assert state.draft is not None and state.grounding is not None  # noqa: S101 - the graph's order
    if not state.draft.sentences and nothing_to_tell(state):
        return {}  # a document or a chart was all that was wanted
    try:
        async with asyncio.timeout(context.left()):
            graded = await context.reasoner.grade(state.draft.sentences, brief_of(state, context), state.grounding)
    except TimeoutError:
        return {}  # an answer that was checked is better than none that was marked
    retry = not graded.check.is_valid and graded.check.needs_retry and may_retry(state, context)
    return {"grade": replace(graded, check=replace(graded.check, needs_retry=retry))}


def is_weak(state: State, context: Context) -> bool:
    """Tell whether the answer is to be searched for again: weak, with another search allowed and not tried in vain."""
    flags, limits = context.pack.flags, context.pack.limits
    if not flags.self_refine_enabled or state.grade is None or state.plan is None or state.searched_out:
        return False
    if state.grade.final or state.iteration_count >= limits.max_refine_iterations or context.left() <= 0:
        return False
    return state.grade.score < context.pack.quality.threshold

"""Take up the evidence of the answer before, for a message that is about that answer."""

from collections.abc import Iterator
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.nodes.compose import brief_of
from agent.reasoning.contract import answered
from agent.state import State, Update
from agent.types import Block, Passage


async def evidence(state: State, runtime: Runtime[Context]) -> Update:
    """Read the cited passages again: those that this turn's audience may read, as they are now.

    No block, and the question is searched for: the evidence does not hold what is asked.
    """
    context = runtime.context
    turn = answered(state.earlier)
    if turn is None:
        return {"blocks": ()}
    known = await context.knowledge.passages(turn.evidence, context.request.audience)
    by_reference = {passage.reference: passage for passage in (*known, *_attached(context))}
    found = [by_reference[reference] for reference in turn.evidence if reference in by_reference]
    blocks = tuple(Block(n=n, passage=passage, score=0.0) for n, passage in enumerate(found, start=1))
    brief = brief_of(replace(state, blocks=blocks), context)
    return {"blocks": blocks if await context.reasoner.holds(brief) else ()}


def _attached(context: Context) -> Iterator[Passage]:
    """Return the passages of the files that came with the thread's messages."""
    return (passage for file in context.request.attached for passage in file.passages)

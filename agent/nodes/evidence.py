"""Take up the evidence of the answer before, for a message that is about that answer."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.reasoning.contract import Brief, answered
from agent.state import State, Update
from agent.types import Block


async def evidence(state: State, runtime: Runtime[Context]) -> Update:
    """Read the cited passages again: those that this turn's audience may read, as they are now.

    No block, and the question is searched for: the evidence does not hold what is asked.
    """
    context = runtime.context
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    turn = answered(state.earlier)
    if turn is None:
        return {"blocks": ()}
    found = await context.knowledge.passages(turn.evidence, context.request.audience)
    blocks = tuple(Block(n=n, passage=passage, score=0.0) for n, passage in enumerate(found, start=1))
    brief = Brief(
        question=state.standalone.text,
        language=state.understood.language,
        pack=context.pack,
        blocks=blocks,
        turns=(turn,),
        profile=state.profile,
        followup=state.understood.followup,
    )
    return {"blocks": blocks if await context.reasoner.holds(brief) else ()}

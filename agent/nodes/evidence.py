"""Take up the evidence of the answer before, for a message that is about that answer."""

from collections.abc import Iterator
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.nodes.compose import brief_of
from agent.pointed_messages import blocks_of
from agent.reasoning.contract import answered, answers_of
from agent.state import State, Update
from agent.types import Block, Passage


async def evidence(state: State, runtime: Runtime[Context]) -> Update:
    """Read the cited passages again: those that this turn's audience may read, as they are now.

    No block, and the question is searched for: the evidence does not hold what is asked.
    """
    context = runtime.context
    turn = answered(state.earlier)
    followup = state.understood.followup if state.understood else None
    if turn is None or (followup is not None and followup.kind == "how"):
        return {"blocks": ()}
    cited = turn.evidence
    if followup is not None and followup.kind == "recap":
        cited = tuple(dict.fromkeys(name for each in answers_of(state.earlier) for name in each.evidence))
    known = await context.knowledge.passages(cited, context.request.audience)
    by_reference = {passage.reference: passage for passage in (*known, *_attached(context), *_pointed(state, context))}
    found = [by_reference[reference] for reference in cited if reference in by_reference]
    blocks = tuple(Block(n=n, passage=passage, score=0.0) for n, passage in enumerate(found, start=1))
    brief = brief_of(replace(state, blocks=blocks), context)
    return {"blocks": blocks if await context.reasoner.holds(brief) else ()}


def _pointed(state: State, context: Context) -> Iterator[Passage]:
    """Return the messages that were read again, where the answer cites what was said."""
    language = state.understood.language if state.understood else context.request.default_language
    return (
        block.passage for block in blocks_of(context.request.pointed.said if context.request.pointed else (), language)
    )


def _attached(context: Context) -> Iterator[Passage]:
    """Return the passages of the files that came with the thread's messages."""
    return (passage for file in context.request.attached for passage in file.passages)

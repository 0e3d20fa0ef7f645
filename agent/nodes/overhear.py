"""Look into what people told each other in the thread, for what no document holds."""

import asyncio

from langgraph.runtime import Runtime

from agent.context import Context
from agent.events import DraftWithdrawn
from agent.pointed_messages import Pointed, blocks_of
from agent.reasoning.rules.answering.overheard import speaks_of, told_of
from agent.state import State, Update


async def overhear(state: State, runtime: Runtime[Context]) -> Update:
    """Put the messages that answer the question in the place of what the documents hold; else change nothing."""
    context, talk = runtime.context, runtime.context.request.talk
    assert state.standalone is not None and state.understood is not None and talk is not None  # noqa: S101 - the route's
    pointed = context.request.pointed
    if pointed is None or not pointed.said:
        pointed = await _read(context)
    asked = {turn.message_id for turn in state.earlier if turn.turn_id}
    said = [each for each in pointed.said if each.id not in asked and not each.by_bot]
    language = state.understood.language
    found = await asyncio.to_thread(told_of, state.standalone.text, language, said)
    if not found:
        return {}
    if state.draft is not None and state.draft.sentences:
        runtime.context.tell(DraftWithdrawn(reason="told in the thread"))
    return {
        "overheard": True, "pointing": True, "aim": "said", "blocks": blocks_of(found, language), "left": (),
        "draft": None, "grounding": None, "grade": None, "remarks": (), "stuck": False,
    }  # fmt: skip


async def _read(context: Context) -> Pointed:
    """Return what was said in the thread; nothing where the turn has no time for it."""
    talk = context.request.talk
    assert talk is not None  # noqa: S101 - the route's
    try:
        async with asyncio.timeout(context.left()):
            return await talk(patient=False)  # nobody asked for it by name
    except TimeoutError:
        return Pointed()


def may_overhear(state: State, context: Context) -> bool:
    """Tell whether the thread may hold what the documents do not: one plain question, without a sure answer.

    What a follow-up takes from the turns before it may be answered, and nothing of what it asks itself.
    """
    if context.request.talk is None or state.aim is not None or state.overheard or state.told or state.clarification:
        return False
    steps = state.plan.steps if state.plan else ()
    if any(step.team != "search" for step in steps) or sum(step.purpose == "answer" for step in steps) != 1:
        return False
    if state.draft is None or all(sentence.hedged for sentence in state.draft.sentences):
        return True
    return state.standalone is not None and state.standalone.changed and _misses(state.standalone.text, state)


def _misses(question: str, state: State) -> bool:
    """Tell whether what the answer rests on speaks of nothing that the question itself is about."""
    assert state.draft is not None and state.understood is not None  # noqa: S101 - asked before
    cited = {place.block for sentence in state.draft.sentences for place in sentence.support}
    passages = [block.passage for block in state.blocks if block.n in cited]
    text = "\n".join(f"{each.title} {each.section} {each.text}" for each in passages)
    return speaks_of(question, state.understood.language, text) == 0.0

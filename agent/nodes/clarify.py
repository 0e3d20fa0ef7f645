"""Ask back, where the evidence speaks of several things or a needed detail is missing."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.events import ClarificationAsked
from agent.state import State, Update
from agent.types import Clarification, Pending, Split
from agent.words import say


async def clarify(state: State, runtime: Runtime[Context]) -> Update:
    """Ask one question with choices taken from the documents; never twice in a row for one question."""
    context = runtime.context
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    if state.settled is not None and state.settled.kind != "new":
        return {}
    split = await context.reasoner.clarify(state.standalone, state.understood, state.blocks, context.pack)
    if split is None:
        return {}
    clarification = _shown(split, state.understood.language)
    runtime.stream_writer(ClarificationAsked(clarification=clarification))
    request = context.request
    return {
        "clarification": clarification,
        "asking": Pending(
            question=state.standalone.text,
            asked_back=split.question,
            choices=split.choices,
            slot=split.slot,
            asked_of=request.asked_by,
            turn_id=request.turn_id,
            message_id=request.message_id,
            asked_at=context.now(),
        ),
    }


def _shown(split: Split, language: str) -> Clarification:
    assumption = ""
    if split.choices:
        assumption = say("assumption", "ko" if language == "ko" else "en", choice=split.choices[0].label)
    return Clarification(
        question=split.question, options=tuple(choice.label for choice in split.choices), assumption=assumption
    )

"""Write the answer, sentence by sentence; a sentence is shown once the rules have passed it."""

from langgraph.runtime import Runtime

from agent.citing import Numbering
from agent.context import Context
from agent.errors import ModelError
from agent.events import DraftWithdrawn, TextDelta
from agent.reasoning.contract import Brief
from agent.reasoning.support import check_sentence
from agent.state import State, Update
from agent.types import Draft, Sentence


def brief_of(state: State, context: Context) -> Brief:
    """Return what the answer is written from."""
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    return Brief(
        question=state.standalone.text,
        language=state.understood.language,
        pack=context.pack,
        blocks=state.blocks,
        turns=state.earlier,
        profile=state.profile,
        followup=state.understood.followup if state.plan is None else None,
        suggestions=state.grounding.suggestions if state.grounding else (),
    )


async def compose(state: State, runtime: Runtime[Context]) -> Update:
    """Write a draft. A sentence that the rules refuse stays in it for the check, and is not shown."""
    retry = state.grounding is not None
    if retry:
        runtime.stream_writer(DraftWithdrawn(reason=state.grounding.reason if state.grounding else ""))
    brief = brief_of(state, runtime.context)
    try:
        sentences = await _written(brief, runtime)
    except ModelError:
        # The stream broke off. Composing again in the same turn is done without the model.
        runtime.stream_writer(DraftWithdrawn(reason="the model broke off"))
        sentences = await _written(brief, runtime)
    return {"draft": Draft(sentences=sentences), "retry_count": state.retry_count + retry}


async def _written(brief: Brief, runtime: Runtime[Context]) -> tuple[Sentence, ...]:
    if not brief.blocks:
        return ()
    sentences: list[Sentence] = []
    numbering = Numbering()
    async for sentence in runtime.context.reasoner.compose(brief):
        sentences.append(sentence)
        if not check_sentence(sentence, brief.blocks):
            runtime.stream_writer(TextDelta(text=numbering.write(sentence)))
    return tuple(sentences)

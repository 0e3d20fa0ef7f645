"""Write the answer, sentence by sentence; a sentence is shown once the rules have passed it."""

import asyncio

from langgraph.runtime import Runtime

from agent.citing import Numbering
from agent.context import Context
from agent.errors import ModelError
from agent.events import DraftWithdrawn, TextDelta
from agent.nodes.pack import looked_up, summed_up
from agent.reasoning.brief import Brief
from agent.reasoning.grounding.citation_support import findings
from agent.state import State, Update, appended
from agent.text import normalise
from agent.types import Draft, Sentence, Step, StepStatus


def brief_of(state: State, context: Context) -> Brief:
    """Return what the answer is written from."""
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    unwanted = frozenset(state.standalone.besides)
    graded = state.grade.check.suggestions if state.grade else ()
    return Brief(
        question=_asked(state),
        language=state.understood.language,
        pack=context.pack,
        blocks=state.blocks,
        rarity={term: value for each in state.outcomes if each.search for term, value in each.search.rarity.items()},
        several=state.plan is not None and sum(step.purpose == "answer" for step in state.plan.steps) > 1,
        read_as={word: meant for each in state.outcomes if each.search for word, meant in each.search.read_as.items()},
        inherited=state.standalone.terms,
        of_asker=state.standalone.of_asker,
        told=[turn.answer for turn in state.earlier if not unwanted.isdisjoint(turn.evidence)],
        turns=state.earlier,
        profile=state.profile,
        aim=state.aim,
        lookup=looked_up(state),
        whole=bool(summed_up(state)),
        followup=state.understood.followup if state.plan is None else None,
        suggestions=appended(state.remarks, (*(state.grounding.suggestions if state.grounding else ()), *graded)),
    )


def _asked(state: State) -> str:
    """Return the questions that are to be answered in words, a line for each, without the orders to make something."""
    assert state.standalone is not None  # noqa: S101 - the graph's order
    steps = [step for step in (state.plan.steps if state.plan else ()) if step.purpose == "answer"]
    if len(steps) < 2:
        return state.standalone.text
    steps = [step for step in steps if step.team == "search" and step.status is StepStatus.COMPLETED]
    told = {outcome.step_id for outcome in state.outcomes if outcome.whole}
    parts = [asked_in(step) for step in steps if step.id not in told]
    return "\n".join(part for part in parts if part) or state.standalone.text


def asked_in(step: Step) -> str:
    """Return what a step is to find out as one line."""
    return normalise(step.description or step.task)


async def compose(state: State, runtime: Runtime[Context]) -> Update:
    """Write a draft. A sentence that the rules refuse stays in it for the check, and is not shown."""
    retry = state.grounding is not None
    if retry:
        withdrawn = state.grade.check if state.grade is not None else state.grounding
        runtime.context.tell(DraftWithdrawn(reason=withdrawn.reason if withdrawn else ""))
    if nothing_to_tell(state):
        return {"draft": Draft()}
    brief = brief_of(state, runtime.context)
    try:
        draft = await _written(brief, runtime)
    except ModelError:
        # The stream broke off. Composing again in the same turn is done without the model.
        runtime.context.tell(DraftWithdrawn(reason="the model broke off"))
        draft = await _written(brief, runtime)
    same = retry and state.draft is not None and _words(draft) == _words(state.draft)
    return {
        "draft": draft, "grade": None, "retry_count": state.retry_count + retry, "stuck": same,
        "remarks": tuple(brief.suggestions),
    }  # fmt: skip


def _words(draft: Draft) -> str:
    return normalise(" ".join(sentence.text for sentence in draft.sentences))


def nothing_to_tell(state: State) -> bool:
    """Tell whether no step of the plan is to be answered in words: a document alone, or a chart."""
    steps = state.plan.steps if state.plan else ()
    return bool(steps) and not any(step.team == "search" and step.purpose == "answer" for step in steps)


async def _written(brief: Brief, runtime: Runtime[Context]) -> Draft:
    """Return the draft; where the time is over, what was written until then."""
    if not brief.blocks:
        return Draft()
    sentences: list[Sentence] = []
    numbering = Numbering()
    writing = runtime.context.reasoner.compose(brief)
    try:
        async with asyncio.timeout(max(runtime.context.left(), runtime.context.reserve / 2)):
            async for sentence in writing:
                sentences.append(sentence)
                if not findings(sentence, brief.blocks, brief.question).all:
                    runtime.context.tell(TextDelta(text=numbering.write(sentence)))
    except TimeoutError:
        rules = runtime.context.without_model
        if not sentences and rules is not None:  # which need no time to speak of
            told = [sentence async for sentence in rules.compose(brief)]
            return Draft(sentences=tuple(told), warnings=("model_fallback",))
        return Draft(sentences=tuple(sentences), warnings=("answer_cut_short",))
    return Draft(sentences=tuple(sentences))

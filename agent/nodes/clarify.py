"""Ask back, where the evidence speaks of several things or a needed detail is missing."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.events import ClarificationAsked
from agent.language import say
from agent.nodes.compose import brief_of
from agent.reasoning.profile_terms import profile_terms, told_in
from agent.retrieval.pack import narrowed
from agent.state import State, Update
from agent.text import tokens
from agent.types import Choice, Clarification, Language, Pending, Settled, Split


async def clarify(state: State, runtime: Runtime[Context]) -> Update:
    """Ask one question with choices taken from the documents; never twice in a row for one question."""
    context = runtime.context
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    if state.pending is not None and state.settled is not None and state.settled.kind == "none":
        return _asking_again(state.pending, state.settled, state, runtime)
    if state.wants is not None:
        return _asking(state.wants, state, runtime)
    if state.aim == "check" or (state.settled is not None and state.settled.kind != "new"):
        return {}
    try:
        async with asyncio.timeout(context.left()):
            brief = replace(brief_of(state, context), question=state.standalone.text)
            split = await context.reasoner.clarify(state.understood, brief)
    except TimeoutError:
        return {}
    if split is None:
        return {}
    known = _known(split, state) or _own(split, state, context)
    if known is not None:  # it was chosen in this thread already, or told of the asker
        return {"blocks": narrowed(state.blocks, known, split.choices)}
    asking = _asking(split, state, runtime)
    if split.first:
        return asking
    return {**asking, "offers": True, "blocks": narrowed(state.blocks, split.choices[0], split.choices)}


def _asking(split: Split, state: State, runtime: Runtime[Context]) -> Update:
    """Return what the turn asks back; the conversation keeps it until it is answered."""
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    clarification = _shown(split, state.understood.language)
    runtime.context.tell(ClarificationAsked(clarification=clarification))
    request = runtime.context.request
    return {
        "clarification": clarification,
        "asking": Pending(
            question=split.about or state.standalone.text,
            asked_back=clarification.question,
            choices=split.choices if split.first else split.choices[1:],
            slot=split.slot,
            asked_of=request.asked_by,
            turn_id=request.turn_id,
            message_id=request.message_id,
            asked_at=runtime.context.now(),
            wanted=split.wanted,
            given=split.given,
            assumed=None if split.first else split.choices[0],
        ),
    }


def _asking_again(pending: Pending, settled: Settled, state: State, runtime: Runtime[Context]) -> Update:
    """Return the question back once more: for a choice that there is, or, where none fits, for words."""
    assert state.understood is not None  # noqa: S101 - the graph's order
    language, request = state.understood.language, runtime.context.request
    clarification = Clarification(question=say("none_of_these", language))
    if settled.choice >= 0:
        clarification = Clarification(
            question=say("no_such_choice", language, number=settled.choice + 1),
            options=tuple(choice.label for choice in pending.choices),
        )
    runtime.context.tell(ClarificationAsked(clarification=clarification))
    asking = replace(
        pending,
        asked_back=clarification.question,
        turn_id=request.turn_id,
        message_id=request.message_id,
        asked_at=runtime.context.now(),
    )
    if settled.choice < 0:
        asking = replace(asking, choices=(), assumed=None)
    return {"clarification": clarification, "asking": asking}


def _known(split: Split, state: State) -> Choice | None:
    """Return the one choice that the latest turns were about, where they were about one."""
    told = [turn.standalone for turn in state.earlier[-3:]]
    named = [choice for choice in split.choices if any(choice.label in text for text in told)]
    return named[0] if len(named) == 1 else None


def _own(split: Split, state: State, context: Context) -> Choice | None:
    """Return the one choice that what the asker told of themselves points at."""
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    told = told_in(state.earlier, context.pack, context.request.asked_by)
    slots = {**told, **state.profile.slots, **state.understood.slots}
    terms = profile_terms(state.standalone.text, slots, context.pack, intent=state.understood.intent.name)
    named = [choice for choice in split.choices if _names(choice, [term.text for term in terms])]
    return named[0] if len(named) == 1 else None


def _names(choice: Choice, forms: Sequence[str]) -> bool:
    held = set(tokens(choice.label))
    return any(mine and mine <= held for mine in (set(tokens(form)) for form in forms))


def _shown(split: Split, language: Language) -> Clarification:
    """Return a question back as it is shown: what would be assumed, or what is assumed and what else may be meant."""
    if not split.choices:
        return Clarification(question=split.question)
    assumed, others = split.choices[0].label, split.choices[1:]
    if split.first:
        return Clarification(
            question=split.question,
            options=tuple(choice.label for choice in split.choices),
            assumption=say("assumption", language, choice=assumed),
        )
    return Clarification(
        question=say("also_meant", language, choice=assumed), options=tuple(choice.label for choice in others)
    )

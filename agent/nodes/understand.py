"""Read the message: what it is to a question back, language, intent, slots, route."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from langgraph.runtime import Runtime

from agent.context import Context
from agent.events import PhaseBegan
from agent.language import say
from agent.nodes.hear import Reading, is_for_weft
from agent.nodes.recall import asked_before
from agent.packs.pack import Pack
from agent.reasoning.combined_choices import chosen, for_each
from agent.reasoning.contract import Message, Reasoner
from agent.reasoning.profile_terms import profile_terms, told_in
from agent.reasoning.rules.reading.own_facts import Facts, joined, taken_back
from agent.reasoning.rules.reading.question_form import names_something
from agent.reasoning.rules.reading.slots import slots_of
from agent.reasoning.rules.reading.work_orders import order_of
from agent.reasoning.rules.thread.standalone_question import of_answer
from agent.state import State, Update
from agent.text import language_of, normalise
from agent.types import (
    MOST_VALUES,
    Choice,
    Intent,
    Pending,
    Profile,
    Settled,
    Standalone,
    Understood,
    WeightedTerm,
)
from agent.values.relative_days import relative_days

SIDE_TALK = "side_talk"
CHOSEN = 1.0
"""Weight of the words of a choice, besides those of the question that it was made for."""


def message_of(state: State, context: Context) -> Message:
    """Return what was said, by whom, and after what."""
    request = context.request
    return Message(
        text=request.text,
        pack=context.pack,
        turns=state.earlier,
        author=request.asked_by,
        locale=request.locale,
        summary=state.before,
        profile=state.profile,
    )


def side_talk(text: str, context: Context) -> Understood:
    """Return the reading of what people say to each other."""
    return Understood(
        question=normalise(text),
        language=language_of(text, context.request.default_language),
        intent=Intent(name=SIDE_TALK, confidence=1.0),
        route="decline",
        reason=SIDE_TALK,
    )


async def understand(state: State, runtime: Runtime[Context]) -> Update:
    """Read the message; until it is rewritten its words stand for themselves.

    A question that stands alone keeps its words, but is searched with faint terms of the conversation before it.
    """
    context = runtime.context
    message, around = message_of(state, context), context.request.around
    if around is not None and around.calls_others:
        return {"understood": side_talk(message.text, context)}
    settled = await _settled(state.pending, message, context)
    if settled is None and context.request.clicked:  # it was answered in words while the click was under way
        return {"understood": side_talk(message.text, context)}
    if settled is not None and settled.kind in ("choice", "detail", "assume"):
        assert state.pending is not None  # noqa: S101 - there is nothing to settle without it
        return await _merged(state, message, state.pending, settled, context)
    if settled is not None and settled.kind == "none":
        assert state.pending is not None  # noqa: S101 - as above
        question = state.pending.question
        understood = await context.reasoner.understand(replace(message, text=question, turns=()))
        understood = replace(_preferred(understood, state.profile), question=question, route="clarify")
        return {"understood": understood, "standalone": Standalone(text=question), "settled": settled}

    in_question = around is not None and not state.heard and (settled is None or settled.kind == "new")
    if in_question and not await said_to_weft(state, context):
        return {"understood": side_talk(message.text, context)}
    if context.without_model is not None:
        context.tell(PhaseBegan(phase="planning"))  # a model takes its time
    return await _read(await _alone(context.reasoner, message, state, context), settled, state, context)


async def rewrite(state: State, runtime: Runtime[Context]) -> Update:
    """Make a follow-up understandable without its conversation."""
    context = runtime.context
    assert state.understood is not None  # noqa: S101 - the graph's order
    standalone = await context.reasoner.resolve(message_of(state, context))
    standalone = for_asker(standalone, state.understood, state, context)
    return {**await asked_before(standalone, state.understood, state, context), "standalone": standalone}


async def said_to_weft(state: State, context: Context) -> bool:
    """Tell whether a message that calls nobody, and settles nothing, is said to Weft. Raises StorageError."""
    message = message_of(state, context)
    return await is_for_weft(message, lambda rules: _by_rules(rules, message, state, context), context)


async def _by_rules(rules: Reasoner, message: Message, state: State, context: Context) -> Reading:
    """Return the reading of a message by these rules, a follow-up rewritten."""
    understood, standalone = await _alone(rules, message, state, context)
    if understood.route == "contextualize":
        standalone = for_asker(await rules.resolve(message), understood, state, context)
    return understood, standalone


async def _alone(reasoner: Reasoner, message: Message, state: State, context: Context) -> Reading:
    """Return the reading of a message by itself, in its own words."""
    understood = _preferred(await reasoner.understand(message), state.profile)
    looks_up = context.pack.cases_for(understood.intent.name) is not None  # which cases, these ask themselves
    if understood.route == "research" and not looks_up and _names_nothing(understood.question, state, context):
        understood = replace(
            understood, intent=Intent(name="unclear", confidence=1.0), route="decline", reason="unclear"
        )
    standalone = Standalone(text=understood.question)
    if understood.route == "research" and state.earlier and context.pack.flags.query_routing_enabled:
        standalone = replace(await reasoner.resolve(message), text=understood.question, changed=False)
    return understood, for_asker(standalone, understood, state, context)


def _names_nothing(text: str, state: State, context: Context) -> bool:
    """Tell whether a question has no word of what it is about, and nothing before or beside it that could tell."""
    request = context.request
    if state.earlier or state.before or state.pointing or request.attached or request.pointed:
        return False
    named = names_something(text) or relative_days(text, date.fromtimestamp(context.now()))
    return context.pack.flags.query_routing_enabled and not named and order_of(text) is None


async def _read(reading: Reading, settled: Settled | None, state: State, context: Context) -> Update:
    """Return the reading with what is remembered of the asker; a follow-up is compared once it is rewritten."""
    understood, standalone = reading
    profile, notices = await _told(understood, state.profile, context)
    before: Update = {}
    if understood.route == "research":
        before = await asked_before(standalone, understood, state, context)
    notices = (*before.get("warnings", ()), *notices)
    read: Update = {"understood": understood, "standalone": standalone, "settled": settled, "profile": profile}
    return {**before, **read, "warnings": notices}


def for_asker(standalone: Standalone, understood: Understood, state: State, context: Context) -> Standalone:
    """Return the question with faint terms of what its asker told: its text stays.

    In front of others that is only what this thread tells: `recall` takes up nothing else there.
    """
    pack, request = context.pack, context.request
    if not pack.flags.query_rewrite_enabled or understood.route in ("direct", "decline"):
        return standalone
    told = {**told_in(state.earlier, pack, request.asked_by), **state.profile.slots, **understood.slots}
    spoken = f"{understood.question}\n{standalone.text}" if standalone.changed else standalone.text
    terms = profile_terms(spoken, told, pack, intent=understood.intent.name)
    return replace(standalone, of_asker=terms)


async def _settled(pending: Pending | None, message: Message, context: Context) -> Settled | None:
    """Return what the message is to the question back: words of the one who was asked, or a click of anybody."""
    request = context.request
    if pending is None:
        return None
    if request.clicked:
        number = _picked(request.text, pending.choices)
        if number is None:
            return None
        settled = Settled(kind="choice", choice=number)
    elif request.asked_by != pending.asked_of:
        return Settled(kind="new")
    else:
        settled = await context.reasoner.settle(message, pending)
    if settled.kind == "finished" and context.without_model is not None:
        return Settled(kind="new")  # the model puts it in other words
    over = context.now() - pending.asked_at > context.pack.limits.clarification_hours * 3600
    if settled.kind != "new" and over:
        return Settled(kind="late") if settled.kind in ("choice", "none") else Settled(kind="new")
    return settled


async def _merged(state: State, message: Message, pending: Pending, settled: Settled, context: Context) -> Update:
    """Return the reading of the question that was asked back about, with its answer in it."""
    picked = chosen(pending, settled)
    words = picked[0].label if len(picked) == 1 else "" if picked else settled.detail
    question = _with_words(pending.question, words)
    if len(picked) > 1:
        question = for_each(pending.question, picked)
    focus = tuple(dict.fromkeys(document for choice in picked for document in choice.documents))
    turns = [turn for turn in state.earlier if turn.turn_id != pending.turn_id]
    message = replace(message, text=question, turns=turns)
    standalone = Standalone(
        text=question,
        terms=(WeightedTerm(text=words, weight=CHOSEN),) if words else (),
        changed=True,
        focus=focus,
    )

    understood = replace(await context.reasoner.understand(message), question=question, route="research")
    understood = _preferred(understood, state.profile)
    if pending.slot and words and settled.kind != "assume":
        said = {pending.slot: _as_told(pending.slot, words, context.pack)}
        understood = replace(
            understood, slots={**understood.slots, **said}, own={**understood.own, **said}, of_others=False
        )
    return await _read((understood, for_asker(standalone, understood, state, context)), settled, state, context)


def _with_words(question: str, words: str) -> str:
    """Return a question with what was told for it; an order for a document of no topic is about that."""
    if not words:
        return question
    return f"{question}: {words}" if of_answer(question) else f"{question} ({words})"


def _picked(label: str, choices: Sequence[Choice]) -> int | None:
    """Return the choice that a button stands for; a platform may have cut its label short."""
    said, short = label.strip(), label.strip().removesuffix("…")
    names = [choice.label.strip() for choice in choices]
    fits = [number for number, name in enumerate(names) if name == said or (short != said and name.startswith(short))]
    return fits[0] if fits else None


def _preferred(understood: Understood, profile: Profile) -> Understood:
    """Return the reading in the language that the asker wants to be answered in."""
    wanted = profile.preferences.language
    return understood if wanted is None else replace(understood, language=wanted)


def _as_told(name: str, words: str, pack: Pack) -> Any:
    """Return the answer to a question for a slot as its value."""
    spec = next((spec for spec in pack.slots if spec.name == name), None)
    if spec is None:
        return words
    named = slots_of(words, (spec,)).get(name)
    return named if named is not None else [words] if spec.type == "list" else words


async def _told(understood: Understood, profile: Profile, context: Context) -> tuple[Profile, tuple[str, ...]]:
    """Store what the message tells of its author; returns what counts for this answer, and what there is to say of it.

    For an answer about somebody else nothing counts that is known of the author.
    """
    own = {name: value for name, value in understood.own.items() if name not in _filters(context.pack)}
    full: tuple[str, ...] = understood.cut
    if (own or understood.not_own) and context.memory is not None:
        user, turn = context.request.user, context.request.turn_id
        known = (await context.memory.load(user, context.pack.name)).slots if understood.not_own else {}
        gone = taken_back(understood.not_own, known)
        dropped = await context.memory.fill(user, context.pack.name, own, gone=gone, turn_id=turn)
        full = (*full, *dropped)
    titles = {spec.name: spec.title.of(understood.language) for spec in context.pack.slots}
    notices = tuple(
        say("profile_full", understood.language, title=titles[name], most=MOST_VALUES) for name in dict.fromkeys(full)
    )
    known = joined(profile.slots, Facts(own, understood.not_own))
    if understood.of_others and not understood.personal:
        known = {}
    return replace(profile, slots=known), notices


def _filters(pack: Pack) -> set[str]:
    return {slot.name for slot in pack.slots if slot.filter}

"""Read the message: what it is to a question back, language, intent, slots, route."""

from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.nodes.early_search import Reading, searched_ahead
from agent.nodes.hear import is_for_weft
from agent.nodes.reading_sign import shown_reading
from agent.nodes.recall import asked_before
from agent.reasoning.combined_choices import for_each, several
from agent.reasoning.contract import Message, Reasoner
from agent.reasoning.profile_terms import profile_terms, told_in
from agent.state import State, Update
from agent.text import language_of, normalise
from agent.types import Choice, Intent, Pending, Profile, Settled, Standalone, Understood, WeightedTerm

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

    async def read(reasoner: Reasoner) -> Reading:
        return await _alone(reasoner, message, state, context)

    async def by_rules(rules: Reasoner) -> Reading:
        understood, standalone = await read(rules)
        if understood.route == "contextualize":
            standalone = for_asker(await rules.resolve(message), understood, state, context)
        return understood, standalone

    in_question = around is not None and (settled is None or settled.kind == "new")
    if in_question and not await is_for_weft(message, by_rules, context):
        return {"understood": side_talk(message.text, context)}
    async with shown_reading(runtime):
        if settled is not None and settled.kind == "late":
            reading = await read(context.reasoner)
        else:
            reading = await searched_ahead(read(context.reasoner), by_rules, context)
    return await _read(reading, settled, state, context)


async def _alone(reasoner: Reasoner, message: Message, state: State, context: Context) -> Reading:
    """Return the reading of a message by itself, in its own words."""
    understood = _preferred(await reasoner.understand(message), state.profile)
    standalone = Standalone(text=understood.question)
    if understood.route == "research" and state.earlier and context.pack.flags.query_routing_enabled:
        standalone = replace(await reasoner.resolve(message), text=understood.question, changed=False)
    return understood, for_asker(standalone, understood, state, context)


async def _read(reading: Reading, settled: Settled | None, state: State, context: Context) -> Update:
    """Return the reading with what is remembered of the asker; a follow-up is compared once it is rewritten."""
    understood, standalone = reading
    profile = await _told(understood, state.profile, context)
    before: Update = {}
    if understood.route == "research":
        before = await asked_before(standalone, understood, state, context)
    return {**before, "understood": understood, "standalone": standalone, "settled": settled, "profile": profile}


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
    return replace(standalone, terms=(*standalone.terms, *terms))


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
    over = context.now() - pending.asked_at > context.pack.limits.clarification_hours * 3600
    if settled.kind != "new" and over:
        return Settled(kind="late") if settled.kind == "choice" else Settled(kind="new")
    return settled


async def _merged(state: State, message: Message, pending: Pending, settled: Settled, context: Context) -> Update:
    """Return the reading of the question that was asked back about, with its answer in it."""
    chosen = _chosen(pending, settled)
    words = chosen[0].label if len(chosen) == 1 else "" if chosen else settled.detail
    question = f"{pending.question} ({words})" if words else pending.question
    if len(chosen) > 1:
        question = for_each(pending.question, chosen)
    turns = [turn for turn in state.earlier if turn.turn_id != pending.turn_id]
    message = replace(message, text=question, turns=turns)
    standalone = Standalone(
        text=question,
        terms=(WeightedTerm(text=words, weight=CHOSEN),) if words else (),
        changed=True,
        focus=tuple(dict.fromkeys(document for choice in chosen for document in choice.documents)),
    )

    async def read(reasoner: Reasoner) -> Reading:
        understood = replace(await reasoner.understand(message), question=question, route="research")
        understood = _preferred(understood, state.profile)
        if pending.slot and words and settled.kind != "assume":
            understood = replace(understood, slots={**understood.slots, pending.slot: words})
        return understood, for_asker(standalone, understood, state, context)

    return await _read(await searched_ahead(read(context.reasoner), read, context), settled, state, context)


def _picked(label: str, choices: Sequence[Choice]) -> int | None:
    """Return the choice that a button stands for; a platform may have cut its label short."""
    said, short = label.strip(), label.strip().removesuffix("…")
    names = [choice.label.strip() for choice in choices]
    fits = [number for number, name in enumerate(names) if name == said or (short != said and name.startswith(short))]
    return fits[0] if fits else None


def _chosen(pending: Pending, settled: Settled) -> list[Choice]:
    """Return the choices that were made; who asks to be just answered gets what would have been assumed."""
    if settled.kind == "detail":
        return several(settled.detail, pending.choices)
    number = 0 if settled.kind == "assume" else settled.choice
    return [pending.choices[number]] if 0 <= number < len(pending.choices) else []


def _preferred(understood: Understood, profile: Profile) -> Understood:
    """Return the reading in the language that the asker wants to be answered in."""
    wanted = profile.preferences.language
    return understood if wanted is None else replace(understood, language=wanted)


async def _told(understood: Understood, profile: Profile, context: Context) -> Profile:
    """Store what the message tells of its author, so that it counts for this answer already."""
    if not understood.slots or context.memory is None:
        return profile
    await context.memory.fill(context.request.user, context.pack.name, understood.slots)
    return replace(profile, slots={**profile.slots, **understood.slots})

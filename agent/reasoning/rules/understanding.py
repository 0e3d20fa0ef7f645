"""One message read: its language, what it is about, what it names and tells, which way it goes."""

import re
from dataclasses import replace
from typing import Any

from agent.language.registry import languages
from agent.packs.pack import ABOUT_ANSWERS, Pack
from agent.reasoning.contract import Message, answered, found_nothing
from agent.reasoning.message.message_text import language_asked, plain
from agent.reasoning.message.smalltalk import is_unreadable, small_talk
from agent.reasoning.rules.answering.fixed_replies import BARE_CHOICE, NOTHING_YET
from agent.reasoning.rules.planning import routes
from agent.reasoning.rules.planning.routes import Routed
from agent.reasoning.rules.planning.wants import parts_of
from agent.reasoning.rules.reading import answer_type
from agent.reasoning.rules.reading.answer_request import CHOICE, WRITE_ANYWAY, about_answer, calls_it_a_point
from agent.reasoning.rules.reading.entities import entities_of
from agent.reasoning.rules.reading.intents import Intents
from agent.reasoning.rules.reading.own_facts import Facts, facts_of
from agent.reasoning.rules.reading.self_description import about_me
from agent.reasoning.rules.reading.slots import slots_of
from agent.reasoning.rules.thread import context_dependence, standalone_question, told_sections
from agent.reasoning.rules.thread.answer_points import points_of
from agent.reasoning.rules.thread.history import past_in, past_of
from agent.text import language_of
from agent.types import FollowUp, Intent, Language, Route, Understood

_READ = 1500
"""Characters of a message that its intent, names and slots are read from; a longer one is mostly a paste."""
_WAYS = frozenset({"why", "how"})
"""What is answered by the way that was taken, where nothing was found."""
_EXPLAINED = frozenset({"why", "how", "source", "longer", "simpler", "point", "section"})
"""What is wanted of an answer that needs its evidence told; the rest is the same answer in another form."""


def understand(message: Message, intents: Intents) -> Understood:
    """Return what a message says, without looking anything up."""
    text = plain(message.text)
    language = language_asked(text, message)
    head = text[:_READ]
    told = {**_filters_before(head, message), **slots_of(head, message.pack.slots)}
    facts = own_facts(head, message)
    routed, extra = _routed(head, message, intents, told, facts)
    if extra.get("personal") in ("forget", "unlearn"):  # "forget that I have asthma" tells nothing new
        facts = Facts(of_others=facts.of_others)
    return Understood(
        question=text,
        language=language,
        intent=Intent(
            name=routed.intent,
            confidence=round(routed.confidence, 3),
            keywords=_keywords(text, language),
            entities=entities_of(head),
        ),
        route=routed.route,
        reason=routed.reason,
        slots=told,
        own=facts.told,
        not_own=facts.gone,
        cut=facts.cut,
        of_others=facts.of_others,
        outside=routed.outside,
        **extra,
    )


def own_facts(text: str, message: Message) -> Facts:
    """Return what a message tells of its author, without what is of the cases that are looked up."""
    mine = [spec for spec in message.pack.slots if not spec.filter]
    return facts_of(text, mine, _said_before(message)) if mine else Facts()


def _said_before(message: Message) -> str:
    """Return what the author said last in the thread."""
    said = [turn.question for turn in message.turns if turn.asked_by == message.author]
    return plain(said[-1])[:_READ] if said else ""


def _routed(
    text: str, message: Message, intents: Intents, told: dict[str, Any], facts: Facts
) -> tuple[Routed, dict[str, Any]]:
    """Return the way a message goes, and what must be known on that way."""
    past = past_in(message)
    says_something = not is_unreadable(text) and not small_talk(text)
    if says_something and message.pack.flags.query_routing_enabled:
        mine = about_me(text, message.pack, {**facts.gone, **facts.told})
        if mine is not None:
            about = Routed("direct", "about_me", 1.0, mine.reason)
            return about, {"personal": mine.kind, "preferences": mine.preferences}
        wanted = about_answer(text) or _section(text, message)
        if not message.turns and (wanted is None or wanted.kind != "recap"):
            wanted = None
        if wanted is not None and not (wanted.kind == "point" and _names_no_point(wanted.point, text, message)):
            return _about_answer(wanted, message)
        if CHOICE.match(text) or WRITE_ANYWAY.match(text):  # nothing waits for either, or it would not be read here
            return Routed("direct", BARE_CHOICE, 1.0, "an answer to nothing that was asked"), {}
    lean = standalone_question.leans(text, past)[0] if past and says_something else 0.0
    routed = routes.route(text, message.pack, intents, leans=f"{lean:.2f}" if lean >= context_dependence.LEANS else "")
    if routed.route in (*ABOUT_ANSWERS, "clarify"):
        return _of_pack(routed, message, intents)
    leaning = routed.route == "contextualize" and routed.intent == routes.UNKNOWN
    if past and (leaning or standalone_question.of_answer(text)):
        routed = _of_cases(routed, past[-1].told, message.pack, intents)
    missing = _missing(routed, message, told)
    if missing:
        asked = Routed("clarify", routed.intent, routed.confidence, f"{missing} is not known")
        return asked, {"missing_slot": missing}
    return routed, {}


def _filters_before(text: str, message: Message) -> dict[str, Any]:
    """Return what the question before narrows its cases to, where a document of its answer is ordered."""
    past = past_of(message.turns) if standalone_question.of_answer(text) else []
    filters = [spec for spec in message.pack.slots if spec.filter]
    return slots_of(past[-1].told, filters) if past and filters else {}


def _of_pack(routed: Routed, message: Message, intents: Intents) -> tuple[Routed, dict[str, Any]]:
    """Return the way of an intent about the answer before, or that asks back; with no answer before it is looked up."""
    if routed.route == "clarify" and message.pack.flags.clarification_enabled:
        return routed, {}
    if routed.route == "clarify" or not any(turn.evidence for turn in message.turns):
        return replace(routed, route="research"), {}
    return routed, {"followup": FollowUp(kind=intents.specs[routed.intent].wanted)}


def _of_cases(routed: Routed, before: str, pack: Pack, intents: Intents) -> Routed:
    """Return "and in construction?" as a question that looks cases up, where the one before it did."""
    name = routes.route(before, pack, intents, leans="").intent
    return routed if pack.cases_for(name) is None else replace(routed, intent=name)


def _section(text: str, message: Message) -> FollowUp | None:
    """Return which sections of the answer before a message asks for."""
    last = answered(message.turns)
    cases = [intent.cases for intent in message.pack.intents if intent.cases is not None]
    return told_sections.named(text, last, cases) if last is not None else None


def _names_no_point(point: int, text: str, message: Message) -> bool:
    """Tell whether a number means no point of the answer before: "the second one" is of a list of two or more."""
    last = answered(message.turns)
    points = max(len(points_of(last.answer)), len(parts_of(last.question))) if last is not None else 0
    return not calls_it_a_point(text) and points < max(2, point)


def _about_answer(wanted: FollowUp, message: Message) -> tuple[Routed, dict[str, Any]]:
    """Return the way of a message about the answer before: without one from documents it is read in its context."""
    if wanted.kind in _WAYS and found_nothing(message.turns) is not None:
        return Routed("explain", "about_answer", 1.0, "about a search that found nothing"), {
            "followup": FollowUp(kind="how")
        }
    if not any(turn.evidence for turn in message.turns):
        if wanted.kind == "recap":
            return Routed("direct", NOTHING_YET, 1.0, "about a thread without an answer"), {}
        return Routed("contextualize", "about_answer", 1.0, f"about an answer without sources: {wanted.kind}"), {}
    if wanted.kind == "another":
        return Routed("contextualize", "about_answer", 1.0, "what else answers it"), {"followup": wanted}
    if wanted.kind == "translate" and wanted.language is None:
        wanted = replace(wanted, language=_other_language(message))
    way: Route = "explain" if wanted.kind in _EXPLAINED else "followup"
    return Routed(way, "about_answer", 1.0, f"about the answer before: {wanted.kind}"), {"followup": wanted}


def _other_language(message: Message) -> Language:
    """Return what an answer is translated into where that is not said: the language of the order, or the other one."""
    last = answered(message.turns)
    mine = language_of(message.text)
    told = language_of(last.answer) if last is not None else mine
    return mine if told != mine else next((each for each in languages() if each != told), mine)


def _missing(routed: Routed, message: Message, told: dict[str, Any]) -> str:
    """Return a slot that a question of its own needs, and that neither it nor the conversation tells."""
    pack = message.pack
    if routed.route != "research" or routed.confidence < routes.SURE:
        return ""
    if not pack.flags.clarification_enabled or not pack.flags.query_routing_enabled:
        return ""
    before: dict[str, Any] = {}
    for turn in message.turns:
        before |= slots_of(plain(turn.question), pack.slots)
    known = {**message.profile.slots, **before, **told}
    needed = (spec.name for spec in pack.slots if routed.intent in spec.required_for)
    return next((name for name in needed if known.get(name) in (None, "", [])), "")


_SHARE = re.compile(r"(?<![\d.,])([\d.,]++)\s?%")


def _keywords(text: str, language: Language) -> tuple[str, ...]:
    """Return what a message is about, then its figures."""
    terms = [term for term in answer_type.read(text, language).terms if term.tells]
    things, figures = [], []
    shares = {number.lstrip(".,") for number in _SHARE.findall(text)}
    for term in terms:
        word = term.stem if term.hangul else term.word
        if not re.fullmatch(r"[\d.,]+", word):
            things.append(word)
        elif word in shares:
            figures.append(f"{word}%")
        else:
            figures.append(word)
    return tuple(dict.fromkeys(things + figures))

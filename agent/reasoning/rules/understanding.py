"""One message read: its language, what it is about, what it names and tells, which way it goes."""

import re
from typing import Any

from agent.packs.pack import Pack
from agent.reasoning.contract import Message, answered
from agent.reasoning.rules.answering.fixed_replies import BARE_CHOICE
from agent.reasoning.rules.planning import routes
from agent.reasoning.rules.planning.routes import Routed
from agent.reasoning.rules.reading import answer_type
from agent.reasoning.rules.reading.answer_request import about_answer, calls_it_a_point
from agent.reasoning.rules.reading.answer_type import FAINT
from agent.reasoning.rules.reading.choice_number import is_bare_number
from agent.reasoning.rules.reading.entities import entities_of
from agent.reasoning.rules.reading.intents import Intents
from agent.reasoning.rules.reading.message_text import language_asked, plain
from agent.reasoning.rules.reading.self_description import about_me, tells
from agent.reasoning.rules.reading.smalltalk import is_unreadable, small_talk
from agent.reasoning.rules.thread import context_dependence, standalone_question
from agent.reasoning.rules.thread.answer_points import points_of
from agent.reasoning.rules.thread.history import past_of
from agent.types import FollowUp, Intent, Language, Route, Understood

_READ = 1500
"""Characters of a message that its intent, names and slots are read from; a longer one is mostly a paste."""
_EXPLAINED = frozenset({"why", "source", "longer", "point"})
"""What is wanted of an answer that needs its evidence told; the rest is the same answer in another form."""


def understand(message: Message, intents: Intents) -> Understood:
    """Return what a message says, without looking anything up."""
    text = plain(message.text)
    language = language_asked(text, message)
    head = text[:_READ]
    told = _told(head, message.pack)
    routed, extra = _routed(head, message, intents, told)
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
        **extra,
    )


def _routed(text: str, message: Message, intents: Intents, told: dict[str, Any]) -> tuple[Routed, dict[str, Any]]:
    """Return the way a message goes, and what must be known on that way."""
    free = message.pack.flags.query_routing_enabled and not is_unreadable(text) and not small_talk(text)
    mine = about_me(text) if free else None
    if mine is not None:
        about = Routed("direct", "about_me", 1.0, f"about the asker: {mine.kind}")
        return about, {"personal": mine.kind, "preferences": mine.preferences}
    if free and tells(text, told, message.pack):
        return Routed("direct", "about_me", 1.0, "it tells something of the asker"), {"personal": "tell"}
    followup = _wanted(text, message) if free else None
    if followup is not None and _has_evidence(message):
        way: Route = "explain" if followup.kind in _EXPLAINED else "followup"
        return Routed(way, "about_answer", 1.0, f"about the answer before: {followup.kind}"), {"followup": followup}
    if followup is not None:
        return Routed("contextualize", "about_answer", 1.0, f"about an answer without sources: {followup.kind}"), {}
    if free and is_bare_number(text):  # nothing waits for a choice, or it would not be read here
        return Routed("direct", BARE_CHOICE, 1.0, "a number that answers nothing"), {}
    past = past_of(message.turns)
    lean = (
        standalone_question.leans(text, past)[0] if past and not is_unreadable(text) and not small_talk(text) else 0.0
    )
    routed = routes.route(text, message.pack, intents, leans=f"{lean:.2f}" if lean >= context_dependence.LEANS else "")
    missing = _missing(routed, message, told)
    if missing:
        asked = Routed("clarify", routed.intent, routed.confidence, f"{missing} is not known")
        return asked, {"missing_slot": missing}
    return routed, {}


def _wanted(text: str, message: Message) -> FollowUp | None:
    """Return what a message wants of the answer before it, where there is one; "the second one" is of a list alone."""
    wanted = about_answer(text) if past_of(message.turns) else None
    if wanted is None or wanted.kind != "point" or calls_it_a_point(text):
        return wanted
    last = answered(message.turns)
    return wanted if last is not None and len(points_of(last.answer)) > 1 else None


def _has_evidence(message: Message) -> bool:
    """Tell whether there is an answer from documents that a message can be about."""
    return any(turn.evidence for turn in message.turns)


def _missing(routed: Routed, message: Message, told: dict[str, Any]) -> str:
    """Return a slot that a question of its own needs, and that neither it nor the conversation tells."""
    pack = message.pack
    if routed.route != "research" or routed.confidence < routes.SURE:
        return ""
    if not pack.flags.clarification_enabled or not pack.flags.query_routing_enabled:
        return ""
    before: dict[str, Any] = {}
    for turn in message.turns:
        before |= _told(plain(turn.question), pack)
    known = {**message.profile.slots, **before, **told}
    needed = (spec.name for spec in pack.slots if routed.intent in spec.required_for)
    return next((name for name in needed if known.get(name) in (None, "", [])), "")


def _told(text: str, pack: Pack) -> dict[str, Any]:
    """Return what a message tells for the pack's slots."""
    if not pack.slots:
        return {}
    from agent.reasoning.rules.reading.slots import (
        slots_of,  # most packs have none, and its patterns cost a start 10 ms
    )

    return slots_of(text, pack.slots)


_SHARE = re.compile(r"(?<![\d.,])([\d.,]++)\s?%")


def _keywords(text: str, language: Language) -> tuple[str, ...]:
    """Return what a message is about, then its figures."""
    terms = [term for term in answer_type.read(text, language).terms if term.weight > FAINT]
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

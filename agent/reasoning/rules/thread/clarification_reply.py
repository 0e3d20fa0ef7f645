"""What a message means that comes after a question back: a choice, more detail, "just answer", or something new."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache

from agent.addressing import asks
from agent.language.lexicon import pattern, patterns, regex
from agent.packs.labelled_answers import headed, labelled
from agent.packs.template import FieldSpec
from agent.reasoning.combined_choices import joined
from agent.reasoning.contract import Message
from agent.reasoning.message.message_text import plain
from agent.reasoning.message.smalltalk import small_talk
from agent.reasoning.rules.reading import answer_type, lexicon
from agent.reasoning.rules.reading.answer_request import CHOICE, WRITE_ANYWAY, about_answer
from agent.reasoning.rules.reading.question_form import opens_question
from agent.reasoning.rules.reading.self_description import about_me
from agent.reasoning.rules.reading.slots import slots_of
from agent.reasoning.rules.reading.work_orders import order_of
from agent.reasoning.rules.thread import context_dependence
from agent.reasoning.rules.thread.answer_points import place_of
from agent.reasoning.rules.thread.standalone_question import of_answer
from agent.text import strip_particle, tokens, words
from agent.types import Choice, Pending, Settled

DETAIL_WORDS = 12
"""Words of a message that may still be an answer and not a question of its own."""
_CHOICE_WORDS = 6
_ALIKE = 0.82
"""Similarity from which a short message is a misspelt choice."""

_OF_MEMORY = frozenset({"about", "forget", "unlearn", "recollect"})
"""What is wanted of what is known of its author: that answers no question back."""


def settle(message: Message, pending: Pending) -> Settled:
    """Return what a message means that came after a question back."""
    text = plain(message.text)
    if pending.made and any(words(text)):
        if _corrects(message, pending):
            return Settled(kind="detail")
        return Settled(kind="finished" if pattern("thread.alters_document").match(text) else "new")
    about = about_me(text, message.pack)
    wanted = about_answer(text)  # "shorter" names no recipient
    of_itself = (
        _is(text, "leaving") or of_answer(text) or (about is not None and about.kind in _OF_MEMORY)
        or (wanted is not None and wanted.kind != "point")
    )  # fmt: skip
    if not any(words(text)) or of_itself:
        return Settled(kind="new")
    if _is(text, "assume"):
        return Settled(kind="assume")
    if pending.wanted:
        return _settle_details(message, pending)
    if _is(text, "no_choice"):
        return Settled(kind="none" if pending.choices else "detail")
    if _is(text, "all_choices", "asking_on"):
        return Settled(kind="detail", detail=joined(pending.choices))
    chosen = _several(text, pending.choices)
    if chosen:
        return Settled(kind="detail", detail=joined(chosen))
    one = _place(text, pending.choices)
    if one is not None:
        return Settled(kind="choice" if one < len(pending.choices) else "none", choice=one)
    asks_itself = _is_question(text) or (not pending.choices and opens_question(text))
    if pending.assumed is not None or asks_itself:  # where it was only offered, nothing was asked
        return Settled(kind="new")
    return Settled(kind="detail", detail=text.rstrip(" .!"))


def _is(text: str, name: str, tail: str = "") -> bool:
    """Tell whether a whole message is what an entry tells, perhaps with what another one tells behind it."""
    return _whole(name, tail).match(text) is not None


@cache
def _whole(name: str, tail: str) -> re.Pattern[str]:
    behind = f"{regex(f'thread.{tail}')}?" if tail else ""
    return re.compile(rf"^\W*{regex(f'thread.{name}')}{behind}\W*$", re.IGNORECASE)


@cache
def _joints() -> re.Pattern[str]:
    """Return what parts the choices of a message."""
    return re.compile(rf"(?:(?<!\s)\s++)?(?:[,&+/]|{regex('thread.joining')})\s*", re.IGNORECASE)


def _several(text: str, choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices of a message that names more than one: 1 and 3, 첫 번째랑 두 번째, the staff and the temps."""
    parts = [part for part in _joints().split(text.rstrip(" .!?")) if part.strip()]
    if not 1 < len(parts) <= len(choices):
        return []
    places = {_place(part, choices) for part in parts}
    known = {place for place in places if place is not None and place < len(choices)}
    return [choices[place] for place in sorted(known)] if len(known) == len(parts) else []


def _place(text: str, choices: Sequence[Choice]) -> int | None:
    """Return the choice that a text is, by its number, which may be of none, or by its name."""
    number = CHOICE.match(text)
    if number is not None and choices:
        return int(number.group("n")) - 1
    if len(text.split()) <= _CHOICE_WORDS:
        told = {place_of(match) for each in patterns("thread.choice_numbers").values() for match in each.finditer(text)}
        if told:
            place = min(told - {-1}, default=len(choices) - 1)
            return place if place < len(choices) else None
    return _named(text, choices)


def _named(text: str, choices: Sequence[Choice]) -> int | None:
    """Return the one choice that the message names, by what tells it from the others; None where it is not one."""
    said = set(tokens(text)) | {strip_particle(word) for word, _, _ in words(text)}
    labels = [set(tokens(choice.label)) for choice in choices]
    shared = set.intersection(*labels) if len(labels) > 1 else set()
    telling = {word for word in said if len(word) > 1 or word.isascii()} - lexicon.FAINT_WORDS
    found, asking = [], asks(text)  # a question that tells more than half a name asks something of its own
    for place, label in enumerate(labels):
        own = label - set().union(*(other for n, other in enumerate(labels) if n != place)) or label - shared
        share = len(own & said) / len(own) if own else 0.0
        partly = share < 1 and asking and telling - label
        if (share >= 0.5 and not partly) or (own & said and len(telling) <= 2):
            found.append((share, place))
    found.sort(reverse=True)
    if found and (len(found) == 1 or found[0][0] > found[1][0]):
        return found[0][1] if not _is_question(text) or found[0][0] == 1.0 else None
    if not found and len(text.split()) <= _CHOICE_WORDS:
        alike = [_likeness(text, choice.label) for choice in choices]
        best = max(range(len(choices)), key=lambda n: alike[n], default=-1)
        if best >= 0 and alike[best] >= _ALIKE:
            return best
    return None


def _likeness(text: str, label: str) -> float:
    """Return how alike two short texts are, or the text and one word of the label."""
    low, whole = text.lower().strip(" .!?"), label.lower()
    parts = [whole, *(word for word, _, _ in words(label) if len(word) > 3 and word not in lexicon.FAINT_WORDS)]
    return max(SequenceMatcher(None, low, part).ratio() for part in parts)


def _is_question(text: str) -> bool:
    """Tell whether a message asks something of its own, and does not only fill a gap."""
    if len(text.split()) > DETAIL_WORDS:
        return True
    if not asks(text):
        return False
    if pattern("thread.what_if").match(text):
        return True
    terms = answer_type.read(text).terms
    return context_dependence.leans(text, ()) < context_dependence.LEANS and any(term.tells for term in terms)


_ORDER = pattern("reading.orders_text")


def _settle_details(message: Message, pending: Pending) -> Settled:
    """Return `detail` for what fills a field, `assume` for "just write it", `new` for a message of its own.

    The words are no part of the question: it is searched as it was asked.
    """
    text = plain(message.text)
    if small_talk(text):  # "no, stop" is nobody's name
        return Settled(kind="new")
    if WRITE_ANYWAY.match(text):
        return Settled(kind="assume")
    specs = _fields(message, pending)
    if labelled(message.text, specs, message.pack.synonyms)[0]:
        return Settled(kind="detail")
    if "?" in text or "？" in text or any(map(order_of, _joints().split(text))):
        return Settled(kind="new")
    if slots_of(text, specs) or (headed(text, specs, message.pack.synonyms)[0] and not asks(text)):
        return Settled(kind="detail")
    return Settled(kind="new") if orders(text) or asks(text) else Settled(kind="detail")


def _corrects(message: Message, pending: Pending) -> bool:
    """Tell whether a message tells a field of a finished document anew: by its title, or "no, from 4 August"."""
    text, specs = plain(message.text), _fields(message, pending)
    correction = pattern("profile.corrects").match(text)
    told = headed(text, specs, message.pack.synonyms)[0] or (correction and slots_of(text[correction.end() :], specs))
    return bool(labelled(message.text, specs, message.pack.synonyms)[0] or (told and not asks(text)))


def _fields(message: Message, pending: Pending) -> list[FieldSpec]:
    """Return the fields that were asked for or are known."""
    asked = {*pending.wanted, *pending.given}
    return [field for name, field in message.pack.fields.items() if name in asked]


def orders(text: str) -> bool:
    """Tell whether a message wants something written: a document, a summary, an analysis."""
    return _ORDER.search(text) is not None

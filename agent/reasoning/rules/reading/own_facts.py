"""What a message tells of its author: apart from what it tells of others, and from what it only asks about.

A thing that a message names is its author's where the person named last before it is the author, and the words between
tell and do not ask, suppose or guess. Where the verb stands last and nobody is named, a state has to be told. In doubt
nothing is: what is not kept costs a question, what is kept wrongly makes every later answer wrong.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.addressing import asks
from agent.language.lexicon import has, pattern
from agent.language.registry import profile
from agent.packs.slots import SlotSpec
from agent.reasoning.rules.reading.negated_facts import Span
from agent.reasoning.rules.reading.slots import MOST, named_values, places_of
from agent.reasoning.rules.reading.work_orders import order_of
from agent.text import language_of, tokens
from agent.types import Language

_SENTENCE_END = re.compile(r"[.!?;\n](?=\s|$)")
_REACH = 6
"""Words behind a thing within which its clause ends."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a message tells of its author."""

    told: Mapping[str, Any] = field(default_factory=dict)
    """Values by slot; a list has those that this message adds."""
    gone: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Values that it says are not, or no longer, the case."""
    cut: tuple[str, ...] = ()
    """Slots of which it names more values than are read."""
    of_others: bool = False
    """Whether it speaks of somebody else."""


def facts_of(text: str, specs: Sequence[SlotSpec], before: str = "") -> Facts:
    """Return what a normalised message tells of its author.

    `before` is what they said last in the thread: whom they speak of, and what a correction puts right.
    """
    told: dict[str, Any] = {}
    gone: dict[str, tuple[Any, ...]] = {}
    cut: list[str] = []
    corrects = _puts_right(text)
    wrong = facts_of(before, specs).told if before and corrects else {}
    for spec in specs:
        places = list(places_of(text, spec))
        meant = spec.name in wrong
        mine = [place for place in places if is_own(text, place[0], before, people=spec.people) or meant]
        values = list(dict.fromkeys(value for _, value, denied in mine if not denied))
        denials = places if values and not about_others(text) else mine  # "not diabetes but asthma" is of one person
        not_so = [value for _, value, denied in denials if denied and value not in values]
        if values:
            told[spec.name] = values if spec.type == "list" else values[0]
            if spec.type == "list" and corrects:
                not_so += [
                    value for value in (*wrong.get(spec.name, ()), *_rivals(values, spec)) if value not in values
                ]
        if not_so:
            gone[spec.name] = tuple(dict.fromkeys(not_so))
        if spec.type == "list" and values and len(named_values(text, spec)) > MOST:
            cut.append(spec.name)
    return Facts(told, gone, tuple(cut), about_others(text))


def joined(known: Mapping[str, Any], facts: Facts) -> dict[str, Any]:
    """Return what is known after a message: lists grow, other slots change, what is not so leaves with its kinds."""
    out = dict(known)
    for name, values in taken_back(facts.gone, known).items():
        out[name] = without(out.get(name), values)
    for name, value in facts.told.items():
        old = out.get(name)
        out[name] = list(dict.fromkeys([*old, *value])) if isinstance(value, list) and isinstance(old, list) else value
    return {name: value for name, value in out.items() if value is not None and value != []}


def taken_back(gone: Mapping[str, Sequence[Any]], known: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return the values that are not so, with the kinds of them that are known: no diabetes is no type 2 diabetes."""
    kinds = {name: kinds_of(values, values_of(known.get(name))) for name, values in gone.items()}
    return {name: tuple(dict.fromkeys((*values, *kinds[name]))) for name, values in gone.items()}


def kinds_of(named: Sequence[Any], known: Sequence[Any]) -> tuple[Any, ...]:
    """Return those of the known values that are one of the named ones, or a kind of it: type 2 diabetes."""
    words = [set(tokens(str(value))) for value in named]
    return tuple(
        value for value in known if value in named or any(each and each <= set(tokens(str(value))) for each in words)
    )


def values_of(value: Any) -> tuple[Any, ...]:
    """Return the value of a slot as values: none, one, or those of a list."""
    if value in (None, "", []):
        return ()
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def without(known: Any, values: Sequence[Any]) -> Any:
    """Return what is left of the value of a slot; None where nothing is."""
    if isinstance(known, list):
        return [value for value in known if value not in values] or None
    return None if known in values else known


def is_own(text: str, span: Span, before: str = "", *, people: bool = False) -> bool:
    """Tell whether the message tells of its author what stands at a place of it; of `people`, that they are one."""
    language = language_of(text)
    if not has("profile.myself", language) or not has("profile.somebody", language):
        return False
    start = max((match.end() for match in _SENTENCE_END.finditer(text, 0, span[0])), default=0)
    me = _last("profile.myself", text, span[1], language)  # a pattern may hold the words for oneself: "I live in ..."
    if _is_behind(_last("profile.somebody", text, span[0], language), me):
        return False
    if not profile(language).verb_last:
        if me is None or me.start() < start:
            return False
        between = text[me.start() : span[0] if me.start() < span[0] else span[1]]
        return _is_told(text[start : me.start()], between) and not (people and pattern("profile.having").match(between))
    if me is None and ((before and _of_another(before)) or any(map(order_of, _SENTENCE_END.split(text)))):
        return False  # a deposit that is told with an order is of the document
    behind = text[span[1] :].split(maxsplit=1)
    if people and not (behind and pattern("profile.attached", language).search(behind[0])):
        return False
    return _tells_behind(text[span[1] :], named=me is not None and me.start() >= start, language=language)


def about_others(text: str) -> bool:
    """Tell whether a message is about somebody else than its author."""
    return pattern("profile.somebody_else").search(text) is not None


def _last(name: str, text: str, end: int, language: Language) -> re.Match[str] | None:
    return max(pattern(name, language).finditer(text, 0, end), key=re.Match.start, default=None)


def _is_behind(other: re.Match[str] | None, me: re.Match[str] | None) -> bool:
    """Tell whether somebody else was named last."""
    return other is not None and (me is None or other.start() > me.start())


def _of_another(before: str) -> bool:
    """Tell whether the person whom a message names last is not its author."""
    language, end = language_of(before), len(before)
    if not has("profile.somebody", language):
        return False
    return _is_behind(*(_last(f"profile.{who}", before, end, language) for who in ("somebody", "myself")))


def _is_told(lead: str, between: str) -> bool:
    """Tell whether "I ..." tells what follows it; `lead` is its sentence before it."""
    if pattern("profile.not_telling_before").search(lead) or pattern("profile.not_telling").search(between):
        return False
    return pattern("profile.telling").search(between) is not None


def _tells_behind(rest: str, *, named: bool, language: Language) -> bool:
    """Tell whether the words behind a thing tell it, in a language whose verb stands last."""
    end = _SENTENCE_END.search(rest)
    clause = rest[: end.start()] if end else rest
    asked = end is not None and end.group() == "?"
    words = clause.split()
    attached = bool(clause) and not clause[0].isspace()
    if not attached:
        words = ["", *words]
    if pattern("profile.topic", language).search(words[0]) and not named:
        words = words[:2]
    for number, word in enumerate(words[: _REACH + 1]):
        last = number == len(words) - 1
        if pattern("profile.asks_behind", language).search(word):
            return False
        if number == 0:
            if pattern("profile.attached", language).search(word):
                return not (asked and last)
            continue
        state = pattern("profile.state", language).search(word) is not None
        if not state and pattern("profile.somebody", language).fullmatch(word):
            return False
        if pattern("profile.tells_behind", language).search(word) and (named or state):
            return not (asked and last)
    return False


def _rivals(values: Sequence[Any], spec: SlotSpec) -> list[Any]:
    """Return the other kinds of what is named: type 1 diabetes for type 2 diabetes."""
    words = [set(tokens(str(value))) for value in values]
    others = [(choice.value, set(tokens(choice.value))) for choice in spec.choices]
    return [other for other, its in others if any(each & its and each - its and its - each for each in words)]


def _puts_right(text: str) -> bool:
    return pattern("profile.corrects").search(text) is not None and not asks(text)

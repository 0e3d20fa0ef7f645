"""What a message tells for the slots of a pack: conditions, amounts, dates, codes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from agent.language import lexicon
from agent.language.ko.letters import SYLLABLES, is_hangul
from agent.packs.pack import ChoiceSpec, SlotSpec
from agent.packs.patterns import LONGEST, compiled
from agent.reasoning.rules.reading.negated_facts import Span, is_absent
from agent.values.dates import dates, term_ends

Found = tuple[Span, str]
"""A place in the message, and the value that stands there."""
Place = tuple[Span, Any, bool]
"""A place in the message, the value that stands there, and whether it is said not to be the case."""

MOST = 20
"""Values that one message gives a slot."""
_VALUE = 200
"""Characters of a value."""
_SPLIT_FROM = 4
"""Syllables from which people write a Korean word in two: 육아 휴직."""
_KIND_OF_FROM = 3
"""Syllables from which a compound that ends in a name is a kind of it: 종합건설업 is 건설업."""


def slots_of(text: str, specs: Sequence[SlotSpec]) -> dict[str, Any]:
    """Return the value of each slot that a normalised message tells something for: JSON's values alone.

    What is said not to be the case is left out.
    """
    text = text[:LONGEST]
    told = {spec.name: _value(text, spec) for spec in specs}
    return {name: value for name, value in told.items() if value is not None and value != []}


def named_values(text: str, spec: SlotSpec) -> frozenset[str]:
    """Return the values of a slot that a message speaks of at all, be it to say that they are not the case."""
    text = text[:LONGEST]
    return frozenset(value for _, value in (*_chosen(text, spec.choices), *_matched(text, spec.patterns)))


def places_of(text: str, spec: SlotSpec) -> Iterator[Place]:
    """Yield each place of a normalised message that names a value of a slot; of two that overlap the longer."""
    text = text[:LONGEST]
    match spec.type:
        case "number":
            yield from _numbers(text, spec)
        case "date":
            yield from _dates(text, spec)
        case _:
            yield from _named(text, spec)


def _value(text: str, spec: SlotSpec) -> Any:
    present = (value for _, value, denied in places_of(text, spec) if not denied)
    return list(dict.fromkeys(present)) if spec.type == "list" else next(present, None)


def _named(text: str, spec: SlotSpec) -> Iterator[Place]:
    found = [*_chosen(text, spec.choices), *_matched(text, spec.patterns)]
    kept: list[Found] = []
    for span, value in sorted(found, key=lambda each: (each[0][0] - each[0][1], each[0][0])):
        if not any(span[0] < b and a < span[1] for (a, b), _ in kept):
            kept.append((span, value))
    kept = sorted(kept)[:MOST]
    for span, value in kept:
        others = [other for other, _ in kept if other != span]
        yield span, value, is_absent(text, span, others if spec.type != "text" else None)


def _matched(text: str, patterns: Sequence[str]) -> Iterator[Found]:
    for pattern in patterns:
        for match in compiled_once(pattern).finditer(text):
            value = match.group(match.lastindex or 0)
            if value and value.strip():
                yield match.span(), " ".join(value.split())[:_VALUE]


compiled_once = lru_cache(maxsize=500)(compiled)


# --- choices -----------------------------------------------------------------------------------

_FOLLOWS = lexicon.pattern("reading.slot_follows", "ko")
_UNIT_FOLLOWS = lexicon.pattern("reading.unit_follows", "ko")


def _chosen(text: str, choices: tuple[ChoiceSpec, ...]) -> Iterator[Found]:
    if not choices:
        return
    pattern, values = _names(choices)
    for match in pattern.finditer(text):
        if not is_hangul(text[match.end() - 1]) or _FOLLOWS.match(text, match.end()):
            yield match.span(), values[(match.lastindex or 1) - 1]


@lru_cache(maxsize=100)
def _names(choices: tuple[ChoiceSpec, ...]) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return one pattern with a group for every name, the longest first, and the value of each."""
    named = [(name, choice.value) for choice in choices for name in dict.fromkeys((choice.value, *choice.names))]
    named.sort(key=lambda each: -len(each[0]))
    return re.compile("|".join(f"({_written(name)})" for name, _ in named), re.IGNORECASE), tuple(
        value for _, value in named
    )


def _written(name: str) -> str:
    """Return a pattern for the ways of writing a name."""
    words = re.findall(rf"[{SYLLABLES}]+|[^\s\-{SYLLABLES}]+", name)
    parts = [r"\s?".join(word) if is_hangul(word) and len(word) >= _SPLIT_FROM else re.escape(word) for word in words]
    first, last = words[0], words[-1]
    alone = rf"(?<![{SYLLABLES}])" if len(first) < _KIND_OF_FROM else ""
    before = alone if is_hangul(first) else rf"(?<![^\W_{SYLLABLES}])"
    after = "" if is_hangul(last) else rf"(?:e?s)?(?![^\W_{SYLLABLES}])" if last[-1].isalnum() else ""
    return before + r"[\s-]?".join(parts) + after


# --- numbers and dates -------------------------------------------------------------------------

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_CORRECTS = lexicon.pattern("profile.corrects")
_NUMBER = re.compile(rf"(?<![\w.,])-?(?:{_DIGITS})|{_DIGITS}")


def _numbers(text: str, spec: SlotSpec) -> Iterator[Place]:
    """Yield the numbers of a message: those that patterns mark, then those with a unit.

    Where there are patterns, another amount is meant only at the beginning, or by a correction: "no, 200 million".
    """
    for span, value in _matched(text, spec.patterns):
        number = _NUMBER.search(value)
        if number is not None:
            amount = next((each for _, each in _measured(value, spec.units)), None) if spec.units else None
            yield span, amount or _plain(float(number.group().replace(",", ""))), is_absent(text, span)
    begins = corrects.end() if (corrects := _CORRECTS.match(text)) else 0
    for span, amount in _measured(text, spec.units) if spec.units else ():
        puts_right = begins > 0 and not text[begins : span[0]].strip(" ,.:")  # its "no" is of what was said before
        if not spec.patterns or puts_right or not text[: span[0]].strip():
            yield span, amount, not puts_right and is_absent(text, span)


def _measured(text: str, units: Mapping[str, float]) -> Iterator[tuple[Span, int | float]]:
    """Yield each number with a unit; parts of one amount are added up: 3억 5000만원, 1 시간 30분."""
    factors = {unit.lower(): factor for unit, factor in units.items()}
    alternatives = "|".join(re.escape(unit) for unit in sorted(units, key=len, reverse=True))
    total, factor, span = 0.0, 0.0, (0, 0)
    for match in re.finditer(rf"(?<![\w.,])({_DIGITS})\s?({alternatives})(?![A-Za-z])", text, re.IGNORECASE):
        unit = match.group(2)
        if is_hangul(unit[-1]) and not _UNIT_FOLLOWS.match(text, match.end()):
            continue
        own = factors[unit.lower()]
        value = float(match.group(1).replace(",", "")) * own
        if factor > own and text[span[1] : match.start()].strip() in ("", "and"):
            total, factor, span = total + value, own, (span[0], match.end())
            continue
        if factor:
            yield span, _plain(total)
        total, factor, span = value, own, match.span()
    if factor:
        yield span, _plain(total)


def _plain(number: float) -> int | float:
    rounded = round(number, 6)
    return int(rounded) if rounded == int(rounded) else rounded


def _dates(text: str, spec: SlotSpec) -> Iterator[Place]:
    """Yield the dates of a message, or of what patterns mark in it: 2024-03-05, 2024-03, 03-05 or 2024."""
    pieces = list(_matched(text, spec.patterns)) if spec.patterns else [((0, len(text)), text)]
    every = [*dates(text, informal=True), *term_ends(text)]
    for span, piece in pieces:
        # What is no date by itself may be one behind another: 5일 in 8월 3일부터 5일까지, 2년 in 8월 3일부터 2년.
        for date in dates(piece, informal=True) or [each for each in every if span[0] <= each.start < span[1]]:
            place = span if spec.patterns else (date.start, date.end)
            if date.exists:
                yield place, date.iso, is_absent(text, place)

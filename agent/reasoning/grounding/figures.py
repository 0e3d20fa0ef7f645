"""Whether a source gives the numbers, dates and limits of a text: with their units, converted, rounded as it says."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from agent.language.ko.letters import SYLLABLES
from agent.language.lexicon import mapping, regex, words
from agent.reasoning.grounding.wording import bare
from agent.values.amounts import SIGN, Amount, amounts, measured
from agent.values.dates import dates, weekdays
from agent.values.limits import Limit, limits

_EXEMPT = words("grounding.no_number_words")
_YEAR = frozenset({"", "year"})
_ABOUT = re.compile(rf"(?<![^\W{SYLLABLES}]){regex('values.about')}\s?{SIGN}?\s?$", re.IGNORECASE)
_ONE_EACH: Mapping[str, str] = mapping("grounding.one_each")
_PLACES: Mapping[str, int] = mapping("grounding.places")
_PLACE = re.compile(
    "|".join(rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in _PLACES), re.IGNORECASE
)
_PLACED = re.compile(regex("grounding.place_marks"), re.IGNORECASE)
_EACH = re.compile(
    "|".join(rf"\b{re.escape(words)}\b" if words.isascii() else re.escape(words) for words in _ONE_EACH), re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Figures:
    """The numbers of a source, ready to be asked."""

    units: dict[Fraction, frozenset[str]]
    converted: frozenset[tuple[str, Fraction]]
    all: tuple[Amount, ...]
    each: frozenset[str]
    """Units of time of which the source speaks one at a time: each week, 매주."""
    places: frozenset[int]
    """Places in an order that the source names in words: primary, 둘째."""


@lru_cache(maxsize=2048)
def amounts_of(text: str) -> tuple[Amount, ...]:
    """Return the numbers of a text; their places are those in `bare` of it."""
    return tuple(amounts(bare(text)))


@lru_cache(maxsize=512)
def figures_of(source: str) -> Figures:
    """Return the numbers of a source."""
    found = amounts_of(source)
    text = bare(source)
    units: dict[Fraction, set[str]] = {}
    for amount in found:
        units.setdefault(amount.value, set()).add(amount.unit)
    return Figures(
        units={value: frozenset(names) for value, names in units.items()},
        converted=frozenset(filter(None, map(measured, found))),
        all=found,
        each=frozenset(_ONE_EACH[match.group().lower()] for match in _EACH.finditer(text)),
        places=frozenset(_PLACES[match.group().lower()] for match in _PLACE.finditer(text)),
    )


def number_problems(text: str, source: str) -> list[str]:
    """Name the numbers that no source gives; one whose unit the source contradicts counts as not given."""
    plain = bare(text)
    known = figures_of(source)
    out = []
    for amount in amounts_of(text):
        if amount.written.lower() in _EXEMPT and not amount.unit:
            continue
        if not _given(amount, known, plain):
            found = _units(known, amount.value)
            stands = found and not (amount.unit == "month_name" and "month" not in found)
            wrong = "stands for something else in its source" if stands else "is not in its source"
            out.append(f"the number {amount.written} {wrong}")
    return out


def _given(amount: Amount, known: Figures, text: str) -> bool:
    units = _units(known, amount.value)
    if amount.unit == "decade":
        return "decade" in units or any(
            0 <= each.value - amount.value < 10 and each.unit in _YEAR for each in known.all
        )
    if amount.unit in _YEAR and units == {"decade"}:
        return False
    if units and (not amount.unit or amount.unit in units or _interchangeable(amount.unit, units)):
        return True
    if amount.value == 1 and amount.unit in known.each:  # for one week you get what each week is paid with
        return True
    if measured(amount) in known.converted:
        return True
    if amount.value in known.places and _PLACED.match(text, amount.end):  # the secondary, 2차 담당
        return True
    if amount.unit == "clock":
        return any(abs(amount.value - each.value) == 12 for each in known.all if each.unit == "clock")
    return bool(_ABOUT.search(text[: amount.start])) and any(
        _rounds(amount.value, each.value) for each in known.all if amount.unit == each.unit or not amount.unit
    )


def _units(known: Figures, value: Fraction) -> frozenset[str]:
    return known.units.get(value, frozenset())


def _interchangeable(unit: str, units: frozenset[str]) -> bool:
    if unit == "month_name":
        return "month" in units
    return "" in units and not (unit == "clock" and len(units) > 1)


def _rounds(told: Fraction, exact: Fraction) -> bool:
    """Tell whether a number is another one rounded to its own digits, and not by more than a tenth."""
    if not exact or abs(told - exact) > abs(exact) / 10:
        return False
    step = Fraction(1)
    while told and told % (step * 10) == 0:
        step *= 10
    while told % step:
        step /= 10
    return abs(told - exact) <= step


@lru_cache(maxsize=1024)
def bounds_of(text: str) -> tuple[Limit, ...]:
    """Return the limits that a text sets."""
    return limits(bare(text), amounts_of(text))


def bound_problems(text: str, source: str) -> list[str]:
    """Name the limits of a text whose numbers the source limits on the other side only."""
    out = []
    known = bounds_of(source)
    for bound in bounds_of(text):
        theirs = [each for each in known if each.value == bound.value and _same_unit(each.unit, bound.unit)]
        if not theirs:
            continue
        other_side = all(each.low != bound.low for each in theirs)
        otherwise_closed = bound.strict is not None and all(each.strict is (not bound.strict) for each in theirs)
        if other_side or otherwise_closed:
            out.append(f"the limit {bound.written} is {theirs[0].written} in its source")
    return out


def _same_unit(one: str, other: str) -> bool:
    return one == other or not one or not other


def date_problems(text: str, source: str) -> list[str]:
    """Name the days of a text that its source does not name, or gives another day of the week."""
    told, known = ([date for date in dates(each) if date.day and date.month] for each in (text, source))
    out = [
        f"the date {day.written} is not in its source"
        for day in told
        if known and not any(day.meets(other) for other in known)
    ]
    week = weekdays(text)
    if week:
        possible = set(weekdays(source))
        possible |= {day.weekday for day in (*told, *known) if day.weekday is not None}
        out += [f"the day {written} is not in its source" for number, written in week.items() if number not in possible]
        dated = {day.weekday for day in told if day.weekday is not None}
        if len(week) == 1 and len(told) == 1 and dated and dated.isdisjoint(week):
            written = next(iter(week.values()))
            out.append(f"the day {written} is not the day of {told[0].written}")
    return list(dict.fromkeys(out))

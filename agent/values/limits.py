"""Limits that a text sets to its numbers and dates: at least, at most, before, after, 이상, 미만, 까지, 이후."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from agent.language.lexicon import pattern, regex
from agent.values.amounts import SIGN, Amount, amounts, measured
from agent.values.names import unit_spellings

_BEFORE = 34
"""Characters before a number in which its limit may stand."""
_AFTER = 24
_LATIN = "|".join(sorted((re.escape(name) for name in unit_spellings() if name.isascii()), key=len, reverse=True))
_GAP = rf"\s(?:the\s|an?\s)?{SIGN}?\s?$"
_COUNTED = rf"\s?[\w%]{{0,12}}?\s?(?:(?:{_LATIN})\s)?"
_LOW_BEFORE = re.compile(rf"(?<![A-Za-z0-9_]){regex('values.low_before')}{_GAP}", re.IGNORECASE)
_HIGH_BEFORE = re.compile(rf"(?<![A-Za-z0-9_]){regex('values.high_before')}{_GAP}", re.IGNORECASE)
_LOW_AFTER = re.compile(_COUNTED + regex("values.low_after"), re.IGNORECASE)
_HIGH_AFTER = re.compile(_COUNTED + regex("values.high_after"), re.IGNORECASE)
_BETWEEN_BEFORE = re.compile(rf"(?<![A-Za-z0-9_]){regex('values.between_before')}{_GAP}", re.IGNORECASE)
_BETWEEN_AFTER = re.compile(rf"\s?\w{{0,12}}?\s?{regex('values.between_after')}", re.IGNORECASE)
_JOINED = re.compile(rf"\s?[^\W\d]{{0,12}}?\s?(?:[-–~∼]|{regex('values.range')})\s?{SIGN}?", re.IGNORECASE)
"""Between two numbers that are named together, the first perhaps with its unit."""
NOT_OF_IT = Fraction(-1)
"""Instead of a distance: the amount is none of those that a text speaks of."""
_ASIDE = re.compile(r"\s?\([^()\n]{1,30}\)")
"""Says a number again, before the word that makes it a limit: 5%(100분의 5)까지."""
_EXCLUSIVE, _INCLUSIVE = pattern("values.exclusive"), pattern("values.inclusive")


@dataclass(frozen=True, slots=True)
class Limit:
    """A number with the side on which its limit lies: `low` for at least and after, else at most and before."""

    value: Fraction
    unit: str
    low: bool
    strict: bool | None
    """Whether the number itself is left out (초과, 미만) or not (이상, 이하); None where the words leave it open."""
    written: str

    def is_at(self, amount: Amount) -> bool:
        """Tell whether it lies at an amount."""
        return (self.value, self.unit) == (amount.value, amount.unit)


def limits(text: str, found: Sequence[Amount] | None = None) -> tuple[Limit, ...]:
    """Return the limits that a text sets; `found` are its amounts, where they are known."""
    found = amounts(text) if found is None else found
    out = []
    closes = False
    for place, amount in enumerate(found):
        opens = place + 1 < len(found) and _between(text, amount, found[place + 1])
        if opens or closes:
            out.append(Limit(amount.value, amount.unit, opens, None, text[amount.start : amount.end]))
            closes = opens
            continue
        aside = _ASIDE.match(text, amount.end)
        behind = aside.end() if aside else amount.end
        stop = next((each.start for each in found[place + 1 :] if each.start >= behind), len(text))
        begin = found[place - 1].end if place else 0
        limit = _limit(text, amount, begin, text[behind : min(stop, behind + _AFTER)])
        if limit is not None:
            out.append(limit)
    return tuple(out)


@lru_cache(maxsize=4096)  # the same rows are looked at several times in a turn
def distance(text: str, amount: Amount, unit: str = "") -> Fraction | None:
    """Return how far an amount is from what a text tells of such: 0 where it tells it, below 0 where it is another one.

    An amount that keeps to all limits of the text, or lies in its range, is as far as the nearest of these; of several
    that it keeps to ("up to 10 days", "up to 30 days") the nearest is meant. None where the text has none of its unit;
    `unit` is that of numbers that stand alone. Other units of the same are read where the amount's own is not there.
    """
    found = [replace(each, unit=each.unit or unit) for each in amounts(text)]
    wanted, mine = amount.value, {each: each.value for each in found if each.unit == amount.unit}
    if not mine and (of := measured(amount)):
        wanted = of[1]
        mine = {each: known[1] for each in found if (known := measured(each)) and known[0] == of[0]}
    if not mine:
        return None
    bounds = [(mine[each], limit) for limit in limits(text, found) for each in mine if limit.is_at(each)]
    ranges = [(mine[a], mine[b]) for a, b in pairwise(found) if a in mine and b in mine and _joins(text, a, b)]
    if bounds:
        ends = [value for value, _ in bounds] if all(_keeps(wanted, *bound) for bound in bounds) else []
    elif ranges:
        ends = [end for low, high in ranges if low <= wanted <= high for end in (low, high)]
    else:
        ends = [value for value in mine.values() if value == wanted]
    return min((abs(end - wanted) for end in ends), default=NOT_OF_IT)


def _keeps(wanted: Fraction, value: Fraction, limit: Limit) -> bool:
    """Tell whether a value keeps to a limit; at the limit itself where that is not left out."""
    return limit.strict is not True if wanted == value else (wanted > value) is limit.low


def _joins(text: str, first: Amount, last: Amount) -> bool:
    return bool(_JOINED.fullmatch(text, first.end, last.start))


def _between(text: str, first: Amount, last: Amount) -> bool:
    """Tell whether two numbers are the least and the most: between 3 and 5 days."""
    if not _joins(text, first, last):
        return False
    before = text[max(0, first.start - _BEFORE) : first.start]
    return bool(_BETWEEN_BEFORE.search(before) or _BETWEEN_AFTER.match(text, last.end))


def _limit(text: str, amount: Amount, begin: int, after: str) -> Limit | None:
    before = text[max(begin, amount.start - _BEFORE) : amount.start]
    high, low = _HIGH_BEFORE.search(before), _LOW_BEFORE.search(before)
    if high and low:  # "no fewer than" holds "fewer than"
        high, low = (high, None) if high.start() < low.start() else (None, low)
    if not (high or low):
        high, low = _HIGH_AFTER.match(after), _LOW_AFTER.match(after)
    found = low or high
    if found is None or (low and high):
        return None
    words = found.group()
    strict = True if _EXCLUSIVE.search(words) else False if _INCLUSIVE.search(words) else None
    return Limit(amount.value, amount.unit, low is not None, strict, " ".join(words.split()))

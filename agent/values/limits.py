"""Limits that a text sets to its numbers and dates: at least, at most, before, after, 이상, 미만, 까지, 이후."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from agent.language.lexicon import pattern, regex
from agent.values.amounts import SIGN, Amount, amounts
from agent.values.names import unit_spellings

_BEFORE = 34
"""Characters before a number in which its limit may stand."""
_AFTER = 24
_LATIN = "|".join(sorted((re.escape(name) for name in unit_spellings() if name.isascii()), key=len, reverse=True))
_GAP = rf"\s(?:the\s|an?\s)?{SIGN}?\s?$"
_COUNTED = rf"[\w%]{{0,12}}?\s?(?:(?:{_LATIN})\s)?"
_LOW_BEFORE = re.compile(rf"(?<![A-Za-z0-9_]){regex('values.low_before')}{_GAP}", re.IGNORECASE)
_HIGH_BEFORE = re.compile(rf"(?<![A-Za-z0-9_]){regex('values.high_before')}{_GAP}", re.IGNORECASE)
_LOW_AFTER = re.compile(_COUNTED + regex("values.low_after"), re.IGNORECASE)
_HIGH_AFTER = re.compile(_COUNTED + regex("values.high_after"), re.IGNORECASE)
_BETWEEN_BEFORE = re.compile(rf"(?<![A-Za-z0-9_]){regex('values.between_before')}{_GAP}", re.IGNORECASE)
_BETWEEN_AFTER = re.compile(rf"\s?\w{{0,12}}?\s?{regex('values.between_after')}", re.IGNORECASE)
_JOINED = re.compile(rf"\s?[^\W\d]{{0,12}}?\s?(?:[-–~∼]|{regex('values.range')})\s?{SIGN}?", re.IGNORECASE)
"""Between two numbers that are named together, the first perhaps with its unit."""
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


def _between(text: str, first: Amount, last: Amount) -> bool:
    """Tell whether two numbers are the least and the most: between 3 and 5 days."""
    if not _JOINED.fullmatch(text, first.end, last.start):
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

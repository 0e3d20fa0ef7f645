"""The numbers that a text speaks for: 5 to 10 kg, 3개월 초과 6개월 이하, at most 50, and each number for itself."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from agent.language.lexicon import regex
from agent.values.amounts import Amount, amounts
from agent.values.dates import dates
from agent.values.limits import Limit, limits

_JOINED = re.compile(rf"\s?[^\W\d]{{0,12}}\s?(?:[-–~∼]|(?<![a-z]){regex('values.range_to')})\s?", re.IGNORECASE)
_NEAR = 12
"""Characters between the least and the most where each has its own word."""
_MARK = re.compile(r"\s?([^\W\d_]+|[%℃°㎡])")
_LETTERS = re.compile(r"[^\W_]*")
_NAMES = ("month_name", "ordinal", "decade")
"""Units of an amount that is a name."""
_YEARS = range(1900, 2100)


@dataclass(frozen=True, slots=True)
class Span:
    """Numbers from `low` to `high` (None: no end) of a unit."""

    low: Fraction | None
    high: Fraction | None
    unit: str
    mark: str
    """The word behind the number, which is its unit where none is known."""
    is_rate: bool
    written: str
    """As it stands in the text, from its first number to the end of the word or the unit of its last."""
    without_low: bool = False
    without_high: bool = False

    @property
    def closed(self) -> bool:
        """Tell whether it has both ends."""
        return self.low is not None and self.high is not None

    def measures(self, other: "Span") -> bool:
        """Tell whether another speaks of the same unit, as far as both tell it."""
        if self.is_rate != other.is_rate:
            return False
        if self.unit and other.unit:
            return self.unit == other.unit
        mine, its = self.mark.casefold(), other.mark.casefold()
        return not mine or not its or mine.startswith(its) or its.startswith(mine)

    def holds(self, other: "Span") -> bool:
        """Tell whether the one number that another is lies within these."""
        value = other.low
        if value is None or value != other.high or not self.measures(other):
            return False
        above = self.low is None or value > self.low or (value == self.low and not self.without_low)
        below = self.high is None or value < self.high or (value == self.high and not self.without_high)
        return above and below


@lru_cache(maxsize=2_048)
def spans(text: str) -> tuple[Span, ...]:
    """Return what a text says of numbers, in its order; dates and years are none."""
    days = dates(text)
    found = [
        each
        for each in amounts(text)
        if each.unit not in _NAMES
        and not (each.unit in ("", "year") and each.value in _YEARS)
        and not any(day.start <= each.start < day.end for day in days)
    ]
    return tuple(_spans(text, found, {each.start: each for each in limits(text, found)}))


def _spans(text: str, found: Sequence[Amount], bounds: dict[int, Limit]) -> Iterator[Span]:
    at = 0
    while at < len(found):
        first, last = found[at], found[at + 1] if at + 1 < len(found) else None
        low, high = bounds.get(first.start), bounds.get(last.start) if last else None
        if (
            last
            and first.value < last.value
            and first.unit in ("", last.unit)
            and _joined(text, first, last, low, high)
        ):
            strict = (bool(low and low.strict), bool(high and high.strict))
            yield _span(text, first, last, (first.value, last.value), strict)
            at += 2
            continue
        if low is None:
            yield _span(text, first, first, (first.value, first.value))
        elif low.low:
            yield _span(text, first, first, (first.value, None), (bool(low.strict), False))
        else:
            yield _span(text, first, first, (None, first.value), (False, bool(low.strict)))
        at += 1


def _joined(text: str, first: Amount, last: Amount, low: Limit | None, high: Limit | None) -> bool:
    """Tell whether two numbers are the least and the most of one span."""
    if _JOINED.fullmatch(text, first.end, last.start):
        return True
    return bool(low and low.low and high and not high.low) and last.start - first.end <= _NEAR


def _span(
    text: str,
    first: Amount,
    last: Amount,
    ends: tuple[Fraction | None, Fraction | None],
    strict: tuple[bool, bool] = (False, False),
) -> Span:
    mark, word = _MARK.match(text, last.end), _LETTERS.match(text, last.end)
    end = mark.end() if mark and last.unit else word.end() if word else last.end
    name = mark.group(1) if mark else ""
    return Span(*ends, last.unit, name, last.is_rate, text[first.start : end], *strict)

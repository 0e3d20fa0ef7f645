"""Limits that a text sets to its numbers and dates: at least, at most, before, after, 이상, 미만, 까지, 이후."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from agent.reasoning.grounding.figures import amounts_of
from agent.reasoning.grounding.wording import bare
from agent.values.amounts import Amount

_BEFORE = 34
"""Characters before a number in which its limit may stand."""
_AFTER = 24
_LOW_BEFORE = re.compile(
    r"(?:\b(?:at least|no less than|not less than|no fewer than|not fewer than|a minimum of|minimum(?: of)?|more than"
    r"|greater than|over|above|exceed(?:s|ing)?|upwards? of|no earlier than|not earlier than|not before|after|since"
    r"|starting(?: on| from)?|from)|최소(?:한)?|적어도)\s(?:the\s|an?\s)?[$€₩£¥]?\s?$",
    re.IGNORECASE,
)
_HIGH_BEFORE = re.compile(
    r"(?:\b(?:at most|no more than|not more than|up to|a maximum of|maximum(?: of)?|less than|fewer than|under|below"
    r"|within|no longer than|limited to|capped at|no later than|not later than|not after|by|before|until|till|through"
    r"|(?:not|never|cannot|\w+n't)(?: \w+)? (?:exceed|go over|be more than|be over))|최대(?:한)?|많아야|길어야)"
    r"\s(?:the\s|an?\s)?[$€₩£¥]?\s?$",
    re.IGNORECASE,
)
_COUNTED = r"[\w%]{0,12}?\s?(?:(?:days?|hours?|weeks?|months?|years?|euros?|people)\s)?"
_LOW_AFTER = re.compile(
    _COUNTED + r"(?:or (?:more|over|longer|older|later|above)|and (?:over|above|up)|at the (?:least|earliest)"
    r"|이상|[을를]? ?(?:넘(?!지|을 수 없)|초과(?!하지|할 수 없))|이후|부터|(?<=[일월년시])\s?후)",
    re.IGNORECASE,
)
_HIGH_AFTER = re.compile(
    _COUNTED + r"(?:or (?:less|fewer|under|shorter|younger|earlier|below)|at (?:the )?(?:most|latest)"
    r"|(?:의 금액)?[을를]? ?(?:초과하지|초과할 수 없|넘지|넘을 수 없)|이하|이내|미만|까지|이전|(?<=[일월년시])\s?전)",
    re.IGNORECASE,
)
_EXCLUSIVE = re.compile(r"초과(?!하지|할 수 없)|미만")
_INCLUSIVE = re.compile(r"이상|이하")


@dataclass(frozen=True, slots=True)
class Bound:
    """A number with the side on which its limit lies: `low` for at least and after, else at most and before."""

    value: Fraction
    unit: str
    low: bool
    strict: bool | None
    """Whether the number itself is left out (초과, 미만) or not (이상, 이하); None where the words leave it open."""
    written: str


@lru_cache(maxsize=1024)
def bounds_of(text: str) -> tuple[Bound, ...]:
    """Return the limits that a text sets."""
    plain = bare(text)
    found = amounts_of(text)
    out = []
    for place, amount in enumerate(found):
        stop = found[place + 1].start if place + 1 < len(found) else len(plain)
        begin = found[place - 1].end if place else 0
        bound = _bound(plain, amount, begin, stop)
        if bound is not None:
            out.append(bound)
    return tuple(out)


def _bound(text: str, amount: Amount, begin: int, stop: int) -> Bound | None:
    before = text[max(begin, amount.start - _BEFORE) : amount.start]
    after = text[amount.end : min(stop, amount.end + _AFTER)]
    high = _HIGH_BEFORE.search(before) or _HIGH_AFTER.match(after)
    low = None if _HIGH_BEFORE.search(before) else _LOW_BEFORE.search(before) or _LOW_AFTER.match(after)
    found = low or high
    if found is None or (low and high and low.start() == high.start()):
        return None
    words = found.group()
    strict = True if _EXCLUSIVE.search(words) else False if _INCLUSIVE.search(words) else None
    return Bound(
        value=amount.value, unit=amount.unit, low=low is not None, strict=strict, written=" ".join(words.split())
    )


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

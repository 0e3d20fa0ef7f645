"""Numbers and dates that a text limits on the other side than its source does."""

from functools import lru_cache

from agent.reasoning.grounding.figures import amounts_of
from agent.reasoning.grounding.wording import bare
from agent.values.limits import Limit, limits


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

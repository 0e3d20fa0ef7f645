"""Whether what a message names is there at all: "I don't have diabetes", "당뇨는 없고", "not 60 kg"."""

from collections.abc import Sequence

from agent.language.lexicon import ordered, pattern

Span = tuple[int, int]

_NEAR = 120
"""Characters before and after a name in which it may be denied."""

_BEFORE = pattern("reading.denied_before")
_OVER_LISTS = pattern("reading.denies_lists")
_REACH = pattern("reading.listed_between")
_NEW_CLAUSE = pattern("reading.new_clause")
_AFTER = pattern("reading.denied_after", "en")
_KOREAN_AFTER = pattern("reading.denied_after", "ko")
_LISTED = pattern("reading.listed_behind")
_FAINT = pattern("reading.faint_behind")
_ANY_THING = ordered("reading.any_thing", "ko")[0]


def is_absent(text: str, span: Span, others: Sequence[Span] | None = None) -> bool:
    """Tell whether what stands at a place of a text is said not to be the case.

    `others` are places of things of the same sort, which a negation may have in common with it. None: it has no such
    things beside it, as an amount or a date has none: "7% 인상, 월세 없음".
    """
    listed, others = others is not None, others or ()
    start, end = span
    text, start, end, others = _near(text, start, end, others)
    return (
        _denied_before(text, start, others)
        or _AFTER.match(text[end:]) is not None
        or _denied_after(_without(text, end, others), listed=listed)
    )


def _near(text: str, start: int, end: int, others: Sequence[Span]) -> tuple[str, int, int, Sequence[Span]]:
    """Return the words around a place, and the places in them."""
    first, last = max(0, start - _NEAR), end + _NEAR
    moved = [(a - first, b - first) for a, b in others if a >= first and b <= last]
    return text[first:last], start - first, end - first, moved


def _denied_before(text: str, start: int, others: Sequence[Span]) -> bool:
    before = text[:start]
    for match in _BEFORE.finditer(before):
        between = before[match.end() :]
        if _NEW_CLAUSE.search(between):
            continue
        bare = _OVER_LISTS.fullmatch(match.group())
        if not bare or _REACH.match(_blanked(text, match.end(), start, others)):
            return True
    return False


def _blanked(text: str, start: int, end: int, others: Sequence[Span]) -> str:
    """Return a piece of the text without the other things in it."""
    out = list(text[start:end])
    for a, b in others:
        for i in range(max(a, start), min(b, end)):
            out[i - start] = " "
    return "".join(out)


def _without(text: str, end: int, others: Sequence[Span]) -> str:
    """Return what follows, with other things of the same sort as a list would have them."""
    rest = text[end:]
    for a, b in sorted(others, reverse=True):
        if a >= end:
            rest = rest[: a - end] + _ANY_THING + rest[b - end :]
    return rest


def _denied_after(rest: str, *, listed: bool) -> bool:
    """Tell whether Korean words after a name deny it, with nothing but faint words and a list between."""
    rest = rest.lstrip()
    for _ in range(12):
        if _KOREAN_AFTER.match(rest):
            return True
        between = (_LISTED.match(rest) if listed else None) or _FAINT.match(rest)
        if between is None or not between.end():
            return False
        rest = rest[between.end() :].lstrip()
    return False

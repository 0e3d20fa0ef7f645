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
    listed, others = others is not None, sorted(others or ())
    start, end = span
    behind = _without(text, end, end + _NEAR, others, _ANY_THING)
    return (
        _denied_before(_without(text, max(0, start - _NEAR), start, others, " "))
        or _AFTER.match(text[end : end + _NEAR]) is not None
        or _denied_after(behind, listed=listed)
    )


def _without(text: str, start: int, end: int, others: Sequence[Span], stand_in: str) -> str:
    """Return a piece of a text with a stand-in for each of the other things in it, which are sorted."""
    out = ""
    for a, b in others:
        if start <= a and b <= end:
            out += text[start:a] + stand_in
            start = b
    return out + text[start:end]


def _denied_before(before: str) -> bool:
    for match in _BEFORE.finditer(before):
        between = before[match.end() :]
        reaches = not _OVER_LISTS.fullmatch(match.group()) or _REACH.match(between)
        if reaches and not _NEW_CLAUSE.search(between):
            return True
    return False


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

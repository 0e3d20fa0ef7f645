"""What a message tells for the slots of a pack: conditions, amounts, dates, codes."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from agent.packs.pack import ChoiceSpec, SlotSpec
from agent.packs.patterns import LONGEST, compiled
from agent.reasoning.rules.reading.negated_facts import Span, is_absent

Found = tuple[Span, str]
"""A place in the message, and the value that stands there."""

_MOST = 20
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


def _value(text: str, spec: SlotSpec) -> Any:
    match spec.type:
        case "number":
            return next(_numbers(text, spec), None)
        case "date":
            return next(_dates(text, spec), None)
        case "list":
            return list(dict.fromkeys(value for _, value in _present(text, spec)))
        case "choice" | "text":
            return next((value for _, value in _present(text, spec)), None)


def _present(text: str, spec: SlotSpec) -> Iterator[Found]:
    """Yield what a message names and does not deny, in order; of two that overlap the longer."""
    found = sorted([*_chosen(text, spec.choices), *_matched(text, spec.patterns)], key=lambda each: _by_length(each[0]))
    kept: list[Found] = []
    for span, value in found:
        if not any(span[0] < b and a < span[1] for (a, b), _ in kept):
            kept.append((span, value))
    kept = sorted(kept)[:_MOST]
    for span, value in kept:
        if not is_absent(text, span, [other for other, _ in kept if other != span]):
            yield span, value


def _by_length(span: Span) -> tuple[int, int]:
    return span[0] - span[1], span[0]


def _matched(text: str, patterns: Sequence[str]) -> Iterator[Found]:
    for pattern in patterns:
        for match in compiled_once(pattern).finditer(text):
            value = match.group(match.lastindex or 0)
            if value and value.strip():
                yield match.span(), " ".join(value.split())[:_VALUE]


compiled_once = lru_cache(maxsize=500)(compiled)


# --- choices -----------------------------------------------------------------------------------

_PARTICLES = (
    r"(?:은|는|이|가|을|를|의|도|만|에|로|으로|와|과|나|이나|랑|이랑|하고|에서|에게|한테|께서|부터|까지|처럼|보다|마다|조차|밖에"
    r"|이?라도|이?란|이?라는|이?라고|때문)(?:은|는|도|만|의|에)?"
)
_BEING = (
    r"이?(?:에요|예요|야|다|죠|고요?|며|라서?|어서|여서|니까|지만|거든요?|거나|면|[었였][가-힣]{0,4})"
    r"|인[데가지]?요?|입니[다까]|일[까수]?요?"
)
_DOING = r"(?:하|해|했|한|할|합|되|돼|됐|된|될|됩|나|났|난|있|없|아니|아닌|아닙|말고)[가-힣]{0,4}"
_FOLLOWS = re.compile(rf"(?:{_PARTICLES}|{_BEING}|{_DOING})?(?![가-힣])")
_HANGUL = re.compile(r"[가-힣]")


def _chosen(text: str, choices: tuple[ChoiceSpec, ...]) -> Iterator[Found]:
    if not choices:
        return
    pattern, values = _names(choices)
    for match in pattern.finditer(text):
        if not _HANGUL.match(text[match.end() - 1]) or _FOLLOWS.match(text, match.end()):
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
    words = re.findall(r"[가-힣]+|[^\s\-가-힣]+", name)
    parts = [
        r"\s?".join(word) if _HANGUL.match(word) and len(word) >= _SPLIT_FROM else re.escape(word) for word in words
    ]
    first, last = words[0], words[-1]
    before = r"(?<![^\W_가-힣])" if not _HANGUL.match(first) else r"(?<![가-힣])" if len(first) < _KIND_OF_FROM else ""
    after = "" if _HANGUL.match(last) else r"(?:e?s)?(?![^\W_가-힣])" if last[-1].isalnum() else ""
    return before + r"[\s-]?".join(parts) + after


# --- numbers and dates -------------------------------------------------------------------------

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMBER = re.compile(rf"(?<![\w.,])-?(?:{_DIGITS})|{_DIGITS}")


def _numbers(text: str, spec: SlotSpec) -> Iterator[int | float]:
    """Yield the numbers of a message: those that patterns mark, then those with a unit."""
    places = list(_matched(text, spec.patterns))
    for span, value in places:
        number = _NUMBER.search(value)
        if number is not None and not is_absent(text, span):
            yield _plain(float(number.group().replace(",", "")))
    if spec.units:
        yield from _measured(text, spec.units)


def _measured(text: str, units: Mapping[str, float]) -> Iterator[int | float]:
    """Yield each number with a unit; parts of one amount are added up: 3억 5000만원, 1 시간 30분."""
    factors = {_folded(unit): factor for unit, factor in units.items()}
    alternatives = "|".join(re.escape(unit) for unit in sorted(units, key=len, reverse=True))
    total, factor, span = 0.0, 0.0, (0, 0)
    for match in re.finditer(rf"(?<![\w.,])({_DIGITS})\s?({alternatives})(?![A-Za-z])", text, re.IGNORECASE):
        following = _HANGUL.match(match.group(2)[-1]) and not _UNIT_FOLLOWS.match(text, match.end())
        if following:
            continue
        own = factors[_folded(match.group(2))]
        value = float(match.group(1).replace(",", "")) * own
        if factor > own and text[span[1] : match.start()].strip() in ("", "and"):
            total, factor, span = total + value, own, (span[0], match.end())
            continue
        if factor and not is_absent(text, span):
            yield _plain(total)
        total, factor, span = value, own, match.span()
    if factor and not is_absent(text, span):
        yield _plain(total)


_UNIT_FOLLOWS = re.compile(
    rf"(?:{_PARTICLES}|{_BEING}|{_DOING}|\d|정도|쯤|이상|이하|미만|초과|짜리|동안)?(?![가-힣])|(?=\d)"
)


def _folded(unit: str) -> str:
    return unit.lower()


def _plain(number: float) -> int | float:
    rounded = round(number, 6)
    return int(rounded) if rounded == int(rounded) else rounded


_MONTHS = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}
_MONTH = r"(?P<{}>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<y>\d{4})\s?[-./년]\s?(?P<m>\d{1,2})\s?[-./월]\s?(?P<d>\d{1,2})(?!\d)",
        rf"\b{_MONTH.format('name')}\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y>\d{{4}})\b",
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH.format('name')},?\s(?P<y>\d{{4}})\b",
        r"(?<!\d)(?P<y>\d{4})\s?[-./년]\s?(?P<m>\d{1,2})(?!\d|\s?[-./월]\s?\d)",
        rf"\b{_MONTH.format('name')}\s(?P<y>\d{{4}})\b",
        r"(?<!\d)(?P<m>\d{1,2})월\s?(?P<d>\d{1,2})일",
        rf"\b{_MONTH.format('name')}\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b",
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH.format('name')}\b",
        r"(?<!\d)(?P<y>(?:19|20)\d{2})년",
    )
)
_SOME_LEAP_YEAR = 2024


def _dates(text: str, spec: SlotSpec) -> Iterator[str]:
    """Yield the dates of a message, or of what patterns mark in it: 2024-03-05, 2024-03, 03-05 or 2024."""
    pieces = list(_matched(text, spec.patterns)) if spec.patterns else [((0, len(text)), text)]
    for span, piece in pieces:
        for at, date in sorted(_dated(piece)):
            place = span if spec.patterns else at
            if not is_absent(text, place):
                yield date


def _dated(text: str) -> Iterator[tuple[Span, str]]:
    taken: list[Span] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if any(match.start() < b and a < match.end() for a, b in taken):
                continue
            date = _iso(match.groupdict())
            if date:
                taken.append(match.span())
                yield match.span(), date


def _iso(parts: Mapping[str, str | None]) -> str:
    """Return the date as far as it is told; empty for one that no calendar has."""
    year = parts.get("y")
    name = parts.get("name")
    month = _MONTHS[name.lower()] if name else int(parts.get("m") or 0)
    day = int(parts.get("d") or 0)
    try:
        dt.date(int(year or _SOME_LEAP_YEAR), month or 1, day or 1)
    except ValueError:
        return ""
    return "-".join(([year] if year else []) + [f"{part:02}" for part in (month, day) if part])

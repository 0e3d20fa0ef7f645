"""Numbers in a text, however they are written: 5% = five percent = 20분의 1, 3만원 = 30,000원, March = 3월.

Forms of a language have these kinds, with these parts: in digits `ratio` (whole, part), `clock` (hour, minute, half)
and `myriads`; in words `words`, `part` (top, below), `ratio`, `ordinal`, `share`, `portion`, `day_count`, `count` and
`sino`; `rated_` before one of these says that a rate must follow.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from agent.language.lexicon import mapping, ordered, pattern, regex, words
from agent.language.registry import profile, scripts
from agent.values import forms
from agent.values.names import currency_signs, month_number, month_pattern, unit_spellings, units
from agent.values.numerals import (
    DAY_COUNTS,
    ORDINALS,
    SHARES,
    from_counting,
    from_myriads,
    from_sino,
    from_words,
    part_of,
)

_DIGIT_FORMS = [
    ("clock", r"(?<![\d:.,])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::\d\d)?(?![\d:])"),
    ("iso", r"\b(?P<y>(?:19|20)\d\d)[-./]\s?(?P<m>0?[1-9]|1[0-2])[-./]\s?(?P<d>\d{1,2})(?![\dA-Za-z])"),
    ("fraction", r"(?<![\d/])(?P<part>\d{1,2})/(?P<whole>\d{1,3})(?![\d/])"),
    ("number", r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"),
]
"""Those that all languages share."""
_RATED = "rated_"
_RATE_FORMS = [("percent", "[%％]"), *(form for own in forms.listed("rates").values() for form in own)]
_RATE_NEXT = rf"(?=[\s-]?(?:{'|'.join(form for _, form in _RATE_FORMS)}))"


def _all_forms() -> str:
    """Return every form of a value; each language's are tried where a text goes over to its script, or to digits."""
    of_digits = [form for own in forms.listed("digit_forms").values() for form in own]
    by_script = {"A-Za-z": [("month", rf"\b{month_pattern(prose=True)}\b")]}
    for code, own in forms.listed("word_forms").items():
        by_script.setdefault(scripts()[profile(code).script].letters, []).extend(map(_held_to_rate, own))
    gated = [("(?=\\d)", [*of_digits, *_DIGIT_FORMS])]
    gated += [(f"(?<![{letters}])(?=[{letters}])", own) for letters, own in by_script.items()]
    out, number = [], 0
    for gate, own in gated:
        out.append(f"{gate}(?:{forms.joined(own, number)})")
        number += len(own)
    return "|".join(out)


def _held_to_rate(form: forms.Form) -> forms.Form:
    kind, written = form
    return (kind.removeprefix(_RATED), f"(?:{written}){_RATE_NEXT}") if kind.startswith(_RATED) else form


def _unit_pattern() -> str:
    """Return what may follow a number as its unit."""
    ends = mapping("values.unit_ends")
    names = "|".join(
        re.escape(name) + f"(?!{ends.get(name, '') or ('[a-z0-9_]' if name[-1] <= 'z' else '$^')})"
        for name in sorted(unit_spellings(), key=len, reverse=True)
    )
    return rf"[\s-]?(?:(?:{'|'.join(ordered('values.unit_adjectives'))})[\s-]+)?(?P<unit>{names})"


def _any(found: Iterable[str]) -> str:
    return "|".join(re.escape(each) for each in sorted(found, key=len, reverse=True))


_PATTERN = re.compile(_all_forms(), re.VERBOSE | re.IGNORECASE)
_UNIT = re.compile(_unit_pattern(), re.IGNORECASE)
_SIGNS = currency_signs()
SIGN = f"[{''.join(sign for sign in _SIGNS if len(sign) == 1)}]"
"""A sign of a currency, as a pattern."""
_SIGN = re.compile(rf"(?:({SIGN})|\b({_any(sign for sign in _SIGNS if len(sign) > 1)}))\s?$", re.IGNORECASE)
_MARKS: Mapping[str, int] = {**mapping("values.scales"), **mapping("values.scale_marks")}
_SCALE_AFTER = re.compile(rf"\s?({_any(word for word, by in _MARKS.items() if by > 100)})(?![A-Za-z])", re.IGNORECASE)
_WORD, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d")
_OF_MONEY = words("values.scale_marks_of_money")
_RATES = {"percent": Fraction(1, 100), "tenth": Fraction(1, 10)}
_RATE = re.compile(rf"[\s-]?(?:{forms.joined(_RATE_FORMS)})", re.IGNORECASE)
_EARLY_BEFORE = re.compile(rf"{regex('values.early_before')}\s?$")
_LATE_BEFORE = re.compile(rf"{regex('values.late_before')}\s?$")
_EARLY_AFTER, _LATE_AFTER = pattern("values.early_after"), pattern("values.late_after")
_DECADE = re.compile(rf"(?<=0){regex('values.decade')}")
_MONTH_MARK = re.compile(regex("values.month_marks"))
_OF_MONTH = re.compile(rf"{regex('values.month_marks')}\s?$")
_DAY_MARKS = words("values.day_marks")
_NO_NUMBER = re.compile(r"(?m)^[^\S\n]*+\d{1,3}[.)]\s|[\d.,]{60,}+")
"""The mark of a list's item, and what is longer than any figure that somebody reads."""
_RANGE = re.compile(rf"(?:-\s?|\s-\s|\s?(?:–|—|~|∼|{_any(ordered('values.range'))})\s?){SIGN}?$")
"""Between the two numbers of a range. A dash with a space only before it is a minus: `in 2020-02 -1%`."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit; `written` is how it stands in the text.

    Beside units of measure there are `month_name` for the name of a month, `clock` for a time of day in hours, `decade`
    for the 1980s and `ordinal` for fourth. Two amounts are equal wherever they stand.
    """

    value: Fraction
    unit: str
    written: str
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    is_rate: bool = field(default=False, compare=False)
    """Whether it counts hundredths or tenths: 5 %, 1할."""


def unit_named(name: str) -> str:
    """Return the unit that a column's name tells of its numbers: minute of "minutes late"; empty for none.

    One with a number ("up to 5 kg") tells what else its numbers are of.
    """
    if _DIGITS.search(name):
        return ""
    told = (unit_spellings().get(word.lower(), "") for word in _WORD.findall(name))
    return next(filter(None, told), "")


def measured(amount: Amount) -> tuple[str, Fraction] | None:
    """Return what an amount measures and how much of it, whatever its unit; None for a unit that is not converted."""
    unit = units().get(amount.unit, {})
    return (unit["dimension"], amount.value * unit["factor"]) if "dimension" in unit else None


def kind_of(amount: Amount, unit: str = "") -> tuple[str, Fraction]:
    """Return what an amount is compared by: what it measures, or its unit where that is not converted; and how much.

    `unit` is that of a number that stands alone.
    """
    amount = replace(amount, unit=amount.unit or unit)
    return measured(amount) or (amount.unit, amount.value)


def amounts(text: str) -> list[Amount]:
    """Return the numbers of a text with their places; numbers that only mark list items are left out."""
    text = _NO_NUMBER.sub(lambda match: " " * len(match.group()), text)
    out: list[Amount] = []
    read = 0
    for match in _PATTERN.finditer(text):
        if match.start() >= read:
            found, read = _read(match, text)
            if found and out:
                out[-1] = _of_range(out[-1], found[0], text[out[-1].end : match.start()])
            out.extend(replace(amount, start=match.start(), end=read) for amount in found)
    return out


def _of_range(first: Amount, last: Amount, between: str) -> Amount:
    """Return the first number of a range with the unit of its last: 3 of 3-5 days, 5 of 5~10 %."""
    if first.unit or not first.written[-1].isdigit() or not _RANGE.fullmatch(between):
        return first
    if last.written.endswith("%"):
        return replace(first, value=first.value * _RATES["percent"], written=first.written + "%", is_rate=True)
    return first if last.unit in ("", "month_name", "clock", "ordinal") else replace(first, unit=last.unit)


_WHOLE: Mapping[str, tuple[Callable[[str], Fraction | int], str]] = {
    "month": (month_number, "month_name"),
    "ordinal": (lambda written: ORDINALS[written.lower()], "ordinal"),
    "share": (lambda written: SHARES[written.lower()], ""),
    "day_count": (DAY_COUNTS.__getitem__, "day"),
}
"""Kinds that say all by themselves: what their value is, and their unit."""
_COUNTED: Mapping[str, Callable[[str], Fraction | int]] = {
    "words": from_words,
    "count": from_counting,
    "portion": lambda written: SHARES[written.split()[0].lower()],
    "sino": from_sino,
    "myriads": from_myriads,
    "number": lambda written: Fraction(written.replace(",", "")),
}
"""Kinds of number that a unit or a rate may follow."""


def _read(match: re.Match[str], text: str) -> tuple[list[Amount], int]:
    """Return what a match says, and where reading goes on."""
    kind = forms.kind_of(match)
    if kind in _COUNTED:
        return _counted(kind, match, text)
    written, end = match.group().strip(), match.end()
    if kind in _WHOLE:
        value, unit = _WHOLE[kind]
        return [Amount(Fraction(value(written)), unit, written)], end
    parts = forms.parts_of(match)
    if kind == "part":
        return [Amount(part_of(parts["top"], parts["below"]), "", written)], end
    if kind == "iso":
        units = {"y": "", "m": "month_name", "d": ""}
        return [Amount(Fraction(int(parts[name])), unit, written) for name, unit in units.items()], end
    if kind == "clock":
        return _clock(parts, match, text)
    whole = from_sino(parts["whole"]) or (1 if kind == "ratio" else 0)
    return [Amount(from_sino(parts["part"]) / whole, "", written)] if whole else [], end


def _counted(kind: str, match: re.Match[str], text: str) -> tuple[list[Amount], int]:
    """Return a number with its scale, and its rate or unit."""
    written, end = match.group().strip(), match.end()
    value = Fraction(_COUNTED[kind](written))
    sign = _SIGN.search(text, max(0, match.start() - 5), match.start())
    if kind == "number":
        scale = _SCALE_AFTER.match(text, end)
        if scale and (sign or scale[1].lower() not in _OF_MONEY):
            value *= _MARKS[scale[1].lower()]
            end = scale.end()
        elif _MONTH_MARK.match(text, end) and value <= 12:
            return [Amount(value, "month_name", written)], end
    if rate := _RATE.match(text, end):
        of = forms.kind_of(rate)
        written += "%" if of == "percent" else rate.group()
        return [Amount(value * _RATES[of], "", written, is_rate=True)], rate.end()
    if _DECADE.match(text, end) and end - match.start() == len("1980"):
        return [Amount(value, "decade", written)], end
    return [Amount(value, _SIGNS[sign[1] or sign[2].lower()] if sign else _unit(match, text, end), written)], end


def _unit(match: re.Match[str], text: str, end: int) -> str:
    unit = _UNIT.match(text, end)
    if unit is None:
        return ""
    if unit["unit"] in _DAY_MARKS and _OF_MONTH.search(text, max(0, match.start() - 4), match.start()):
        return ""  # a day of the month, not a number of days
    return unit_spellings()[unit["unit"].lower()]


def _clock(parts: Mapping[str, str], match: re.Match[str], text: str) -> tuple[list[Amount], int]:
    """Return a time of day in hours since midnight; 3시 without 오전 or 오후 is taken as it stands."""
    hour, minute = int(parts["hour"]), 30 if "half" in parts else int(parts.get("minute", 0))
    start, end = max(0, match.start() - 3), match.end()
    late = _LATE_BEFORE.search(text, start, match.start()) or _LATE_AFTER.match(text, end)
    early = _EARLY_BEFORE.search(text, start, match.start()) or _EARLY_AFTER.match(text, end)
    if late and hour < 12:
        hour += 12
    elif early and hour == 12:
        hour = 0
    end = max((half.end() for half in (late, early) if half), default=end)
    end = max(end, match.end())
    return [Amount(hour + Fraction(minute, 60), "clock", text[match.start() : end].strip())], end

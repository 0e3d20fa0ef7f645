"""Numbers in a text, however they are written: 5% = five percent = 20분의 1, 3만원 = 30,000원, March = 3월.

What is written in words is read by `agent.values.numerals`.
"""

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction

from agent.values.numerals import (
    COUNTERS,
    DAYS,
    NATIVE,
    ORDINALS,
    PARTS,
    SCALES,
    SHARES,
    SINO,
    WORDS,
    from_korean,
    from_native,
    from_sino,
    from_words,
    part_of,
)

_MONTHS = {name: i + 1 for i, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}

_PATTERN = re.compile(
    rf"""(?=\d)(?:
        (?P<share>(?P<whole>\d+)\s?분의\s?(?P<part>\d+))
        |(?P<clock>(?<![\d:.,])(?:(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::\d\d)?(?![\d:])
            |(?P<hour_ko>[01]?\d|2[0-4])\s?시(?!간)(?:\s?(?P<minute_ko>[0-5]?\d)\s?분|\s?(?P<half>반(?![가-힣])))?
            |(?P<hour_en>[01]?\d)(?=\s?[ap]\.?m\b))(?:\s?(?P<half_day>[ap])\.?m\b\.?)?)
        |(?P<korean>\d[\d,]{{0,40}}+(?:\.\d+)?\s?(?:[십백천만억]|조(?=\s?(?:원|달러|유로)|\s?\d[\d,]*\s?[천백만억]))(?!\s?일\b)
            (?:[십백천만억]|\s?\d[\d,]{{0,40}}+\s?[십백천만억])*(?:\s?\d[\d,]{{0,40}}+(?=\s?원))?)
        |(?P<iso>\b(?P<y>(?:19|20)\d\d)[-./]\s?(?P<m>0?[1-9]|1[0-2])[-./]\s?(?P<d>\d{{1,2}})(?![\dA-Za-z]))
        |(?P<fraction>(?<![\d/])\d{{1,2}}/\d{{1,3}}(?![\d/]))
        |(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?))
    |(?<![A-Za-z])(?=[A-Za-z])(?:
        (?P<month>\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|(?-i:May)|june?|july?|aug(?:ust)?
            |sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b)
        |(?P<parts>\b(?:an?|{WORDS})[\s-](?:{PARTS})\b)
        |(?P<words>\b(?:{WORDS})\b(?:[\s-]+(?:and\s+)?(?:{WORDS})\b)*)
        |(?P<ordinal>\b(?:{"|".join(ORDINALS)})\b)
        |(?P<named>\b(?:half|quarter|third|twice|once|dozen)\b))
    |(?<![가-힣])(?=[가-힣])(?:
        (?P<half_ko>절반)
        |(?P<days>(?:{"|".join(DAYS)})(?=\s|[,.)]|간|동안|이내|전|후|까지|을|를|은|의|안|[이가]\s|$))
        |(?P<count>(?:{NATIVE})\s?(?=(?:{COUNTERS})))
        |(?P<sino>(?:{SINO})\s?(?=원|명|퍼센트|개월|년|시간|일(?![가-힣])|일[간까이로의])|[백천만억]\s?(?=원(?![가-힣]{{2}}))))""",
    re.VERBOSE | re.IGNORECASE,
)
_NOON = re.compile(r"(오전|오후)\s?$")
_SCALE_AFTER = re.compile(r"\s?(thousand|million|billion|trillion|k|m|bn)(?![A-Za-z])", re.IGNORECASE)
_PERCENT = re.compile(r"\s?(?:%|percent\b|per cent\b|퍼센트|프로(?![가-힣]))", re.IGNORECASE)
_UNITS = (
    ("second", r"seconds?\b|secs?\b|초(?![가-힣])"),
    ("minute", r"minutes?\b|mins?\b|분(?!의|기)"),
    ("hour", r"hours?\b|hrs?\b|시간"),
    ("day", r"days?\b|nights?\b|일(?!차)|박"),
    ("week", r"weeks?\b|주(?!년|택|민)"),
    ("month", r"months?\b|개월|달(?!러)"),
    ("year", r"years?\b|년"),
    ("won", r"won\b|원(?!격)|krw\b"),
    ("euro", r"euros?\b|eur\b|€|유로"),
    ("dollar", r"dollars?\b|usd\b|달러"),
    ("pound", r"pounds?\b|gbp\b|파운드"),
    ("yen", r"yen\b|jpy\b|엔(?![가-힣]{2})"),
    ("kilometre", r"km\b|kilomet(?:re|er)s?\b|킬로미터"),
    ("kilogram", r"kg\b|kilograms?\b|킬로그램"),
    ("megabyte", r"mb\b|megabytes?\b|메가바이트"),
    ("gigabyte", r"gb\b|gigabytes?\b|기가바이트"),
    ("terabyte", r"tb\b|terabytes?\b|테라바이트"),
    ("people", r"people\b|persons?\b|명"),
)
_UNIT = re.compile(
    r"[\s-]?(?:(?:calendar|working|business|full|consecutive|paid|unpaid|additional|extra)[\s-]+)?(?:"
    + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _UNITS)
    + ")",
    re.IGNORECASE,
)
_SIGN = re.compile(r"(?:([$€₩£¥])|\b(usd|eur|krw|gbp|jpy))\s?$", re.IGNORECASE)
_SIGNS = {"$": "dollar", "€": "euro", "₩": "won", "£": "pound", "¥": "yen"} | {
    "usd": "dollar",
    "eur": "euro",
    "krw": "won",
    "gbp": "pound",
    "jpy": "yen",
}
_DECADE = re.compile(r"(?<=0)(?:\s?'?s\b|년대)")
_NO_NUMBER = re.compile(r"(?m)^[^\S\n]*+\d{1,3}[.)]\s|[\d.,]{60,}+")
"""The mark of a list's item, and what is longer than any figure that somebody reads."""
_RANGE = re.compile(r"(?:-\s?|\s-\s|\s?(?:–|—|~|∼|to|and|or|에서|내지)\s?)[$€₩£¥]?$")
"""Between the two numbers of a range. A dash with a space only before it is a minus: `in 2020-02 -1%`."""
_HUNDREDTH = Fraction(1, 100)


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
        return replace(first, value=first.value * _HUNDREDTH, written=first.written + "%")
    return first if last.unit in ("", "month_name", "clock", "ordinal") else replace(first, unit=last.unit)


def _read(match: re.Match[str], text: str) -> tuple[list[Amount], int]:
    """Return what a match says, and where reading goes on."""
    written = match.group().strip()
    kind = match.lastgroup
    end = match.end()
    if match.group("share"):
        return [Amount(Fraction(int(match.group("part")), int(match.group("whole")) or 1), "", written)], end
    if match.group("clock"):
        noon = _NOON.search(text, max(0, match.start() - 3), match.start())
        return [Amount(_hours(match, noon.group(1) if noon else ""), "clock", written)], end
    if match.group("iso"):
        year, month, day = (int(match.group(name)) for name in "ymd")
        return [
            Amount(Fraction(year), "", written),
            Amount(Fraction(month), "month_name", written),
            Amount(Fraction(day), "", written),
        ], end
    if match.group("month"):
        return [Amount(Fraction(_MONTHS[written[:3].lower()]), "month_name", written)], end
    if match.group("fraction"):
        top, bottom = written.split("/")
        return [Amount(Fraction(int(top), int(bottom)), "", written)] if int(bottom) else [], end
    if match.group("parts"):
        return [Amount(part_of(written), "", written)], end
    if match.group("named") or match.group("half_ko"):
        return [Amount(SHARES[written.lower()], "", written)], end
    if match.group("ordinal"):
        return [Amount(Fraction(ORDINALS[written.lower()]), "ordinal", written)], end
    if match.group("days"):
        return [Amount(Fraction(DAYS[written]), "day", written)], end
    if match.group("count"):
        value = Fraction(from_native(written))
    elif match.group("sino"):
        value = from_sino(written)
    elif match.group("words"):
        value = from_words(written)
    elif match.group("korean"):
        value = from_korean(written)
    else:
        value = Fraction(written.replace(",", ""))
        scale = _SCALE_AFTER.match(text, end)
        if scale and (scale.group(1).lower() != "m" or _SIGN.search(text, max(0, match.start() - 5), match.start())):
            value *= {"k": 1000, "m": 10**6, "bn": 10**9, **SCALES}[scale.group(1).lower()]
            end = scale.end()
        elif kind == "number" and text[end : end + 1] == "월" and value <= 12:
            return [Amount(value, "month_name", written)], end
    if _PERCENT.match(text, end):
        return [Amount(value / 100, "", written + "%")], end
    return [Amount(value, _unit(match, text, end), written)], end


def _unit(match: re.Match[str], text: str, end: int) -> str:
    if _DECADE.match(text, end) and end - match.start() == len("1980"):
        return "decade"
    unit = _UNIT.match(text, end)
    sign = _SIGN.search(text, max(0, match.start() - 5), match.start())
    if sign:
        return _SIGNS[(sign.group(1) or sign.group(2)).lower()]
    name = unit.lastgroup or "" if unit else ""
    if name == "day" and unit and "일" in unit.group() and re.search(r"월\s?$", text[: match.start()]):
        return ""  # a day of the month, not a number of days
    return name


def _hours(match: re.Match[str], noon: str) -> Fraction:
    """Return a time of day in hours since midnight; 3시 without 오전 or 오후 is taken as it stands."""
    hour = int(match.group("hour") or match.group("hour_ko") or match.group("hour_en"))
    minute = 30 if match.group("half") else int(match.group("minute") or match.group("minute_ko") or 0)
    late = noon == "오후" or (match.group("half_day") or "").lower() == "p"
    early = noon == "오전" or (match.group("half_day") or "").lower() == "a"
    if late and hour < 12:
        hour += 12
    elif early and hour == 12:
        hour = 0
    return hour + Fraction(minute, 60)

"""Numbers in a text, however they are written: 5% = five percent = 20분의 1, 3만원 = 30,000원, March = 3월."""

import re
from dataclasses import dataclass
from fractions import Fraction

_SMALL = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
    )
}
_TENS = {word: 10 * (i + 2) for i, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_SHARES = {
    "half": Fraction(1, 2),
    "절반": Fraction(1, 2),
    "quarter": Fraction(1, 4),
    "third": Fraction(1, 3),
    "twice": Fraction(2),
    "once": Fraction(1),
    "dozen": Fraction(12),
}
_KOREAN_COUNT = {"한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10}
_KOREAN_SCALE = {"십": 10, "백": 100, "천": 1000, "만": 10**4, "억": 10**8, "조": 10**12}
_MONTHS = {name: i + 1 for i, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}

_WORDS = "|".join([*_TENS, *sorted(_SMALL, key=len, reverse=True), *_SCALES])
_COUNTERS = "개월|개|명|번|달|시간|주|배|살|시|해|곳|차례|가지|회|건"
_PATTERN = re.compile(
    rf"""(?P<share>(?P<whole>\d+)\s?분의\s?(?P<part>\d+))

    |(?P<korean>\d[\d,]*(?:\.\d+)?\s?[십백천만억](?!\s?일\b)(?:[십백천만억]|\s?\d[\d,]*\s?[십백천만억])*(?:\s?\d[\d,]*(?=\s?원))?)
    |(?P<iso>\b(?P<y>(?:19|20)\d\d)[-./](?P<m>0?[1-9]|1[0-2])[-./](?P<d>\d{{1,2}})\b)
    |(?P<fraction>(?<![\d/])\d{{1,2}}/\d{{1,3}}(?![\d/]))
    |(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)

    |(?P<month>\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|(?-i:May)|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b)
    |(?P<words>\b(?:{_WORDS})\b(?:[\s-]+(?:and\s+)?(?:{_WORDS})\b)*)
    |(?P<named>\b(?:half|quarter|third|twice|once|dozen)\b|절반)
    |(?P<count>(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?(?={_COUNTERS}))""",
    re.VERBOSE | re.IGNORECASE,
)
_SCALE_AFTER = re.compile(r"\s?(thousand|million|billion|k|m|bn)\b", re.IGNORECASE)
_PERCENT = re.compile(r"\s?(?:%|percent\b|per cent\b|퍼센트|프로)", re.IGNORECASE)
_UNITS = (
    ("minute", r"minutes?\b|mins?\b|분(?!의|기)"),
    ("hour", r"hours?\b|hrs?\b|시간"),
    ("day", r"days?\b|nights?\b|일(?!차)|박"),
    ("week", r"weeks?\b|주(?!년|택|민)"),
    ("month", r"months?\b|개월|달(?!러)"),
    ("year", r"years?\b|년"),
    ("won", r"won\b|원(?!격)|krw\b"),
    ("euro", r"euros?\b|eur\b|€|유로"),
    ("dollar", r"dollars?\b|usd\b|달러"),
)
_UNIT = re.compile(
    r"\s?(?:(?:calendar|working|business|full|consecutive|paid|unpaid|additional|extra)[\s-]+)?(?:"
    + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _UNITS)
    + ")",
    re.IGNORECASE,
)
_SIGN = re.compile(r"([$€₩£])\s?$")
_SIGNS = {"$": "dollar", "€": "euro", "₩": "won", "£": "pound"}
_LIST_MARK = re.compile(r"(?m)^\s*\d{1,3}[.)]\s")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit (or `month`, for the name of one); `written` is how it stands in the text."""

    value: Fraction
    unit: str
    written: str


def amounts(text: str) -> list[Amount]:
    """Return the numbers of a text; numbers that only mark list items are left out."""
    text = _LIST_MARK.sub(lambda match: " " * len(match.group()), text)
    out: list[Amount] = []
    read = 0
    for match in _PATTERN.finditer(text):
        if match.start() >= read:
            found, read = _read(match, text)
            out.extend(found)
    return out


def _read(match: re.Match[str], text: str) -> tuple[list[Amount], int]:
    """Return what a match says, and where reading goes on."""
    written = match.group().strip()
    kind = match.lastgroup
    end = match.end()
    if match.group("share"):
        return [Amount(Fraction(int(match.group("part")), int(match.group("whole")) or 1), "", written)], end
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
    if match.group("named"):
        return [Amount(_SHARES[written.lower()], "", written)], end
    if match.group("count"):
        value = Fraction(_KOREAN_COUNT[written])
    elif match.group("words"):
        value = _from_words(written)
    elif match.group("korean"):
        value = _from_korean(written)
    else:
        value = Fraction(written.replace(",", ""))
        scale = _SCALE_AFTER.match(text, end)
        if scale:
            value *= {"k": 1000, "m": 10**6, "bn": 10**9, **_SCALES}[scale.group(1).lower()]
            end = scale.end()
        elif kind == "number" and text[end : end + 1] == "월" and value <= 12:
            return [Amount(value, "month_name", written)], end
    if _PERCENT.match(text, end):
        return [Amount(value / 100, "", written + "%")], end
    unit = _UNIT.match(text, end)
    sign = _SIGN.search(text[: match.start()])
    name = _SIGNS[sign.group(1)] if sign else unit.lastgroup or "" if unit else ""
    if name == "day" and unit and "일" in unit.group() and re.search(r"월\s?$", text[: match.start()]):
        name = ""  # a day of the month, not a number of days
    return [Amount(value, name, written)], end


def _from_words(written: str) -> Fraction:
    total = current = 0
    for word in re.findall(r"[a-z]+", written.lower()):
        if word in _SMALL:
            current += _SMALL[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total += max(current, 1) * _SCALES[word]
            current = 0
    return Fraction(total + current)


def _from_korean(written: str) -> Fraction:
    """Read 1억 2천만 5,000: each number times the scales behind it; 만, 억 and 조 close a section."""
    total = section = Fraction(0)
    for number, scales in re.findall(r"(\d[\d,]*(?:\.\d+)?)?\s?([십백천만억조]*)", written):
        if not number and not scales:
            continue
        value = Fraction(number.replace(",", "")) if number else Fraction(1 if not section else 0)
        for scale in scales:
            if scale in "만억조":
                section = (section + value) * _KOREAN_SCALE[scale]
                total, section, value = total + section, Fraction(0), Fraction(0)
            else:
                value *= _KOREAN_SCALE[scale]
        section += value
    return total + section

"""Numbers, dates and times of a workbook as its reader sees them."""

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]{0,255}+)[^\]]{0,255}+\]|_.|\*.|\[[^\]]{0,255}+\]')
_DIGITS = re.compile(r"[#0?][#0?,.]*")
_LARGEST = 10**15
_SHOWN_DIGITS = 15
"""Significant digits that a workbook shows; the rest is noise of the binary fraction."""


def shown(value: object, code: str = "General") -> str:
    """Return a cell's value; `code` is its number format."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return _number(value, code)
        case datetime():
            return _moment(value, code)
        case date():
            return value.isoformat()
        case time():
            return _clock(value.hour, value.minute, value.second)
        case timedelta():
            minutes, seconds = divmod(round(value.total_seconds()), 60)
            return _clock(*divmod(minutes, 60), seconds)
        case _:
            return str(value)


def _moment(value: datetime, code: str) -> str:
    bare = _LITERAL.sub("", code).lower()
    if value.microsecond >= 500_000:
        value += timedelta(seconds=1)
    if not (value.hour or value.minute or value.second) and "h" not in bare:
        return f"{value:%Y-%m}" if "y" in bare and "d" not in bare else f"{value:%Y-%m-%d}"
    return f"{value:%Y-%m-%d} {_clock(value.hour, value.minute, value.second)}"


def _clock(hours: int, minutes: int, seconds: int) -> str:
    return f"{hours:02}:{minutes:02}:{seconds:02}" if seconds else f"{hours:02}:{minutes:02}"


def _number(value: float, code: str) -> str:
    before, digits, after, percent = _format(code, value < 0)
    if not digits:
        return _plain(value)
    scaled = Decimal(repr(abs(value))) * (100 if percent else 1)
    if scaled >= _LARGEST:
        return _plain(value)
    whole, _, fraction = digits.partition(".")
    places = min(len(fraction.replace(",", "")), _SHOWN_DIGITS)
    # As a spreadsheet rounds, and not to the even neighbour.
    text = f"{scaled.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):{',' if ',' in whole else ''}f}"
    while len(text.partition(".")[2]) > fraction.count("0") and text.endswith("0"):
        text = text[:-1]
    text = text.removesuffix(".")
    if "," not in whole and not fraction:
        text = text.zfill(whole.count("0"))
    sign = "-" if value < 0 and "(" not in before and text.strip("0.,") else ""
    return f"{sign}{before}{text}{after}"


def _plain(value: float) -> str:
    text = f"{value:.{_SHOWN_DIGITS}g}"
    if "e" in text and abs(value) >= 1 and float(value).is_integer() and abs(value) < 1e21:
        return str(int(value))
    return text


@lru_cache(maxsize=1000)
def _format(code: str, negative: bool) -> tuple[str, str, str, bool]:
    """Return what stands before the digits, the digits, what stands after them, and whether it is a share of 100.

    Nothing for the digits where a format is one that only a spreadsheet understands.
    """
    parts = re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', code)
    part = parts[1] if negative and len(parts) > 1 and parts[1].strip() else parts[0]
    kept: list[str] = []

    def literal(match: re.Match[str]) -> str:
        kept.append(match[1] or match[2] or match[3] or "")
        return chr(0xE000 + len(kept) - 1) if len(kept) < 0x1000 else ""

    bare = _LITERAL.sub(literal, part[:200])
    found = _DIGITS.search(bare)
    if not found or re.search(r"[/@]|E[+-]|General", bare, re.IGNORECASE) or found.group().endswith(","):
        return "", "", "", False
    around = [bare[: found.start()], bare[found.end() :]]
    if any(re.search(r"[#0?]", each) for each in around):
        return "", "", "", False  # telephone numbers and the like
    percent = "%" in bare
    before, after = (
        re.sub("[\ue000-\uefff]", lambda match: kept[ord(match.group()) - 0xE000], each).lstrip("-") for each in around
    )
    return before.lstrip(), found.group(), after.rstrip(), percent

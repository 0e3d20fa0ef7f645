"""Cells as numbers: `1,234.5`, `(1,234)`, `12%`, `₩12,000`, `3만 5천원`, `$1.2M`, `1.2k`, `12 kg`, `2h 30m`."""

import math
import re
from dataclasses import dataclass

from agent.language.lexicon import regex, words
from agent.teams.analysis.units import BARE, MONEY, SCALES, Unit, other_unit, spelling, unit_of
from agent.values.numerals import MYRIADS, from_myriads

LARGEST = 1e18
"""Values beyond are not computed with: their squares would leave the range of a float."""
_LONGEST = 60
"""Characters of a cell that may be a number."""
MISSING = frozenset(("--", "---", "..", *"-–—−.…*?")) | words("teams.missing_cells")
"""How a table says that there is nothing, in lower case and without spaces."""

_NUMBER = r"(?:\d{1,3}(?:[,'’  \s]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,4})?"
_PREFIX = (
    r"(?P<sign>[-+−–△▼])?\s?(?P<money>us\$|cn¥|[$€£¥₩]|(?:usd|eur|krw|gbp|jpy|cny)(?=[\s\d-]))?\s?(?P<sign2>[-+−])?"
)
_SUFFIX = r"\s?(?P<unit>[^\d\s(),.;:=+][^\d(),;:=+]{0,19}?)?"
_MARKS = re.compile(r"(?:(?<!\s)\s++)?(?:\[\d{1,3}\]|(?<![*†‡¹²³⁴⁵])[*†‡¹²³⁴⁵]++|\(\s?\d\s?\))$")
_ABOUT = re.compile(rf"^(?:{regex('values.about')}|[~≈])\s*", re.I)
_LEADING = re.compile(rf"us\$|cn¥|usd|eur|krw|gbp|jpy|cny|{regex('values.about')}", re.I)
"""Letters that a number may begin with."""
_PARTING = re.compile(r"[,'’  \s]")
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")
_ONE = re.compile(rf"{_PREFIX}\s?(?P<number>{_NUMBER}){_SUFFIX}", re.I)
_IN_MYRIADS = re.compile(
    rf"(?P<sign>[-+−△▼])?\s?(?P<money>₩)?\s?"
    rf"(?P<parts>(?:{_NUMBER}\s?{MYRIADS}{{1,2}}\s?)+(?:{_NUMBER})?)\s?(?P<unit>[^\d\s(),.;:]{{0,10}})",
)
_MYRIADS_PART = re.compile(rf"({_NUMBER})\s?({MYRIADS}{{1,2}})?")
_DURATION = re.compile(
    rf"(?P<sign>[-−])?(?P<h>\d+)\s?{spelling('hour')}\s?(?P<m>\d{{1,2}})\s?(?:{spelling('minute')}|m)", re.I
)
_LETTERS = {"M": 1e6, "B": 1e9, "T": 1e12}
"""Scales in one letter; small ones only behind money, since m is a metre."""
_SCALE_WORDS = sorted(SCALES, key=len, reverse=True)
_BEYOND = re.compile(r"[-+]?(?:inf(?:inity)?|\d+(?:\.\d+)?e\+?\d{2,}|\d{19,}|∞)", re.I)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b", re.I)
_NO_UNIT = re.compile(rf"^(?:[-–—~/:@#&|_^]|x\d|{regex('teams.no_units')})", re.I)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a unit; `decimals` are the places that were written."""

    value: float
    unit: Unit = BARE
    decimals: int = 0


def is_beyond(cell: str) -> bool:
    """Tell whether a cell is a number that is too large to compute with, or infinite."""
    return _BEYOND.fullmatch(cell.strip()) is not None


def is_missing(cell: str) -> bool:
    """Tell whether a cell says that there is nothing."""
    return not cell or (not cell[0].isdigit() and "".join(cell.split()).lower() in MISSING)


def read(cell: str) -> Number | None:
    """Return the number of a cell; None for a text, for what is not finite, and beyond `LARGEST`."""
    text = cell.strip()
    if len(text) > _LONGEST or not any(map(str.isdigit, text)) or text[0] in "=@":  # a formula is never computed
        return None
    if text[0].isalpha() and not _LEADING.match(text):
        return None
    if _PLAIN.fullmatch(text):
        return _sane(float(text), BARE, _places(text))
    text = _ABOUT.sub("", _MARKS.sub("", text))
    negative = text.startswith("(") and text.endswith(")")
    found = _read(text[1:-1].strip() if negative else text)
    if found is None or not negative:
        return found
    return Number(-abs(found.value), found.unit, found.decimals)


def _read(text: str) -> Number | None:
    duration = _DURATION.fullmatch(text)
    if duration:
        minutes = 60 * int(duration["h"]) + int(duration["m"])
        return _sane(-minutes if duration["sign"] else minutes, unit_of("min") or BARE, 0)
    if signed := _IN_MYRIADS.fullmatch(text):
        return _in_myriads(signed)
    match = _ONE.fullmatch(text)
    if match is None or _ORDINAL.match(match["number"] + (match["unit"] or "")):
        return None
    written = _PARTING.sub("", match["number"])
    value, places = float(written), _places(written)
    money = unit_of(match["money"]) if match["money"] else None
    unit, scale = _suffix(match["unit"] or "", money)
    if unit is None:
        return None
    if (match["sign"] or match["sign2"] or "+") != "+":
        value = -value
    scaled = value * scale
    return _sane(scaled, unit, 0 if scale > 1 and scaled == int(scaled) else places if scale == 1 else 2)


def _suffix(word: str, money: Unit | None) -> tuple[Unit | None, float]:
    """Return the unit and the scale that follow a number; no unit where the cell is no number."""
    word = word.strip().rstrip(".")
    if word in _LETTERS or (money and word.upper() in _LETTERS):
        return money or BARE, _LETTERS[word.upper()]
    unit = unit_of(word) if word else money or BARE
    if unit is not None:
        return (unit if money in (None, unit) else None), 1.0
    for scale in _SCALE_WORDS:
        if word.lower().startswith(scale):
            rest = word[len(scale) :]
            unit = unit_of(rest) if rest.strip() else money or BARE
            if unit is not None and (unit.dimension in MONEY or rest[:1] in ("", " ")):
                return unit, SCALES[scale]
    return (None if money or _NO_UNIT.match(word) or " " in word else other_unit(word)), 1.0


def _in_myriads(match: re.Match[str]) -> Number | None:
    """Return 1억 2,000만 or 3만 5천: each number times its scale; no scale may follow a smaller one."""
    factors = [from_myriads(f"1{scale}") for _, scale in _MYRIADS_PART.findall(match["parts"])]
    unit, _ = _suffix(match["unit"], unit_of("₩") if match["money"] else None)
    if unit is None or factors != sorted(set(factors), reverse=True):
        return None
    value = float(from_myriads(_PARTING.sub("", match["parts"])))
    return _sane(-value if (match["sign"] or "+") != "+" else value, unit, 0 if value == int(value) else 2)


def _places(written: str) -> int:
    mantissa, _, exponent = written.lower().partition("e")
    return max(0, min(6, len(mantissa.partition(".")[2]) - int(exponent or 0)))


def _sane(value: float, unit: Unit, decimals: int) -> Number | None:
    return Number(value, unit, decimals) if math.isfinite(value) and abs(value) <= LARGEST else None

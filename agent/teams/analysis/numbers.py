"""Cells as numbers: `1,234.5`, `(1,234)`, `12%`, `₩12,000`, `3만 5천원`, `$1.2M`, `1.2k`, `12 kg`, `2h 30m`."""

import math
import re
from dataclasses import dataclass

from agent.language.lexicon import regex, words
from agent.teams.analysis.units import BARE, MONEY, SCALES, Unit, spelling, unit_of
from agent.values.numerals import MYRIADS, from_myriads

LARGEST = 1e18
"""Values beyond are not computed with: their squares would leave the range of a float."""
_LONGEST = 60
"""Characters of a cell that may be a number."""
MISSING = frozenset(("--", "---", "..", *"-–—−.…*?")) | words("teams.missing_cells")
"""How a table says that there is nothing, in lower case and without spaces."""

_NUMBER = r"(?:\d{1,3}(?:[,'’  \s]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,4})?"
_CODES = "usd|eur|krw|gbp|jpy|cny"
_MARKS = re.compile(r"(?:(?<!\s)\s++)?(?:\[\d{1,3}\]|(?<![*†‡¹²³⁴⁵])[*†‡¹²³⁴⁵]++|\(\s?\d\s?\))$")
_ABOUT = re.compile(rf"^(?:{regex('values.about')}|[~≈])\s*", re.I)
_LEADING = re.compile(rf"us\$|cn¥|{_CODES}|{regex('values.about')}", re.I)
"""Letters that a number may begin with."""
_PARTING = re.compile(r"[,'’  \s]")
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")
_ONE = re.compile(
    rf"(?P<sign>[-+−–△▼])?\s?(?P<money>us\$|cn¥|[$€£¥₩]|(?:{_CODES})(?=[\s\d-]))?\s?(?P<sign2>[-+−])?\s?"
    rf"(?:(?P<myriads>(?:{_NUMBER}\s?{MYRIADS}{{1,2}}\s?)+(?:{_NUMBER})?)|(?P<number>{_NUMBER}))"
    r"\s?(?P<unit>[^\d\s(),.;:=+][^\d(),;:=+]{0,19}?)?",
    re.I,
)
_MYRIADS = re.compile(f"{MYRIADS}+")
_DURATION = re.compile(
    rf"(?P<sign>[-−])?(?P<h>\d+)\s?{spelling('hour')}\s?(?P<m>\d{{1,2}})\s?(?:{spelling('minute')}|m)", re.I
)
_LETTERS = {"M": 1e6, "B": 1e9, "T": 1e12}
"""Scales in one letter; small ones only behind money, since m is a metre."""
_SCALE_WORDS = sorted(SCALES, key=len, reverse=True)
_BEYOND = re.compile(r"[-+]?(?:inf(?:inity)?|\d+(?:\.\d+)?e\+?\d{2,}|\d{19,}|∞)", re.I)
_ORDINAL = re.compile(r"(?<!\d)\d++(?:st|nd|rd|th)\b", re.I)
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
        found: Number | None = Number(float(text), decimals=_places(text))
    else:
        text = _ABOUT.sub("", _MARKS.sub("", text))
        negative = text.startswith("(") and text.endswith(")")
        found = _read(text[1:-1].strip() if negative else text)
        if found and negative:
            found = Number(-abs(found.value), found.unit, found.decimals)
    return found if found and math.isfinite(found.value) and abs(found.value) <= LARGEST else None


def _read(text: str) -> Number | None:
    if match := _DURATION.fullmatch(text):
        minutes = 60 * int(match["h"]) + int(match["m"])
        return Number(-minutes if match["sign"] else minutes, unit_of("min") or BARE)
    match = _ONE.fullmatch(text)
    if match is None or _ORDINAL.search(text):
        return None
    unit, scale = _suffix(match["unit"] or "", unit_of(match["money"] or ""))
    written = _PARTING.sub("", match["myriads"] or match["number"])
    factors = [from_myriads(f"1{each}") for each in _MYRIADS.findall(written)]
    if unit is None or factors != sorted(set(factors), reverse=True):  # no scale follows a smaller one
        return None
    value = (float(from_myriads(written)) if factors else float(written)) * scale
    decimals = _places(written) if scale == 1 and not factors else 0 if value % 1 == 0 else 2
    return Number(-value if (match["sign"] or match["sign2"] or "+") != "+" else value, unit, decimals)


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
    if money or _NO_UNIT.match(word) or " " in word:
        return None, 1.0
    return Unit(f"={word.lower()}", word=word), 1.0  # one that only its own table knows: `rooms`, `좌석`


def _places(written: str) -> int:
    mantissa, _, exponent = written.lower().partition("e")
    return max(0, min(6, len(mantissa.partition(".")[2]) - int(exponent or 0)))

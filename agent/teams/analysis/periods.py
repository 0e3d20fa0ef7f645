"""Cells as periods: `2026-03-05`, `Mar 2026`, `2026년 3월`, `Q1 2026`, `1분기`, `FY26`, `2026-W05`.

Forms of a language are its `teams.period_forms`; their parts are those of the patterns here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from agent.language import say
from agent.language.lexicon import forms
from agent.types import Language
from agent.values.names import month_number, month_pattern, period_name

Grain = Literal["day", "week", "month", "quarter", "half", "year"]
GRAINS: tuple[Grain, ...] = ("day", "week", "month", "quarter", "half", "year")
A_YEAR = {"month": 12, "quarter": 4, "half": 2, "year": 1, "week": 53}

_MONTH = rf"(?P<mon>{month_pattern(prose=False)})\.?"
_YEAR = r"(?:fy\s?)?(?P<y>(?:19|20)\d\d|['’]\d\d)"
_QUARTER = r"(?:q(?P<q>[1-4])|(?P<q2>[1-4])q)"
_TURNED = re.compile(r"(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<y>(?:19|20)\d\d)")
"""A day and its month, in one order or the other."""
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<y>(?:19|20)\d\d)\s?[-/.]\s?(?P<m>\d{1,2})\s?[-/.]\s?(?P<d>\d{1,2})\s?\.?"
        r"(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?:\s?\([^)]{1,4}\))?",
        rf"(?P<d>\d{{1,2}})[\s-]{_MONTH}[\s,-]+(?P<y>(?:19|20)\d\d)",
        rf"{_MONTH}\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y>(?:19|20)\d\d)",
        r"(?P<y>(?:19|20)\d\d)\s?-?\s?w(?P<w>\d{1,2})",
        r"(?P<y>(?:19|20)\d\d)\s?[-/.]\s?(?P<m>0\d|1[0-2])\.?",
        rf"{_MONTH}[\s,'’-]*(?P<y>(?:19|20)\d\d|(?<=['’-])\d\d)",
        rf"(?P<y>(?:19|20)\d\d)[\s-]{_MONTH}",
        rf"{_QUARTER}[\s'’/-]*(?:of\s)?(?:fy\s?)?(?P<y>(?:19|20)\d\d|\d\d)",
        rf"(?:{_YEAR}[\s-]*)?{_QUARTER}",
        r"h(?P<h>[12])[\s'’/-]*(?:of\s)?(?:fy\s?)?(?P<y>(?:19|20)\d\d)",
        rf"(?:{_YEAR}[\s-]*)?h(?P<h>[12])",
        r"fy\s?['’]?(?P<y>(?:19|20)\d\d|\d\d)",
        r"(?P<y>['’]\d\d)",
        rf"{_MONTH}",
        r"(?:w|wk|week)\s?(?P<w>\d{1,2})",
    )
)
_BARE_YEAR = re.compile(r"(?P<y>(?:19|20)\d\d)(?:\s?[EFPA])?")
_COMPACT = re.compile(r"(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>\d\d)?")


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A stretch of time; `at` counts periods of its grain, from year 0 (days: ordinals of the calendar)."""

    grain: Grain
    at: int
    dated: bool = True
    """False where the year is not told."""

    def first_day(self) -> int:
        """Return the ordinal of the first day."""
        match self.grain:
            case "day":
                return self.at
            case "week":
                year, week = divmod(self.at, 53)
                return date.fromisocalendar(max(1, year), min(week + 1, 52), 1).toordinal()
        year, part = divmod(self.at, A_YEAR[self.grain])
        return date(max(1, year), part * (12 // A_YEAR[self.grain]) + 1, 1).toordinal()

    def last_day(self) -> int:
        """Return the ordinal of the last day."""
        if self.grain in ("day", "week"):
            return self.first_day() + (6 if self.grain == "week" else 0)
        return Period(self.grain, self.at + 1).first_day() - 1

    def within(self, grain: Grain) -> "Period":
        """Return the longer period that this one begins in."""
        if GRAINS.index(grain) <= GRAINS.index(self.grain):
            return self
        day = date.fromordinal(self.first_day())
        if grain == "week":
            year, week, _ = day.isocalendar()
            return Period(grain, 53 * year + week - 1, self.dated)
        months = 12 // A_YEAR[grain]
        return Period(grain, day.year * A_YEAR[grain] + (day.month - 1) // months, self.dated)

    def name(self, language: Language) -> str:
        """Return how the period is called."""
        if self.grain == "day":
            return date.fromordinal(self.at).isoformat()
        year, part = divmod(self.at, A_YEAR[self.grain])
        if self.grain == "week":
            return f"{year}-W{part + 1:02d}"
        first = date.fromordinal(self.first_day())
        if self.grain == "half":
            told = period_name(first, "year", language) if self.dated else ""
            return say(f"analysis_half_{part + 1}", language, year=told).strip()
        return period_name(first, self.grain, language, dated=self.dated)


def day_first(cells: Sequence[str]) -> bool | None:
    """Tell whether the day comes first in 3/4/2026 as it does in other cells of its column; None where none tells."""
    pairs = [(int(m["a"]), int(m["b"])) for m in map(_TURNED.fullmatch, cells) if m]
    return True if any(a > 12 for a, _ in pairs) else False if any(b > 12 for _, b in pairs) else None


def read(cell: str, *, years: bool = False, day_first: bool | None = None) -> Period | None:
    """Return the period that a cell names, or None; `years`: bare years and 202603 are periods as well.

    Where `day_first` leaves open whether 3/4/2026 is March or April, the month comes first, but not before . or -.
    """
    text = cell.strip()
    if not 1 < len(text) <= 40 or (text.isdigit() and not years):
        return None
    more = (_BARE_YEAR, _COMPACT) if years else ()
    found = (form.fullmatch(text) for form in (*more, *_PATTERNS, _TURNED, *forms("teams.period_forms")))
    match = next(filter(None, found), None)
    return _made(match, day_first) if match else None


def _made(match: re.Match[str], day_first: bool | None) -> Period | None:
    found = {name: value for name, value in match.groupdict().items() if value}
    written = found.get("y", "").lstrip("'’")
    dated = bool(written)
    year = int(written) + (2000 if len(written) == 2 else 0) if dated else 2000
    month = month_number(found["mon"]) if "mon" in found else int(found.get("m", 0))
    day = int(found.get("d", 0))
    if "a" in found:
        first, second = int(found["a"]), int(found["b"])
        early = found["sep"] != "/" if day_first is None else day_first
        day, month = (first, second) if early else (second, first)
    if day:
        try:
            return Period("day", date(year, month, day).toordinal())
        except ValueError:
            return None
    if month:
        return Period("month", 12 * year + month - 1, dated) if month <= 12 else None
    if quarter := found.get("q") or found.get("q2"):
        return Period("quarter", 4 * year + int(quarter) - 1, dated)
    if "h" in found or "second_half" in found or "first_half" in found:
        return Period("half", 2 * year + (found.get("h") == "2" or "second_half" in found), dated)
    if week := found.get("w"):
        return Period("week", 53 * year + int(week) - 1, dated) if 1 <= int(week) <= 53 else None
    return Period("year", year) if dated else None

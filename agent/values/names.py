"""Names of months, weekdays, units and currencies: those of CLDR, read by Babel, and what else people write."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import yaml

from agent.language import registry
from agent.language.lexicon import has, mapping, words
from agent.language.registry import DEFAULT, languages
from agent.types import Language

if TYPE_CHECKING:
    from babel import Locale

_WIDTHS = ("wide", "abbreviated")


@cache
def month_numbers() -> Mapping[str, int]:
    """Return the number of each month, 1 to 12, by its names in lower case; what is written in digits is no name."""
    return _numbered("months")


@cache
def weekday_numbers() -> Mapping[str, int]:
    """Return the number of each day of the week, Monday 0, by its names in lower case."""
    found = _numbered("weekdays")
    return {name: number for name, number in found.items() if name not in words("values.weekday_words")}


def month_number(written: str) -> int:
    """Return the number of the month that is written so, 1 to 12; 0 for another word."""
    return month_numbers().get(written.rstrip(".").lower(), 0)


def month_name(number: int, language: Language) -> str:
    """Return how a language calls a month, in full."""
    locale = _locale(language) or _locale(DEFAULT)
    return str(locale.months["format"]["wide"][number]) if locale else str(number)


def period_name(first: date, of: Literal["month", "quarter", "year"], language: Language, *, dated: bool = True) -> str:
    """Return how a language calls the month, quarter or year that begins on a day; a month or quarter in short."""
    from babel.dates import format_date

    locale = _locale(language) or _locale(DEFAULT)
    if locale is None:
        return first.isoformat()
    part = {"month": "MMM", "quarter": "QQQ", "year": ""}[of]
    return format_date(first, str(locale.datetime_skeletons[f"y{part}"]) if dated else part, locale=locale)


def day_name(day: date, language: Language) -> str:
    """Return how a language writes a day without its year."""
    from babel.dates import format_skeleton

    return format_skeleton("MMMMd", day, locale=_locale(language) or _locale(DEFAULT))


@cache
def weekday_name(number: int, language: Language) -> str:
    """Return how a language calls a day of the week, Monday 0, in full."""
    locale = _locale(language) or _locale(DEFAULT)
    return str(locale.days["format"]["wide"][number]) if locale else str(number)


@cache
def month_names() -> tuple[str, ...]:
    """Return the names of months with their capital, the longest first."""
    return tuple(name.capitalize() for name in sorted(month_numbers(), key=len, reverse=True))


@cache
def month_pattern(*, prose: bool) -> str:
    """Return the names of months as a pattern, for one that is compiled without regard to case.

    `prose`: a name that is a word too (may) needs its capital, as in a text that is written with care.
    """
    capital = words("values.month_words") if prose else ()
    return f"(?:{'|'.join(f'(?-i:{name})' if name.lower() in capital else name for name in month_names())})"


@cache
def calendar_words() -> frozenset[str]:
    """Return the names of months and days in full, in lower case; a month that is a word too is none of them."""
    full = {
        str(name).lower()
        for locale in filter(None, map(_locale, languages()))
        for names in (locale.months, locale.days)
        for name in names["format"]["wide"].values()
    }
    return frozenset(name for name in full if not name[0].isdigit()) - words("values.month_words")


@cache
def units() -> Mapping[str, Mapping[str, Any]]:
    """Return what is known of each unit, by its name (`units.yaml`)."""
    data: Mapping[str, Mapping[str, Any]] = yaml.load(
        (registry.ROOTS[0] / "units.yaml").read_text("utf-8"), yaml.CSafeLoader
    )
    return data


@cache
def unit_spellings() -> Mapping[str, str]:
    """Return the unit of each way of writing one, in lower case."""
    signs = {sign: unit for sign, unit in currency_signs().items() if not sign.isalpha()}
    return signs | {
        spelling.lower(): unit
        for code in languages()
        for unit, known in units().items()
        for spelling in (*_in_cldr(code, known), *_more("units", code).get(unit, "").split())
    }


@cache
def currencies() -> frozenset[str]:
    """Return the units that are money."""
    return frozenset(unit for unit, known in units().items() if "currency" in known)


@cache
def currency_signs() -> Mapping[str, str]:
    """Return the currency of each sign or code that may stand before a number, in lower case."""
    out: dict[str, str] = {}
    locale = _locale(DEFAULT)
    for unit, known in units().items():
        if (code := known.get("currency")) and locale:
            out |= {str(locale.currency_symbols.get(code, code)): unit, code.lower(): unit}
    return out


def _in_cldr(code: str, known: Mapping[str, Any]) -> set[str]:
    """Return what a unit is called in a language; of a currency without its country."""
    locale = _locale(code)
    if locale is None:
        return set()
    if currency := known.get("currency"):
        plural = locale._data["currency_names_plural"].get(currency, {})
        return {name.split()[-1] for name in (*plural.values(), locale.currencies[currency])}
    patterns = locale._data["unit_patterns"].get(known.get("cldr", ""), {})
    return {
        form.replace("{0}", "").strip()
        for width in ("long", "short")
        for count, form in patterns.get(width, {}).items()
        if count != "per"
    }


def _numbered(entry: str) -> dict[str, int]:
    out: dict[str, int] = {}
    for code in languages():
        if locale := _locale(code):
            for context in ("format", "stand-alone"):
                names = (locale.months if entry == "months" else locale.days)[context]
                for width in _WIDTHS:
                    out |= {str(name).rstrip(".").lower(): number for number, name in names[width].items()}
        out |= {name: int(number) for name, number in _more(entry, code).items()}
    return {name: number for name, number in out.items() if len(name) > 1 and not name[0].isdigit()}


def _more(entry: str, code: str) -> Mapping[str, Any]:
    return mapping(f"values.{entry}", code) if has(f"values.{entry}", code) else {}


@cache
def _locale(code: str) -> Locale | None:
    """Return what CLDR knows of a language; None for one that it does not have. Babel is loaded by the first call."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(code)
    except (UnknownLocaleError, ValueError):
        return None

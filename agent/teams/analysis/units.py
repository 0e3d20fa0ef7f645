"""Units of figures: which of them measure the same, and how they and their figures are written."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from agent.language.lexicon import has, mapping, regex
from agent.language.registry import DEFAULT, languages
from agent.types import Language
from agent.values.names import units

_CALLED: Mapping[Language, Mapping[str, Any]] = {
    code: mapping("teams.units", code) for code in languages() if has("teams.units", code)
}
"""The words for each unit, by language."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit; two of one dimension can be converted: `value * factor` is the value in the dimension's base."""

    dimension: str
    factor: float = 1.0
    key: str = ""
    """Its name in the languages' files; empty for one that only its own table knows, and for a scale without a unit."""
    word: str = field(default="", compare=False)
    """How the table calls it where it has no such name."""

    def name(self, language: Language) -> str:
        """Return how the unit is called, as on an axis; in English where the language has no word for it."""
        if not self.key:
            return self.word if self.factor == 1 else _scale(self.factor, language, self.word)
        name, scale = _called(self.key, "name", language) or _called(self.key, "name", DEFAULT), self._scale
        return name if scale == 1 else _order(language)["scaled"].format(unit=name, scale=_scale(scale, language))

    def said(self, word: str, language: Language) -> str:
        """Return its `sign`, which stands before the number, or what `one` of it is called; empty where it has none."""
        return _called(self.key, word, language) if self._scale == 1 else ""

    @property
    def _scale(self) -> float:
        return self.factor / _own_factor(self.key)


def _called(key: str, word: str, language: Language) -> str:
    found: str = _CALLED.get(language, {}).get(key, {}).get(word, "")
    return found


def _own_factor(key: str) -> float:
    return float(units().get(key, {}).get("factor", 1))


MONEY = frozenset(known["currency"] for known in units().values() if "currency" in known)
_SCALABLE = MONEY | {"people", "pieces", "cases"}


def _unit(key: str) -> Unit:
    known = units()[key]
    return Unit(known.get("currency") or known["dimension"], _own_factor(key), key)


BARE = Unit("")
PERCENT = _unit("percent")
POINTS = _unit("percentage_point")
SCALES: Mapping[str, float] = mapping("teams.scales")
_UNITS = {
    written: _unit(key)
    for words in _CALLED.values()
    for key in words
    for written in words[key].get("written", "").split()
}
_HEADING = re.compile(rf"^{regex('teams.unit_heading')}\s*")
_LONGEST_FIRST = sorted(_UNITS, key=len, reverse=True)


def spelling(key: str) -> str:
    """Return how a unit is written, in any language, as a pattern."""
    return f"(?:{'|'.join(re.escape(word) for word in _LONGEST_FIRST if _UNITS[word].key == key)})"


@lru_cache(maxsize=4096)
def unit_of(written: str) -> Unit | None:
    """Return the unit that is written so, alone: `kg`, `원`, `USD`; None for a word that is none."""
    return _UNITS.get(written.strip().lower())


@lru_cache(maxsize=4096)
def scaled_unit(written: str) -> Unit | None:
    """Return the unit of a heading: `USD`, `천원`, `백만 원`, `$ million`, `in thousands of USD`, `$M`, `%`."""
    text = _HEADING.sub("", written.strip().lower()).replace(" of ", " ").strip(" .:：")
    if text in _UNITS:
        return _UNITS[text]
    for sign in _LONGEST_FIRST:
        unit = _UNITS[sign]
        for rest in (text.removeprefix(sign).strip(), text.removesuffix(sign).strip()):
            if rest != text and unit.dimension in _SCALABLE:
                factor = {"m": 1e6, "b": 1e9}.get(rest) or SCALES.get(rest)
                if factor is not None:
                    return Unit(unit.dimension, unit.factor * factor, unit.key)
    factor = SCALES.get(text) if len(text) > 1 else None
    return Unit("", factor, word=text) if factor else None


def _scale(factor: float, language: Language, unnamed: str = "") -> str:
    """Return what a scale is called; where it has no name, what to say then, or its number."""
    names = mapping("teams.scale_names", language) if has("teams.scale_names", language) else {}
    found = next((name for name, value in names.items() if value == factor), unnamed)
    return found or _order(language)["scale"].format(number=f"{factor:g}")


@cache
def _order(language: Language) -> Mapping[str, str]:
    """Return how a number and its unit stand together in a language."""
    return mapping("teams.unit_order", language if has("teams.unit_order", language) else DEFAULT)


_CLOSE = ("%", "‰", "°C")
_WITHOUT_CENTS = ("KRW", "JPY")


def written(value: float, unit: Unit, language: Language, decimals: int, *, sign: bool = False) -> str:
    """Return a value with its unit: `$1,234.5`, `1,234.5달러`, `12 kg`; `sign`: with a plus where it grew."""
    text = digits(value, decimals)
    minus = text.startswith("-")
    text = text.removeprefix("-")
    name = unit.name(language)
    if sign_before := unit.said("sign", language):
        text = sign_before + text
    elif name:
        if text == "1" and unit.dimension not in MONEY:
            name = unit.said("one", language) or name
        text = text + name if name in _CLOSE else _order(language)["figure"].format(number=text, unit=name)
    return ("-" if minus else "+" if sign and value > 0 else "") + text


def digits(value: float, decimals: int) -> str:
    """Return a value with thousands separators and at most so many places."""
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def places(value: float, decimals: int, unit: Unit) -> int:
    """Return how many places a mean or a slope of figures with so many places is told with."""
    size = abs(value)
    if value == int(value):
        return 0
    if unit.dimension in MONEY and unit.factor == 1 and size >= 1:
        return max(decimals, 0 if unit.dimension in _WITHOUT_CENTS else 2)
    return max(decimals, 1 if size >= 100 else 2 if size >= 1 else 3 if size >= 0.01 else 6)


def percent(value: float, *, sign: bool = False) -> str:
    """Return a percentage with one place; below a tenth with two."""
    text = digits(value, 1 if abs(value) >= 0.1 or value == 0 else 2)
    return ("+" if sign and value > 0 else "") + text + "%"

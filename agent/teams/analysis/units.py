"""Units of figures: which of them measure the same, and how they are written."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
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
    names: tuple[tuple[Language, str], ...] = ()
    """How it is called, as on an axis."""
    key: str = ""
    """Its name in the languages' files; empty for one that is a multiple, or known to its own table alone."""

    def name(self, language: Language) -> str:
        """Return how the unit is called, as on an axis; in English where the language has no word for it."""
        names = dict(self.names)
        return names.get(language) or names.get(DEFAULT, "")

    def said(self, word: str, language: Language) -> str:
        """Return its `sign`, which stands before the number, or what `one` of it is called; empty where it has none."""
        found: str = _CALLED.get(language, {}).get(self.key, {}).get(word, "")
        return found


MONEY = frozenset(known["currency"] for known in units().values() if "currency" in known)


def _unit(key: str) -> Unit:
    known = units()[key]
    names = tuple((code, words[key]["name"]) for code, words in _CALLED.items() if key in words)
    return Unit(known.get("currency") or known["dimension"], float(known.get("factor", 1)), names, key)


BARE = Unit("")
PERCENT = _unit("percent")
POINTS = _unit("percentage_point")
COUNT = BARE
SCALES: Mapping[str, float] = mapping("teams.scales")
_UNITS = {
    written: _unit(key)
    for words in _CALLED.values()
    for key in words
    for written in words[key].get("written", "").split()
}
_HEADING = re.compile(rf"^{regex('teams.unit_heading')}\s*")
_SIGNS = tuple(sorted((name for name in _UNITS if not name[0].isalnum() or name == "us$"), key=len, reverse=True))


def spelling(key: str) -> str:
    """Return how a unit is written, in any language, as a pattern."""
    written = sorted((word for word, unit in _UNITS.items() if unit.key == key), key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, written))})"


@lru_cache(maxsize=4096)
def unit_of(written: str) -> Unit | None:
    """Return the unit that is written so, alone: `kg`, `원`, `USD`; None for a word that is none."""
    return _UNITS.get(written.strip().lower())


@lru_cache(maxsize=4096)
def scaled_unit(written: str) -> Unit | None:
    """Return the unit of a heading: `USD`, `천원`, `백만 원`, `$ million`, `in thousands of USD`, `$M`, `%`."""
    text = written.strip().lower()
    text = _HEADING.sub("", text).replace(" of ", " ").strip(" .:：")
    unit = _UNITS.get(text)
    if unit is not None:
        return unit
    for sign in (*_SIGNS, *sorted(_UNITS, key=len, reverse=True)):
        head, tail = text.removeprefix(sign).strip(), text.removesuffix(sign).strip()
        for rest in (head, tail):
            if rest != text and _UNITS[sign].dimension in MONEY | {"people", "pieces", "cases"}:
                factor = 1e6 if rest == "m" else 1e9 if rest == "b" else SCALES.get(rest)
                if factor is not None:
                    return _scaled(_UNITS[sign], factor)
    factor = SCALES.get(text) if len(text) > 1 else None
    return Unit("", factor, tuple((code, _scale(factor, code, text)) for code in _CALLED)) if factor else None


def _scaled(unit: Unit, factor: float) -> Unit:
    names = tuple(
        (code, unit_order(code)["scaled"].format(unit=name, scale=_scale(factor, code))) for code, name in unit.names
    )
    return Unit(unit.dimension, factor, names)


def _scale(factor: float, language: Language, unnamed: str = "") -> str:
    """Return what a scale is called; what to say where it has no name is the number otherwise."""
    names = mapping("teams.scale_names", language) if has("teams.scale_names", language) else {}
    found = next((name for name, value in names.items() if value == factor), unnamed)
    return found or unit_order(language)["scale"].format(number=f"{factor:g}")


@cache
def unit_order(language: Language) -> Mapping[str, str]:
    """Return how a number and its unit stand together in a language."""
    return mapping("teams.unit_order", language if has("teams.unit_order", language) else DEFAULT)


def other_unit(word: str) -> Unit:
    """Return a unit that only its own table knows: `rooms`, `좌석`."""
    return Unit(f"={word.lower()}", 1.0, ((DEFAULT, word),))

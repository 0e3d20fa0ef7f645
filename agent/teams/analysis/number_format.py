"""Numbers as people read them, in the asker's language."""

from agent.teams.analysis.units import MONEY, Unit
from agent.types import Language

_WITHOUT_CENTS = ("KRW", "JPY")


def written(value: float, unit: Unit, language: Language, decimals: int, *, sign: bool = False) -> str:
    """Return a value with its unit: `$1,234.5`, `1,234.5달러`, `12 kg`; `sign`: with a plus where it grew."""
    text = digits(value, decimals)
    minus = text.startswith("-")
    text = text.removeprefix("-")
    name = unit.name(language)
    if language == "en" and unit.sign:
        text = unit.sign + text
    elif name:
        close = language == "ko" or name in ("%", "‰", "°C")
        text = text + ("" if close else " ") + (_one(name) if text == "1" and unit.dimension not in MONEY else name)
    return ("-" if minus else "+" if sign and value > 0 else "") + text


def digits(value: float, decimals: int) -> str:
    """Return a value with thousands separators and at most so many places."""
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def places(value: float, decimals: int, unit: Unit) -> int:
    """Return how many places a mean or a slope of figures with so many places is told with."""
    if value == int(value):
        return 0
    if unit.dimension in MONEY and unit.factor == 1 and abs(value) >= 1:
        return max(decimals, 0 if unit.dimension in _WITHOUT_CENTS else 2)
    size = abs(value)
    if size >= 100:
        return max(1, decimals)
    if size >= 1:
        return max(2, decimals)
    return max(3, decimals) if size >= 0.01 else 6


def percent(value: float, *, sign: bool = False) -> str:
    """Return a percentage with one place; below a tenth with two."""
    text = digits(value, 1 if abs(value) >= 0.1 or value == 0 else 2)
    return ("+" if sign and value > 0 else "") + text + "%"


def _one(name: str) -> str:
    single = {"people": "person", "cases": "case", "pieces": "piece", "days": "day", "weeks": "week",
              "months": "month", "years": "year", "points": "point", "times": "time"}  # fmt: skip
    return single.get(name, name)

"""Units of figures: which of them measure the same, and how they are written."""

import re
from dataclasses import dataclass
from functools import lru_cache

from agent.types import Language


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit; two of one dimension can be converted: `value * factor` is the value in the dimension's base."""

    dimension: str
    factor: float = 1.0
    en: str = ""
    ko: str = ""
    sign: str = ""
    """Stands before the number in English."""

    def name(self, language: Language) -> str:
        """Return how the unit is called, as on an axis."""
        return self.en if language == "en" else self.ko


BARE = Unit("")
PERCENT = Unit("%", 1.0, "%", "%")
POINTS = Unit("%p", 1.0, "pp", "%p")
COUNT = Unit("")

_MONEY = {
    "KRW": ("₩", "원", "₩ krw won 원"),
    "USD": ("$", "달러", "$ us$ usd dollar dollars 달러 불"),
    "EUR": ("€", "유로", "€ eur euro euros 유로"),
    "GBP": ("£", "파운드", "£ gbp pounds 파운드"),
    "JPY": ("¥", "엔", "¥ jpy yen 엔"),
    "CNY": ("CN¥", "위안", "cny rmb yuan 위안"),
}
_MEASURES: tuple[tuple[str, float, str, str, str], ...] = (
    # dimension, factor, English, Korean, how it is written
    ("mass", 0.001, "g", "g", "g gram grams 그램"),
    ("mass", 1.0, "kg", "kg", "kg kgs kilogram kilograms 킬로그램"),
    ("mass", 1000.0, "t", "톤", "t ton tons tonne tonnes 톤"),
    ("length", 0.001, "mm", "mm", "mm 밀리미터"),
    ("length", 0.01, "cm", "cm", "cm 센티미터"),
    ("length", 1.0, "m", "m", "m metre metres meter meters 미터"),
    ("length", 1000.0, "km", "km", "km kilometre kilometres kilometer kilometers 킬로미터"),
    ("time", 1.0, "s", "초", "s sec secs second seconds 초"),
    ("time", 60.0, "min", "분", "min mins minute minutes 분"),
    ("time", 3600.0, "h", "시간", "h hr hrs hour hours 시간"),
    ("time", 0.001, "ms", "ms", "ms millisecond milliseconds 밀리초"),
    ("days", 1.0, "days", "일", "d day days 일"),
    ("days", 7.0, "weeks", "주", "week weeks 주"),
    ("months", 1.0, "months", "개월", "month months 개월"),
    ("months", 12.0, "years", "년", "year years yr yrs 년"),
    ("volume", 1.0, "l", "L", "l litre litres liter liters ℓ 리터"),
    ("volume", 0.001, "ml", "mL", "ml 밀리리터"),
    ("area", 1.0, "m²", "㎡", "m² m2 ㎡ sqm 제곱미터"),
    ("data", 1e3, "KB", "KB", "kb kilobyte kilobytes 킬로바이트"),
    ("data", 1e6, "MB", "MB", "mb megabyte megabytes 메가바이트"),
    ("data", 1e9, "GB", "GB", "gb gigabyte gigabytes 기가바이트"),
    ("data", 1e12, "TB", "TB", "tb terabyte terabytes 테라바이트"),
    ("energy", 1.0, "kWh", "kWh", "kwh"),
    ("energy", 1000.0, "MWh", "MWh", "mwh"),
    ("temperature", 1.0, "°C", "°C", "°c ℃"),
    ("people", 1.0, "people", "명", "people persons person 명 인"),
    ("cases", 1.0, "cases", "건", "cases case 건"),
    ("pieces", 1.0, "pieces", "개", "pcs pieces piece ea 개"),
    ("times", 1.0, "times", "회", "times 회"),
    ("points", 1.0, "points", "점", "points pts 점"),
    ("%", 1.0, "%", "%", "% percent 퍼센트 프로"),
    ("%", 0.1, "‰", "‰", "‰"),
    ("%p", 1.0, "pp", "%p", "%p pp p.p. %포인트 퍼센트포인트"),
    ("%p", 0.01, "bp", "bp", "bp bps"),
)

SCALES = {
    "k": 1e3, "thousand": 1e3, "thousands": 1e3, "천": 1e3,
    "mn": 1e6, "million": 1e6, "millions": 1e6, "mio": 1e6, "백만": 1e6,
    "bn": 1e9, "billion": 1e9, "billions": 1e9, "십억": 1e9,
    "tn": 1e12, "trillion": 1e12, "조": 1e12,
    "만": 1e4, "십만": 1e5, "천만": 1e7, "억": 1e8, "십억원": 1e9, "백억": 1e10, "천억": 1e11,
}  # fmt: skip
_EN_SCALE = {1e3: "thousand", 1e4: "ten thousand", 1e6: "million", 1e8: "hundred million", 1e9: "billion"}
_KO_SCALE = {1e3: "천", 1e4: "만", 1e6: "백만", 1e8: "억", 1e9: "십억", 1e12: "조"}


def _all_units() -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for code, (sign, korean, names) in _MONEY.items():
        unit = Unit(code, 1.0, code, korean, sign)
        found.update(dict.fromkeys(names.split(), unit))
    for dimension, factor, english, korean, names in _MEASURES:
        found.update(dict.fromkeys(names.split(), Unit(dimension, factor, english, korean)))
    return found


_UNITS = _all_units()
_SIGNS = tuple(sorted((name for name in _UNITS if not name[0].isalnum() or name == "us$"), key=len, reverse=True))
MONEY = frozenset(_MONEY)


@lru_cache(maxsize=4096)
def unit_of(written: str) -> Unit | None:
    """Return the unit that is written so, alone: `kg`, `원`, `USD`; None for a word that is none."""
    return _UNITS.get(written.strip().lower())


@lru_cache(maxsize=4096)
def scaled_unit(written: str) -> Unit | None:
    """Return the unit of a heading: `USD`, `천원`, `백만 원`, `$ million`, `in thousands of USD`, `$M`, `%`."""
    text = written.strip().lower()
    text = re.sub(r"^(?:단위\s*[:：]?|units?\s*[:：]?|in\b)\s*", "", text).replace(" of ", " ").strip(" .:：")
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
    return Unit("", factor, _EN_SCALE.get(factor, text), _KO_SCALE.get(factor, text)) if factor else None


def _scaled(unit: Unit, factor: float) -> Unit:
    english, korean = _EN_SCALE.get(factor, f"{factor:g}"), _KO_SCALE.get(factor, f"{factor:g} ")
    return Unit(unit.dimension, factor, f"{unit.en} {english}", f"{korean}{unit.ko}")


def other_unit(word: str) -> Unit:
    """Return a unit that only its own table knows: `rooms`, `좌석`."""
    return Unit(f"={word.lower()}", 1.0, word, word)

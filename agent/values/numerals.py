"""Numbers in words: twenty-five, two and a half, two thirds, 삼백만, 오 점 오, 스물다섯, 사흘, 1억 2천만."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

from agent.language.lexicon import mapping, pattern

_SMALL: Mapping[str, int] = mapping("values.numerals")
SCALES: Mapping[str, int] = mapping("values.scales")
ORDINALS: Mapping[str, int] = mapping("values.ordinals")
SHARES = {word: Fraction(share) for word, share in mapping("values.shares").items()}
DAY_COUNTS: Mapping[str, int] = mapping("values.day_counts")
_PARTS: Mapping[str, int] = mapping("values.parts")
_COUNTING: Mapping[str, int] = {**mapping("values.counting_tens"), **mapping("values.counting_ones")}
_DIGITS: Mapping[str, int] = {**mapping("values.digits"), **mapping("values.zeros")}
_POINT = pattern("values.decimal_point")
_MYRIADS: Mapping[str, int] = mapping("values.myriads")
_SECTION = 10_000
"""From here on a scale closes a section of the number: 3천 5백만 is 3,500 times 만."""
_HUNDRED = 100

MYRIADS = f"[{''.join(_MYRIADS)}]"
"""Signs of scale that stand behind digits, as a pattern."""
_COUNTED = re.compile("|".join(sorted(_COUNTING, key=len, reverse=True)))
_SCALED = re.compile(rf"(\d[\d,]*(?:\.\d+)?)?\s?({MYRIADS}*)")
_WORD = re.compile(r"[^\W\d_]+")

NUMBER_WORDS = frozenset(_SMALL) | frozenset(SCALES)
"""Words that are a number, or a part of one, by themselves."""


def from_words(written: str) -> Fraction:
    """Return the value of a number in words that are added and multiplied: two hundred and five thousand."""
    whole, *decimals = _POINT.split(written.lower(), 1)
    if decimals:
        return from_words(whole) + _decimals(str(_SMALL[word]) for word in _WORD.findall(decimals[0]))
    total = current = Fraction(0)
    for word in _WORD.findall(whole):
        if word in _SMALL:
            current += _SMALL[word]
        elif word in SHARES:
            current += SHARES[word]
        elif (scale := SCALES.get(word, 0)) == _HUNDRED:
            current = (current or Fraction(1)) * scale
        elif scale:
            total += (current or Fraction(1)) * scale
            current = Fraction(0)
    return total + current


def part_of(top: str, below: str) -> Fraction:
    """Return the value of a part in words: two thirds, a quarter."""
    return (from_words(top) if top.lower() in NUMBER_WORDS else Fraction(1)) / _PARTS[below.lower()]


def from_counting(written: str) -> int:
    """Return the value of a number that things are counted with: 열두, 스물다섯."""
    return sum(_COUNTING[word] for word in _COUNTED.findall(written))


def from_sino(written: str) -> Fraction:
    """Return the value of a number whose digits are words too: 삼백만, 이십오, 영 점 오."""
    whole, *decimals = _POINT.split(written, 1)
    digits = ["".join(str(_DIGITS.get(ch, ch)) for ch in part if not ch.isspace()) for part in (whole, *decimals)]
    return from_myriads(digits[0]) + _decimals(digits[1:])


def _decimals(digits: Iterable[str]) -> Fraction:
    """Return what digits are worth behind a decimal point."""
    behind = "".join(digits)
    return Fraction(int(behind or 0), 10 ** len(behind))


def from_myriads(written: str) -> Fraction:
    """Return the value of 1억 2천만 5,000: each number times its scales; a smaller scale stands for itself."""
    total = section = Fraction(0)
    for number, scales in _SCALED.findall(written):
        if not number and not scales:
            continue
        value = Fraction(number.replace(",", "")) if number else Fraction(1 if not section else 0)
        last = 0
        for by in map(_MYRIADS.__getitem__, scales):
            if by >= _SECTION:
                total, section, value = total + (section + value) * by, Fraction(0), Fraction(0)
            elif by < last:
                section, value = section + value, Fraction(by)
            else:
                value = (value or Fraction(1)) * by
            last = by % _SECTION
        section += value
    return total + section

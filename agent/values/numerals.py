"""Numbers in words, English and Korean: twenty-five, two thirds, 삼백만, 스물다섯, 사흘, 1억 2천만."""

import re
from fractions import Fraction

_SMALL = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
    )
}
_TENS = {word: 10 * (i + 2) for i, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SHARES = {
    "half": Fraction(1, 2),
    "절반": Fraction(1, 2),
    "quarter": Fraction(1, 4),
    "third": Fraction(1, 3),
    "twice": Fraction(2),
    "once": Fraction(1),
    "dozen": Fraction(12),
}
ORDINALS = {
    word: i + 4
    for i, word in enumerate(
        """fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
        seventeenth eighteenth nineteenth twentieth""".split()
    )
} | {"twenty-first": 21}
"""First, second and third have too many other meanings."""
DAYS = {word: i + 2 for i, word in enumerate("이틀 사흘 나흘 닷새 엿새 이레 여드레 아흐레 열흘".split())} | {"보름": 15}
"""Korean names of numbers of days; 하루 says more often "a day" than one day."""
_PART_WORDS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "twelfth": 12,
    "twentieth": 20,
    "hundredth": 100,
}
_NATIVE_ONES = {
    "한": 1, "두": 2, "세": 3, "석": 3, "네": 4, "넉": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
}  # fmt: skip
_NATIVE_TENS = {
    "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70, "여든": 80, "아흔": 90,
}  # fmt: skip
_SINO_DIGITS = {digit: i + 1 for i, digit in enumerate("일이삼사오육칠팔구")}
_KOREAN_SCALE = {"십": 10, "백": 100, "천": 1000, "만": 10**4, "억": 10**8, "조": 10**12}

WORDS = "|".join([*_TENS, *sorted(_SMALL, key=len, reverse=True), *SCALES])
PARTS = "|".join([*(f"{word}s?" for word in _PART_WORDS if word != "half"), "halves"])
"""What may follow a number as its denominator; "one third", not the third alone."""
COUNTERS = "개월|개|명|번|달|시간|주|배|살|시|해|곳|차례|가지|회|건|분|대|장|권|사람"
NATIVE = f"(?:{'|'.join(_NATIVE_TENS)})(?:{'|'.join(_NATIVE_ONES)})?|(?:{'|'.join(_NATIVE_ONES)})"
SINO = "[일이삼사오육칠팔구]?[십백천만억][일이삼사오육칠팔구십백천만억]+|[이삼사오육칠팔구][십백천만억]"
"""Spelt Sino-Korean numbers; a single syllable is too often another word."""


def from_words(written: str) -> Fraction:
    """Return the value of an English number in words."""
    total = current = 0
    for word in re.findall(r"[a-z]+", written.lower()):
        if word in _SMALL:
            current += _SMALL[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in SCALES:
            total += max(current, 1) * SCALES[word]
            current = 0
    return Fraction(total + current)


def part_of(written: str) -> Fraction:
    """Return the value of a part in words: two thirds, a quarter."""
    top, bottom = re.split(r"[\s-]", written.lower(), maxsplit=1)
    below = 2 if bottom == "halves" else _PART_WORDS[bottom.removesuffix("s")]
    return Fraction(1 if top in ("a", "an") else from_words(top)) / below


def from_native(written: str) -> int:
    """Return the value of a native Korean number: 열두, 스물다섯."""
    plain = written.strip()
    tens = next((word for word in _NATIVE_TENS if plain.startswith(word)), "")
    return _NATIVE_TENS.get(tens, 0) + _NATIVE_ONES.get(plain.removeprefix(tens), 0)


def from_sino(written: str) -> Fraction:
    """Return the value of a spelt Sino-Korean number: 삼백만, 이십오."""
    digits = "".join(str(_SINO_DIGITS.get(ch, ch)) for ch in written.strip())
    return from_korean(digits)


def from_korean(written: str) -> Fraction:
    """Read 1억 2천만 5,000: each number times the scales behind it; 만, 억 and 조 close a section."""
    total = section = Fraction(0)
    for number, scales in re.findall(r"(\d[\d,]*(?:\.\d+)?)?\s?([십백천만억조]*)", written):
        if not number and not scales:
            continue
        value = Fraction(number.replace(",", "")) if number else Fraction(1 if not section else 0)
        for scale in scales:
            if scale in "만억조":
                section = (section + value) * _KOREAN_SCALE[scale]
                total, section, value = total + section, Fraction(0), Fraction(0)
            else:
                value = (value or Fraction(1)) * _KOREAN_SCALE[scale]
        section += value
    return total + section

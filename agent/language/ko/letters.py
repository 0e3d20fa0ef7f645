"""The letters of Korean: syllables made of a first sound, a vowel and perhaps a final consonant, and single sounds."""

from collections.abc import Iterator

from agent.language.registry import scripts

LETTERS = scripts()["hangul"].letters
"""Syllables and single sounds, as inside the brackets of a regular expression."""
SYLLABLES = "가-힣"
"""Syllables alone, alike."""
_FIRST = ord("가")
_FINALS = 28
"""Syllables that differ in their final consonant alone: none, and 27 of them."""
_VOWELS, _INITIALS = 21, 19
_INITIAL_LETTERS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWEL_LETTERS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINAL_LETTERS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")


def is_hangul(word: str) -> bool:
    """Tell whether a word begins with a syllable."""
    return "가" <= word[:1] <= "힣"


def is_korean(word: str) -> bool:
    """Tell whether a word begins with a syllable or a single sound."""
    return is_hangul(word) or "ㄱ" <= word[:1] <= "ㆎ"


def _parts(syllable: str) -> tuple[int, int, int]:
    rest, final = divmod(ord(syllable) - _FIRST, _FINALS)
    return *divmod(rest, _VOWELS), final


def sounds(syllable: str) -> tuple[str, str, str]:
    """Return the first sound, the vowel and the final consonant of a syllable: ㅇ for no first, "" for no final."""
    initial, vowel, final = _parts(syllable)
    return _INITIAL_LETTERS[initial], _VOWEL_LETTERS[vowel], _FINAL_LETTERS[final]


def final_of(syllable: str) -> int:
    """Return the final consonant of a syllable, by its number among the finals; 0 for none."""
    return (ord(syllable) - _FIRST) % _FINALS


def one_sound_away(syllable: str) -> Iterator[str]:
    """Yield the syllables that differ from one in its first sound, its vowel or its final consonant alone."""
    initial, vowel, final = _parts(syllable)
    others = (
        *((each, vowel, final) for each in range(_INITIALS) if each != initial),
        *((initial, each, final) for each in range(_VOWELS) if each != vowel),
        *((initial, vowel, each) for each in range(_FINALS) if each != final),
    )
    yield from (chr(_FIRST + (first * _VOWELS + middle) * _FINALS + last) for first, middle, last in others)


def has_final(syllable: str) -> bool:
    """Tell whether a syllable has a final consonant."""
    return final_of(syllable) != 0

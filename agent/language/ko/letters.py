"""The letters of Korean: syllables made of a first sound, a vowel and perhaps a final consonant, and single sounds."""

from agent.language.registry import scripts

LETTERS = scripts()["hangul"].letters
"""Syllables and single sounds, as inside the brackets of a regular expression."""
SYLLABLES = "가-힣"
"""Syllables alone, alike."""
_FIRST = ord("가")
_FINALS = 28
"""Syllables that differ in their final consonant alone: none, and 27 of them."""


def is_hangul(word: str) -> bool:
    """Tell whether a word begins with a syllable."""
    return "가" <= word[:1] <= "힣"


def is_korean(word: str) -> bool:
    """Tell whether a word begins with a syllable or a single sound."""
    return is_hangul(word) or "ㄱ" <= word[:1] <= "ㆎ"


def final_of(syllable: str) -> int:
    """Return the final consonant of a syllable, by its number among the finals; 0 for none."""
    return (ord(syllable) - _FIRST) % _FINALS


def has_final(syllable: str) -> bool:
    """Tell whether a syllable has a final consonant."""
    return final_of(syllable) != 0

"""The letters of Korean: syllables made of a first sound, a vowel and perhaps a final consonant, and single sounds."""

from agent.language.registry import scripts

LETTERS = scripts()["hangul"].letters
"""Syllables and single sounds, as inside the brackets of a regular expression."""
SYLLABLES = "가-힣"
"""Syllables alone, alike."""
_FIRST, _LAST = ord("가"), ord("힣")
_FINALS = 28
"""Syllables that differ in their final consonant alone: none, and 27 of them."""


def is_syllable(character: str) -> bool:
    """Tell whether a character is a Korean syllable."""
    return _FIRST <= ord(character) <= _LAST


def is_korean(word: str) -> bool:
    """Tell whether a word, which is not empty, begins with a Korean letter."""
    return "가" <= word[0] <= "힣" or "ㄱ" <= word[0] <= "ㆎ"


def has_final(syllable: str) -> bool:
    """Tell whether a syllable has a final consonant."""
    return (ord(syllable) - _FIRST) % _FINALS != 0

"""Words as they were meant, without slips of the keyboard. What is written without its spaces the index finds as it is.

What the evidence says is the best list of words there is: a word that it does not hold and that is a slip away from
one that it does was most likely meant to be that one. Words that are known to be words stay.
"""

import re
import unicodedata
from collections.abc import Set
from functools import lru_cache

from agent.language.ko import stems as korean_stems
from agent.language.ko.letters import SYLLABLES, is_hangul
from agent.reasoning.message.smalltalk import slips
from agent.reasoning.rules.reading import bilingual_terms, lexicon
from agent.text import ENGLISH_STOP_WORDS, strip_particle, words

SHORTEST = 5
"""Letters from which a word may be a slip of another: short words are too near to each other."""
SHORTEST_KOREAN = 3
"""The same in syllables."""
LONG = 1_000
"""Characters up to which a text is put right."""
_MOST_WORDS = 60
_ENDINGS = ("s", "d", "es", "ed", "ing")
_LATIN = re.compile(r"[a-z]+")


@lru_cache(maxsize=1)
def known_words() -> frozenset[str]:
    """Return the words of the rules' own lists, lower case: general language, no team's documents."""
    out = set(lexicon.FAINT_WORDS | lexicon.COMMON_WORDS | ENGLISH_STOP_WORDS)
    out |= bilingual_terms.words()
    for word in lexicon.synonym_words():
        out.update(word.split())
    return frozenset(word for word in out if len(word) > 1)


@lru_cache(maxsize=1)
def _known_stems() -> frozenset[str]:
    return frozenset(lexicon.stem(word) for word in known_words() if word.isascii())


@lru_cache(maxsize=64)
def vocabulary(texts: tuple[str, ...]) -> frozenset[str]:
    """Return the words of some texts, lower case; Korean ones without their particle as well."""
    out = set[str]()
    for text in texts:
        for word, _, _ in words(unicodedata.normalize("NFC", text)):
            out.add(word)
            if is_hangul(word):
                out.add(strip_particle(word))
    return frozenset(out)


def meant(word: str, held: Set[str]) -> str:
    """Return the word among `held` that a word is a slip of, or the word itself."""
    word = word.lower()
    if is_hangul(word):
        return _meant_korean(word, held)
    if len(word) < SHORTEST or not _LATIN.fullmatch(word) or word in held or _is_known(word):
        return word
    stem = lexicon.stem(word)
    near = [other for other in held if abs(len(other) - len(word)) <= 3 and other[:1] == word[0] and other.isascii()]
    if any(lexicon.stem(other) == stem for other in near):
        return word
    forms = [
        form for form in (word, *(word.removesuffix(e) for e in _ENDINGS if word.endswith(e))) if len(form) >= SHORTEST
    ]
    for form in forms:  # aproves is approve with its ending
        found = [other for other in near if len(other) >= SHORTEST - 1 and _is_slip(form, other)]
        if len({lexicon.stem(other) for other in found}) == 1:
            return min(found, key=lambda other: (abs(len(other) - len(form)), other))
    return word


def _is_slip(word: str, other: str) -> bool:
    """Tell whether one letter is left out, too many, or changed places; another letter only in a longer word."""
    if slips(word, other, most=1) < 0:
        return False
    return len(word) != len(other) or sorted(word) == sorted(other) or len(word) > SHORTEST


def _is_known(word: str) -> bool:
    return word in known_words() or lexicon.stem(word) in _known_stems()


def _meant_korean(word: str, held: Set[str]) -> str:
    base = korean_stems.stem_of(word)
    if len(base) < SHORTEST_KOREAN or base in held or base in known_words() or any(base in other for other in held):
        return word
    spelt = unicodedata.normalize("NFD", base)
    near = [
        other
        for other in held
        if len(other) == len(base) and sum(a == b for a, b in zip(base, other, strict=True)) >= len(base) - 1
    ]
    found = [other for other in near if slips(spelt, unicodedata.normalize("NFD", other), most=1) > 0]
    return word.replace(base, found[0], 1) if len(found) == 1 else word


_WORD = re.compile(rf"[{SYLLABLES}]+|[A-Za-z]+")


@lru_cache(maxsize=1)
def _long_words() -> frozenset[str]:
    return frozenset(word for word in known_words() if len(word) >= SHORTEST or not word.isascii())


def put_right(text: str, held: Set[str]) -> str:
    """Return a question with its slips put right by these words and by general ones."""
    out, together = text, held | _long_words()
    for word in list(dict.fromkeys(_WORD.findall(out)))[:_MOST_WORDS]:
        better = word if word.lower() in held else meant(word, together)
        if better.lower() != word.lower():
            out = re.sub(rf"(?<![\w{SYLLABLES}]){re.escape(word)}(?![\w{SYLLABLES}])", better, out)
    return out

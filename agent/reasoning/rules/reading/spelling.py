"""Words as they were meant: slips of the keyboard, and Korean written without its spaces.

What the evidence says is the best list of words there is: a word that it does not hold and that is a slip away from
one that it does was most likely meant to be that one. Words that are known to be words stay.
"""

import re
import unicodedata
from collections.abc import Collection, Set
from functools import lru_cache

from agent.reasoning.rules.reading import bilingual_terms, korean_stems, lexicon
from agent.reasoning.rules.reading.smalltalk import slips
from agent.text import ENGLISH_STOP_WORDS, strip_particle, words

SHORTEST = 5
"""Letters from which a word may be a slip of another: short words are too near to each other."""
SHORTEST_KOREAN = 3
"""The same in syllables."""
UNSPACED = 5
"""Syllables from which a Korean word may be several."""
LONG = 1_000
"""Characters up to which a text is put right."""
RUN_TOGETHER = 8
"""Syllables from which a word is taken for several even where it holds no word of asking."""
_MOST_WORDS = 60
_ENDINGS = ("s", "d", "es", "ed", "ing")
_LATIN = re.compile(r"[a-z]+")


@lru_cache(maxsize=1)
def known_words() -> frozenset[str]:
    """Return the words of the rules' own lists, lower case: general language, no team's documents."""
    out = set(lexicon.FAINT_ENGLISH | lexicon.COMMON_ENGLISH | ENGLISH_STOP_WORDS | lexicon.PEOPLE)
    out |= lexicon.FAINT_KOREAN | lexicon.COMMON_KOREAN
    for word in (*lexicon.synonym_words(), *bilingual_terms.words()):
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
            if "가" <= word[0] <= "힣":
                out.add(strip_particle(word))
    return frozenset(out)


def meant(word: str, held: Set[str]) -> str:
    """Return the word among `held` that a word is a slip of, or the word itself."""
    word = word.lower()
    if "가" <= word[:1] <= "힣":
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


_WORD = re.compile(r"[가-힣]+|[A-Za-z]+")
# Words that questions are asked with; nothing else is written with these syllables in the middle of a word.
_ASKING = (
    r"(?:며칠|얼마나?|언제|어디서?|어떻게|어떡|누구|누가|무엇|뭔가|뭐예요|뭐야|몇\s?(?:일|명|번|시간|시|개월|개|년|주|달|살|자|층|회)|"
    r"가능(?:한|할|해)|알려|무슨)"
)
_SPLIT_ASKING = re.compile(rf"(?<=[가-힣]{{2}})(?={_ASKING})")


def spaced(text: str, held: Collection[str] = ()) -> str:
    """Return a question with spaces where Korean words are written together.

    Before a word of asking, and where the rest is made of words that are known or held. A word that the evidence
    writes together stays together.
    """
    vocabulary = frozenset(held)

    def apart(match: re.Match[str]) -> str:
        word = match.group()
        if (
            not "가" <= word[0] <= "힣"
            or len(word) < UNSPACED
            or word in vocabulary
            or strip_particle(word) in vocabulary
        ):
            return word
        parts = _asking_apart(word)
        if len(parts) == 1 and len(word) < RUN_TOGETHER:
            return word
        return " ".join(_pieces(part, vocabulary) for part in parts)

    return _WORD.sub(apart, text)


def _asking_apart(word: str) -> list[str]:
    """Return a word cut before its first word of asking: 연차휴가는 and 며칠."""
    cut = _SPLIT_ASKING.search(word)
    if cut is None:
        return [word]
    head, tail = word[: cut.start()], word[cut.start() :]
    following = re.match(rf"{_ASKING}(?:까지|부터|동안|이나|나|정도|인가요|인지)?", tail)
    assert following is not None  # noqa: S101 - it was cut there
    rest = tail[following.end() :]
    return [head, following.group(), rest] if len(rest) > 1 else [head, tail]


def _pieces(word: str, held: Set[str]) -> str:
    """Return a word cut into the fewest known ones, each with its particle or ending; whole where that fails."""
    if len(word) < 4 or word in held or strip_particle(word) in held:
        return word
    best: list[tuple[int, int, str] | None] = [None] * (len(word) + 1)
    best[0] = (0, 0, "")
    for end in range(2, len(word) + 1):
        for start in range(max(0, end - 8), end - 1):
            before = best[start]
            if before is None:
                continue
            piece = word[start:end]
            strange = not _is_word(piece, held)
            if strange and (len(piece) < 2 or (start == 0 and end == len(word))):
                continue
            cost = (before[0] + strange * len(piece), before[1] + 1)
            known = best[end]
            if known is None or cost < known[:2]:
                best[end] = (*cost, f"{before[2]} {piece}".strip())
    whole = best[len(word)]
    return whole[2] if whole is not None and whole[0] <= 0.4 * len(word) else word


@lru_cache(maxsize=20_000)
def _base(piece: str) -> tuple[str, str]:
    return strip_particle(piece), korean_stems.stem_of(piece)


def _is_word(piece: str, held: Set[str]) -> bool:
    if any(form in held or form in known_words() for form in (piece, *_base(piece))):
        return True
    stem = korean_stems.stem_of(piece)  # a verb with its ending: 잃어버리면 begins with a known 잃어버
    return stem != piece and len(stem) > 3 and stem[:-1] in known_words()


@lru_cache(maxsize=1)
def _long_words() -> frozenset[str]:
    return frozenset(word for word in known_words() if len(word) >= SHORTEST or not word.isascii())


def put_right(text: str, held: Set[str]) -> str:
    """Return a question with its slips and missing spaces put right by these words and by general ones."""
    out = spaced(text, held)
    together = held | _long_words()
    for word in list(dict.fromkeys(_WORD.findall(out)))[:_MOST_WORDS]:
        better = word if word.lower() in held else meant(word, together)
        if better.lower() != word.lower():
            out = re.sub(rf"(?<![\w가-힣]){re.escape(word)}(?![\w가-힣])", better, out)
    return out

"""The words of a text as grounding compares them: stems in their order, what each weighs, sentences apart."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.language.ko.letters import LETTERS, SYLLABLES, is_hangul
from agent.language.lexicon import pattern, regex, words
from agent.text import ENGLISH_STOP_WORDS, sentences, strip_particle, terms_of
from agent.values.dates import NO_DOTTED_DAY

PLAIN = 0.4
"""What a word weighs that says little by itself, against 1.0 of others."""
SPECIFIC = 1.5
"""What a name, a code or a number weighs."""

_WORD = re.compile(
    rf"\d+(?:[.,]\d+)*(?:'?[^\W\d_{SYLLABLES}]+|[{SYLLABLES}]+)?|[{LETTERS}]+|[^\W_{LETTERS}]+(?:'[^\W\d_{LETTERS}]+)?"
)
_ENDING = re.compile(r"(?<=\d)(?:'?s|st|nd|rd|th)$")
_CLOSING = re.compile(rf"{regex('grounding.closings')}$")
(_DO,) = words("grounding.light_verb")
_SHORT_VERBS = words("grounding.short_verbs")
_SPELT = pattern("grounding.spelt_numbers")
_MARKUP = re.compile(
    rf"\*\*|__|`|\]\([^)\s]{{0,1000}}+\)|^[^\S\n]*+(?:#{{1,6}}|[-*|>]|{NO_DOTTED_DAY}\d{{1,3}}[.)])\s", re.MULTILINE
)
_CITED = re.compile(r"\[\d{1,3}\]")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
_INITIALS = re.compile(r"\b[A-Z]\w*(?:[ -](?:of |and |the |for )?[A-Z]\w*)+")
_DOTTED = re.compile(r"\b(?:[A-Za-z] ?\. ?){2,}")

_LITTLE = words("grounding.little_words")


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """A text in words. `stems` has all of them in order; `content` the places of those that carry meaning."""

    words: tuple[str, ...]
    stems: tuple[str, ...]
    content: tuple[int, ...]
    weights: tuple[float, ...]
    """Of the content words, in their order."""
    known: frozenset[str]
    counts: Counter[str]
    initials: frozenset[str]
    marks: frozenset[str]
    """Beginnings of words and, of Korean ones, pairs of syllables: texts that share none have nothing in common."""
    joined: str
    """Hangul without spaces, so that 육아 휴직 and 육아휴직 meet; empty for a text without Hangul."""


@lru_cache(maxsize=4096)
def wording_of(text: str) -> Wording:
    """Return the words of a text, mark-up and citation marks left out."""
    plain = bare(text)
    words: list[str] = []
    stems: list[str] = []
    content: list[int] = []
    weights: list[float] = []
    for match in _WORD.finditer(plain):
        written = match.group()
        word = written.lower()
        stem, weight = _read(word, written != word and match.start() > 0)
        if weight:
            content.append(len(words))
            weights.append(weight)
        words.append(word)
        stems.append(stem)
    return Wording(
        words=tuple(words),
        stems=tuple(stems),
        content=tuple(content),
        weights=tuple(weights),
        known=frozenset(stems),
        counts=Counter(stems),
        initials=_initials(plain),
        marks=frozenset(mark for i in content for mark in _marks(stems[i])),
        joined="".join(plain.lower().split()) if any(map(is_hangul, plain)) else "",
    )


@lru_cache(maxsize=1024)
def sentences_of(text: str) -> tuple[str, ...]:
    """Return the sentences of a text; the text itself where it has none."""
    return tuple(text[start:end] for start, end in sentences(text)) or (text,)


@lru_cache(maxsize=2048)
def bare(text: str) -> str:
    """Return the text as it is read aloud: no mark-up, no citation marks, straight quotes, no dots in abbreviations."""
    plain = unmarked(text).translate(_QUOTES)
    if plain.count(".") > 1:
        plain = _DOTTED.sub(lambda found: re.sub(r"[ .]", "", found.group()) + " ", plain)
    return plain


def unmarked(text: str) -> str:
    """Return the text without mark-up and citation marks."""
    return _CITED.sub(" ", _MARKUP.sub(" ", text))


@lru_cache(maxsize=20_000)
def _read(word: str, named: bool) -> tuple[str, float]:
    """Return what stands for a lower-case word where words are compared, and what it weighs; 0 for a stop word."""
    if is_hangul(word):
        if _SPELT.fullmatch(word):
            return word, 0.0
        stem = strip_particle(word)
        stem = _without_ending(word) if stem == word else stem
        return stem, PLAIN if stem in _LITTLE or len(stem) == 1 else 1.0
    if word[0].isdigit():
        return strip_particle(_ENDING.sub("", word.replace(",", ""))), SPECIFIC
    if word in ENGLISH_STOP_WORDS or len(word) == 1 or ("'" in word and word.split("'")[0] in ENGLISH_STOP_WORDS):
        return word, 0.0
    terms = terms_of(word)
    stem = terms[0] if terms else word
    return stem, SPECIFIC if named else PLAIN if word in _LITTLE else 1.0


def _without_ending(word: str) -> str:
    """Return a Korean verb without the ending that closes a sentence: 합니다 and 한다 are one word."""
    stem = _CLOSING.sub("", word)
    return stem if len(stem) > 1 or stem in _SHORT_VERBS else word if stem or not _CLOSING.fullmatch(word) else _DO


def _marks(stem: str) -> Iterable[str]:
    if is_hangul(stem):
        return (stem[i : i + 2] for i in range(max(1, len(stem) - 1)))
    return (stem[:5],)


def _initials(text: str) -> frozenset[str]:
    """Return how the names of a text are abbreviated: uk for United Kingdom."""
    return frozenset(
        "".join(word[0] for word in re.findall(r"\w+", name) if word[0].isupper()).lower()
        for match in _INITIALS.finditer(text)
        for name in {match.group(), match.group().partition(" ")[2]}
    )


_QUOTED = re.compile(r"[^\W_]+(?:[.,:/'’-][^\W_]+)*%?")
_ADDRESS = r"\([^()\s]{0,2000}\)"
_NO_TEXT = re.compile(
    rf"!\[[^\[\]]{{0,300}}\]{_ADDRESS}|</?[a-zA-Z][^<>]{{0,300}}>|{regex('documents.amendment_notes')}"
)
"""Pictures, tags, and when a text was amended: a quote may be without them."""
_LINK = re.compile(rf"\[([^\[\]]{{0,300}})\]{_ADDRESS}")
"""A quote may be without its address, and what is written together with its words stays so."""
_DENIES = re.compile(rf"{regex('grounding.cut_off_denials')}$")


def is_quoted(text: str, quotes: Sequence[str]) -> bool:
    """Tell whether a text stands in one of the quotes word for word, and no negation just before it was cut off."""
    mine = _plain(text)
    return bool(mine.strip()) and any(_stands(mine, _plain(quote)) for quote in quotes)


def _stands(mine: str, theirs: str) -> bool:
    place = theirs.find(mine)
    while place >= 0:
        if not _DENIES.search(theirs, max(0, place - 12), place):
            return True
        place = theirs.find(mine, place + 1)
    return False


@lru_cache(maxsize=2048)
def _plain(text: str) -> str:
    """Return the words in lower case, a space around each; numbers with their points, signs and per cents."""
    shown = unmarked(_LINK.sub(r"\1", _NO_TEXT.sub(" ", text)))
    return f" {' '.join(_QUOTED.findall(shown.lower().replace('’', chr(39))))} "

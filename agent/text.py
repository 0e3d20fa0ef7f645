"""Words: the one tokenizer for documents and queries, sentences, and the language of a text.

English words are stemmed and stop words dropped; a Korean word gives its stem without particles
and its character bigrams, which was measured as good as morphemes at no cost.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

from agent.types import Language

_WORD = re.compile(r"[가-힣ㄱ-ㆎ]+|[^\W_가-힣ㄱ-ㆎ]+(?:['’][^\W\d_가-힣ㄱ-ㆎ]+)?")
_HANGUL = re.compile(r"[가-힣ㄱ-ㆎ]")
_LATIN = re.compile(r"[A-Za-z]")

ENGLISH_STOP_WORDS = frozenset(
    """a about above after again against all am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during
    each few for from further had hadn't has hasn't have haven't having he her here hers herself him himself
    his how i if in into is isn't it its itself just let's me more most my myself no nor not of off on once
    only or other our ours ourselves out over own please same she should shouldn't so some such than that the
    their theirs them themselves then there these they this those through to too under until up very was
    wasn't we were weren't what when where which while who whom why will with won't would wouldn't you your
    yours yourself yourselves""".split()
)

# Particles and endings that follow a noun, longest first, so that 휴가를, 휴가는 and 휴가에서도 meet in 휴가.
_PARTICLES = tuple(
    sorted(
        """은 는 이 가 을 를 에 의 와 과 도 만 로 으로 에서 에게 에게서 한테 께 께서 부터 까지 처럼 보다 마다
        조차 밖에 이나 나 이라도 라도 이란 란 이라는 라는 이라고 라고 에는 에도
    에서는 에서도 으로는 으로도 로는 로도 와는 과는 에만 까지는 까지도 부터는 이며 이고 입니다 이다 인가요 인가
    이에요 예요 인지 이랑 랑 하고 이면 이었다 였다 에의 으로서 로서 으로써
    로써 에게는 에게도 들은 들이 들을 들의 들""".split(),
        key=len,
        reverse=True,
    )
)

_AFTER_CONSONANT = {particle: True for particle in "은 이 을 과 이나 이라도 이란 이랑".split()} | {
    particle: False for particle in "는 가 를 와 나 라도 란 랑".split()
}


def normalise(text: str) -> str:
    """Return the text in Unicode NFC with every run of white space folded to one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def language_of(text: str, default: Language = "en") -> Language:
    """Return the language most of the letters belong to; `default` for a text without letters.

    One Hangul syllable carries about as much as two and a half Latin letters.
    """
    hangul = len(_HANGUL.findall(text))
    latin = len(_LATIN.findall(text))
    if not hangul and not latin:
        return default
    return "ko" if hangul * 2.5 >= latin else "en"


def words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word in lower case with its place `start:end` in the text, which should be NFC."""
    for match in _WORD.finditer(text):
        yield match.group().lower().replace("’", "'"), match.start(), match.end()


def tokens(text: str) -> list[str]:
    """Return the terms of a text, as they stand in the index."""
    out: list[str] = []
    for match in _WORD.findall(unicodedata.normalize("NFC", text).lower()):
        out.extend(terms_of(match))
    return out


@lru_cache(maxsize=200_000)
def terms_of(word: str) -> tuple[str, ...]:
    """Return the terms of one lower-case word; none for a stop word."""
    if _HANGUL.match(word):
        stem = strip_particle(word)
        if len(word) < 3:
            return (stem,) if len(stem) < 2 else tuple(dict.fromkeys((stem, word)))
        bigrams = [word[i : i + 2] for i in range(len(word) - 1)]
        return (*bigrams, stem) if len(stem) > 2 else tuple(bigrams) if stem in bigrams else (*bigrams, stem)
    word = word.replace("’", "'")
    if word in ENGLISH_STOP_WORDS:
        return ()
    return (_stemmer().stemWord(word.removesuffix("'s").replace("'", "")),)


@lru_cache(maxsize=200_000)
def strip_particle(word: str) -> str:
    """Return a Korean word without the particle at its end; at least two syllables stay.

    A particle that asks for a final consonant, or for none, comes off only where it could stand: 국가 stays whole.
    """
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            needs = _AFTER_CONSONANT.get(particle)
            if needs is None or needs == ((ord(word[-len(particle) - 1]) - 0xAC00) % 28 != 0):
                return word[: -len(particle)]
    return word


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


# A sentence ends at a full stop, question or exclamation mark (with closing quotes) before a space, or at a line
# break that separates paragraphs, list items or table rows. Abbreviations and numbers do not end one. Korean is often
# written with no space after the full stop.
_END = re.compile(
    r"[.!?。]+[\"'”’)\]]*(?=\s)|(?<=[다요까음함됨임])[.!?](?=[가-힣A-Z\"'“‘(])|\n\s*\n|\n(?=\s*(?:[-*+•|#]|\d+[.)]\s))"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|nos|fig|sec|art|approx|dr|mr|mrs|ms|prof|st|inc|ltd|co|corp|jr|sr|u\.s|a\.m|p\.m)"
    r"|\b[A-Z]|(?:^|\n)\s*\d{1,3})\.$",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place `start:end` of each sentence, without the white space around it."""
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if match.group()[0] == "." and _ABBREVIATION.search(text[max(0, end - 12) : end]):
            continue
        yield from _trimmed(text, start, end)
        start = end
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end

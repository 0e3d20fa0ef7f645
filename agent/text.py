"""Words: the one tokenizer for documents and queries, sentences, and the language of a text.

English words are stemmed and stop words dropped; a Korean word gives the character bigrams of its
stem, which was measured better than morphemes at no cost. `benchmarks/retrieval.py` measures both.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from itertools import chain

import Stemmer

from agent.language import lexicon
from agent.language.ko.letters import LETTERS, SYLLABLES
from agent.language.ko.particles import PARTICLES, noun_at_end
from agent.language.ko.particles import strip_particle as strip_particle
from agent.language.registry import DEFAULT, languages, profile, scripts
from agent.types import Language
from agent.values.dates import Date, dates, days_between

TOKENS_VERSION = 11
"""Raise it when `tokens` gives other terms, or they are counted otherwise: what is stored is then made anew."""

_WORD = re.compile(rf"[{LETTERS}]+|[^\W_{LETTERS}]+(?:['’][^\W\d_{LETTERS}]+)?")
_HANGUL = re.compile(f"[{LETTERS}]")
_STEERING = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_JOINER = "\u200d"
"""Makes one emoji of several."""


@cache
def stop_words(language: Language) -> frozenset[str]:
    """Return the most frequent words of a language; none where it lists none."""
    return lexicon.words("text.stop_words", language) if lexicon.has("text.stop_words", language) else frozenset()


ENGLISH_STOP_WORDS = stop_words("en")
"""What the index leaves out: those of one language, so that no term depends on which languages there are."""
NAMES_IN_CAPITALS = lexicon.words("text.names_in_capitals", "en")
"""Names that would be stop words in lower case: the department IT."""


def normalise(text: str) -> str:
    """Return the text in Unicode NFC with every run of white space folded to one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def says_anything(text: str) -> bool:
    """Tell whether a text has a letter or a digit."""
    return any(map(str.isalnum, text))


def visible(text: str, *, keep: str = "") -> str:
    """Return the text with a space for each character that steers and is not seen, but for those to keep.

    Those are control characters, line and paragraph separators, marks that turn the direction of writing, and other
    format characters.
    """
    if text.isprintable():
        return text
    return "".join(c if c in keep or c == _JOINER or unicodedata.category(c) not in _STEERING else " " for c in text)


def clipped(text: str, most: int) -> str:
    """Return a text of at most this many characters, one that was longer with an ellipsis at its end."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def shortened(text: str, most: int) -> str:
    """Return the same, cut between two words where there are any."""
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"


def section_path(section: str, *, below: str = "") -> str:
    """Return where a passage stands as people read it, outermost heading first; without a title that stands above."""
    return " › ".join(part for part in dict.fromkeys(section.split(" > ")) if part and part != below)


def language_of(text: str, default: Language = DEFAULT) -> Language:
    """Return the language most of the letters belong to; `default` for a text without letters.

    One Hangul syllable carries about as much as two and a half Latin letters. Of two languages in one script it is that
    whose most frequent words the text has most of.
    """
    most = 0.0
    spoken: tuple[Language, ...] = ()
    for letters, weight, codes in _written():
        found = len(letters.findall(text)) * weight
        if found > most:
            most, spoken = found, codes
    if len(spoken) > 1:
        return _by_stop_words(text, spoken, default)
    return spoken[0] if spoken else default


@cache
def _written() -> tuple[tuple[re.Pattern[str], float, tuple[Language, ...]], ...]:
    """Return the letters and the weight of each script that a language is written in, the heaviest first."""
    by_script = {name: tuple(code for code in languages() if profile(code).script == name) for name in scripts()}
    return tuple(
        (re.compile(f"[{script.letters}]"), script.weight, by_script[name])
        for name, script in scripts().items()
        if by_script[name]
    )


def _by_stop_words(text: str, codes: Sequence[Language], default: Language) -> Language:
    spoken = {word for word, _, _ in words(text)}
    counts = {code: len(spoken & stop_words(code)) for code in codes}
    most = max(counts.values())
    likely = [code for code in codes if counts[code] == most]
    return default if default in likely else likely[0]


def language_of_locale(locale: str) -> Language:
    """Return the language for a text that has none of its own: the one that the locale begins with (`de-AT`)."""
    lowered = locale.lower()
    return next((code for code in languages() if lowered.startswith(code)), DEFAULT)


def asked_in(text: str, locale: str) -> Language:
    """Return the language of a message, which may be long; its asker's where it has none of its own."""
    return language_of(text[:2_000], language_of_locale(locale))


def lowered(word: str) -> str:
    """Return a word in lower case, with plain apostrophes; a name in capitals that would be another word as it is."""
    return word if word in NAMES_IN_CAPITALS else word.lower().replace("’", "'")


def words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word in lower case (`lowered`) with its place `start:end` in the text, which should be NFC."""
    for match in _WORD.finditer(text):
        yield lowered(match.group()), match.start(), match.end()


# What the index takes for one word: 20일, 1,000원, API를 and e-mail are.
_INDEXED = re.compile(
    rf"\d+(?:[.,]\d+)*[{SYLLABLES}]*(?![A-Za-z0-9])"
    rf"|[^\W_{LETTERS}぀-ヿ㐀-鿿]+(?:['’‐‑-][^\W\d_{LETTERS}぀-ヿ㐀-鿿]+)*[{SYLLABLES}]*"
    rf"|[{LETTERS}]+|[぀-ヿ㐀-鿿]+"
)
_INDEXED_ASCII = re.compile(r"[0-9]+(?:[.,][0-9]+)*(?![A-Za-z0-9])|[A-Za-z0-9]+(?:['-][A-Za-z]+)*")
"""The same for a text of ASCII alone, in a third of the time."""
_HANGUL_TAIL = re.compile(rf"(?<![{SYLLABLES}])[{SYLLABLES}]+$")
_DIGIT = re.compile(r"\d")
_SYLLABLES_NEXT = re.compile(f"[{SYLLABLES}]+")
_HYPHEN = re.compile(r"[‐‑-]")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_IDEOGRAPH = re.compile(r"[぀-ヿ㐀-鿿]")
_PREFIX = 3
"""Letters up to which one side of a hyphen is often written together with the other: e-mail, check-in, sign-up."""


def tokens(text: str) -> list[str]:
    """Return the terms of a text, as they stand in the index; behind them each of its days, however it is written.

    So do the days inside its ranges.
    """
    days = days_of(text)
    inside = days_between(text, days) if len(days) > 1 else ()
    said = chain.from_iterable(map(terms_of, indexed_words(days_apart(text, days))))
    return [*said, *map(term_of_day, days), *map(term_of_day, inside)]


def days_apart(text: str, days: Sequence[Date], *, shown: bool = True) -> str:
    """Return a text with its days apart from what is written together with them, and without particles; or left out."""
    for day in reversed(days):
        behind = _SYLLABLES_NEXT.match(text, day.end)
        end = behind.end() if behind and behind.group() in PARTICLES else day.end
        text = f"{text[: day.start]} {day.written if shown else ''} {text[end:]}"
    return text


def days_of(text: str) -> list[Date]:
    """Return the days of a text in their order, with or without their year."""
    if _DIGIT.search(text) is None:
        return []
    return [each for each in dates(text, informal=True) if each.day and each.exists]


def term_of_day(day: Date | date) -> str:
    """Return the term that a day is found by, in whichever year: 09/09."""
    return f"{day.month:02}/{day.day:02}"


def indexed_words(text: str) -> list[str]:
    """Return the words of a text as the index takes them, upper case kept."""
    if text.isascii():
        return _INDEXED_ASCII.findall(text)
    return _INDEXED.findall(unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=8_192)
def terms_of(word: str) -> tuple[str, ...]:
    """Return the terms of one word; none for a stop word."""
    if _HANGUL.match(word):
        pairs, noun = _pairs(strip_particle(word), twice=True), noun_at_end(word)
        return (*pairs, noun) if noun else pairs
    if _IDEOGRAPH.match(word):
        return _pairs(word, twice=False)
    head, tail = _parted(word)
    if head[0].isdigit() and head[-1].isdigit():
        numbers = _numbers(head)
        return (*numbers, numbers[-1] + tail) if tail else numbers
    return (*_latin_terms(head), *_pairs(tail, twice=True)) if tail else _latin_terms(head)


@lru_cache(maxsize=8_192)
def stems_of(word: str) -> tuple[str, ...]:
    """Return what stands for a word where whole words are compared: its stem, one each with hyphens.

    A stop word has none.
    """
    if _HANGUL.match(word):
        return (strip_particle(word),)
    if _IDEOGRAPH.match(word):
        return (word,)
    head, _ = _parted(word)
    if head[0].isdigit() and head[-1].isdigit():
        return _numbers(head)[-1:]
    return tuple(terms[0] for part in _HYPHEN.split(head) if (terms := _latin_terms(part)))


def _pairs(word: str, *, twice: bool) -> tuple[str, ...]:
    """Return the character bigrams of a word, the first one twice: what a word means stands at its beginning."""
    first = word[:2]
    rest = [word[i : i + 2] for i in range(1, len(word) - 1)]
    return (first, first, *rest) if twice else (first, *rest)


def _parted(word: str) -> tuple[str, str]:
    """Return a number or Latin word and what Hangul follows it without a particle: 20 and 일 of 20일까지."""
    match = _HANGUL_TAIL.search(word)
    if match is None:
        return word, ""
    tail = match.group()
    ending = next((particle for particle in PARTICLES if tail.endswith(particle)), "")
    return word[: match.start()], tail.removesuffix(ending)


def _numbers(written: str) -> tuple[str, ...]:
    if _THOUSANDS.fullmatch(written):
        written = written.replace(",", "")
    parts = re.split("[.,]", written)
    return (*parts, written) if len(parts) > 1 else (written,)


def _latin_terms(word: str) -> tuple[str, ...]:
    parts = _HYPHEN.split(word)
    if len(parts) > 1:
        joined = _stemmed("".join(parts).lower()) if len(parts) == 2 and min(map(len, parts)) <= _PREFIX else ()
        return (*(term for part in parts for term in _latin_terms(part)), *joined)
    if word in NAMES_IN_CAPITALS:
        return (word.lower(),)
    small = word.lower().replace("’", "'")
    whole = _stemmed(small)
    if small == word or "'" in small or word.isupper():
        return whole
    # Identifiers in parts, getElementById and GetVersionEx; a name like YouTube or OpenShift is one word.
    humps = _HUMP.findall(word)
    if len(humps) > 2 or (len(humps) == 2 and humps[0].islower() and len(humps[0]) > 2):
        return (*whole, *(term for hump in humps if len(hump) > 1 for term in _stemmed(hump.lower())))
    return whole


def _stemmed(word: str) -> tuple[str, ...]:
    if word in ENGLISH_STOP_WORDS:
        return ()
    word = word.removesuffix("'s").replace("'", "")
    if not word.isascii():  # café is found as cafe
        word = "".join(ch for ch in unicodedata.normalize("NFKD", word) if not unicodedata.combining(ch))
    stem = _stemmer().stemWord(_irregular().get(word, word))
    return (_clipped().get(stem, stem),)


@cache
def _irregular() -> Mapping[str, str]:
    """Return what each irregular form is found by: `taken` by `take`."""
    return {form: base for base, *others in lexicon.groups("text.irregular_forms", "en") for form in others}


@cache
def _clipped() -> Mapping[str, str]:
    """Return the stem that the stem of each clipped word is found by: of `max` and `labs` those of the whole words."""
    groups = lexicon.groups("text.clipped_forms", "en")
    return {_stemmer().stemWord(form): _stemmer().stemWord(base) for base, *others in groups for form in others}


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


# A sentence ends at a full stop, question or exclamation mark (with closing quotes) before a space, or at a line
# break that separates paragraphs, list items or table rows. Abbreviations and numbers do not end one. Korean is often
# written with no space after the full stop.
@cache
def _end() -> re.Pattern[str]:
    close = "".join(lexicon.words("text.closing_syllables"))
    return re.compile(
        r"(?<![.!?。])[.!?。]++[\"'”’)\]]*+(?=\s)"
        rf"|(?<=[{close}])[.!?](?=[{SYLLABLES}A-Z\"'“‘(])"
        r"|\n\s*\n|\n(?=\s*(?:[-*+•|#]|\d+[.)]\s))"
    )


@cache
def _abbreviation() -> re.Pattern[str]:
    known, levels = lexicon.regex("text.abbreviations"), "".join(lexicon.mapping("documents.chapter_levels"))
    return re.compile(rf"(?:\b{known}|\b[A-Z]|(?:^|\n)\s*\d{{1,3}}|\d[{levels}])\.$", re.IGNORECASE)


TABLE_RULER = re.compile(r"^\s*+(?:\|\s*+)?(?::-++:?|-{2,}+:?|-:)\s*+(?:\|\s*+(?::-++:?|-{2,}+:?|-:)\s*+)*+\|?\s*+")
"""The line below the header of a table of Markdown; a row of single dashes is one of cells without a value."""

_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])\.", r"(?:0?[1-9]|[12]\d|3[01])\.(?!\d)"
_YEAR_OR_MONTH = re.compile(rf"(?<![\d.])(?:\d{{4}}\.|{_MONTH})$")
_MONTH_OR_DAY = re.compile(rf"\s(?:{_MONTH}\s)?{_DAY}")
_WHOLE_DATE = re.compile(rf"(?<![\d.])(?:\d{{4}}\.\s)?{_MONTH}\s{_DAY}$")
"""What makes a full stop one of a date: `2026. 1. 5.`, `9. 26.`; what comes behind a date belongs to its sentence."""

_LABEL = re.compile(r"\s*(?:[^\W\d_]{1,20}\s+)?\d{1,3}(?:[.-]\d{1,3})*\.")
"""What stands before a title, and is no sentence: `13.2.`, `Table 4.`, `그림 3.17.`"""


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place `start:end` of each sentence, without the white space around it."""
    start = 0
    for match in _end().finditer(text):
        end = match.end()
        if match.group()[0] == "." and _abbreviation().search(text[max(0, end - 12) : end]):
            continue
        if match.group()[0] == "." and _LABEL.fullmatch(text, start, end):
            continue
        before = text[max(0, end - 12) : end]
        if (_YEAR_OR_MONTH.search(before) and _MONTH_OR_DAY.match(text, end)) or _WHOLE_DATE.search(before):
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

"""A question, read for its terms and for the kind of answer it asks for."""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from agent.language.ko import stems as korean_stems
from agent.language.ko.letters import SYLLABLES, is_hangul
from agent.language.lexicon import has, pattern, patterns, words
from agent.language.registry import languages
from agent.reasoning.rules.reading import lexicon
from agent.text import ENGLISH_STOP_WORDS, language_of, lowered, stop_words
from agent.types import Language
from agent.values.names import calendar_words
from agent.values.numerals import NUMBER_WORDS

FAINT = 0.2
COMMON = 0.6
SPECIFIC = 1.0
NAME = 1.3
ASIDE = 0.3
"""What a term inherited from the conversation, in brackets at the end of a question, counts of its weight."""


class Kind(StrEnum):
    """What an answer must hold to be one."""

    NUMBER = "number"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    STEPS = "steps"
    ADVICE = "advice"
    """What to do in a situation: "I lost my badge, what now?"."""
    OUTCOME = "outcome"
    """What happens if."""
    REASON = "reason"
    DEFINITION = "definition"
    LIST = "list"
    YES_NO = "yes_no"


@dataclass(frozen=True, slots=True)
class Term:
    """A word that the answer should be about."""

    word: str
    stem: str
    """An English stem, or a Korean word without its endings."""
    weight: float
    hangul: bool = False
    similar: tuple[str, ...] = ()
    """What may stand for it, as people write it."""
    aside: bool = False

    @property
    def tells(self) -> bool:
        """Whether it says what is asked about, and is no word that people only ask with."""
        return self.weight > FAINT


@dataclass(frozen=True, slots=True)
class Question:
    """The terms of a question, in order, and its kinds."""

    text: str
    language: Language
    terms: tuple[Term, ...]
    kinds: frozenset[Kind]


_WORD = re.compile(rf"[{SYLLABLES}]+|[^\W_{SYLLABLES}]+(?:[-'’.&/+][^\W_{SYLLABLES}]+)*[+#]*")
_CONTRACTED = re.compile(r"'(?:s|m|re|ve|d|ll|t)?$")
_INDIRECT = patterns("reading.indirect")
"""Of a language in which a verb that opens a sentence asks for yes or no, whatever else the sentence holds."""
_CALENDAR = calendar_words() | {f"{name}s" for name in calendar_words()} | NUMBER_WORDS | words("reading.languages")
_ASIDE = re.compile(r"\s\(([^()]{2,})\)\s*$")

_KINDS = {
    code: [(kind, pattern(f"reading.asks_{kind}", code)) for kind in Kind if has(f"reading.asks_{kind}", code)]
    for code in languages()
}
_WHAT = patterns("reading.asks_what")
_WEIGHTIER = frozenset(
    {Kind.NUMBER, Kind.TIME, Kind.PERSON, Kind.PLACE, Kind.STEPS, Kind.ADVICE, Kind.OUTCOME, Kind.REASON}
)
"""What is asked for where an ending that asks for yes or no goes with it."""


@lru_cache(maxsize=512)
def read(text: str, language: Language | None = None) -> Question:
    """Return the terms and kinds of a question, which should be normalised."""
    text = unicodedata.normalize("NFC", text)
    spoken = language_of(text, language or "en")
    aside = _ASIDE.search(text)
    main = without_aside(text)
    terms = _terms(main, spoken, aside=False)
    if aside:
        known = {term.stem for term in terms}
        terms += [term for term in _terms(aside.group(1), spoken, aside=True) if term.stem not in known]
    kinds = frozenset(kind for kind, form in _KINDS.get(spoken, ()) if form.search(main))
    if Kind.YES_NO in kinds:
        if spoken not in _INDIRECT:
            asks_what = spoken in _WHAT and _WHAT[spoken].search(main)
            kinds -= {Kind.YES_NO} if kinds & _WEIGHTIER or asks_what else set()
        elif not _INDIRECT[spoken].search(main):
            kinds = frozenset({Kind.YES_NO})  # "Do I need a note when I am ill?" asks for no date
    return Question(text, spoken, tuple(terms), kinds)


def without_aside(text: str) -> str:
    """Return a question without what it takes from its thread, in brackets at its end."""
    aside = _ASIDE.search(text)
    return text[: aside.start()] if aside else text


def _terms(text: str, spoken: Language, *, aside: bool) -> list[Term]:
    found: dict[str, Term] = {}
    faint = stop_words(spoken) - ENGLISH_STOP_WORDS  # the English ones may be a part of a synonym
    matches = list(_WORD.finditer(text))
    small = [lowered(match.group()) for match in matches]
    latin = [word for word in matches if word.group()[0].isascii()]
    shouted = len(latin) > 2 and all(word.group() == word.group().upper() for word in latin)
    for i, match in enumerate(matches):
        word = small[i]
        if is_hangul(word):
            term = _korean(word, aside)
        else:
            if word in faint:
                continue
            starts = i == 0 or text[matches[i - 1].start() : match.start()].rstrip().endswith((".", "!", "?", ":"))
            around = (small[i - 1] if i else "", word, small[i + 1] if i + 1 < len(small) else "")
            term = _english(match.group(), *around, aside=aside, named=not shouted and not starts)
        if term is None:
            continue
        known = found.get(term.stem)
        if known is None or known.weight < term.weight:
            found[term.stem] = term
    return list(found.values())


@lru_cache(maxsize=1024)
def _english(surface: str, before: str, small: str, after: str, *, aside: bool, named: bool) -> Term | None:
    word = _CONTRACTED.sub("", small)
    if word in ENGLISH_STOP_WORDS or small in ENGLISH_STOP_WORDS or not word:
        return None
    joined = "".join(ch for ch in word if ch.isalnum())
    if len(joined) == 1 and not joined.isdigit():
        return None
    parts = tuple(part for part in re.split(r"[-'.&/+#]", word) if part)
    key = lexicon.stem(joined)
    similar: dict[str, None] = {}
    if len(parts) > 1:
        similar[" ".join(parts)] = None
    nearby = (f"{small} {after}".rstrip(), f"{before} {small}".lstrip(), word)
    for phrase in nearby:
        similar.update(dict.fromkeys(lexicon.same_as(" ".join(lexicon.stems_of(phrase)))))
    if joined.isdigit() and len(joined) < 4:
        weight = COMMON
    elif any(ch.isdigit() for ch in joined):
        weight = NAME
    elif word in lexicon.FAINT_WORDS:
        weight = FAINT
    elif word in lexicon.COMMON_WORDS or word in _CALENDAR:
        weight = COMMON
    elif named and (surface[0].isupper() or any(ch.isupper() for ch in surface)):
        weight = NAME
    else:
        weight = SPECIFIC
    return Term(word, key, weight * (ASIDE if aside else 1.0), similar=tuple(similar), aside=aside)


@lru_cache(maxsize=1024)
def _korean(word: str, aside: bool) -> Term | None:
    if korean_stems.is_ending(word):
        return None
    key = korean_stems.stem_of(word)
    if len(key) == 1 and key not in korean_stems.SHORT_NOUNS:
        return None
    if word in lexicon.FAINT_WORDS or key in lexicon.FAINT_WORDS:
        weight = FAINT
        if len(key) < 2:
            return None
    elif key in lexicon.COMMON_WORDS:
        weight = COMMON
    else:
        weight = SPECIFIC
    similar: tuple[str, ...] = ()
    shortest = min(len(key), max(2, min(len(key) - 1, 3)))
    for end in range(len(key), shortest - 1, -1):
        similar = tuple(dict.fromkeys(lexicon.same_as(key[:end])))
        if similar:
            break
    return Term(word, key, weight * (ASIDE if aside else 1.0), hangul=True, similar=similar, aside=aside)

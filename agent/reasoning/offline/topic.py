"""What a conversation is about: the phrases of its earlier questions, the likeliest one first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.reasoning.offline import korean, lexicon
from agent.text import ENGLISH_STOP_WORDS, language_of

_TOKEN = re.compile(r"[^\W_]+(?:[-'’./][^\W_]+)*|[^\w\s]")
_LIGHT = ENGLISH_STOP_WORDS | lexicon.FAINT_ENGLISH
_MIXED = re.compile(r"^([A-Za-z0-9.-]+)[가-힣]{1,3}$")
_POSSESSIVE = re.compile(r"['’]s$")
_DETERMINER = frozenset(
    {
        "the",
        "a",
        "an",
        "my",
        "our",
        "your",
        "this",
        "that",
        "these",
        "those",
        "of",
        "about",
        "for",
        "is",
        "are",
        "was",
        "were",
        "between",
    }
)
_AUXILIARY = frozenset({"do", "does", "did", "can", "could", "should", "would", "will", "may", "might", "must"})
_SUBJECTS = frozenset({"to", "i", "we", "you", "they", "he", "she", "it", "people"})
FADE = 0.45
"""What a phrase keeps of its weight with every turn that passes."""
OPENING = 0.8
"""What a phrase of the conversation's first question is worth at least: threads mostly stay with their topic."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Content words that stood together in an earlier question."""

    text: str
    stems: tuple[str, ...]
    age: int
    named: bool
    plural: bool
    subject: bool
    """True after an article, `of`, `about` or a form of to be; false after a verb's subject: likely a verb."""
    verb: bool = False
    article: str = ""
    score: float = 0.0


def phrases_of(text: str, age: int = 0) -> list[Phrase]:
    """Return the phrases of one question, in order."""
    if language_of(text) == "ko":
        return _korean(text, age)
    out: list[Phrase] = []
    run: list[str] = []
    before = ""
    previous = ""
    for token in [*_TOKEN.findall(text), "."]:
        word = token.lower()
        bare = _POSSESSIVE.sub("", word)
        if token[0].isalnum() and bare not in _LIGHT and len(bare) > 1:
            if not run:
                before = previous
            run.append(_POSSESSIVE.sub("", token))
            if bare != word:
                out.append(_phrase(run, before, age))
                run, before = [], "of"
        elif run:
            out.append(_phrase(run, before, age))
            run = []
        previous = word
    return out


def _phrase(run: Sequence[str], before: str, age: int) -> Phrase:
    words = list(run)
    verb = False
    if before in _SUBJECTS:  # "to avoid tax": the verb is not what it is about
        verb = len(words) == 1
        words = words[1:] if len(words) > 1 and words[0].islower() else words
    elif before in _AUXILIARY and len(words) > 1 and words[-1].islower():
        words = words[:-1]  # "does Berlin offer"
    names = next((i for i, word in enumerate(words) if not word[0].isupper()), len(words))
    if 2 <= names < len(words):
        words = words[:names]  # "Lyme Disease kill"
    for i, word in enumerate(words):
        if i and word.islower() and word.endswith("ed") and len(word) > 4:
            words = words[:i]  # "film received"
            break
    stems = tuple(lexicon.stem("".join(ch for ch in word.lower() if ch.isalnum())) for word in words)
    verb = verb or (len(words) == 1 and words[0].islower() and words[0].endswith("ing"))
    return Phrase(
        text=" ".join(words),
        stems=stems,
        age=age,
        named=any(ch.isupper() for word in words for ch in word),
        plural=words[-1].lower().endswith("s") and not words[-1].lower().endswith(("ss", "us", "is")),
        subject=before in _DETERMINER,
        verb=verb,
        article="the " if before == "the" else "",
    )


def _korean(text: str, age: int) -> list[Phrase]:
    out: list[Phrase] = []
    run: list[str] = []
    for token in [*re.findall(r"[가-힣A-Za-z0-9%.-]+|[^\w\s]", text), "."]:
        mixed = _MIXED.match(token)
        stem = korean.stem_of(token) if "가" <= token[0] <= "힣" else mixed.group(1) if mixed else token
        light = (
            not token[0].isalnum()
            or korean.is_ending(token)
            or token in lexicon.FAINT_KOREAN
            or stem in lexicon.FAINT_KOREAN
            or korean.is_predicate(token)
        )
        if not light:
            run.append(stem)
            if stem == token:
                continue
        if run:
            marked = not light and token.endswith(("은", "는", "을", "를", "이", "가"))
            out.append(Phrase(" ".join(run), tuple(run), age, named=False, plural=False, subject=marked))
            run = []
    return out


def ranked(questions: Sequence[str], *, pronoun: str = "") -> list[Phrase]:
    """Return the phrases of earlier questions (oldest first), the likeliest topic first."""
    gathered: list[Phrase] = []
    for age, text in enumerate(reversed(questions)):
        gathered.extend(phrases_of(text, age))
    low = pronoun.lower()
    many = low in {"they", "them", "their", "theirs", "these", "those", "ones"}
    person = low in {"he", "him", "his", "she", "her", "hers"}
    out: dict[tuple[str, ...], Phrase] = {}
    for place, phrase in enumerate(gathered):
        turns = {other.age for other in gathered if set(other.stems) & set(phrase.stems)}
        fresh = FADE**phrase.age
        if phrase.age == len(questions) - 1:
            fresh = max(fresh, OPENING)
        score = fresh * (1.0 + 0.35 * (len(turns) - 1))
        score *= 1.25 if phrase.named else 1.0
        score *= 1.2 if phrase.subject else 0.85
        score *= 0.5 if phrase.verb else 1.0
        if many:
            score *= 1.2 if phrase.plural else 0.9
        if person:
            score *= 1.5 if phrase.named else 0.7
        if low in {"it", "its"} and phrase.plural:
            score *= 0.85
        weak = all(
            word.lower() in lexicon.COMMON_ENGLISH or word in lexicon.COMMON_KOREAN for word in phrase.text.split()
        )
        score *= 0.6 if weak else 1.0
        score -= 0.001 * place
        known = out.get(phrase.stems)
        if known is None or known.score < score:
            out[phrase.stems] = replace(phrase, score=score)
    return sorted(out.values(), key=lambda phrase: -phrase.score)

"""What a conversation is about: the phrases of its turns, the likeliest antecedent first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from agent.reasoning.offline.topic import ATTRIBUTE, TOPIC, Phrase, phrases_of

FADE = 0.5
"""What a mention keeps with every turn that passes. At one half a topic that is kept up never outweighs one that is
newly brought up, and outweighs one that is only touched."""
OPENING = 0.3
"""What a phrase of the first question counts more where no pronoun asks for the latest: threads mostly stay with it."""
KEPT = 1.2
"""Score of a topic that more than one turn was about."""
TURNS = 8
"""Turns that are looked back."""

_MANY = frozenset("they them their theirs these those ones both".split())
PERSON = frozenset("he him his she her hers".split())
_THING = frozenset("it its this that".split())


@dataclass(frozen=True, slots=True)
class Past:
    """A turn before this one."""

    asked: str
    """In its own words."""
    told: str
    """Standing alone."""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    """A phrase, and how likely it is what is meant."""

    phrase: Phrase
    score: float


def ranked(past: Sequence[Past], mark: str = "") -> list[Topic]:
    """Return the phrases of earlier turns (oldest first), the likeliest to be meant by `mark` first."""
    low = mark.lower()
    recent = past[-TURNS:]
    scores: dict[tuple[str, ...], float] = {}
    best: dict[tuple[str, ...], Phrase] = {}
    for age, turn in enumerate(reversed(recent)):
        here: dict[tuple[str, ...], Phrase] = {}
        spoken = mentions(turn)
        if low in _MANY:
            spoken += pairs(turn.told, spoken)
        for phrase in spoken:
            known = here.get(phrase.stems)
            if known is None or known.role < phrase.role:
                here[phrase.stems] = phrase
        for stems, phrase in here.items():
            scores[stems] = scores.get(stems, 0.0) + phrase.role * FADE**age
            if stems not in best or (phrase.role > best[stems].role and not best[stems].named):
                best[stems] = phrase
    if not low or low not in _MANY | PERSON | _THING:
        for phrase in mentions(past[0]):
            if phrase.stems in scores:
                scores[phrase.stems] += OPENING * phrase.role
    out = [Topic(phrase, scores[stems] * agrees(phrase, low)) for stems, phrase in best.items()]
    return sorted(out, key=lambda topic: -topic.score)


def mentions(turn: Past) -> list[Phrase]:
    """Return the phrases of a turn; what it took from the turns before it is what it is about."""
    own = {stem for phrase in phrases_of(turn.asked) for stem in phrase.stems}
    out = []
    for phrase in phrases_of(turn.told):
        if not own.issuperset(phrase.stems) and phrase.role > ATTRIBUTE:
            phrase = replace(phrase, role=max(phrase.role, TOPIC))
        out.append(phrase)
    return out


def keeps_to(past: Sequence[Past], question: str) -> bool:
    """Tell whether the conversation has a topic that it came back to, and the question touches nothing of it."""
    spoken = {stem for turn in past for phrase in phrases_of(turn.asked) for stem in phrase.stems}
    mine = {stem for phrase in phrases_of(question) if not phrase.relational for stem in phrase.stems}
    topics = [topic for topic in ranked(past) if not topic.phrase.relational]
    return bool(topics) and topics[0].score >= KEPT and not mine & spoken


def pairs(text: str, phrases: Sequence[Phrase]) -> list[Phrase]:
    """Return the things that a text puts side by side: `Lewis and Clark` for a `they`."""
    out = []
    for one, two in pairwise(phrases):
        between = text[one.end : two.start].strip().lower() if 0 <= one.start < two.start else ""
        if between in ("and", "and the", "and a", "or", "vs", "&") and not one.relational and not two.relational:
            both = text[one.start : two.end]
            out.append(replace(one, text=both, stems=one.stems + two.stems, plural=True, article="", person=two.person))
    return out


_COMPARED = re.compile(r"\b(?:compare|comparing|comparison|differences?|versus|vs|or|better than)\b", re.IGNORECASE)


def compared(past: Sequence[Past]) -> list[str]:
    """Return the two things that the last question compared."""
    told = past[-1].told
    phrases = phrases_of(told) if _COMPARED.search(told) else []
    for one, two in pairwise(phrase for phrase in phrases if not phrase.relational):
        between = told[one.end : two.start].strip().lower()
        if between.split(" ")[0] in ("and", "or", "to", "with", "vs", "versus", "from", ","):
            return [one.text, two.text]
    return []


def agrees(phrase: Phrase, mark: str) -> float:
    """Return how well a pronoun may stand for a phrase; 1 for no pronoun."""
    factor = 1.0
    if mark in _MANY:
        factor = 1.2 if phrase.plural else 0.8 if phrase.named or phrase.person else 0.5
    elif mark in PERSON:
        factor = 1.6 if phrase.person and not phrase.plural else 1.0 if phrase.named and not phrase.place else 0.3
    elif mark in _THING:
        factor = 0.6 if phrase.plural else 0.5 if phrase.person and not phrase.plural and mark == "it" else 1.0
    elif mark in ("there", "here"):
        factor = 1.5 if phrase.place else 0.8 if phrase.named and not phrase.person else 0.3
    return factor


_WHO = re.compile(r"\bwho(?:['’]?s|m)?\b|누구|누가|담당자|책임자", re.IGNORECASE)
_FULL_NAME = re.compile(r"\b[A-Z][a-z'’-]+(?: [A-Z][\w'’-]+){1,2}\b")
_KOREAN_NAME = re.compile(
    r"(?<![가-힣])[가-힣]{2,4}(?= ?(?:님|씨|팀장|부장|과장|대리|이사|매니저|책임|선임|본부장|대표))|(?:팀장|"
    r"부장|본부장|담당자|관리자|책임자|대표)(?=님|이|가|에게|께)"
)


def person_in(turn: Past) -> str:
    """Return the person that a turn's answer named, where its question asked who."""
    if not _WHO.search(turn.told):
        return ""
    first = turn.answer[:300]
    named = _KOREAN_NAME.search(first) or _FULL_NAME.search(first)
    asked = set(turn.told.lower().split())
    return named.group() if named and not asked & set(named.group().lower().split()) else ""


def in_full(question: str, past: Sequence[Past]) -> tuple[Phrase, Phrase] | None:
    """Return a noun that a question names with `the` alone, and the longer phrase that it is short for."""
    for short in phrases_of(question):
        if (
            len(short.stems) > 1
            or not short.article
            or not re.search(r"\bthe $", question[: short.start], re.IGNORECASE)
        ):
            continue
        if re.match(r" (?:of|for)\b", question[short.end :]):
            continue
        said = [phrase for turn in reversed(past[-TURNS:]) for phrase in phrases_of(turn.told)]
        heads = [phrase for phrase in said if phrase.stems[-1:] == short.stems]
        if heads and len(heads[0].stems) > 1:
            return short, heads[0]
    return None

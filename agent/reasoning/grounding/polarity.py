"""What a text denies: its clauses, each with the words of negation in it and what they negate."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import pattern, regex, words
from agent.reasoning.grounding.wording import bare, wording_of

_NEGATION = pattern("grounding.negations")
_NO_NEGATION = pattern("grounding.no_negations")
_ANSWER = re.compile(rf"^\W*{regex('grounding.answering_no')}\s*[,.!]\s*", re.IGNORECASE)
_NEW_CLAUSE = re.compile(rf"[;:()]|(?<=[.!?])\s+|{regex('grounding.clause_joints')}", re.IGNORECASE)
_SPEAKER = pattern("grounding.of_the_speaker")
_AUXILIARY = words("grounding.auxiliaries")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with one predicate, and how often it is negated."""

    text: str
    negations: int
    targets: frozenset[str]
    """Stems that the negations stand beside: the next word that means something, in Korean the one before."""

    @property
    def negated(self) -> bool:
        """Whether the clause denies anything."""
        return self.negations > 0


@lru_cache(maxsize=4096)
def clauses_of(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence; what has fewer than two words that mean something joins the one before."""
    plain = _ANSWER.sub("", bare(sentence))
    parts: list[str] = []
    for part in _parts(plain):
        if parts and (_poor(part) or _poor(parts[-1])):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return tuple(_clause(part) for part in parts)


def clause_of(text: str) -> Clause:
    """Return a whole text as one clause, without what the speaker says of themselves."""
    plain = _ANSWER.sub("", bare(text))
    return _clause(" ".join(part for part in _parts(plain)))


def count_of(text: str) -> int:
    """Return how many negations a text has."""
    return _clause(text).negations


def negated(text: str) -> bool:
    """Tell whether a text denies anything."""
    return clause_of(text).negated


def _parts(text: str) -> Iterator[str]:
    """Yield the parts of a text at the joints of its clauses; "I am not sure" says nothing about the matter."""
    start = 0
    for end, following in [*((match.start(), match.end()) for match in _NEW_CLAUSE.finditer(text)), (len(text), 0)]:
        part = text[start:end].strip()
        if part and not _SPEAKER.match(part):
            yield part
        start = following


def _poor(text: str) -> bool:
    return len(wording_of(text).content) < 2


@lru_cache(maxsize=4096)
def _clause(text: str) -> Clause:
    plain = _NO_NEGATION.sub(lambda found: "·" * len(found.group()), text)
    found = list(_NEGATION.finditer(plain))
    targets = {stem for match in found if (stem := _target(text, match))}
    return Clause(text=text, negations=len(found), targets=frozenset(targets))


def _target(text: str, match: re.Match[str]) -> str:
    """Return the stem of what is negated; empty where nothing is."""
    if is_hangul(match.group()):
        before = wording_of(text[: match.start()])
        return next((before.stems[i] for i in reversed(before.content) if len(before.stems[i]) > 1), "")
    after = wording_of(text[match.end() :])
    return next((after.stems[i] for i in after.content if after.words[i] not in _AUXILIARY), "")

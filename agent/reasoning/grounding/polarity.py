"""What a text denies: its clauses, each with the words of negation in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from agent.language.lexicon import pattern, regex
from agent.reasoning.grounding.wording import bare, wording_of

_NEGATION = pattern("grounding.negations")
_NO_NEGATION = pattern("grounding.no_negations")
_ANSWER = re.compile(rf"^\W*{regex('grounding.answers_no')}\s*[,.!]\s*", re.IGNORECASE)
_NEW_CLAUSE = re.compile(rf"[;:()]|(?<=[.!?])\s+|{regex('grounding.clause_joints')}", re.IGNORECASE)
_SPEAKER = pattern("grounding.of_the_speaker")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with one predicate, and how often it is negated."""

    text: str
    negations: int

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
    return Clause(text=text, negations=len(_NEGATION.findall(plain)))

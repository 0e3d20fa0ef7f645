"""What somebody asked before: which of it is near a question, and whether its answer still holds."""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from agent.reasoning.rules.reading.answer_type import read
from agent.text import tokens
from agent.types import Memory, Passage
from agent.values.amounts import amounts

NEAR = 0.5
"""Share of words in common from which one question is near another."""
MOST = 2
_MARK = re.compile(r"\[\d{1,3}\]")
_NUMBERED = re.compile(r"^[^\S\n]*+\(?\d{1,3}[.)]\s", re.MULTILINE)
_NOTE = re.compile(r"^_.*_$", re.MULTILINE)


def near(question: str, memories: Sequence[Memory]) -> list[Memory]:
    """Return the past questions that are near one, nearest first, at most two."""
    wanted = _terms(question)
    shares = [(_share(wanted, _terms(memory.question)), memory) for memory in memories]
    found = sorted((item for item in shares if item[0] >= NEAR), key=lambda item: (-item[0], -item[1].at))
    return [memory for _, memory in found[:MOST]]


@lru_cache(maxsize=2_000)  # every question of somebody is held against what they asked before
def _terms(question: str) -> frozenset[str]:
    return frozenset(tokens(question))


def _share(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / len(one | two) if one and two else 0.0


def is_same(one: str, two: str) -> bool:
    """Tell whether two questions ask the same: they differ in small words alone, and want an answer of one kind."""
    mine, theirs = read(one), read(two)
    stems = [{term.stem for term in each.terms if term.tells} for each in (mine, theirs)]
    return bool(stems[0]) and stems[0] == stems[1] and mine.kinds == theirs.kinds


def has_changed(memory: Memory, passages: Sequence[Passage]) -> bool:
    """Tell whether a figure of an old answer stands no longer in what the answer cites.

    When it was given, every figure of it stood there. An answer without figures is not judged: its words may have
    been put otherwise from the beginning.
    """
    source = "\n".join(f"{passage.title}\n{passage.section}\n{passage.text}" for passage in passages)
    return bool(_figures(_MARK.sub(" ", _NUMBERED.sub(" ", _NOTE.sub(" ", memory.answer)))) - _figures(source))


def _figures(text: str) -> set[Fraction]:
    return {amount.value for amount in amounts(text) if any(ch.isdigit() for ch in amount.written)}

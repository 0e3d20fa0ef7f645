"""A statement held against what the documents say of its matter."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from agent.language import say
from agent.reasoning.brief import Brief
from agent.reasoning.grounding.citation_support import overlap
from agent.reasoning.grounding.contradiction import contradictions
from agent.reasoning.grounding.figures import bound_problems
from agent.reasoning.rules.answering.composition import DOUBTS, compose
from agent.text import language_of, sentences, words
from agent.types import Block, Sentence
from agent.values.amounts import amounts

SAME_MATTER = 0.58
"""Share of a statement's content words that a sentence holds which speaks of the same."""
SAYS_IT = 0.7
"""Share from which it says the same, where no figure differs and nothing is turned around."""
_READ = 3
"""Sentences of the statement that are held against the documents."""
_LEAST = 3
"""Words of one that says something."""

Verdict = Literal["check_agrees", "check_differs", "check_says"]
Held = tuple[Verdict, int]
"""A verdict, and the number of the block whose sentence decides it."""


def checked(brief: Brief) -> list[Sentence]:
    """Return what the documents say of a statement, `brief.question`, led by whether they say the same.

    A verdict is given only where one of their sentences is plainly about the same; else they are quoted without one.
    """
    told = compose(brief)
    if not told:
        return told
    verdict, decisive = _held(brief, told)
    if told[0].hedged:
        if verdict == "check_says":
            return told
        told = [replace(each, hedged=False) for each in told if decisive in {place.block for place in each.support}]
    lead = told[0].lead.lstrip()
    for doubt in DOUBTS:
        lead = lead.removeprefix(say(doubt, brief.language)).lstrip()
    return [replace(told[0], lead=f"{say(verdict, brief.language)}\n\n{lead}"), *told[1:]]


def _held(brief: Brief, told: Sequence[Sentence]) -> Held:
    cited = {place.block for sentence in told for place in sentence.support}
    blocks = [block for block in brief.blocks if block.n in cited]
    stated = [brief.question[start:end] for start, end in sentences(brief.question)]
    stated = [each for each in stated if sum(1 for _ in words(each)) >= _LEAST][:_READ]
    found = [_one(each, blocks) for each in stated]
    differing = next((each for each in found if each[0] == "check_differs"), None)
    agrees = bool(found) and all(verdict == "check_agrees" for verdict, _ in found)
    return differing or (found[0] if agrees else ("check_says", 0))


def _one(statement: str, blocks: Sequence[Block]) -> Held:
    """Return what the sentence says that is nearest to one statement; a row of a table tells too little by itself."""
    near = [(overlap(statement, text), text, block.n) for block in blocks for text in _prose(block)]
    share, text, block = max(near, key=lambda each: each[0], default=(0.0, "", 0))
    if share < SAME_MATTER:
        return "check_says", 0
    figures = _figures(statement, text)
    if figures == "differ" or (language_of(statement) == language_of(text) and _is_turned(statement, text)):
        return "check_differs", block
    agrees = share >= SAYS_IT and figures == "same" and not bound_problems(statement, text)
    return "check_agrees" if agrees else "check_says", block


def _prose(block: Block) -> Iterator[str]:
    text = block.passage.text
    return (part for start, end in sentences(text) if "|" not in (part := text[start:end]))


def _figures(statement: str, text: str) -> Literal["same", "differ", "other"]:
    """Tell whether a sentence has the figures of a statement, or others of the same units in their place."""
    there = amounts(text)
    known = {(each.value, each.unit) for each in there}
    missing = [each for each in amounts(statement) if (each.value, each.unit) not in known]
    if not missing:
        return "same"
    return "differ" if any(each.unit == other.unit for each in missing for other in there) else "other"


def _is_turned(statement: str, text: str) -> bool:
    bounds = bound_problems(statement, text)
    return any(problem not in bounds for problem in contradictions(statement, text))

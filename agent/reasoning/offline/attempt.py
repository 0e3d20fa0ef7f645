"""One question against the evidence: as it was asked, as it was meant, and in the words of the other language."""

from collections.abc import Sequence
from dataclasses import replace

from agent.reasoning.offline import bilingual, choose, evidence, question, spelling
from agent.reasoning.offline.evidence import Reading
from agent.reasoning.offline.question import Kind, Question, Term
from agent.types import Block, Language

ABROAD = 0.62
"""How sure an answer in the other language must be (`choose.ANSWERABLE` is .57): words are matched by a list there."""


def read(part: str, language: Language, blocks: Sequence[Block], *, compared_with: Sequence[str] = ()) -> Reading:
    """Return the reading of a question against the blocks, its slips put right by their words.

    `compared_with` are the other things that it is compared with: what is said of it alone counts more.
    """
    return evidence.read(asked(part, language, blocks, compared_with=compared_with), blocks)


def asked(part: str, language: Language, blocks: Sequence[Block], *, compared_with: Sequence[str] = ()) -> Question:
    """Return a question as it was most likely meant, by the words of the blocks."""
    meant = as_meant(part, blocks) if len(part) <= spelling.LONG else part
    read = question.read(meant, language)
    if not compared_with:
        return read
    own = {term.stem for term in read.terms}
    rivals = [term for other in compared_with for term in question.read(other, language).terms if term.stem not in own]
    return replace(read, kinds=read.kinds | {Kind.DEFINITION, Kind.CONTRAST}, rivals=tuple(rivals))


def as_meant(text: str, blocks: Sequence[Block]) -> str:
    """Return a question with slips and missing spaces put right by the words of the blocks."""
    texts = tuple(f"{block.passage.title}\n{block.passage.section}\n{block.passage.text}" for block in blocks)
    return spelling.put_right(text, spelling.vocabulary(texts))


def abroad(read: Question, blocks: Sequence[Block]) -> Reading | None:
    """Return the reading of a question against the blocks of the other language; None where it does not answer."""
    foreign = [block for block in blocks if block.passage.language != read.language]
    if not foreign:
        return None
    terms = translated(read.terms)
    if terms == read.terms:
        return None
    # The wording tells what form a value has in the question's own language only; its kinds hold in any.
    reading = evidence.read(replace(read, terms=terms, text=""), foreign)
    return reading if choose.answerability(reading) >= ABROAD else None


def translated(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms with the other language's words beside their own."""
    together = bilingual.phrases(terms)
    out: list[Term] = []
    for i, term in enumerate(terms):
        words = together.get(i, ()) or together.get(i - 1, ()) or bilingual.others(term)
        out.append(replace(term, also=(*term.also, *question.forms(words))) if words else term)
    return tuple(out)

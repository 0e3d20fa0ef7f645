"""The line of a document that tells whom to turn to, for who asks nothing else."""

import re
from collections.abc import Collection, Sequence

from agent.language.lexicon import pattern
from agent.reasoning.rules.answering.passage_units import Shape
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.weighted_question import Asked
from agent.reasoning.rules.reading.answer_type import read
from agent.types import Block

LINE = 30
"""Words of such a line, at most."""
_REACHED = re.compile(r"\d{2}|@|\b[A-Z][a-z]+ [A-Z][a-z]+")
"""A number, an address, or a person's name."""


def of_thread(asked: Asked, blocks: Sequence[Block]) -> frozenset[str]:
    """Return the documents of which a question in a thread asks whom one turns to, none where it asks anything else.

    They are those that were told last, or that the thread rests on most.
    """
    last = [block for block in blocks if block.told] or [block for block in blocks if block.resumed == 1]
    if not last or not read(asked.text, asked.language).asks_whom:
        return frozenset()
    return frozenset(block.passage.document_id for block in last)


def tells_whom(quote: Quote, documents: Collection[str]) -> bool:
    """Tell whether a quote is of one of some documents, and what it is about tells whom one turns to, and how."""
    passage, text = quote.block.passage, quote.text
    if passage.document_id not in documents or quote.shape is not Shape.SENTENCE or quote.size > LINE:
        return False
    is_reached = _REACHED.search(text) or pattern("answering.people").search(text)
    above = f"{passage.innermost}\n{quote.heading}\n{text}"
    return bool(is_reached) and pattern("answering.contacts").search(above) is not None


def are_missing(asked: Asked, blocks: Sequence[Block], told: Sequence[Quote]) -> bool:
    """Tell whether a question in a thread asks whom one turns to, and nothing that is told says it."""
    documents = of_thread(asked, blocks)
    return bool(documents) and not any(tells_whom(quote, documents) for quote in told)

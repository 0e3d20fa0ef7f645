"""Numbers of a question, and what the evidence has for them in other words: 4개월 for 4달, 5 to 10 kg for 7 kg."""

from collections.abc import Iterator, Sequence
from itertools import islice

from agent.reasoning.rules.reading import answer_type
from agent.text import tokens
from agent.types import Block
from agent.values.spans import Span, spans

MOST = 24
"""Other words for one number."""
MOST_ASKED = 8
"""Numbers of a question that are looked for."""
LONGEST = 2_000
"""Characters of a line that are read for numbers."""

Named = tuple[frozenset[str], tuple[frozenset[str], ...]]
"""The terms of what is named, and those of each other way to say it."""


def said_otherwise(text: str, blocks: Sequence[Block]) -> Iterator[Named]:
    """Yield the terms of each number of a question, with those of what in the blocks speaks for it.

    What it takes from its thread, in brackets, was asked before.
    """
    wanted = list(islice(_wanted(text), MOST_ASKED))
    if not wanted:
        return
    found = [each for block in blocks for each in _said(block.passage.text)]
    for own, number in wanted:
        held = [terms for span, terms, in_table in found if span.holds(number) and (in_table or span.closed)]
        others = tuple(terms for terms in dict.fromkeys(held) if terms and not terms <= own)[:MOST]
        if own and others:
            yield own, others


def _said(text: str) -> Iterator[tuple[Span, frozenset[str], bool]]:
    """Yield what a passage says of numbers, with the terms that say it, and whether it is the row of a table.

    What has one end only (이내, at least) speaks for others there alone: in prose such limits are set to everything.
    The terms of a row are all of its own, as the next row often begins where it ends.
    """
    for line in text.splitlines():
        in_table = line.startswith("|")
        for span in spans(line[:LONGEST]):
            yield span, _terms(line if in_table else span.written), in_table


def _wanted(text: str) -> Iterator[tuple[frozenset[str], Span]]:
    """Yield the numbers of a question with their terms."""
    for span in spans(answer_type.without_aside(text)):
        if span.low == span.high:
            yield _terms(span.written), span


def _terms(written: str) -> frozenset[str]:
    return frozenset(tokens(written))

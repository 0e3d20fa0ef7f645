"""Numbers of a question, and what the evidence has for them in other words: 4개월 for 4달, 5 to 10 kg for 7 kg."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from agent.language.ko.letters import is_hangul
from agent.reasoning.rules.reading import answer_type
from agent.reasoning.rules.reading.trade_synonyms import Named
from agent.text import tokens
from agent.types import Block
from agent.values.names import unit_spellings
from agent.values.spans import Span, spans

MOST = 24
"""Other words for one number."""
MOST_ASKED = 8
"""Numbers of a question that are looked for."""
LONGEST = 2_000
"""Characters of a line that are read for numbers."""

_WORD = re.compile(r"[^\W\d_]+")
_BRACKETED = re.compile(r"\(([^()\d]{1,20})\)\s*$")


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
    units: Sequence[str] | None = None
    for line in text.splitlines():
        if not line.startswith("|"):
            units = None
            yield from ((span, _terms(span.written), False) for span in spans(line[:LONGEST]))
            continue
        cells = line[:LONGEST].split("|")
        units = [_unit_of_column(cell) for cell in cells] if units is None else units
        for cell, unit in zip_longest(cells, units[: len(cells)], fillvalue=""):
            for span in spans(cell):
                bare = not span.unit and not span.mark
                yield (replace(span, unit=unit) if bare else span), _terms(line), True


def _unit_of_column(header: str) -> str:
    """Return the unit of the numbers below a header ("Years of service", 육아휴직 개월, "Fee (KRW)"), or nothing."""
    words = _WORD.findall(header.casefold())
    bracketed = _BRACKETED.search(header.casefold())
    named = [bracketed.group(1)] if bracketed else [words[-1] if is_hangul(words[-1]) else words[0]] if words else []
    return next((unit for word in named if (unit := unit_spellings().get(word))), "")


def _wanted(text: str) -> Iterator[tuple[frozenset[str], Span]]:
    """Yield the numbers of a question with their terms."""
    for span in spans(answer_type.without_aside(text)):
        if span.low == span.high:
            yield _terms(span.written), span


def _terms(written: str) -> frozenset[str]:
    return frozenset(tokens(written))

"""Passages that nobody would write: the composer takes a bounded time for them, and no exception."""

import time

import pytest

from agent.packs.load import builtin, load_pack
from agent.reasoning.contract import Brief
from agent.reasoning.grounding import citation_support
from agent.reasoning.rules.answering import answer_revision
from agent.reasoning.rules.answering.passage_units import units_of
from tests.contracts.reasoning import block

SECONDS = 10.0
"""Of the processor, for one passage: ten times what the slowest takes; what grows with the square takes hours."""
PASSAGES = {
    "one line": "The vault code of the archive changes every May and the keeper tells it. " * 14_000,
    "one word": "vault" * 200_000,
    "one syllable": "가" * 300_000,
    "markup": "**__``__** [](<>) ||| --- " * 8_000,
    "a title": "# The vault code of the archive",
    "list items": "# Vault codes\n\n" + "\n".join(f"- vault code {i} of the archive" for i in range(100_000)),
    "rows": "| vault | code |\n|---|---|\n" + "\n".join(f"| vault {i} | code {i} |" for i in range(30_000)),
    "paragraphs": "The vault code of the archive changes.\n\n" * 12_000,
    "blanks": "vault" + " " * 300_000 + "code" + "\n" * 200_000 + "of the archive",
    "links": "[vault](code" * 25_000,
    "quotes": "> vault code\n" * 20_000,
    "dots": "vault code" + "." * 300_000 + "x",
    "bars": "|" * 300_000,
    "rules": "-" * 300_000 + "x",
    "backticks": "`" * 100_000,
}


@pytest.mark.parametrize("name", PASSAGES)
def test_a_strange_passage_takes_a_bounded_time(name):
    found = block(1, PASSAGES[name])
    brief = Brief(
        question="What is the vault code of the archive?",
        language="en",
        pack=load_pack(builtin("handbook")),
        blocks=(found,),
    )
    started = time.process_time()
    units = units_of(found.passage)
    sentences = list(answer_revision.as_preferred(brief))
    citation_support.check_all(sentences, brief.blocks)
    assert time.process_time() - started < SECONDS
    assert all(0 <= unit.start < unit.end <= len(PASSAGES[name]) for unit in units)

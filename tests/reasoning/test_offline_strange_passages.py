"""Passages that nobody would write: the composer takes a bounded time for them, and no exception."""

import pytest

from agent.packs.load import builtin, load_pack
from agent.reasoning.contract import Brief
from agent.reasoning.grounding import citation_support
from agent.reasoning.rules.answering import answer_revision
from agent.reasoning.rules.answering.passage_units import units_of
from tests.contracts.reasoning import block
from tests.cost import spent

MOST = 500
"""Pieces of work for one passage: ten times what the slowest takes; what grows with the square takes hours."""
PASSAGES = {
    "one line": "The vault code of the archive changes every May and the keeper tells it. " * 7_000,
    "one word": "vault" * 100_000,
    "one syllable": "가" * 150_000,
    "markup": "**__``__** [](<>) ||| --- " * 4_000,
    "a title": "# The vault code of the archive",
    "list items": "# Vault codes\n\n" + "\n".join(f"- vault code {i} of the archive" for i in range(50_000)),
    "rows": "| vault | code |\n|---|---|\n" + "\n".join(f"| vault {i} | code {i} |" for i in range(15_000)),
    "paragraphs": "The vault code of the archive changes.\n\n" * 6_000,
    "blanks": "vault" + " " * 150_000 + "code" + "\n" * 100_000 + "of the archive",
    "links": "[vault](code" * 12_500,
    "quotes": "> vault code\n" * 10_000,
    "dots": "vault code" + "." * 150_000 + "x",
    "bars": "|" * 150_000,
    "rules": "-" * 150_000 + "x",
    "backticks": "`" * 50_000,
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
    with spent() as cost:
        units = units_of(found.passage)
        sentences = list(answer_revision.as_preferred(brief))
        citation_support.check_all(sentences, brief.blocks)
    assert cost.pieces < MOST
    assert all(0 <= unit.start < unit.end <= len(PASSAGES[name]) for unit in units)

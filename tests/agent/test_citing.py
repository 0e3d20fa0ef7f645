"""Citation marks and the list of sources."""

import pytest

from agent.citing import written
from agent.types import Block, Passage, Sentence, Support


def block(n: int, text: str = "One. Two.", **fields) -> Block:
    passage = Passage(id=n, document_id=f"d{n}", collection="c", title=f"Title {n}", text=text, **fields)
    return Block(n=n, passage=passage, score=1.0)


def sentence(text: str, *blocks: int, lead: str = " ", start: int = 0, end: int = 4) -> Sentence:
    return Sentence(text=text, lead=lead, support=tuple(Support(block=b, start=start, end=end) for b in blocks))


def test_blocks_are_numbered_in_the_order_the_answer_rests_on_them():
    answer, citations = written(
        [sentence("A.", 3), sentence("B.", 1, 3), sentence("C.", 1)], [block(1), block(2), block(3)]
    )
    assert answer == "A. [1] B. [2][1] C. [2]"
    assert [(c.n, c.document_id, c.quote) for c in citations] == [(1, "d3", "One."), (2, "d1", "One.")]


def test_a_citation_quotes_the_first_span_that_its_block_is_cited_for():
    _, (citation,) = written([sentence("B.", 1, start=5, end=9), sentence("A.", 1)], [block(1)])
    assert citation.quote == "Two."


def test_leads_separate_and_the_first_one_is_not_indented():
    answer, _ = written([sentence("A", 1, lead="\n- "), sentence("B", 1, lead="\n- ")], [block(1)])
    assert answer == "- A [1]\n- B [1]"


@pytest.mark.parametrize("text", ["```\ncode\n```", "| a | b |\n| --- | --- |\n| 1 | 2 |"])
def test_marks_never_break_a_code_block_or_a_table(text):
    answer, _ = written([sentence(text, 1)], [block(1)])
    assert answer == f"{text}\n\n[1]"


@pytest.mark.parametrize(
    ("section", "shown"), [("Title 1 > Part", "Part"), ("Title 1", ""), ("Other > Part", "Other > Part"), ("", "")]
)
def test_a_section_does_not_repeat_the_title(section, shown):
    _, (citation,) = written([sentence("A.", 1)], [block(1, section=section)])
    assert citation.section == shown


def test_nothing_written_cites_nothing():
    assert written([], []) == ("", ())

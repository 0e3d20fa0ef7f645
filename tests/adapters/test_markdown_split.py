import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.markdown_split import split

PROSE = st.text(alphabet="ab 가다.?\n-*#[]()123:/", max_size=900)
WORDS = st.lists(st.sampled_from(["weft", "answers", "문서", "[1]", "[23].", "question?", "a" * 40]), max_size=60)
PARAGRAPH = WORDS.map(" ".join)
CODE = st.lists(st.sampled_from(["x = 1", "    return [1, 2]", "", "print('y')" * 9]), max_size=20).map(
    lambda lines: "\n".join(["```python", *lines, "```"])
)
ITEMS = st.lists(st.sampled_from(["- one [1]", "- two", "  - deeper"]), max_size=20).map("\n".join)
DOCUMENT = st.lists(st.one_of(PARAGRAPH, CODE, ITEMS), max_size=6).map("\n\n".join)
LIMIT = st.integers(min_value=64, max_value=400)


def visible(text: str) -> str:
    return "".join(text.split())


def without_fences(text: str) -> str:
    return visible(text.replace("```python", "").replace("```", ""))


@given(st.text(max_size=600), LIMIT)
def test_every_part_fits_and_shows_something(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(len(part) <= limit and part.strip() for part in parts)


@given(PROSE, LIMIT)
def test_prose_keeps_every_character(text: str, limit: int) -> None:
    assert visible("".join(split(text, limit))) == visible(text)


@given(DOCUMENT, LIMIT)
def test_documents_keep_their_content_and_close_their_code(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(len(part) <= limit for part in parts)
    assert without_fences("".join(parts)) == without_fences(text)
    assert all(part.count("```") % 2 == 0 for part in parts)


@given(WORDS, LIMIT)
def test_a_citation_mark_stays_in_one_piece(words: list[str], limit: int) -> None:
    text = "".join(words)
    marks = re.findall(r"\[\d+\]", text)
    assert [mark for part in split(text, limit) for mark in re.findall(r"\[\d+\]", part)] == marks


@given(st.lists(st.sampled_from(["kettle", "a cup of tea", "14:30", "x"]), min_size=1, max_size=40), LIMIT)
def test_every_part_of_a_table_has_its_head(names: list[str], limit: int) -> None:
    head = "| what | how |\n| --- | ---: |"
    rows = [f"| {name} | {n} |" for n, name in enumerate(names)]
    parts = split("\n".join(["Before it.", "", head, *rows, "", "After it."]), limit)
    assert all(len(part) <= limit for part in parts)
    assert [line for part in parts for line in part.split("\n") if line in rows] == rows
    for part in parts:
        table = [line for line in part.split("\n") if line.startswith("|")]
        assert not table or "\n".join(table[:2]) == head


def test_what_only_looks_like_a_table_has_no_head() -> None:
    text = "\n".join(f"| row {n} of a list of bars |" for n in range(20))
    assert "\n".join(split(text, 100)) == text


def test_a_short_text_is_left_alone() -> None:
    assert split("One paragraph. [1]\n\nAnother.", 100) == ["One paragraph. [1]\n\nAnother."]
    assert split(" \n ", 100) == []


def test_cuts_between_paragraphs_first() -> None:
    paragraphs = ["First sentence. Second sentence of it. [1]", "Another paragraph that says more. [2]", "The end."]
    assert split("\n\n".join(paragraphs), 64) == [paragraphs[0], "\n\n".join(paragraphs[1:])]


def test_cuts_between_list_items_before_sentences() -> None:
    text = "- The first item says this. And it says that.\n- The second item. It goes on and on and on.\n- Third."
    assert split(text, 64) == [
        "- The first item says this. And it says that.",
        "- The second item. It goes on and on and on.\n- Third.",
    ]


def test_a_citation_stays_with_its_sentence() -> None:
    text = "The backup runs every night at two o'clock. [1][2] The restore is tried every month by the team. [3]"
    assert split(text, 64)[0] == "The backup runs every night at two o'clock. [1][2]"


def test_code_is_closed_and_opened_again() -> None:
    lines = [f"line_number_{i} = {i}" for i in range(8)]
    parts = split("\n".join(["Like this:", "", "```python", *lines, "```", "", "Done."]), 90)
    assert len(parts) > 2
    assert all(part.count("```") in (0, 2) for part in parts)
    assert parts[1].startswith("```python\nline_number_")
    assert [line for part in parts for line in part.splitlines() if line.startswith("line")] == lines


def test_a_heading_stays_with_what_follows() -> None:
    text = "word " * 12 + "\n\n## Heading\n\n" + "word " * 12
    assert split(text, 80)[1].startswith("## Heading")
    close = "words " * 5 + "and then\n\n## Heading\n\n" + "word " * 30
    assert "## Heading" not in split(close, 64)[0]


def test_a_limit_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="limit of 10"):
        split("text", 10)

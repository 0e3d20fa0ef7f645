import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.types import Category
from storage.ingest.formats import markdown
from storage.ingest.passages import build
from tests.storage.ingest.memory import read, sections, written

PAGE = """\
---
title: Leave rules
owner: People
---

# Leave

Who works here gets leave.
It is **paid**.

## Days

| Years | Days |
|---|---|
| 1 | 15 |
| 3 | 16 |

### How to *ask* for [leave](https://desk.example)

1. Open the desk.
2. Send form HR-07.

```sh
weft ask "leave"

# not a heading
```

Other
-----

> A quoted rule.

<!-- a note to editors -->
"""


def test_blocks_become_sections_with_their_text_as_it_stands(tmp_path):
    document = read(written(tmp_path / "leave.md", PAGE))
    assert document.title == "Leave rules"
    assert document.metadata == {"owner": "People"}
    assert sections(document) == [
        ("Leave", "# Leave\n\nWho works here gets leave.\nIt is **paid**."),
        ("Leave > Days", "## Days\n\n| Years | Days |\n|---|---|\n| 1 | 15 |\n| 3 | 16 |"),
        (
            "Leave > Days > How to ask for leave",
            "### How to *ask* for [leave](https://desk.example)\n\n1. Open the desk.\n2. Send form HR-07.\n\n"
            '```sh\nweft ask "leave"\n\n# not a heading\n```',
        ),
        ("Leave > Other", "Other\n-----\n\n> A quoted rule."),
    ]
    assert [passage.category for passage in document.passages] == [
        Category.PARAGRAPH,
        Category.TABLE,
        Category.CODE,
        Category.PARAGRAPH,
    ]
    assert [passage.position for passage in document.passages] == [0, 1, 2, 3]


def test_windows_line_ends_are_line_ends(tmp_path):
    document = read(written(tmp_path / "crlf.md", "# Title\r\n\r\nOne\r\ntwo.\r\n\r\n- a\r\n- b\r\n"))
    assert [passage.text for passage in document.passages] == ["# Title\n\nOne\ntwo.\n\n- a\n- b"]


def test_the_title_is_the_front_matter_or_the_top_heading_or_the_name(tmp_path):
    assert read(written(tmp_path / "a.md", "## Second\n\nx\n\n# First\n\ny\n")).title == "First"
    assert read(written(tmp_path / "some-notes.md", "Just text.\n")).title == "some-notes"


def test_rules_that_are_no_front_matter_are_text(tmp_path):
    document = read(written(tmp_path / "a.md", "---\nnot: [closed\n---\n\nText.\n"))
    assert "not: [closed" in document.passages[0].text


def test_a_long_table_is_cut_between_rows_and_says_what_its_columns_are(tmp_path):
    rows = "".join(f"| City {number} | {number} KRW, breakfast and tax included |\n" for number in range(400))
    document = read(written(tmp_path / "t.md", f"# Rates\n\n| City | Hotel |\n|---|---|\n{rows}"))
    assert len(document.passages) > 3
    assert all(passage.section == "Rates" for passage in document.passages)
    first, *others = (passage.text.splitlines() for passage in document.passages)
    assert first[2:5] == ["| City | Hotel |", "|---|---|", "| City 0 | 0 KRW, breakfast and tax included |"]
    assert all(lines[:2] == ["| City | Hotel |", "|---|---|"] for lines in others)
    assert all(line.startswith("| City ") for lines in others for line in lines[2:])
    assert sum(passage.text.count(" KRW") for passage in document.passages) == 400


def test_a_table_or_code_of_some_size_is_never_cut(tmp_path):
    rows = "".join(f"| City {number} | {number} KRW |\n" for number in range(250))
    code = "".join(f"line_{number} = {number}\n" for number in range(300))
    text = f"# Rates\n\nThe rates are:\n\n| City | Hotel |\n|---|---|\n{rows}\n```\n{code}```\n"
    document = read(written(tmp_path / "t.md", text))
    assert [len(passage.text) > 4_000 for passage in document.passages] == [True, True]
    assert document.passages[0].text.startswith("# Rates\n\nThe rates are:")


def test_a_long_list_is_cut_between_items(tmp_path):
    items = "".join(
        f"- Item {number} is about something that takes a line.\n  And a second one.\n" for number in range(90)
    )
    document = read(written(tmp_path / "l.md", f"# List\n\n{items}"))
    assert len(document.passages) > 2
    assert all(passage.text.endswith("And a second one.") for passage in document.passages)
    assert all(passage.text.startswith(("# List", "- Item")) for passage in document.passages)


_LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["", "", "# Head", "## 제목", "- item", "  - sub", "1. one", "```", "~~~", "| a | b |", "|---|---|", "> q",
             "---", "===", "    code", "\ttab", "<div>", "</div>", "[a]: http://b", "title: x", "   ", "<!-- c -->"]
        ),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60),
        st.text("가나다 abc.!?\n|", min_size=200, max_size=900),
    ),
    max_size=40,
)  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@settings(max_examples=60, deadline=None)
@given(lines=_LINES)
def test_every_passage_stands_in_the_file(end, lines):
    text = end.join(lines)
    elements = markdown.elements_of(text)
    assert all(before.end <= after.start for before, after in itertools.pairwise(elements))
    at = 0
    for passage in build(markdown.Extracted(text=text, elements=elements)):
        assert passage.text.strip()
        at = text.index(passage.text, at) + len(passage.text)


def test_a_picture_alone_is_a_figure_and_one_without_words_is_nothing(tmp_path):
    text = "![Network: VPN goes through Seoul](net.png)\n\n![](logo.png)\n\n<img src='x.png' alt='logo.png'>\n"
    (passage,) = read(written(tmp_path / "a.md", text)).passages
    assert passage.text == "![Network: VPN goes through Seoul](net.png)"
    assert passage.category is Category.FIGURE


def test_a_line_alone_in_bold_is_a_heading_below_all_others(tmp_path):
    content = (
        "# Questions\n\n**Q. How many may come?**\nA. Four at most.\n\n__When is it open?__\n\nFrom nine.\n\n"
        "**Never open it.**\n\n**Note:** it is hot.\n"
    )
    assert sections(read(written(tmp_path / "faq.md", content))) == [
        ("Questions > Q. How many may come?", "# Questions\n\n**Q. How many may come?**\nA. Four at most."),
        (
            "Questions > When is it open?",
            "__When is it open?__\n\nFrom nine.\n\n**Never open it.**\n\n**Note:** it is hot.",
        ),
    ]


def test_a_sentence_in_bold_with_the_mark_of_a_heading_is_one_as_well(tmp_path):
    content = (
        "# Kiln\n\n**Q1. How hot is it?**\nVery.\n\n**Q2. The door is stuck.**\n1. Wait.\n2. Pull.\n\n"
        "**Never open it.**\n\nIt is hot.\n"
    )
    assert [section for section, _ in sections(read(written(tmp_path / "faq.md", content)))] == [
        "Kiln > Q1. How hot is it?",
        "Kiln > Q2. The door is stuck.",
    ]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("1. Boil.\n1. Pour.\n1. Wait.", "1. Boil.\n2. Pour.\n3. Wait."),
        ("1. Tag:\n\n   ```sh\n   1. tag\n   ```\n\n1. Push.", "1. Tag:\n\n   ```sh\n   1. tag\n   ```\n\n2. Push."),
        ("1. Out\n   1. in\n   1. in\n1. out", "1. Out\n   1. in\n   2. in\n2. out"),
        ("- 1) One.\n  1) Two.", "- 1) One.\n  2) Two."),
        ("1. One.\n2. Two.\n1. Three.", "1. One.\n2. Two.\n1. Three."),
        ("1. One.\n\nText.\n\n1. Another.", "1. One.\n\nText.\n\n1. Another."),
        ("```\n1. code\n1. code\n```", "```\n1. code\n1. code\n```"),
        ("\n".join(["1. x"] * 12), "\n".join(f"{n}. x" for n in range(1, 13))),
        ("\n".join(["1. x\n   y"] * 12), "\n".join(["1. x\n   y"] * 12)),
    ],
)
def test_a_list_that_is_numbered_1_throughout_is_numbered_as_it_is_shown(typed, shown):
    assert markdown.extract(typed.encode()).text == shown


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("제 1장. 총칙", "제 2장. 회원"),
        ("제1조 (목적)", "제2조 (회원)"),
        ("1. Aim", "2. Members"),
        ("Part I", "Part II: Members"),
    ],
)
def test_the_first_of_several_chapters_is_the_title_of_none_of_the_others(tmp_path, first, second):
    written(tmp_path / "club" / "rules.md", f"# {first}\n\nWe walk.\n\n# {second}\n\nAnyone may walk.\n")
    document = read(tmp_path)
    assert document.title == "club/rules"
    assert [section for section, _ in sections(document)] == [first, second]


def test_a_bold_line_right_behind_an_item_heads_what_follows_it(tmp_path):
    document = read(written(tmp_path / "a.md", "# To do\n\n**Kim**\n- write\n**Lee**\n- read\n  **not this**\n"))
    assert [section for section, _ in sections(document)] == ["To do > Kim", "To do > Lee"]


@pytest.mark.parametrize(
    ("written_as", "read_as"),
    [
        ("Run this:\n\n    cd loom\n    make\n\nDone.", "Run this:\n\n```\ncd loom\nmake\n```\n\nDone."),
        ("\tcd loom\n\t\tmake\n", "```\ncd loom\n\tmake\n```"),
        (
            "1. Run:\n\n       cd loom\n\n       make\n2. Wait.",
            "1. Run:\n\n   ```\n   cd loom\n\n   make\n   ```\n2. Wait.",
        ),
        ("    say ```\n", "````\nsay ```\n````"),
        ("- Wait.\n\n    And wait.", "- Wait.\n\n    And wait."),
    ],
)
def test_code_that_is_only_indented_is_put_between_fences(tmp_path, written_as, read_as):
    document = read(written(tmp_path / "a.md", f"# Loom\n\n{written_as}"))
    assert "\n\n".join(text for _, text in sections(document)) == f"# Loom\n\n{read_as}"

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.reasoning.rules.answering.passage_units import Shape, units_of
from agent.types import Category
from tests.contracts.reasoning import block


def cut(text, **more):
    return [(unit.shape, text[unit.start : unit.end]) for unit in units_of(block(1, text, **more).passage)]


def test_the_shapes_of_a_document():
    text = (
        "# Leave\n\nYou get 25 days, e.g. in May. Unused days are\ncarried over.\n\n1. Ask.\n2. Wait\n   a day.\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nrun\n\nnow\n```\n연차는 15일이다.그리고 늘어난다."
    )
    assert cut(text) == [
        (Shape.HEADING, "# Leave"),
        (Shape.SENTENCE, "You get 25 days, e.g. in May."),
        (Shape.SENTENCE, "Unused days are\ncarried over."),
        (Shape.ITEM, "1. Ask."),
        (Shape.ITEM, "2. Wait\n   a day."),
        (Shape.ROW, "| a | b |"),
        (Shape.ROW, "| 1 | 2 |"),
        (Shape.CODE, "```sh\nrun\n\nnow\n```"),
        (Shape.SENTENCE, "연차는 15일이다."),
        (Shape.SENTENCE, "그리고 늘어난다."),
    ]


def test_lines_with_labels_are_a_list():
    lines = ["Chair – Rosalind – chair@x.example", "Tea rota – Bartholomew", "Safeguarding: Nuala (07700 900321)"]
    assert cut("\n".join(lines)) == [(Shape.ITEM, line) for line in lines]
    assert cut("하양: V0\n노랑: V1\n\n그리고 쉰다.")[:2] == [(Shape.ITEM, "하양: V0"), (Shape.ITEM, "노랑: V1")]
    for text in (
        "Note: the tour\nis in May.",  # one line alone
        "Q: Can I park?\nQ: May I sit?",
        "The rule – which is old – says\nthat nobody may sing – or hum – here.",
    ):
        assert not any(shape is Shape.ITEM for shape, _ in cut(text))


def test_notes_of_when_a_provision_was_changed_are_not_quoted():
    text = (
        "① 대여는 다음 각 호의 물품으로 한다. <개정 2013.12.24, 2015.12.15>\n\n  1. 우산 <신설 2020.1.1>\n  2. 책\n\n"
        "반납은 3일 안에 한다. <개정 2010.6.4> <신설 2011.1.1>\n[전문개정 2011.1.1]\n\n"
        "<개정 2012.2.1>\n\n금액은 <별표>와 같다."
    )
    assert [piece for _, piece in cut(text)] == [
        "① 대여는 다음 각 호의 물품으로 한다.", "1. 우산", "2. 책", "반납은 3일 안에 한다.", "금액은 <별표>와 같다.",
    ]  # fmt: skip
    assert cut("<개정 1>" * 5000 + "끝.") and cut("끝." + "<개정 1>" * 5000) == [(Shape.SENTENCE, "끝.")]


def test_an_item_that_is_code_alone_is_that_code():
    assert cut("- One way:\n- ```sh\n  row\n  ```\n\n  It does the same as:\n\n  ```\n  scull\n  ```") == [
        (Shape.ITEM, "- One way:"),
        (Shape.CODE, "```sh\n  row\n  ```"),
        (Shape.SENTENCE, "It does the same as:"),
        (Shape.CODE, "```\n  scull\n  ```"),
    ]
    assert cut("- ```row``` or scull") == [(Shape.ITEM, "- ```row``` or scull")]


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_passage_that_is_mostly_code_keeps_the_text_around_it_apart(fence):
    text = f"### Sources\nThe sources are given away as well.\n\n{fence}\nmake dist\n{fence}"
    assert [shape for shape, _ in cut(text, category=Category.CODE)] == [Shape.HEADING, Shape.SENTENCE, Shape.CODE]


def test_the_line_that_names_the_section_is_its_heading():
    text = "4. Payment\n1. Hand in the form.\n2. Wait for Friday."
    assert cut(text, section="Trips > 4. Payment")[0] == (Shape.HEADING, "4. Payment")
    assert cut(text, section="Trips")[0] == (Shape.ITEM, "4. Payment")


def test_rows_know_their_header_and_all_know_their_heading():
    text = "## Limits\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two"
    heading, head, row, one, _ = units_of(block(1, text).passage)
    assert row.header == 1 and head.header == -1
    assert {unit.heading for unit in (head, row, one)} == {0} and heading.heading == -1


@pytest.mark.parametrize(
    "text",
    [
        "배포 가이드\n\n배포는 화, 목 오후에만. 금요일 배포 금지!! (긴급은 승인)\n\n순서\n1) 승인\n2) 머지",
        "Releases\n\nTuesdays only. Never on a Friday!! (urgent: ask)\n\nSteps\n1) Approve\n2) Merge",
    ],
)
def test_a_line_of_several_sentences_is_no_heading(text):
    assert [shape for shape, _ in cut(text)][:3] == [Shape.HEADING, Shape.SENTENCE, Shape.SENTENCE]


def test_a_line_with_nothing_of_its_own_below_it_is_told_and_a_section_is_not():
    notes = "주차는 총무팀에 신청\n\n식대는 12,000원\n\n명함은 포털에서 신청"
    assert {shape for shape, _ in cut(notes)} == {Shape.SENTENCE}
    assert cut("모르는 건 버디한테\n\n## 첫날\n\n1. 출입카드")[0][0] is Shape.SENTENCE
    path = "Profiles > Default profiles > dev"
    assert [shape for shape, _ in cut("Default profiles\n\ndev\n\nFor debugging.", section=path)][:2] == [
        Shape.HEADING, Shape.HEADING,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["Opening hours\n\nWe open at nine.", "**Opening hours**\nWe open at nine."])
def test_a_short_line_of_its_own_is_a_heading(text):
    assert [shape for shape, _ in cut(text)] == [Shape.HEADING, Shape.SENTENCE]


WRAPPED = "The key is kept for a day in the\nVault of the team, and is then\nreplaced."
ADDRESS = "[the page of the team](https://docs.example.com/" + "a-long-way-down/" * 10 + ")"


@pytest.mark.parametrize(
    "text", [WRAPPED, WRAPPED.replace("key", f"key of {ADDRESS}"), WRAPPED.replace(" ", " x" * 40)]
)
def test_a_sentence_goes_on_in_the_next_line_however_wide_the_lines_are(text):
    assert cut(text) == [(Shape.SENTENCE, text)]


def test_short_lines_among_wide_ones_end_where_they_end():
    text = "Opening hours\nMonday 9 to 5\nWe are closed on the days before and after a public holiday, and in May"
    assert [piece for _, piece in cut(text)] == text.split("\n")


@given(st.text(alphabet="ab .\n#-*|`1)다?\t", max_size=80))
def test_units_are_in_order_and_lose_no_word(text):
    units = units_of(block(1, text).passage)
    assert all(one.end <= other.start for one, other in pairwise(units))
    kept = "".join(text[unit.start : unit.end] for unit in units)
    assert kept.count("a") == text.count("a") and kept.count("b") == text.count("b")

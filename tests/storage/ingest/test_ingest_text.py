import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.types import Category
from storage.ingest.formats import text as plain
from storage.ingest.parsed import Extracted
from storage.ingest.passages import LONGEST, build
from tests.storage.ingest.memory import read, sections, written


def test_paragraphs_titles_and_lists(tmp_path):
    content = "Handbook\n========\n\nFirst paragraph,\nsecond line.\n\nDays\n----\n- one\n- two\n\nThe end.\n"
    document = read(written(tmp_path / "a.txt", content))
    assert document.title == "Handbook"
    assert sections(document) == [
        ("Handbook", "Handbook\n========\n\nFirst paragraph,\nsecond line."),
        ("Handbook > Days", "Days\n----\n- one\n- two\n\nThe end."),
    ]
    assert document.passages[1].category is Category.LIST


def test_korean_chapters_are_headings(tmp_path):
    content = "제1장 총칙\n제1조(목적) 이 규정은 휴가를 정한다.\n\n제2장 휴가\n제7조(연차휴가) 15일로 한다.\n"
    document = read(written(tmp_path / "rule.txt", content))
    assert [section for section, _ in sections(document)] == [
        "제1장 총칙 > 제1조(목적)",
        "제2장 휴가 > 제7조(연차휴가)",
    ]
    assert document.language == "ko"
    assert "제7조" in document.passages[1].entities


def test_a_long_paragraph_is_cut_between_sentences(tmp_path):
    sentence = "This sentence is one of very many that follow each other without a break. "
    document = read(written(tmp_path / "a.txt", sentence * 100))
    assert len(document.passages) > 4
    assert all(passage.text.endswith("break.") and passage.text.startswith("This") for passage in document.passages)
    assert all(len(passage.text) <= LONGEST for passage in document.passages)


def test_a_blob_without_any_break_is_cut_all_the_same(tmp_path):
    document = read(written(tmp_path / "a.txt", "가" * 10_000))
    assert "".join(passage.text for passage in document.passages) == "가" * 10_000
    assert all(len(passage.text) <= LONGEST for passage in document.passages)


def test_the_first_line_is_the_title_where_it_stands_as_one(tmp_path):
    content = "Starting the kiln\n\nTurn the red valve and wait until the fan is heard.\n"
    assert read(written(tmp_path / "kiln-07.txt", content)).title == "Starting the kiln"
    wrapped = "This page tells everybody how we\nstart the kiln in the morning, and who does.\n\nThe end of it.\n"
    assert read(written(tmp_path / "wrapped.txt", wrapped)).title == "wrapped"
    fields = "전체회의 2025년 3월 18일 2층\n참석: 한서윤, 이도현, 정유나, 윤가람, 박선우\n\n당직을 정했다.\n"
    document = read(written(tmp_path / "minutes.txt", fields))
    assert (document.title, document.date) == ("전체회의 2025년 3월 18일 2층", "2025-03-18")


def test_the_first_of_many_questions_is_the_title_of_none_of_the_others(tmp_path):
    asked = "Q. 주차 되나요?\nA. 두 시간은 무료입니다.\n\nQ. 락커는요?\nA. 한 달 10,000원입니다.\n"
    document = read(written(tmp_path / "질문모음.txt", asked))
    assert document.title == "질문모음"
    assert [section for section, _ in sections(document)] == ["Q. 주차 되나요?", "Q. 락커는요?"]
    marked = "## Where do I park?\n\nIn the yard.\n\n## Is there a locker?\n\nYes, in the hall.\n"
    assert read(written(tmp_path / "faq.md", marked)).title == "faq"
    one = "# Where do I park?\n\nIn the yard.\n\n## Bicycles\n\nIn the hall.\n"
    assert read(written(tmp_path / "park.md", one)).title == "Where do I park?"


def test_the_first_of_lines_with_labels_is_no_heading_of_the_others(tmp_path):
    document = read(
        written(tmp_path / "a.txt", "난이도\n\n하양: V0\n노랑: V1\n파랑: V3~V4\n\n처음 오신 분은 하양부터 하세요.\n")
    )
    assert document.title == "난이도" and {section for section, _ in sections(document)} == {"난이도"}


def test_short_lines_over_what_they_name_are_headings(tmp_path):
    content = (
        "가마 안내문\n\n예약 취소\n예약은 사흘 전까지 취소하면 모두 돌려드립니다.\n\n"
        "굽고 나서\n- 하루는 열지 마세요\n- 장갑을 끼세요\n\n"
        "How hot is it?\nIt is as hot as it can be in there.\n"
    )
    assert [section for section, _ in sections(read(written(tmp_path / "a.txt", content)))] == [
        "가마 안내문 > 예약 취소",
        "가마 안내문 > 굽고 나서",
        "가마 안내문 > How hot is it?",
    ]


def test_numbered_lines_over_points_are_headings_and_those_alone_are_a_list(tmp_path):
    content = "회의록\n\n1. 당직\n - 수당을 올린다\n - 다음날은 늦게 온다\n2. 장비\n - 새로 산다\n"
    found = sections(read(written(tmp_path / "a.txt", content)))
    assert [section for section, _ in found] == ["회의록 > 1. 당직", "회의록 > 2. 장비"]
    (one,) = sections(read(written(tmp_path / "b.txt", "Steps\n\n1. Open it.\n2. Wait.\n3. Close it.\n")))
    assert one[0] == "Steps"


@pytest.mark.parametrize("gap", ["", "\n"])
def test_numbered_lines_over_text_are_headings(tmp_path, gap):
    content = (
        f"Kiln duty\n\n1. Who is on duty\n{gap}The person whose name stands on the door, and nobody else here.\n\n"
        f"2. Keys\n{gap}They hang beside the sink; whoever takes them writes it down before going to the kiln.\n"
    )
    found = sections(read(written(tmp_path / "a.txt", content)))
    assert [section for section, _ in found] == ["Kiln duty > 1. Who is on duty", "Kiln duty > 2. Keys"]


@pytest.mark.parametrize(
    "content",
    [
        "Steps\n\n1. Open the door\n\n2. Wait\n\nThen go home, and be sure that nobody is left inside.\n",
        "Steps\n\n1. Open the door with the key that hangs\n   beside it.\n2. Wait.\n",
        "Steps\n\n1. Bring the form\nand your card to the desk on the second floor of the house\n2. Wait.\n",
    ],
)
def test_numbered_lines_that_go_on_in_each_other_are_a_list(tmp_path, content):
    assert [section for section, _ in sections(read(written(tmp_path / "a.txt", content)))] == ["Steps"]


def test_the_first_of_a_few_lines_that_are_no_sentences_is_the_title(tmp_path):
    document = read(written(tmp_path / "a.txt", "KILN DUTY IN THE HOUSE\nVersion 3, April 2026\n\nIt is hot.\n"))
    assert document.title == "KILN DUTY IN THE HOUSE"
    assert "Version 3, April 2026" in document.passages[0].text
    assert read(written(tmp_path / "c.txt", "The kiln\nIt is very hot.\nCome.\n\nIt is hot.\n")).title == "The kiln"


_TEXT = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
        st.text("가나 ab.!?", min_size=500, max_size=1500),
        st.sampled_from(
            [
                "\n\n",
                "\n",
                "\r\n",
                "\r",
                "===",
                "---",
                "- a",
                "\n  - c",
                "\n\nAb: ",
                "1. b",
                "제1장 총칙",
                "\x0b",
                "\u2028",
                "   ",
            ]
        ),
    ),
    max_size=25,
).map("".join)


@given(text=_TEXT)
def test_nothing_is_lost_and_nothing_is_changed(text):
    passages = build(Extracted(text=text, elements=plain.elements_of(text, titled=True)))
    at = 0
    for passage in passages:
        found = text.index(passage.text, at)
        assert not text[at:found].strip()
        at = found + len(passage.text)
    assert not text[at:].strip()


def test_marks_of_parts_head_what_is_below_them(tmp_path):
    head = "가마 이용 수칙\n  공방팀 (2024. 6. 시행)\n"
    text = f"{head}Ⅰ. 예약\n 1. 하루 전에 한다.\n 2. 한 번에 한 칸이다.\n\n■ 청소\n재를 비운다.\n"
    assert [section for section, _ in sections(read(written(tmp_path / "a.txt", text)))] == [
        "가마 이용 수칙", "가마 이용 수칙 > Ⅰ. 예약", "가마 이용 수칙 > ■ 청소",
    ]  # fmt: skip


def test_a_numbered_line_heads_points_of_any_mark(tmp_path):
    text = "가마 지침\n\n1. 현황\n  ○ 본관 : 두 대\n  ○ 별관 : 한 대\n\n2. 절차\n  ① 신청한다\n  ② 기다린다\n"
    places = [section for section, _ in sections(read(written(tmp_path / "a.txt", text)))]
    assert places[-2:] == ["가마 지침 > 1. 현황", "가마 지침 > 2. 절차"]


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("1. 준비\n   장갑과 모자를 챙긴다.\n\n2. 약품\n   락스는 물에 타서 쓴다.\n", ["1. 준비", "2. 약품"]),
        (
            "○ 가마 예열\n  - 한 시간 동안 천천히 올린다.\n○ 재 비우기\n  - 식은 다음에 비운다.\n",
            ["○ 가마 예열", "○ 재 비우기"],
        ),
        ("Glaze room\n  Open on weekdays until six in the evening.\n", ["Glaze room"]),
        ("1. Gloves\n   Put them on before anything else.\n2. Wash hands\n3. Go home\n", []),
        ("- clay\n  - red clay from the pit\n- sand\n  - river sand\n", []),
    ],
)
def test_lines_that_all_stand_over_what_is_further_in_are_headings(tmp_path, text, heads):
    found = sections(read(written(tmp_path / "a.txt", f"Kiln house rules\n\n{text}")))
    assert [section.partition(" > ")[2] for section, _ in found if " > " in section] == heads


def test_notes_that_begin_with_what_they_are_about_are_found_by_it(tmp_path):
    text = "Kiln meeting of May\n\nClay: two tons are ordered.\n\nParty: on 20 June.\n\nKeys: with Ann.\n"
    found = sections(read(written(tmp_path / "a.txt", text)))
    assert [section.partition(" > ")[2] for section, _ in found] == ["Clay", "Party", "Keys"]
    assert "Clay: two tons are ordered." in " ".join(found[0][1].split())


@pytest.mark.parametrize(
    "text",
    [
        "Ann: who has the key?\n\nBob: not me.\n\nAnn: then Carl has.\n",  # people talk
        "Q1: Who has the key?\n\nA1: Ann.\n\nQ2: Who else?\n\nA2: Nobody.\n",
        "Step 1: open it.\n\nStep 2: wait.\n\nStep 3: close it.\n",
        "Clay: two tons are ordered.\n\nThe kiln is cold.\n\nIt will be mended.\n\nAnn went home.\n",
    ],
)
def test_what_only_some_lines_or_several_alike_begin_with_is_no_heading(tmp_path, text):
    assert [section for section, _ in sections(read(written(tmp_path / "a.txt", f"Talk\n\n{text}")))] == ["Talk"]


def test_who_wrote_a_mail_is_neither_its_title_nor_a_heading(tmp_path):
    text = "From: Ann Reed\nTo: all\n\nThe kiln is cold.\n\n> From: Bob Lee\n> May I open it?\n\nYes.\n"
    document = read(written(tmp_path / "mail-of-may.txt", text))
    assert document.title == "mail-of-may" and [section for section, _ in sections(document)] == [""]


def test_what_a_block_of_many_lines_takes_grows_with_its_lines():
    def work(lines):
        text = "\n".join(f"{n}. Line of a log\n    what it says" for n in range(lines)).encode()
        done = Counter[str]()
        sys.setprofile(lambda frame, event, given: done.update([event]))
        try:
            plain.extract(text)
        finally:
            sys.setprofile(None)
        return done.total()

    assert work(800) < 3 * work(400)

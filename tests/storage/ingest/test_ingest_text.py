from hypothesis import given, settings
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
    assert [section for section, _ in sections(document)] == ["제1장 총칙", "제2장 휴가"]
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


_TEXT = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
        st.text("가나 ab.!?", min_size=500, max_size=1500),
        st.sampled_from(
            ["\n\n", "\n", "\r\n", "\r", "===", "---", "- a", "1. b", "제1장 총칙", "\x0b", "\u2028", "   "]
        ),
    ),
    max_size=25,
).map("".join)


@settings(max_examples=200, deadline=None)
@given(text=_TEXT)
def test_nothing_is_lost_and_nothing_is_changed(text):
    passages = build(Extracted(text=text, elements=plain.elements_of(text)))
    at = 0
    for passage in passages:
        found = text.index(passage.text, at)
        assert not text[at:found].strip()
        at = found + len(passage.text)
    assert not text[at:].strip()

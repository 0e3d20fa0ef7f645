"""The parts of the document team by themselves: the topic, names, values, and Markdown as a Word file."""

import datetime as dt
import io
import zipfile

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.packs.template import FieldSpec
from agent.teams.document.docx import to_docx
from agent.teams.document.team import stem_of, title_of, topic_of
from agent.teams.document.values import as_told, day, shown
from tests.agent.documents import REQUEST

DAY = dt.date(2026, 11, 21)


@pytest.mark.parametrize(
    ("order", "told", "topic"),
    [
        ("Draft the reply to Kim about her parental leave", ["Kim"], "parental leave"),
        ("Write a letter to Dr Park that explains the notice period.", ["Dr Park"], "notice period"),
        ("draft a summary of our travel rules with sources", [], "travel rules"),
        ("write my parental leave request from 3 March 2027 until 31 May", [], "parental leave"),
        ("prepare a memo", [], ""),
        ("육아휴직 문의 답장 초안 써줘", [], "육아휴직 문의"),
        ("김민지 님께 보낼 연차 문의 답변 메일을 작성해줘", ["김민지 님"], "연차 문의 답변"),
        ("출장 규정을 요약한 문서를 만들어 줘", [], "출장 규정"),
        ("2027년 3월 1일부터 육아휴직 신청서를 써줘", [], "육아휴직"),
        ("2027-03-01부터 2027.5.31까지 육아휴직 신청서를 써줘", [], "육아휴직"),
        ("보고서 써줘", [], ""),
    ],
)
def test_the_topic_is_what_an_order_is_about(order, told, topic):
    assert topic_of(order, told) == topic


@given(st.text(max_size=400))
def test_any_text_has_a_topic_within_bounds(text):
    assert len(topic_of(text, [text[:5]])) <= 160


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Reply: parental leave", "Reply-parental-leave"),
        ("답장: 육아휴직", "답장-육아휴직"),
        ("../../etc/passwd", "etc-passwd"),
        ("???", "document"),
        ("x" * 300, "x" * 60),
    ],
)
def test_names_of_files_come_from_the_title(title, stem):
    assert stem_of(title) == stem


def test_a_title_says_what_it_is_about_once():
    assert title_of(REQUEST, "parental leave", "en") == "Leave request: parental leave"
    assert title_of(REQUEST, "leave request", "en") == "Leave request"
    assert title_of(REQUEST, "", "ko") == "휴가 신청서" and len(title_of(REQUEST, "word " * 99, "en")) <= 100


@pytest.mark.parametrize(
    ("date", "english", "korean"),
    [
        ("2027-03-05", "5 March 2027", "2027년 3월 5일"),
        ("03-05", "5 March", "3월 5일"),
        ("2027-03", "March 2027", "2027년 3월"),
        ("2027", "2027", "2027년"),
        ("next spring", "next spring", "next spring"),
        ("2027-13-05", "2027-13-05", "2027-13-05"),
    ],
)
def test_a_date_is_shown_in_words_and_anything_else_as_it_is(date, english, korean):
    assert (day(date, "en"), day(date, "ko")) == (english, korean)


def field(**more) -> FieldSpec:
    return FieldSpec.model_validate({"name": "f", "title": {"en": "F", "ko": "에프"}, **more})


def test_values_are_kept_as_texts_and_shown_in_the_documents_language():
    money = field(type="number", units={"원": 1, "만원": 10000})
    assert as_told({"f": 3500000}, [money]) == {"f": "3,500,000원"}
    days = field(type="list", choices=[{"value": "Monday", "names": ["월요일"]}])
    assert shown(as_told({"f": ["Monday"]}, [days])["f"], days, "ko") == ("월요일",)
    assert as_told({"f": None}, [days]) == {} and as_told({"f": []}, [days]) == {} and as_told({}, [days]) == {}


# --- Word

MARKDOWN = """\
# Reply 답장

Hello **bold *both*** and `code`, [link](https://example.org/a) [bad](javascript:alert(1)) \\<b\\> <b>raw</b>

1. one
2. two
   - nested

     more

Between.

3. three
4. four

> quoted

```
code 1
  code 2
```

| A | B |
|---|---|
| 1 | **둘** |

---

휴가는 20일입니다.
"""


def opened(markdown=MARKDOWN, language="ko"):
    return docx.Document(io.BytesIO(to_docx(markdown, title="답장", language=language, at=DAY)))


def part(name: str, markdown=MARKDOWN) -> str:
    data = to_docx(markdown, title="답장", language="ko", at=DAY)
    return zipfile.ZipFile(io.BytesIO(data)).read(name).decode()


def test_markdown_becomes_what_word_knows():
    made = opened()
    styles = [(p.style.name, p.text) for p in made.paragraphs if p.text]
    assert styles[0] == ("Heading 1", "Reply 답장") and ("Quote", "quoted") in styles
    assert [text for style, text in styles if style == "List Number"] == ["one", "two", "three", "four"]
    assert ("List Bullet 2", "nested") in styles and ("List Continue 2", "more") in styles
    runs = {run.text: run for run in made.paragraphs[1].runs}
    assert runs["bold "].bold and not runs["bold "].italic and runs["both"].bold and runs["both"].italic
    assert runs["code"].font.name == "Consolas" and ("No Spacing", "code 1\n  code 2") in styles
    (table,) = made.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [["A", "B"], ["1", "둘"]]
    assert table.rows[0].cells[0].paragraphs[0].runs[0].bold
    links = made.paragraphs[1].hyperlinks
    assert [(link.text, link.address) for link in links] == [("link", "https://example.org/a")]
    assert "<b> <b>raw</b>" in made.paragraphs[1].text


def test_a_list_begins_where_it_says():
    numbers = {p.text: p._p.pPr.numPr.numId.val for p in opened().paragraphs if p.style.name == "List Number"}
    assert numbers["one"] == numbers["two"] != numbers["three"] == numbers["four"]
    assert 'w:startOverride w:val="3"' in part("word/numbering.xml")


def test_the_page_the_properties_and_the_fonts():
    made = opened()
    page = made.sections[0]
    assert (round(page.page_width.mm), round(page.page_height.mm)) == (210, 297)
    known = made.core_properties
    assert (known.title, known.author, known.language) == ("답장", "Weft", "ko-KR") and known.created.date() == DAY
    styles = part("word/styles.xml")
    defaults = styles[styles.index("<w:rPrDefault>") : styles.index("</w:rPrDefault>")]
    assert 'w:eastAsia="Malgun Gothic"' in defaults and 'w:ascii="Calibri"' in defaults and 'w:val="ko-KR"' in defaults
    assert "asciiTheme" not in styles and "eastAsiaTheme" not in styles
    assert {run.font.name for p in made.paragraphs for run in p.runs} == {None, "Consolas"}


def test_the_same_text_gives_the_same_bytes():
    assert to_docx(MARKDOWN, title="T", language="en", at=DAY) == to_docx(MARKDOWN, title="T", language="en", at=DAY)


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet=st.characters(codec=None), max_size=120))
def test_no_text_breaks_the_file(text):
    made = opened(text)
    assert made.element.body is not None


@pytest.mark.parametrize("text", ["\x00\x0b\ud800\ufffe", "> " * 50 + "deep", "- " * 40 + "deep", "|a|\n|-|\n" * 5, ""])
def test_odd_texts_make_a_file_all_the_same(text):
    assert opened(text).core_properties.author == "Weft"

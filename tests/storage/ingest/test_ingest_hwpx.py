import pytest

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.parsed import Limits
from tests.storage.ingest.hwpx_files import (
    BULLET,
    CONTENTS,
    EIGHTH,
    FIRST,
    HEADING,
    NUMBERED,
    NUMBERED_BELOW,
    SECOND,
    TITLE,
    about,
    box,
    hwpx,
    note,
    p,
    t,
    table,
)
from tests.storage.ingest.memory import read, sections, written
from tests.storage.ingest.office_files import zipped


def text(path):
    return "\n\n".join(part for _, part in sections(read(path)))


def test_headings_paragraphs_and_lists_with_their_numbers(tmp_path):
    path = hwpx(
        tmp_path / "a.hwpx",
        p("휴가 규정", style=TITLE)
        + p("총칙 ..... 1", style=CONTENTS)
        + p("총칙", FIRST)
        + p("이 규정은 모두에게 적용한다.")
        + p("목적", SECOND)
        + p("휴가를 정한다.", SECOND)
        + p("정의", style=HEADING)
        + p("쉬는 날을 말한다.")
        + p("휴가", FIRST)
        + p("연차", NUMBERED)
        + p("첫 해", NUMBERED_BELOW)
        + p("다음 해", NUMBERED_BELOW)
        + p("병가", NUMBERED)
        + p("진단서", BULLET)
        + p("따로 정한다", EIGHTH),
    )
    document = read(path)
    assert document.title == "휴가 규정"
    assert sections(document) == [
        ("휴가 규정 > I. 총칙", "휴가 규정\n\nI. 총칙\n\n이 규정은 모두에게 적용한다."),
        ("휴가 규정 > I. 총칙 > I.1) 목적", "I.1) 목적\n\nI.2) 휴가를 정한다."),
        ("휴가 규정 > I. 총칙 > 정의", "정의\n\n쉬는 날을 말한다."),
        (
            "휴가 규정 > II. 휴가",
            "II. 휴가\n\n제3조 연차\n  가. 첫 해\n  나. 다음 해\n제4조 병가\n- 진단서\n\n따로 정한다",
        ),
    ]


def test_merged_cells_stay_under_their_columns_and_are_told_in_every_row(tmp_path):
    rows = [
        [(0, 1, 2, "구분"), (1, 2, 1, "연차")],
        [(1, 1, 1, "1년차"), (2, 1, 1, "2년차")],
        [(0, 1, 2, "정규직"), (1, 1, 1, "11"), (2, 1, 1, "15")],
        [(1, 1, 1, "0"), (2, 1, 1, p("1") + p(table([[(0, 1, 1, "a"), (1, 1, 1, "b")]])))],
    ]
    caption = f"<hp:caption>{box('표 1. 일수')}</hp:caption>"
    path = hwpx(tmp_path / "a.hwpx", p(t("다음과 같다.") + table(rows, caption, header=True)))
    document = read(path)
    assert text(path) == (
        "다음과 같다.\n\n표 1. 일수\n\n| 구분 | 연차 1년차 | 연차 2년차 |\n| --- | --- | --- |\n| 정규직 | 11 | 15 |\n"
        "| 정규직 | 0 | 1 a b |"
    )
    assert document.passages[0].category is Category.TABLE


def test_a_table_of_one_cell_is_a_frame_around_its_paragraphs(tmp_path):
    path = hwpx(tmp_path / "a.hwpx", p(table([[(0, 1, 1, p("총칙", FIRST) + p("하나.") + p("둘", BULLET))]])))
    assert text(path) == "I. 총칙\n\n하나.\n\n- 둘"


def test_boxes_notes_captions_and_equations_follow_their_paragraph(tmp_path):
    number = '<hp:ctrl><hp:autoNum num="2" numType="PICTURE"/></hp:ctrl>'
    comment = "그림입니다.\n원본 그림의 이름: a.png\n원본 그림의 크기: 가로 10pixel, 세로 10pixel"
    path = hwpx(
        tmp_path / "a.hwpx",
        p(
            t("값은")
            + "<hp:equation><hp:shapeComment>수식입니다.</hp:shapeComment>"
            + "<hp:script>{a} over {b}</hp:script></hp:equation>"
            + t("이다.")
            + note("둘째 해부터.")
            + note("끝에 적는다.", "endNote")
        )
        + p(f"<hp:rect><hp:drawText>{box('상자 안.')}</hp:drawText></hp:rect>")
        + p(f"<hp:container><hp:ellipse><hp:drawText>{box('묶음 안.')}</hp:drawText></hp:ellipse></hp:container>")
        + p(f"<hp:pic><hp:caption>{box(p(t('그림 ') + number + t(' 배치도')))}</hp:caption></hp:pic>")
        + p(f"<hp:pic><hp:shapeComment>{comment}</hp:shapeComment></hp:pic>")
        + p("<hp:pic><hp:shapeComment>3층 평면도</hp:shapeComment></hp:pic>"),
    )
    assert text(path) == (
        "값은 {a} over {b} 이다.\n\n둘째 해부터.\n\n끝에 적는다.\n\n상자 안.\n\n묶음 안.\n\n그림 2 배치도\n\n3층 평면도"
    )


def test_page_headers_comments_and_what_was_deleted_are_left_out(tmp_path):
    path = hwpx(
        tmp_path / "a.hwpx",
        p(
            f"<hp:ctrl><hp:header>{box('머리말')}</hp:header></hp:ctrl>"
            f"<hp:ctrl><hp:footer>{box('꼬리말')}</hp:footer></hp:ctrl>"
            f"<hp:ctrl><hp:hiddenComment>{box('숨은 설명')}</hp:hiddenComment></hp:ctrl>"
            f'<hp:ctrl><hp:fieldBegin type="MEMO">{box("메모")}</hp:fieldBegin></hp:ctrl>'
            '<hp:t>금액은<hp:tab/><hp:deleteBegin Id="1"/>백만<hp:deleteEnd Id="1"/>'
            '<hp:insertBegin Id="2"/>이백만<hp:insertEnd Id="2"/> 원<hp:lineBreak/>이다.</hp:t>'
            '<hp:ctrl><hp:fieldEnd beginIDRef="1"/></hp:ctrl>'
        )
        + p('<hp:t>남는다. <hp:deleteBegin Id="3"/>사라진다.</hp:t>')
        + p(table([[(0, 1, 1, "사라진"), (1, 1, 1, "표")]]) + t('이것도<hp:deleteEnd Id="3"/> 다시 남는다.'))
        + p('<hp:t>끝<hp:deleteBegin Id="9"/>까지 남는다.</hp:t>'),
    )
    assert text(path) == "금액은\t이백만 원\n이다.\n\n남는다.\n\n다시 남는다.\n\n끝까지 남는다."


def test_title_and_date_are_those_of_the_properties(tmp_path):
    described = about("휴가 규정", modified="2025-05-06T01:02:03Z", created="2024-01-02T00:00:00Z")
    document = read(hwpx(tmp_path / "a.hwpx", p("내용이다."), about=described))
    assert (document.title, document.date) == ("휴가 규정", "2025-05-06")
    assert read(hwpx(tmp_path / "b.hwpx", p("내용"), about=about(created="2024-01-02T00:00:00Z"))).date == "2024-01-02"
    template = about(modified="2025-09-17T04:33:13Z")
    assert read(hwpx(tmp_path / "c.hwpx", p("내용"), about=template)).date == ""
    assert read(hwpx(tmp_path / "d.hwpx", p("내용"), about="<broken")).title == "d"


def test_sections_are_read_in_their_order(tmp_path):
    path = hwpx(tmp_path / "a.hwpx", *(p(f"부분 {at}.") for at in range(11)))
    assert text(path).split("\n\n") == [f"부분 {at}." for at in range(11)]


def test_it_is_known_by_its_content_whatever_its_name(tmp_path):
    path = hwpx(tmp_path / "a.docx", p("이름만 다르다."))
    assert text(path) == "이름만 다르다."
    assert text(written(tmp_path / "b.hwp", path.read_bytes())) == "이름만 다르다."


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"mimetype": "application/hwp+zip"}, "it has no section"),
        ({"mimetype": "application/hwp+zip", "Contents/section0.xml": "<a/>"}, "no text"),
        ({"mimetype": "application/hwp+zip", "Contents/section0.xml": "<a>"}, "cannot be read as HWPX"),
        ({"mimetype": "application/hwp+zip", "Contents/section0.xml": "<a>" * 300 + "</a>" * 300}, "HWPX"),
        (
            {
                "mimetype": "application/hwp+zip",
                "META-INF/manifest.xml": "<odf:manifest><odf:encryption-data/></odf:manifest>",
                "Contents/section0.xml": b"\x01\x02",
            },
            "encrypted; save it without a password",
        ),
    ],
)
def test_what_is_broken_or_encrypted_is_refused_with_a_reason(tmp_path, parts, reason):
    with pytest.raises(RefusedFileError, match=reason):
        read(zipped(tmp_path / "a.hwpx", parts))


def test_entities_are_never_looked_up_and_a_bomb_is_refused(tmp_path):
    secret = written(tmp_path / "secret.txt", "swordfish")
    section = (
        f'<!DOCTYPE a [<!ENTITY e SYSTEM "file://{secret}">]>'
        '<a xmlns:hp="x"><hp:p><hp:run><hp:t>앞 &e; 뒤</hp:t></hp:run></hp:p></a>'
    )
    path = zipped(tmp_path / "a.hwpx", {"mimetype": "application/hwp+zip", "Contents/section0.xml": section})
    assert text(path) == "앞 뒤"
    with pytest.raises(RefusedFileError, match="it unpacks to"):
        read(hwpx(tmp_path / "b.hwpx", p("가" * 100_000)), Limits(document_bytes=50_000))


def test_a_table_that_claims_to_be_endless_is_as_large_as_it_is(tmp_path):
    rows = [[(0, 99_999_999, 99_999_999, "a"), (99_999_999, 1, 1, "b")], [(5, 1, 1, "c")]]
    table_read = text(hwpx(tmp_path / "a.hwpx", p(table(rows))))
    assert table_read.split() == "| a | b | | --- | --- | | a | c |".split()

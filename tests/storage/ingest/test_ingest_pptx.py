import datetime

import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.parsed import Limits
from tests.storage.ingest.memory import read, sections
from tests.storage.ingest.office_files import BLANK, TITLE_AND_BODY, TITLE_ONLY, deck, picture, saved, slide


def test_a_slide_is_a_page_with_its_title_lists_and_notes(tmp_path):
    presentation = deck()
    frame = slide(presentation, TITLE_AND_BODY, "First week").placeholders[1].text_frame
    frame.text = "Laptop on day one"
    for text, level in (("VPN access", 1), ("Meet your buddy", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    presentation.slides[0].notes_slide.notes_text_frame.text = "The badge office closes at 16:00."
    slide(presentation, TITLE_AND_BODY, "둘째 주").placeholders[1].text = "보안 교육을 받습니다."
    presentation.core_properties.modified = datetime.datetime(2025, 3, 4, 9)
    document = read(saved(presentation, tmp_path / "start.pptx"))
    assert (document.title, document.date, document.metadata) == ("First week", "2025-03-04", {"slides": 2})
    assert sections(document) == [
        (
            "First week",
            "First week\n\n- Laptop on day one\n  - VPN access\n- Meet your buddy\n\nThe badge office closes at 16:00.",
        ),
        ("둘째 주", "둘째 주\n\n보안 교육을 받습니다."),
    ]
    assert [(each.page, each.category, each.language) for each in document.passages] == [
        (1, Category.LIST, "en"),
        (2, Category.PARAGRAPH, "ko"),
    ]


def test_tables_charts_and_groups_are_read_and_a_slide_without_a_title_has_no_section(tmp_path):
    presentation = deck()
    table = slide(presentation, TITLE_ONLY, "Benefits").shapes.add_table(3, 2, 0, Inches(2), Inches(4), Inches(2)).table
    for number, text in enumerate(["Benefit", "Amount", "Lunch", "10,000원", "", "$50"]):
        table.cell(number // 2, number % 2).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    blank = slide(presentation, BLANK)
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Sales", (10, 20.5))
    blank.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, Inches(1), Inches(4), Inches(3), data)
    group = blank.shapes.add_group_shape()
    group.shapes.add_textbox(0, Inches(6), Inches(2), Inches(1)).text_frame.text = "In a group"
    document = read(saved(presentation, tmp_path / "a.pptx"))
    assert sections(document) == [
        ("Benefits", "Benefits\n\n| Benefit | Amount |\n| --- | --- |\n| Lunch | 10,000원 |\n| Lunch | $50 |"),
        ("", "|  | Sales |\n| --- | --- |\n| Q1 | 10 |\n| Q2 | 20.5 |\n\nIn a group"),
    ]
    assert [each.page for each in document.passages] == [1, 2]
    assert {each.category for each in document.passages} == {Category.TABLE}


def test_what_a_picture_shows_is_a_figure_and_a_file_name_is_not(tmp_path):
    presentation = deck()
    for text in ("Floor plan: the badge desk is on floor 3", "image1.png", "Picture 4"):
        shape = slide(presentation, BLANK).shapes.add_picture(picture(), 0, 0)
        shape._element._nvXxPr.cNvPr.set("descr", text)
    (passage,) = read(saved(presentation, tmp_path / "a.pptx")).passages
    assert passage.text == "Floor plan: the badge desk is on floor 3"
    assert passage.category is Category.FIGURE


def test_shapes_are_read_from_above_to_below(tmp_path):
    presentation = deck()
    blank = slide(presentation, BLANK)
    for text, left, top in (("last", 0, 5), ("right", 5, 1), ("left", 0, 1)):
        blank.shapes.add_textbox(Inches(left), Inches(top), Inches(1), Inches(1)).text_frame.text = text
    assert read(saved(presentation, tmp_path / "a.pptx")).passages[0].text == "left\n\nright\n\nlast"


def test_too_many_slides_are_refused_with_the_limit(tmp_path):
    presentation = deck()
    for _ in range(3):
        slide(presentation, TITLE_ONLY, "x")
    path = saved(presentation, tmp_path / "a.pptx")
    with pytest.raises(RefusedFileError, match="3 slides; the limit is 2"):
        read(path, Limits(pages=2))


def test_a_presentation_without_text_is_refused(tmp_path):
    presentation = deck()
    slide(presentation, BLANK)
    with pytest.raises(RefusedFileError, match="no text"):
        read(saved(presentation, tmp_path / "a.pptx"))


def test_a_slide_with_a_title_alone_does_not_take_in_the_next_one(tmp_path):
    presentation = deck()
    slide(presentation, TITLE_ONLY, "Part two")
    slide(presentation, BLANK).shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "Untitled words."
    slide(presentation, TITLE_ONLY, "Part three")
    document = read(saved(presentation, tmp_path / "a.pptx"))
    assert [(each.page, each.section, each.text) for each in document.passages] == [
        (1, "Part two", "Part two"),
        (2, "", "Untitled words."),
        (3, "Part three", "Part three"),
    ]
    assert document.passages[0].category is Category.HEADING


def test_a_shape_of_no_known_kind_is_read_by_its_text(tmp_path):
    presentation = deck()
    shape = slide(presentation, BLANK).shapes.add_textbox(0, 0, Inches(1), Inches(1))
    shape.text_frame.text = "Odd one."
    shape._element.spPr.remove(shape._element.spPr.prstGeom)
    shape._element.nvSpPr.cNvSpPr.attrib.clear()
    assert read(saved(presentation, tmp_path / "a.pptx")).passages[0].text == "Odd one."


def test_links_keep_their_addresses(tmp_path):
    presentation = deck()
    box = slide(presentation, BLANK).shapes.add_textbox(0, 0, Inches(4), Inches(1)).text_frame.paragraphs[0]
    for words, address in [("See ", ""), ("the ", "https://a.example/t"), ("form", "https://a.example/t"), (".", "")]:
        run = box.add_run()
        run.text = words
        if address:
            run.hyperlink.address = address
    box.add_line_break()
    box.add_run().text = "Then go."
    (passage,) = read(saved(presentation, tmp_path / "a.pptx")).passages
    assert passage.text == "See [the form](https://a.example/t).\nThen go."

"""What the type and the drawing of a PDF page tell: code, marks of lists, headings, boxes that were written last."""

import io
from collections.abc import Callable

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from agent.types import Category
from storage.ingest.formats import pdf
from storage.ingest.formats.pdf_lines import Line
from storage.ingest.formats.pdf_order import in_order
from storage.ingest.parsed import Extracted, Limits
from storage.ingest.titles import BELOW

Drawn = Callable[[canvas.Canvas], None]
BODY = [
    "Whoever opens the hall in the morning looks at the boats first, then",
    "at the oars, and writes down what is broken before anybody rows out.",
]


def page(draw: Drawn) -> Extracted:
    """Return what is read of a page."""
    out = io.BytesIO()
    sheet = canvas.Canvas(out, pagesize=A4, invariant=True)
    draw(sheet)
    sheet.save()
    return pdf.extract(out.getvalue(), Limits())


def told(draw: Drawn) -> list[tuple[Category, str]]:
    """Return the elements of a page with their texts."""
    read = page(draw)
    return [(each.category, read.text[each.start : each.end]) for each in read.elements]


def write(sheet: canvas.Canvas, y: float, *runs: tuple[str, str], x: float = 72, size: float = 11) -> None:
    """Write a line of several fonts."""
    for font, words in runs:
        sheet.setFont(font, size)
        sheet.drawString(x, y, words)
        x += sheet.stringWidth(words, font, size)


def body(sheet: canvas.Canvas, y: float) -> None:
    """Write two lines of text."""
    for number, line in enumerate(BODY):
        write(sheet, y - 14 * number, ("Helvetica", line))


TEXT = (Category.PARAGRAPH, " ".join(BODY))


def test_what_is_set_in_a_typewriters_letters_is_code():
    def draw(sheet: canvas.Canvas) -> None:
        body(sheet, 800)
        write(sheet, 764, ("Helvetica", "Then run "), ("Courier", "weft ask"), ("Helvetica", " and wait."))
        write(sheet, 740, ("Courier", "for boat in hall:"))
        write(sheet, 726, ("Courier", "look(boat)   # twice"), x=72 + 4 * 6.6)
        body(sheet, 690)

    assert told(draw) == [
        TEXT,
        (Category.PARAGRAPH, "Then run `weft ask` and wait."),
        (Category.CODE, "```\nfor boat in hall:\n    look(boat)   # twice\n```"),
        TEXT,
    ]


def test_code_that_goes_on_in_the_next_line_is_one_piece():
    def draw(sheet: canvas.Canvas) -> None:
        body(sheet, 800)
        write(
            sheet,
            764,
            ("Helvetica", "Whoever wants to see all of it at once starts with "),
            ("Courier", "weft ask --in-"),
        )
        write(
            sheet, 750, ("Courier", "full boats"), ("Helvetica", " and then waits for what is told about each of the ")
        )
        write(sheet, 736, ("Helvetica", "boats."))

    assert told(draw)[1][1].startswith(
        "Whoever wants to see all of it at once starts with `weft ask --in-full boats` and then"
    )


def test_a_document_in_a_typewriters_letters_is_text():
    def draw(sheet: canvas.Canvas) -> None:
        write(sheet, 800, ("Courier", "Whoever opens the hall looks at the boats"))
        write(sheet, 786, ("Courier", "first, then at the oars."))

    assert told(draw) == [
        (Category.PARAGRAPH, "Whoever opens the hall looks at the boats first, then at the oars."),
    ]


def test_dots_that_are_drawn_before_lines_mark_the_items_of_a_list():
    def draw(sheet: canvas.Canvas) -> None:
        body(sheet, 800)
        for number, line in enumerate(["Two oars of ash that are as", "long as the boat is", "A sail"]):
            write(sheet, 760 - 14 * number, ("Helvetica", line), x=90)
            if number != 1:
                sheet.circle(80, 764 - 14 * number, 2, stroke=0, fill=1)

    assert told(draw) == [
        TEXT,
        (Category.LIST, "- Two oars of ash that are as long as the boat is\n- A sail"),
    ]


def test_a_heading_of_two_lines_is_one_and_two_headings_are_two():
    def draw(sheet: canvas.Canvas) -> None:
        write(sheet, 800, ("Helvetica", "What to do with the boats and with the oars"), size=20)
        write(sheet, 776, ("Helvetica", "in the winter months"), size=20)
        body(sheet, 740)
        write(sheet, 690, ("Helvetica", "In spring"), size=20)
        write(sheet, 650, ("Helvetica", "In summer"), size=20)
        body(sheet, 620)

    headings = [text for category, text in told(draw) if category is Category.HEADING]
    assert headings == ["What to do with the boats and with the oars in the winter months", "In spring", "In summer"]


@pytest.mark.parametrize(("line", "is_heading"), [("When it rains", True), ("Never row out when it rains.", False)])
def test_a_short_line_in_bold_that_is_no_sentence_is_a_heading(line, is_heading):
    def draw(sheet: canvas.Canvas) -> None:
        body(sheet, 800)
        write(sheet, 760, ("Helvetica-Bold", line))
        body(sheet, 740)

    category, text = told(draw)[1]
    assert (category is Category.HEADING) == is_heading
    assert text.startswith(line)


def test_what_was_written_last_is_read_where_it_stands():
    def draw(sheet: canvas.Canvas) -> None:
        body(sheet, 800)
        body(sheet, 700)
        write(sheet, 750, ("Courier", "weft ask"))

    assert told(draw) == [TEXT, (Category.CODE, "```\nweft ask\n```"), TEXT]


def test_columns_are_read_one_after_the_other_however_they_begin():
    left = [Line(f"left {y}", 10, y=y) for y in range(700, 600, -14)]
    right = [Line(f"right {y}", 10, y=y) for y in range(705, 605, -14)]
    assert [line.text[0] for line in in_order([*left, *right])] == ["l"] * 8 + ["r"] * 8


def test_words_in_two_fonts_are_parted_only_where_the_page_has_a_space():
    def draw(sheet: canvas.Canvas) -> None:
        write(sheet, 800, ("Helvetica", "Pay "), ("Times-Roman", "1"), ("Helvetica", "00"), ("Times-Roman", " or more"))

    assert told(draw) == [(Category.PARAGRAPH, "Pay 100 or more")]


def test_a_drawing_of_many_lines_is_no_table():
    def draw(sheet: canvas.Canvas) -> None:
        body(sheet, 800)
        for number in range(21_000):
            sheet.rect(72 + number % 300, 100 + number // 300, 8, 8)

    assert told(draw) == [TEXT]


def test_links_that_lead_out_keep_their_addresses_also_over_two_lines():
    def draw(sheet: canvas.Canvas) -> None:
        x = 72.0
        for words, address in [
            ("Whoever travels fills in the ", ""),
            ("travel form", "https://a.example/t"),
            (", and hands it in before the trip to the ", ""),
            ("office of", "https://b.example/o_(1)"),
        ]:
            wide = sheet.stringWidth(words, "Helvetica", 11)
            write(sheet, 800, ("Helvetica", words), x=x)
            if address:
                sheet.linkURL(address, (x, 796, x + wide, 810))
            x += wide
        write(sheet, 786, ("Helvetica", "travels. See https://c.example/s."))
        sheet.linkURL("https://b.example/o_(1)", (72, 782, 72 + sheet.stringWidth("travels", "Helvetica", 11), 796))
        sheet.linkURL("https://c.example/s", (130, 782, 300, 796))

    assert told(draw) == [
        (
            Category.PARAGRAPH,
            "Whoever travels fills in the [travel form](https://a.example/t), and hands it in before the trip to the "
            "[office of travels](https://b.example/o_%281%29). See https://c.example/s.",
        )
    ]


def test_the_outline_of_a_file_tells_the_levels_of_its_headings():
    def draw(sheet: canvas.Canvas) -> None:
        write(sheet, 800, ("Helvetica", "Boats"), size=16)
        sheet.bookmarkPage("a")
        sheet.addOutlineEntry("Boats", "a", level=0)
        write(sheet, 770, ("Helvetica", "SALE TODAY"), size=30)
        body(sheet, 740)
        write(sheet, 690, ("Helvetica", "1.1 Oars"), size=16)
        sheet.bookmarkPage("b")
        sheet.addOutlineEntry("Oars", "b", level=1)
        body(sheet, 660)

    headings = [(each.label, each.level) for each in page(draw).elements if each.category is Category.HEADING]
    assert headings == [("Boats", 1), ("SALE TODAY", BELOW), ("1.1 Oars", 2)]


def test_an_outline_that_names_other_things_is_not_heeded():
    def draw(sheet: canvas.Canvas) -> None:
        write(sheet, 800, ("Helvetica", "Boats"), size=16)
        body(sheet, 770)
        sheet.bookmarkPage("a")
        for title in ("Page one", "Cover"):
            sheet.addOutlineEntry(title, "a", level=0)

    (heading,) = (each for each in page(draw).elements if each.category is Category.HEADING)
    assert heading.level == 1


def test_a_table_of_contents_is_no_text():
    def draw(sheet: canvas.Canvas) -> None:
        body(sheet, 800)
        write(sheet, 760, ("Helvetica", "1.1 Oars . . . . . . . . . . . . . . . . 12"))
        write(sheet, 746, ("Helvetica", "1.2 Sails ........................ xiv"))
        write(sheet, 700, ("Helvetica", "Wait . . . and then row."))

    assert told(draw) == [TEXT, (Category.PARAGRAPH, "Wait . . . and then row.")]


def test_bold_code_is_no_heading():
    def draw(sheet: canvas.Canvas) -> None:
        body(sheet, 800)
        write(sheet, 760, ("Courier-Bold", "row(boat)"))
        body(sheet, 730)

    assert told(draw) == [TEXT, (Category.CODE, "```\nrow(boat)\n```"), TEXT]


def test_words_that_tell_an_address_or_a_part_of_it_are_no_link_beside_it():
    def draw(sheet: canvas.Canvas) -> None:
        write(sheet, 800, ("Helvetica", "Boat (https://a.example/boats/boat) and https://a.example/"))
        write(sheet, 786, ("Helvetica", "oars/all are sites."))
        sheet.linkURL("https://a.example/boats/boat", (72, 796, 250, 810))
        sheet.linkURL("https://a.example/oars/all", (290, 796, 500, 810))
        sheet.linkURL("https://a.example/oars/all", (72, 782, 110, 796))

    assert told(draw)[0][1] == (
        "[Boat](https://a.example/boats/boat) (https://a.example/boats/boat) and https://a.example/ oars/all are sites."
    )

"""Tables of a PDF whose cells are parted by rules: what stands in one cell stays together, however narrow the gaps."""

import io
import itertools
from collections.abc import Callable

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from storage.ingest.formats import pdf
from storage.ingest.parsed import Limits

XS, YS = (72, 120, 230, 340), (700, 670, 630, 600)
"""Columns of 48, 110 and 110 points; rows from above."""


def stroked(page: canvas.Canvas) -> None:
    for x in XS:
        page.line(x, YS[0], x, YS[-1])
    for y in YS:
        page.line(XS[0], y, XS[-1], y)


def boxed(page: canvas.Canvas) -> None:
    for low, high in zip(YS[1:], YS, strict=False):
        for left, right in itertools.pairwise(XS):
            page.rect(left, low, right - left, high - low)


def filled(page: canvas.Canvas) -> None:
    for x in XS:
        for low, high in zip(YS[1:], YS, strict=False):
            page.rect(x, low, 0.8, high - low, stroke=0, fill=1)
    for y in YS:
        page.rect(XS[0], y, XS[-1] - XS[0], 0.8, stroke=0, fill=1)


def open_at_its_sides(page: canvas.Canvas) -> None:
    for x in XS[1:-1]:
        page.line(x, YS[0], x, YS[-1])
    for y in YS:
        page.line(XS[0], y, XS[-1], y)


def page_with(draw: Callable[[canvas.Canvas], None], cells: dict[tuple[int, int], list[str]]) -> str:
    """Return what is read of a page with a line, a table and another line."""
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A4, invariant=True)
    page.setFont("Helvetica", 10)
    page.drawString(72, 760, "The kiln has three levels of heat.")
    draw(page)
    for (row, column), lines in cells.items():
        for number, line in enumerate(lines):
            page.drawString(XS[column] + 2, YS[row] - 12 - 12 * number, line)
    page.drawString(72, 560, "Whoever fires it writes that down.")
    page.save()
    return pdf.extract(out.getvalue(), Limits()).text


CELLS = {
    (0, 0): ["Level"], (0, 1): ["When the kiln is lit"], (0, 2): ["What to do"],
    (1, 0): ["K1"], (1, 1): ["below 600 degrees or", "while it still smokes"], (1, 2): ["watch it from", "outside"],
    (2, 0): ["K2"], (2, 1): ["above 600 degrees here"], (2, 2): ["go away"],
}  # fmt: skip


@pytest.mark.parametrize("draw", [stroked, boxed, filled, open_at_its_sides])
def test_cells_are_what_rules_part(draw):
    assert page_with(draw, CELLS) == (
        "The kiln has three levels of heat.\n\n"
        "| Level | When the kiln is lit | What to do |\n| --- | --- | --- |\n"
        "| K1 | below 600 degrees or while it still smokes | watch it from outside |\n"
        "| K2 | above 600 degrees here | go away |\n\n"
        "Whoever fires it writes that down."
    )


def test_what_reaches_over_several_rows_is_told_in_each():
    def merged(page: canvas.Canvas) -> None:
        stroked(page)

    def without_a_rule(page: canvas.Canvas) -> None:
        for x in XS:
            page.line(x, YS[0], x, YS[-1])
        for y in (YS[0], YS[1], YS[3]):
            page.line(XS[0], y, XS[-1], y)
        page.line(XS[1], YS[2], XS[-1], YS[2])

    cells = {place: lines for place, lines in CELLS.items() if place != (2, 0)}
    assert "| K1 | above 600 degrees here | go away |" in page_with(without_a_rule, cells)
    assert "|  | above 600 degrees here | go away |" in page_with(merged, cells)


def test_a_frame_and_a_drawing_are_no_tables():
    def framed(page: canvas.Canvas) -> None:
        page.rect(60, 540, 400, 240)

    def chart(page: canvas.Canvas) -> None:
        for number in range(5):
            page.line(300, 600 + 20 * number, 500, 600 + 20 * number)
            page.line(300 + 50 * number, 600, 300 + 50 * number, 680)

    def drawing(page: canvas.Canvas) -> None:
        for number in range(2_000):
            page.line(72 + number % 50 * 5, 560, 72 + number % 50 * 5, 580 + number // 50)

    plain = page_with(lambda page: None, {})
    assert [page_with(draw, {}) for draw in (framed, chart, drawing)] == [plain] * 3

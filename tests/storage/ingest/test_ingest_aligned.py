"""Tables of plain text that are lines with their fields below each other."""

import pytest

from agent.types import Category
from storage.ingest.formats.aligned import tabled
from storage.ingest.formats.text import extract

ROTA = "Who is there\n  Mill       Ann Heron, ext. 210    until May\n  Old barn   Ben Goose, ext. 231    until June"


def test_aligned_lines_are_rows():
    found = extract(f"Rota\n\n{ROTA}\n\nElse call the mill.\n".encode())
    told = [(each.category, found.text[each.start : each.end]) for each in found.elements]
    rows = "| Mill | Ann Heron, ext. 210 | until May |\n| Old barn | Ben Goose, ext. 231 | until June |"
    assert (Category.TABLE, rows) in told and (Category.PARAGRAPH, "Else call the mill.") in told


def test_wide_letters_take_two_columns_and_a_long_cell_moves_those_behind_it():
    text = (
        "구분                이전            바뀐 뒤\n"
        "배 대는 값(큰 배)   달마다 190원    달마다 215원\n"
        "창고                320원           347원\n"
        "자리를 비울 때      한 주 뒤부터 하루 50원   사흘 뒤부터 하루 100원"
    )
    told = tabled(text)
    assert "| 구분 | 이전 | 바뀐 뒤 |\n| --- | --- | --- |" in told and "| 창고 | 320원 | 347원 |" in told
    assert "| 자리를 비울 때 | 한 주 뒤부터 하루 50원 | 사흘 뒤부터 하루 100원 |" in told
    moved = "Boat      Old       New\nLong and narrow   12   13\nSail      4         5"
    assert "|" not in tabled(moved)  # the second field tells whether a line is of the table


@pytest.mark.parametrize(
    "text",
    [
        "Room      Seats\n-----     -----\nMill      12\nBarn      none",
        "Room      Seats\nMill      12\nBarn      8",
        "Room\tSeats\nMill\t12\nBarn\t8",
    ],
)
def test_the_first_line_is_a_header_where_it_is_underlined_or_stands_above_figures(text):
    assert "| Room | Seats |\n| --- | --- |\n| Mill | 12 |" in tabled(text)


@pytest.mark.parametrize(
    "text",
    [
        "One sentence.  Another.\nThe next line is not below.  It ends.\nNor is this.  No.",
        "From:      Ann\nTo:        Ben\nSubject:   Herons",
        "$ heron fly    # away\n$ heron land   # here\n$ heron sit    # still",
        "key     = heron\nvalue   = goose\nother   = duck",
        "- Mill     12\n- Barn     8\n- Sea      3",
        "(a)  Mill     12\n(b)  Barn     8\n(c)  Sea      3",
        "| a    | b    |\n| c    | d    |\n| e    | f    |",
        "Mill     12\n\nBarn     8",
        "Mill     12",
    ],
)
def test_other_lines_stay_as_they_are(text):
    assert tabled(text) == text


def test_the_first_row_of_a_table_without_a_header_is_no_heading():
    rows = "Monday             closed\nTuesday to Friday  11.00 - 18.00, later on show days\nSaturday           10.00"
    found = extract(f"WINDOW HOURS\n\n{rows}\n".encode())
    title, table = found.elements
    assert title.label == "WINDOW HOURS" and table.category is Category.TABLE
    assert found.text[table.start :].startswith("| Monday | closed |")

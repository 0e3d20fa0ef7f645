"""Tables out of passages: rows, headers, columns, units, totals."""

from agent.teams.analysis.columns import columns_of
from agent.teams.analysis.table import shown, tables_of, tidy
from agent.types import Block
from tests.agent.analysis import columns, markdown, passage


def blocks(*passages):
    return [Block(n=n, passage=each, score=0.0) for n, each in enumerate(passages, start=1)]


def cells(table):
    return [row.cells for row in table.rows]


def test_a_table_that_goes_on_in_the_next_passages_is_one_and_its_rows_know_their_places():
    head = "| Month | Cost |\n| --- | --- |\n"
    parts = [
        passage("Costs of the year.\n\n" + head + "| Jan | 1 |\n| Feb | 2 |", section="Costs"),
        passage(head + "| Mar | 3 |", section="Costs", position=1),
        passage("| Apr | 4 |\n| May | 5 |", section="Costs > Month | Cost", position=2),
        passage(head + "| Jan | 9 |", section="Other", position=3),
    ]
    first, second = tables_of(blocks(*parts))
    assert cells(first) == [("Jan", "1"), ("Feb", "2"), ("Mar", "3"), ("Apr", "4"), ("May", "5")]
    assert [row.number for row in first.rows] == [2, 3, 4, 5, 6] and first.above == "Costs of the year."
    assert first.section == "Costs" and second.section == "Other" and cells(second) == [("Jan", "9")]
    for row in first.rows:
        text = parts[row.support.block - 1].text[row.support.start : row.support.end]
        assert text == f"| {row.cells[0]} | {row.cells[1]} |"


def test_text_between_two_tables_parts_them():
    head = "| A | B |\n| --- | --- |\n"
    tables = tables_of(blocks(passage(f"{head}| x | 1 |\n\nAnd now:\n\n{head}| y | 2 |")))
    assert [cells(table) for table in tables] == [[("x", "1")], [("y", "2")]]


def test_lines_without_a_border_are_no_table():
    assert tables_of(blocks(passage("Yes, of course\nNo, not today\nWell, perhaps"))) == []
    assert tables_of(blocks(passage("Note: ask first\nHint: see below\nTip: be quick"))) == []


def test_a_bar_in_a_cell_is_no_border():
    (table,) = tables_of(blocks(passage("| A | B |\n| --- | --- |\n| x \\| y | 1 |")))
    assert cells(table) == [("x | y", "1")]


def test_ragged_rows_double_and_missing_names_are_made_even():
    (table,) = tables_of(blocks(passage(markdown(["Name", "Cost", "Cost", ""], [["a", 1], ["b", 2, 3, 4, 5]]))))
    table = tidy(table)
    assert table.header == ("Name", "Cost", "Cost [C]", "D", "E")
    assert cells(table) == [("a", "1", "", "", ""), ("b", "2", "3", "4", "5")]


def test_names_are_shown_without_what_cannot_be_seen_and_not_too_long():
    assert shown("a\u202eb\u200b\n\tc\x00") == "ab c" and len(shown("x" * 500)) == 60


def test_units_are_found_in_the_name_above_the_table_and_in_the_cells():
    named = columns(markdown(["Name", "Cost (천원)"], [["a", "1,200"], ["b", "900"]])).measures[0]
    assert (named.name, named.values, named.unit.name("ko")) == ("Cost", (1200.0, 900.0), "천원")
    above = columns("(단위: 백만원)\n\n" + markdown(["부서", "매출"], [["a", "12"], ["b", "9"]])).measures[0]
    assert above.unit.name("ko") == "백만원"
    sign = columns(markdown(["Name", "Cost"], [["a", "$12"], ["b", "9"]])).measures[0]
    assert sign.unit.name("en") == "USD" and sign.values == (12.0, 9.0)
    speed = columns(markdown(["Name", "Speed km/h"], [["a", "12"], ["b", "9"]])).measures[0]
    assert speed.unit.dimension == ""


def test_units_of_one_dimension_are_converted_and_others_are_never_added():
    rows = [["a", "12 kg"], ["b", "500 g"], ["c", "$30"], ["d", "1 kg"]]
    (weight,) = columns(markdown(["Item", "Amount"], rows)).measures
    assert (weight.values, weight.unit.name("en"), weight.unread) == ((12.0, 0.5, None, 1.0), "kg", 1)
    (bare,) = columns(markdown(["Item", "Amount"], [["a", "12 kg"], ["b", "500"], ["c", "3 kg"]])).measures
    assert (bare.values, bare.unread) == ((12.0, None, 3.0), 1)


def test_missing_cells_and_those_that_are_no_figures_are_counted():
    rows = [["a", "1"], ["b", "-"], ["c", "n/a"], ["d", ""], ["e", "해당 없음"], ["f", "soon"], ["g", "2"], ["h", "3"]]
    column = columns(markdown(["Name", "Cost"], rows)).measures[0]
    assert (column.missing, column.unread, column.values.count(None)) == (4, 1, 5)


def test_totals_are_no_rows():
    rows = [["a", "1"], ["b", "2"], ["소계", "3"], ["c", "4"], ["합계", "7"], ["평균", "2"]]
    found = columns(markdown(["부서", "비용"], rows))
    assert found.measures[0].values == (1.0, 2.0, 4.0) and [row.cells[0] for row in found.totals] == [
        "소계",
        "합계",
        "평균",
    ]
    years = columns(markdown(["Year", "Cost"], [["2024", "1"], ["2025", "2"], ["Total", "3"]]))
    assert years.measures[0].values == (1.0, 2.0)


def test_a_column_of_numbers_of_things_measures_nothing():
    found = columns(markdown(["No.", "Customer ID", "Cost"], [["1", "1001", "5"], ["2", "1002", "6"]]))
    assert [each.name for each in found.measures] == ["Cost"]


def test_a_table_wide_in_periods_has_one_row_a_figure():
    found = columns(markdown(["Dept", "Jan", "Feb", "Total"], [["x", 1, 2, 3], ["y", 3, "-", 3]]), title="Costs")
    (time,), (figure,) = found.of("period"), found.measures
    assert [each.name("en") for each in time.periods] == ["Jan", "Feb", "Jan", "Feb"]
    assert figure.values == (1.0, 2.0, 3.0, None) and figure.name == "Costs"


def test_a_year_and_a_month_in_two_columns_are_one_period():
    found = columns(markdown(["Year", "Month", "Visits"], [["2024", "Dec", 5], ["2025", "Jan", 6]]))
    assert [each.name("en") for each in found.of("period")[0].periods] == ["Dec 2024", "Jan 2025"]


def test_periods_mixed_with_text_leave_the_text_out():
    found = columns(markdown(["When", "Cost"], [["2026-01", 1], ["later", 2], ["2026-02", 3], ["2026-03", 4]]))
    (time,) = found.of("period")
    assert time.unread == 1 and time.periods[1] is None


def test_a_table_without_a_header_is_read_as_well():
    (table,) = tables_of(blocks(passage("| 1 | 2 |\n| 3 | 4 |")))
    assert tidy(table).header == ("A", "B") and columns_of(tidy(table)).measures[0].values == (1.0, 3.0)

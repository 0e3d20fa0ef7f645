"""Figures by hand: what is computed, from which cells, in which words."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.teams.analysis import stats
from agent.teams.analysis import table_question as questions
from agent.teams.analysis.compute import compute
from tests.agent.analysis import columns, computed, figures, insights, markdown, written

TRAVEL = markdown(
    ["Month", "Travel (USD)"],
    [["2026-01", 100], ["2026-02", 110], ["2026-03", 90], ["2026-04", "-"], ["2026-05", 130], ["Total", 430]],
)
부서별 = "(단위: 천원)\n\n" + markdown(
    ["부서", "1월", "2월"],
    [["개발", "1,200", "1,300"], ["영업", "3,000", "3,500"], ["인사", "400", "600"], ["합계", "4,600", "5,400"]],
)


def test_a_trend_is_first_to_last_with_its_ends_steps_and_growth():
    result = computed(TRAVEL, "trend of travel")
    assert figures(result) == pytest.approx(
        {
            "Rows": 5,
            "Travel, missing cells": 1,
            "Periods": 4,
            "Travel, 2026-01": 100,
            "Travel, 2026-05": 130,
            "Travel, change from 2026-01 to 2026-05": 30,
            "Travel, change from 2026-01 to 2026-05 in percent": 30,
            "Travel, highest (2026-05)": 130,
            "Travel, lowest (2026-03)": 90,
            "Travel, largest rise (2026-03 to 2026-05)": 40,
            "Travel, largest fall (2026-02 to 2026-03)": -20,
            "Travel, mean growth per month": 100 * (1.3**0.25 - 1),
            "Travel, total": 430,
            "Travel, mean": 107.5,
        }
    )
    cells = {each.metric.name: each.metric.rests_on for each in result.figures}
    assert cells["Travel, highest (2026-05)"] == "B6" and cells["Travel, total"] == "B2:B6"
    assert written(result)["Travel, change from 2026-01 to 2026-05"] == "+$30"


def test_korean_tables_are_computed_and_told_in_korean():
    result = computed(부서별, "부서별 출장비 비교", title="출장비")
    found = written(result)
    assert (found["출장비, 영업"], found["출장비 합계"], found["출장비 중 영업 비중"]) == (
        "6,500천원",
        "10,000천원",
        "65%",
    )
    assert insights(result, "부서별 출장비 비교")[:2] == [
        "출장비가 가장 높은 것은 영업으로, 6,500천원이며 전체의 65%입니다.",
        "가장 낮은 것은 인사로, 1,000천원입니다. 가장 높은 값이 그 6.5배입니다.",
    ]
    trend = computed(부서별, "출장비 추이", title="출장비")
    assert figures(trend)["출장비, 1월"] == 4600 and figures(trend)["출장비, 2월"] == 5400
    assert (
        insights(trend, "출장비 추이")[0]
        == "출장비는 1월 4,600천원에서 2월 5,400천원으로 늘었습니다(+800천원, +17.4%)."
    )


def test_a_comparison_ranks_and_shares():
    text = markdown(["Team", "Cost"], [["a", 50], ["b", 30], ["c", 15], ["d", 5]])
    result = computed(text, "compare the cost by team")
    found = figures(result)
    assert [found[f"Cost, share of {name}"] for name in "abcd"] == [50, 30, 15, 5]
    assert (found["Cost, total"], found["Cost, mean"], found["Cost, a to d"]) == (100, 25, 10)
    assert [each.at for each in result.figures if each.means == "rank"] == ["a", "b", "c", "d"]


def test_the_first_and_the_last_of_a_ranking():
    text = markdown(["Team", "Cost"], [[f"t{n}", n] for n in range(1, 9)])
    top = computed(text, "top 3 teams by cost")
    assert [each.at for each in top.figures if each.means == "rank"] == ["t8", "t7", "t6"]
    last = computed(text, "bottom 2 teams by cost")
    assert [each.at for each in last.figures if each.means == "rank"] == ["t1", "t2"]
    assert last.chart.labels == ("t1", "t2")


def test_rates_are_averaged_and_never_added():
    text = markdown(
        ["Team", "Month", "Margin (%)"], [["a", "Jan", 10], ["a", "Feb", 20], ["b", "Jan", 30], ["b", "Feb", 50]]
    )
    result = computed(text, "compare the margin by team")
    assert figures(result)["Margin, a"] == 15 and "Margin, total" not in figures(result)
    assert not [each for each in result.figures if each.means == "share"]
    trend = computed(text, "trend of the margin by team")
    assert written(trend)["a, change from Jan to Feb"] == "+10 pp"


def test_what_is_there_at_a_time_is_not_added_over_time():
    text = markdown(["Quarter", "Headcount"], [["Q1 2026", 10], ["Q2 2026", 12], ["Q3 2026", 14]])
    assert "Headcount, total" not in figures(computed(text, "trend of the headcount"))


def test_days_are_put_together_to_months_where_there_are_too_many():
    rows = [[f"2026-{month:02d}-{day:02d}", 1] for month in range(1, 5) for day in range(1, 29)]
    result = computed(markdown(["Day", "Sales"], rows), "trend of sales")
    assert result.chart.labels == ("Jan 2026", "Feb 2026", "Mar 2026", "Apr 2026")
    assert result.chart.series[0].values == (28, 28, 28, 28)
    quarters = computed(markdown(["Day", "Sales"], rows), "sales per quarter")
    assert quarters.chart.labels == ("Q1 2026", "Q2 2026") and quarters.chart.series[0].values == (84, 28)


def test_a_trend_by_name_is_a_line_each():
    text = markdown(["Month", "Team", "Cost"], [["Jan", "a", 1], ["Jan", "b", 5], ["Feb", "a", 2], ["Feb", "b", 4]])
    result = computed(text, "trend of the cost by team")
    assert {series.name: series.values for series in result.chart.series} == {"a": (1, 2), "b": (5, 4)}
    assert insights(result, "trend of the cost by team")[:2] == [
        "b fell from 5 (Jan) to 4 (Feb): -1, -20%.",
        "a rose from 1 (Jan) to 2 (Feb): +1, +100%.",
    ]


def test_rows_are_counted_where_there_are_no_figures():
    result = computed(
        markdown(["Case", "Status"], [["1a", "open"], ["1b", "open"], ["1c", "done"]]), "how many by status"
    )
    assert figures(result)["Rows, open"] == 2 and figures(result)["Rows, done"] == 1


def test_a_distribution_has_quartiles_and_tells_who_is_far_from_the_others():
    text = markdown(["Name", "Score"], [[f"n{n}", value] for n, value in enumerate([10, 12, 11, 13, 12, 11, 60])])
    result = computed(text, "distribution of the score")
    found = figures(result)
    assert (found["Score, median"], found["Score, lower quartile"], found["Score, upper quartile"]) == (12, 11, 12.5)
    assert found["Score, outlier (n6)"] == 60 and sum(result.chart.series[0].values) == 7


def test_a_total_that_does_not_add_up_is_told():
    text = markdown(["Team", "Cost"], [["a", 50], ["b", 30], ["Total", 90]])
    result = computed(text, "compare cost by team")
    assert figures(result)["Cost, total written in the table"] == 90
    assert "The total of Cost in the table is 90, but its rows add up to 80." in insights(
        result, "compare cost by team"
    )
    right = markdown(["Team", "Cost"], [["a", 50], ["b", 30], ["Total", 80]])
    assert "Cost, total written in the table" not in figures(computed(right, "compare cost by team"))


@pytest.mark.parametrize("question", ["trend of cost", "compare cost", "distribution of cost", "summary"])
@pytest.mark.parametrize(
    "rows",
    [
        [["2026-01", "10"]],
        [["2026-01", "1e400"], ["2026-02", "inf"], ["2026-03", "NaN"], ["2026-04", "7"]],
        [["=cmd|' /C calc'!A0", "1"], ["\u202eevil\u202c", "2"], ["<script>", "3"]],
        [["a", "0"], ["b", "0"], ["c", "0"]],
        [["a", "-5"], ["b", "-5"]],
        [["", "1"], ["", "2"]],
        [["a", "999999999999999999"], ["b", "-999999999999999999"]],
    ],
)
def test_nothing_breaks_on_odd_rows(question, rows):
    found = compute(columns(markdown(["What", "Cost"], rows)), questions.read(question), 1.0, "en")
    if found is not None:
        assert all(math.isfinite(each.metric.value) for each in found.figures) and 0 <= found.confidence <= 1


@pytest.mark.parametrize(
    "text",
    [
        markdown(["Name", "Note"], [["a", "x"], ["b", "y"]]),
        markdown(["Month", "Cost"], [["2026-01", "-"], ["2026-02", "n/a"]]),
        markdown(["Name", "Cost"], [["a", "inf"], ["b", "1e400"]]),
    ],
)
def test_a_table_without_figures_gives_none(text):
    assert compute(columns(text), questions.read("what stands out?"), 1.0, "en") is None


def test_ten_thousand_names_are_twelve_bars_and_the_others():
    text = markdown(["Name", "Cost"], [[f"n{n}", n % 97] for n in range(10_000)])
    result = computed(text, "compare the cost by name")
    assert len(result.chart.labels) == 13 and result.chart.labels[-1] == "other (9,988)"
    assert math.fsum(result.chart.series[0].values) == figures(result)["Cost, total"]
    assert "other" not in result.chart.text


def test_confidence_falls_with_missing_cells_units_and_a_poor_match():
    full = columns(markdown(["Name", "Cost"], [[f"n{n}", n] for n in range(9)]))
    gaps = columns(markdown(["Name", "Cost"], [[f"n{n}", n if n % 3 else "-"] for n in range(9)]))
    units = columns(markdown(["Name", "Cost"], [[f"n{n}", f"{n} kg" if n % 4 else f"${n}"] for n in range(9)]))
    asked = questions.read("compare cost")
    told = [
        compute(each, asked, match, "en").confidence for each, match in ((full, 1), (gaps, 1), (units, 1), (full, 0))
    ]
    assert told[0] == 0.9 and all(each < told[0] for each in told[1:]) and told[3] == 0.54


NUMBERS = st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=30)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50))
def test_shares_add_up_to_a_hundred(values):
    parts = stats.shares(values)
    assert not parts or math.fsum(parts) == pytest.approx(100)


@settings(deadline=None, max_examples=40)
@given(
    NUMBERS, st.randoms(use_true_random=False), st.sampled_from(["trend of cost", "compare cost by month", "summary"])
)
def test_the_order_of_the_rows_changes_no_figure(values, chance: random.Random, question):
    rows = [[f"{2000 + n // 12}-{n % 12 + 1:02d}", value] for n, value in enumerate(values)]
    before = computed(markdown(["Month", "Cost"], rows), question)
    chance.shuffle(rows)
    after = computed(markdown(["Month", "Cost"], rows), question)
    assert figures(before) == figures(after) and before.chart == after.chart


@settings(deadline=None, max_examples=60)
@given(NUMBERS, st.sampled_from(["추이를 보여줘", "compare them", "요약해줘", "distribution", "상위 3개"]))
def test_figures_are_those_of_the_cells(values, question):
    rows = [[f"{2000 + n // 12}-{n % 12 + 1:02d}", f"name {n % 4}", value] for n, value in enumerate(values)]
    result = computed(markdown(["Month", "Team", "Cost"], rows), question)
    found = {each.means: each.metric.value for each in result.figures if each.of in ("Cost", "")}
    if "sum" in found:
        assert found["sum"] == sum(values)
    if result.kind == "distribution" and len(set(values)) > 1:
        assert (found["highest"], found["lowest"]) == (max(values), min(values))
    for each in result.figures:
        assert math.isfinite(each.metric.value) and each.metric.written


def test_outliers_are_robust_and_need_enough_figures():
    assert stats.outliers([1, 2, 3, 100]) == []
    assert stats.outliers([10, 11, 12, 11, 10, 100]) == [5]
    assert stats.outliers([5, 5, 5, 5, 5, 9]) == [5] and stats.outliers([5] * 9) == []
    assert stats.off_the_line([10, 20, 30, 90, 50, 60, 70], list(range(7))) == [3]
    assert stats.off_the_line([10, 20, 30, 40, 50, 60, 70], list(range(7))) == []
    assert stats.off_the_line([100 * 1.15**n for n in range(20)], list(range(20))) == []  # as much percent each time
    assert stats.off_the_line([920, 935, 940, 955, 968, 980], list(range(6))) == []  # off by less than it matters
    assert stats.line([1, 2, 3, 4], [1, 1, 2, 2]) == (2, -0.5)


PRICES = [
    *(["North", f"2025-{month + 1:02d}", 50_000 + 2_500 * month] for month in range(12)),
    *(["South", f"2025-{month + 1:02d}", 50_000 + 100 * month] for month in range(12)),
]


@pytest.mark.parametrize("question", ["what stands out?", "distribution of the price", "매매가 분석해줘"])
def test_what_rises_steadily_is_no_outlier_and_what_leaves_its_course_is(question):
    text = markdown(["Complex", "Month", "Price (만원)"], PRICES)
    assert not [each for each in computed(text, question).figures if each.means == "outlier"]
    slip = [[name, month, 5_000 if (name, month) == ("South", "2025-04") else price] for name, month, price in PRICES]
    result = computed(markdown(["Complex", "Month", "Price (만원)"], slip), question)
    outliers = [each for each in result.figures if each.means == "outlier"]
    assert [(each.at, each.of_trend) for each in outliers] == [("South, 2025-04", True)]
    assert any("off the course" in each or "흐름에서" in each for each in insights(result, question))


def test_the_years_of_things_are_no_course_of_time():
    built = [["Raeon", 2015, 1240], ["Pureun", 1998, 820], ["Gangbyeon", 2008, 460]]
    result = computed(markdown(["Complex", "Built", "Homes"], built), "what stands out?")
    assert not [each for each in result.figures if each.means in ("first", "change", "periods")]
    assert figures(result)["Homes, highest (Raeon)"] == 1240
    bills = [["B1", "2026-01", 10], ["B2", "2026-02", 30], ["B3", "2026-03", 20]]
    happened = computed(markdown(["Bill", "Month", "Cost"], bills), "what stands out?")
    assert [each.at for each in happened.figures if each.means == "last"] == ["2026-03"]

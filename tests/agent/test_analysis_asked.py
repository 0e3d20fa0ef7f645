"""What a question asks of a table."""

from datetime import date

import pytest

from agent.teams.analysis.selecting import select
from agent.teams.analysis.table_question import read
from tests.agent.analysis import columns, markdown


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Chart the trend of travel costs", "trend"),
        ("출장비 추이를 그래프로 보여줘", "trend"),
        ("How did sales develop by month?", "trend"),
        ("월별 매출을 보여줘", "trend"),
        ("Compare sales by department", "comparison"),
        ("부서별 출장비 상위 3개", "comparison"),
        ("share of each region as a pie chart", "comparison"),
        ("what stands out here?", "summary"),
        ("이 표를 요약해줘", "summary"),
        ("Are there outliers in the amounts?", "distribution"),
        ("점수 분포를 보여줘", "distribution"),
        ("Show me the figures", None),
    ],
)
def test_the_words_of_a_question_tell_the_kind(question, kind):
    assert read(question).kind == kind


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("trend", "trend"),
        ("market", "trend"),
        ("risk", "distribution"),
        ("comprehensive", "summary"),
        ("odd", "comparison"),
    ],
)
def test_the_type_of_the_step_comes_first_and_an_unknown_one_leaves_it_to_the_words(subject, kind):
    assert read("compare them", subject).kind == kind


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("costs in 2025", "2025-01-01", "2025-12-31"),
        ("2025년 1분기 비용", "2025-01-01", "2025-03-31"),
        ("costs in Q2 2025", "2025-04-01", "2025-06-30"),
        ("from 2024 to 2025", "2024-01-01", "2025-12-31"),
        ("2024년부터 2025년까지 비용", "2024-01-01", "2025-12-31"),
        ("between March 2025 and May 2025", "2025-03-01", "2025-05-31"),
        ("until 2024", None, "2024-12-31"),
        ("before 2024", None, "2023-12-31"),
        ("2024년 이전", None, "2023-12-31"),
        ("since March 2025", "2025-03-01", None),
        ("after 2024", "2025-01-01", None),
        ("2024년 이후 매출", "2024-01-01", None),
    ],
)
def test_a_stretch_of_time_is_read(question, first, last):
    ((start, stop),) = read(question).spans
    assert (date.fromordinal(start).isoformat() if first else None) == first or start == 0
    assert stop == (date.fromisoformat(last).toordinal() if last else 10**7)


def test_two_periods_that_are_compared_are_two_stretches_and_amounts_are_none():
    assert len(read("compare 2024 and 2025").spans) == 2
    assert read("teams with more than 2000 people or $2025").spans == ()


def test_how_many_how_finely_and_which_chart():
    assert read("top 3 teams").top == 3 and read("하위 5개").top == -5
    assert read("최근 6개월 매출").latest == (6, "month") and read("last 2 quarters").latest == (2, "quarter")
    assert read("cost per quarter").grain == "quarter" and read("분기별 매출").grain == "quarter"
    assert (read("as bars please").chart, read("파이로 보여줘").chart, read("꺾은선").chart) == ("bar", "pie", "line")
    assert read("monthly cost by department").by == "department" and read("cost by month").by == ""


LONG = markdown(
    ["Month", "Team", "Travel (USD)", "Meals (USD)"],
    [[f"{year}-0{m}", team, m * 10, m] for year in (2025, 2026) for m in (1, 2, 3) for team in ("Sales", "Research")],
)


@pytest.mark.parametrize(
    ("question", "rows", "measures"),
    [
        ("trend of travel", 12, ["Travel"]),
        ("trend of meals in 2025", 6, ["Meals"]),
        ("trend of travel of the research team", 6, ["Travel"]),
        ("travel trend, last 2 months", 4, ["Travel"]),
        ("travel trend in 2019", 12, ["Travel"]),
        ("how do they develop", 12, ["Travel", "Meals"]),
    ],
)
def test_the_question_picks_rows_and_figures(question, rows, measures):
    selected = select(columns(LONG), read(question), trend=True)
    assert len(selected.columns.rows) == rows and [each.name for each in selected.measures] == measures


def test_time_that_the_table_does_not_hold_limits_nothing_and_is_told():
    assert select(columns(LONG), read("travel trend in 2019"), trend=True).span_missed


def test_a_name_that_is_also_what_is_measured_is_no_filter():
    text = markdown(["Team", "Sales"], [["Sales", 5], ["Research", 3]])
    assert len(select(columns(text), read("compare sales by team"), trend=False).columns.rows) == 2


def test_two_names_are_compared_with_each_other_alone():
    text = markdown(["Team", "Cost"], [["Alpha", 5], ["Beta", 3], ["Gamma", 9]])
    assert len(select(columns(text), read("compare the cost of alpha and beta"), trend=False).columns.rows) == 2
    assert len(select(columns(text), read("how does the cost of alpha compare"), trend=False).columns.rows) == 3


def test_names_of_two_columns_hold_the_rows_to_both():
    rows = [
        [f"2026-0{m}", team, site, cost + m]
        for m in (1, 2, 3)
        for team, site, cost in (("Alpha", "North", 10), ("Beta", "South", 20), ("Beta", "North", 30))
    ]
    found = columns(markdown(["Month", "Team", "Site", "Cost"], rows))
    selected = select(found, read("cost trend of Beta in the North since February 2026"), trend=True)
    assert selected.measures[0].values == (32, 33)


def test_a_quarter_is_not_held_against_whole_years():
    years = columns(markdown(["Year", "Cost"], [["2024", 1], ["2025", 2]]))
    assert select(years, read("cost in Q1"), trend=True).span_missed

"""What figures tell, by rules: natural sentences in which every number is a figure's."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.language import say
from agent.language.ko.inserted import Inserted
from agent.reasoning.grounding.number_support import numbers_stand
from agent.reasoning.rules.answering import figure_statements
from agent.reasoning.rules.answering.figure_statements import analysed
from agent.results import Metric
from tests.agent.analysis import brief, computed, markdown

METRICS = [
    Metric(name="Cost, highest (Mar 2026)", value=1234567.0, written="$1,234,567", unit="USD"),
    Metric(name="Cost, change", value=-12.3456, written="-12.3%", unit="%"),
    Metric(name="비용 합계", value=35000.0, written="35,000원", unit="원"),
    Metric(name="Rows", value=24.0, written="24"),
]


@pytest.mark.parametrize(
    "text",
    [
        "Cost peaked at $1,234,567 in March 2026.",
        "Cost peaked at about $1.2 million.",
        "It fell by 12.3%.",
        "It fell by about 12 percent.",
        "비용은 모두 3만 5천원입니다.",
        "약 3만 5,000원입니다.",
        "24 rows were read.",
        "One of them stands out, quarter by quarter.",
        "No number at all.",
    ],
)
def test_numbers_of_the_figures_stand_however_they_are_written(text):
    assert numbers_stand(text, METRICS) == []


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("Cost peaked at $1,234,568.", ["1,234,568"]),
        ("Cost peaked at $1.3 million.", ["1.3"]),
        ("It fell by 13%.", ["13%"]),
        ("It fell by 12.3 dollars.", ["12.3"]),
        ("비용은 모두 3만 6천원입니다.", ["3만 6천"]),
        ("A quarter of the total.", ["A quarter"]),
        ("Three teams lead.", ["Three"]),
        ("In 2027 it will be 24.", ["2027"]),
        ("24% of them.", ["24%"]),
        ("57% of them.", ["57%"]),
    ],
)
def test_other_numbers_do_not_stand(text, refused):
    assert numbers_stand(text, METRICS) == refused


@pytest.mark.parametrize(
    ("word", "pair", "told"),
    [
        ("매출", "은는", "매출은"),
        ("비용(원)", "은는", "비용(원)은"),
        ("회사", "이가", "회사가"),
        ("12%", "을를", "12%를"),
        ("120원", "으로로", "120원으로"),
        ("서울", "으로로", "서울로"),
        ("7", "으로로", "7로"),
        ("3", "으로로", "3으로"),
        ("x", "", "x"),
    ],
)
def test_a_particle_fits_the_word_before_it(word, pair, told):
    assert format(Inserted(word), pair) == told


def test_words_go_in_with_their_particles_in_korean_and_without_in_english():
    assert say("analysis_whole", "ko", of="매출", total="5", mean="1") == "매출은 모두 5이고 평균은 1입니다."
    assert say("analysis_whole", "en", of="Sales", total="5", mean="1") == "Sales: 5 in all, 1 on average."


def read(text: str, question: str, title: str = "Report"):
    return analysed(brief(computed(text, question, title=title), question))


TREND = markdown(["Quarter", "Sales (USD)"], [["Q1 2026", 100], ["Q2 2026", 120], ["Q3 2026", 90], ["Q4 2026", 150]])


def test_a_trend_in_sentences():
    reading = read(TREND, "trend of sales")
    assert [each.text for each in reading.insights] == [
        "Sales rose from $100 (Q1 2026) to $150 (Q4 2026): +$50, +50%.",
        "Sales: highest in Q4 2026 ($150), lowest in Q3 2026 ($90).",
        "The largest rise is from Q3 2026 to Q4 2026: +$60.",
        "On average Sales changed by +14.5% per quarter.",
    ]
    assert reading.insights[1].metrics == ("Sales, highest (Q4 2026)", "Sales, lowest (Q3 2026)")
    assert reading.recommendations == ()


def test_a_trend_in_korean_sentences():
    text = markdown(["분기", "매출(억원)"], [["1분기", 100], ["2분기", 120], ["3분기", 120]])
    reading = read(text, "매출 추이를 보여줘")
    assert [each.text for each in reading.insights] == [
        "매출은 1분기 100억원에서 3분기 120억원으로 늘었습니다(+20억원, +20%).",
        "매출은 2분기, 3분기에 120억원으로 가장 높고 1분기에 100억원으로 가장 낮습니다.",
        "가장 크게 늘어난 때는 1분기 → 2분기입니다(+20억원).",
        "매출은 분기평균 +9.5%씩 변했습니다.",
    ]
    assert reading.recommendations == ("기간이 적으니 추세로 보기 전에 더 많은 기간의 값을 확인해 보세요.",)


def test_what_does_not_change_is_told_so():
    text = markdown(["Month", "Cost"], [["Jan", 5], ["Feb", 7], ["Mar", 5]])
    assert read(text, "trend of cost").insights[0].text == "Cost: 5 at the end (Mar) as at the beginning (Jan)."


def test_recommendations_rest_on_what_was_found():
    gaps = markdown(["Team", "Cost"], [["a", 10], ["b", "-"], ["c", "soon"], ["d", 11], ["e", 12]])
    assert read(gaps, "compare cost by team").recommendations == (
        "Fill in the missing cells of Cost (1): they may change the picture.",
        "Correct the cells of Cost that are no figures, or of another unit (1).",
    )
    one = markdown(["Team", "Cost"], [["a", 90], ["b", 5], ["c", 5]])
    assert read(one, "compare cost by team").recommendations == ("Look at a first: it alone makes up 90% of Cost.",)
    units = markdown(["Item", "Amount"], [["a", "1 kg"], ["b", "2 kg"], ["c", "$3"]])
    advice = read(units, "compare the amount").recommendations
    assert "Correct the cells of Amount that are no figures, or of another unit (1)." in advice
    assert read(TREND, "compare sales").recommendations == ()


def test_metrics_without_their_meaning_are_listed():
    given_metrics = brief(computed(TREND, "trend of sales"), "trend of sales")
    plain = type(given_metrics)(
        question="q", language="en", pack=given_metrics.pack, type="trend", subject="s", metrics=METRICS[:1]
    )
    assert [each.text for each in analysed(plain).insights] == ["Cost, highest (Mar 2026): $1,234,567"]


QUESTIONS = [
    "trend of cost",
    "비용 추이",
    "compare cost by team",
    "팀별 비교",
    "what stands out",
    "요약",
    "distribution",
    "분포",
]


@settings(deadline=None, max_examples=80)
@given(
    values=st.lists(st.one_of(st.integers(-(10**7), 10**7), st.sampled_from(["-", "x"])), min_size=2, max_size=14),
    unit=st.sampled_from(["", " (USD)", " (천원)", " (%)", " (kg)", " (days)", " (분)", " (건)"]),
    grain=st.sampled_from(["month", "quarter", "year", "day"]),
    question=st.sampled_from(QUESTIONS),
)
def test_every_sentence_of_the_rules_passes_the_check_that_guards_a_model(values, unit, grain, question):
    names = {
        "month": lambda n: f"{2020 + n // 12}-{n % 12 + 1:02d}",
        "quarter": lambda n: f"{2020 + n // 4}년 {n % 4 + 1}분기",
        "year": lambda n: str(2001 + n), "day": lambda n: f"2026-01-{n + 1:02d}",
    }  # fmt: skip
    if sum(isinstance(value, int) for value in values) < 0.7 * len(values):
        return
    rows = [[names[grain](n), f"team {n % 3}", value] for n, value in enumerate(values)]
    result = computed(markdown(["When", "Team", f"Cost{unit}"], rows), question)
    given_brief = brief(result, question)
    talk = figure_statements.Talk(given_brief.figures, given_brief.language)
    reading = analysed(given_brief)
    for text in [*(each.text for each in talk.told(result.kind)), *reading.recommendations]:
        assert numbers_stand(text, given_brief.metrics) == [], text
    known = {metric.name for metric in given_brief.metrics}
    assert all(set(each.metrics) <= known for each in reading.insights)

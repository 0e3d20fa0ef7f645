"""Charts: the right kind, readable names, the same bytes for the same figures."""

import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.image import imread

from agent.results import Series, Visualization
from agent.teams.analysis import drawing
from tests.agent.analysis import computed, markdown

SALES = markdown(["Region", "Sales (USD)"], [["North", 50], ["South", 30], ["West", 20]])
LINE = Visualization(
    kind="line", title="Cost over time", labels=("Jan", "Feb", "Mar"), unit="USD",
    series=(Series(name="Cost", values=(1.0, None, 3.0)),),
)  # fmt: skip


def pixels(png: bytes, tmp_path) -> np.ndarray:
    (tmp_path / "chart.png").write_bytes(png)
    return imread(tmp_path / "chart.png")


def chunks(png: bytes) -> list[bytes]:
    found, at = [], 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + data)
        found.append(kind)
        at += 12 + size
    return found


CHARTS = [
    LINE,
    replace(LINE, kind="bar"),
    replace(LINE, kind="pie", series=(Series(name="Cost", values=(1.0, 2.0, 3.0)),)),
    replace(LINE, title="출장비 추이", labels=("1월", "2월", "3월"), unit="천원"),
    replace(LINE, title="x" * 300, labels=("y" * 100, "z" * 100, "w" * 100), kind="bar"),
    replace(LINE, labels=tuple(map(str, range(400))), series=(Series(name="a", values=tuple(map(float, range(400)))),)),
    replace(
        LINE,
        kind="bar",
        series=(Series(name="a", values=(-5.0, 3.0, 0.0)), Series(name="b", values=(1e17, None, -2e9))),
    ),
    replace(LINE, series=tuple(Series(name=f"n{n}", values=(1.0, n + 1.0, 2.0)) for n in range(5))),
    replace(LINE, title="$x^2$ _a_ \\frac{", labels=("$", "$$", "%"), kind="bar"),
    replace(LINE, series=(Series(name="a", values=(0.0, 0.0, 0.0)),), kind="bar"),
    replace(LINE, labels=tuple(map(str, range(60))), series=(Series(name="a", values=(1.0, None) * 30),)),
]


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_chart_is_a_picture_of_its_size_that_is_not_blank(chart, language, tmp_path):
    drawn = drawing.draw(chart, source="Source: costs.csv", language=language)
    picture = pixels(drawn, tmp_path)
    assert picture.shape[:2] == (675, 1200)
    inked = (picture[..., :3] < 0.9).any(axis=2)
    assert 0.003 < inked.mean() < 0.6
    assert inked[100:600, 100:1150].any() and not inked[:, -3:].any() and not inked[-3:, :].any()


def test_the_same_figures_are_the_same_bytes_and_no_date_or_program_is_in_them():
    first, second = (drawing.draw(LINE, source="Source: x", language="en") for _ in range(2))
    assert first == second and set(chunks(first)) <= {b"IHDR", b"pHYs", b"IDAT", b"IEND"}


def test_a_character_that_no_font_can_draw_is_a_box():
    for text in ("출장비 뷁 ₩", "שלום", "أحمد", "Ünïcode −→", "漢字"):
        assert drawing.drawable(text) == text
    assert drawing.drawable("🙂 smile ไทย") == "□ smile □□□"
    named = replace(LINE, kind="bar", labels=("🙂 smile", "plain", "ไทย"))
    assert drawing.draw(named, source="ไทย", language="en").startswith(b"\x89PNG")


def figures(language, *values):
    write = drawing._writer(replace(LINE, series=(Series(name="a", values=values),)), language)
    return [write(value) for value in values]


def test_figures_of_a_chart_are_short_in_each_language_and_of_one_scale():
    assert figures("en", 1234567.0, 0.25, -3.0) == ["1,234,567", "0.25", "−3"]
    assert figures("en", 12_345_678.0, 8_300_000.0, 0.0) == ["12.3M", "8.3M", "0"]
    assert figures("ko", 12_345_678.0, 5_000.0) == ["1,235만", "0.5만"]
    assert figures("ko", 200_000_000.0, 50_000_000.0) == ["2억", "0.5억"]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("compare sales by region", "bar"),
        ("share of sales by region", "pie"),
        ("sales by region as a pie", "pie"),
    ],
)
def test_names_are_bars_and_few_shares_a_pie(question, kind):
    assert computed(SALES, question).chart.kind == kind


def test_shares_below_nothing_or_of_many_are_no_pie():
    loss = markdown(["Region", "Profit"], [["a", 5], ["b", -1]])
    assert computed(loss, "share of profit by region as a pie").chart.kind == "bar"
    many = markdown(["Region", "Profit"], [[f"r{n}", n + 1] for n in range(7)])
    assert computed(many, "share of profit by region as a pie").chart.kind == "bar"


def test_periods_are_a_line_unless_bars_are_asked_for():
    text = markdown(["Month", "Cost"], [["2026-01", 1], ["2026-02", 3]])
    assert computed(text, "trend of cost").chart.kind == "line"
    bars = computed(text, "trend of cost as a bar chart").chart
    assert (bars.kind, bars.labels) == ("bar", ("2026-01", "2026-02"))


def test_the_words_of_a_chart_tell_its_range_and_direction():
    text = markdown(["Month", "Cost (USD)"], [["2026-01", 1200], ["2026-02", 800], ["2026-03", 900]])
    assert computed(text, "trend of cost").chart.text == (
        "Line chart “Cost over time”, 3 periods from 2026-01 to 2026-03. "
        "Cost: highest $1,200 (2026-01), lowest $800 (2026-02). It falls from $1,200 to $900."
    )
    assert computed(text, "비용 추이", title="비용").chart.text == (
        "“Cost 추이” 선그래프, 2026-01부터 2026-03까지 3개 기간. Cost: 최고 1,200달러(2026-01), 최저 800달러(2026-02). "
        "1,200달러에서 900달러로 줄어듭니다."
    )


def test_one_figure_is_no_chart():
    assert computed(markdown(["Month", "Cost"], [["2026-01", 1]]), "trend of cost").chart is None

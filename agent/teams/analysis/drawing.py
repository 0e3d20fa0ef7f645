"""A chart as a PNG: 1200 by 675 pixels, to be read on a phone. The same chart is the same bytes.

Only the plotter's objects are used, never `pyplot` and its global state, and one chart is drawn at a time. This module
brings the plotter along, so it is imported where a chart is drawn, in a thread.
"""

import io
import math
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pylopdf_fonts_ko
from matplotlib import get_data_path
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.ft2font import FT2Font
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, MaxNLocator

from agent.language.lexicon import has, mapping
from agent.language.registry import DEFAULT
from agent.results import Series, Visualization
from agent.types import Language

WIDTH, HEIGHT, DPI = 1200, 675, 100
_INK, _QUIET, _GRID = "#1b1f24", "#57606a", "#d8dee4"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's palette, which people with any colour vision can tell apart."""
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
_MARKERS = "osD^v"
_TITLE, _LABEL, _TICK, _SMALL = 25.0, 19.0, 18.0, 14.0
_LONGEST_LABEL = 30
_LONGEST_TITLE = 80
_MOST_TICKS = 7
_FROM_ZERO = 0.7
"""Share of the highest figure below which the lowest must be for the axis to begin at 0: else a line shows nothing."""
_SCALED_FROM = 1e7
_CHARACTER = 0.025
"""Share of the width that a character of a figure takes beside its bar, where long names leave the least of it."""
_BOX = "□"
_lock = threading.Lock()


def draw(chart: Visualization, *, source: str, language: Language) -> bytes:
    """Return the chart drawn. Takes a few tenths of a second of CPU."""
    chart = replace(
        chart,
        title=_short(drawable(chart.title), _LONGEST_TITLE),
        unit=drawable(chart.unit),
        labels=tuple(map(drawable, chart.labels)),
        series=tuple(Series(name=drawable(each.name), values=each.values) for each in chart.series),
    )
    with _lock:
        figure = Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI, facecolor="white")
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.1, 0.16, 0.86, 0.66))
        if chart.kind == "pie":
            _pie(axes, chart)
        elif chart.kind == "line":
            _line(axes, chart, language)
        else:
            _bars(axes, chart, language)
        _text(figure.text(0.03, 0.955, chart.title, color=_INK, va="top"), _TITLE)
        _text(figure.text(0.03, 0.02, drawable(source), color=_QUIET, va="bottom"), _SMALL)
        _fit(figure, axes, canvas, chart)
        out = io.BytesIO()
        canvas.print_png(out, metadata={"Software": None})  # type: ignore[no-untyped-call]
    return out.getvalue()


@cache
def _fonts() -> tuple[list[str], frozenset[int]]:
    """Return the fonts of all texts, the Korean one before that of the plotter, and what they can draw."""
    paths = (str(pylopdf_fonts_ko.sans_path()), str(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"))
    fontManager.addfont(paths[0])
    fonts = [FT2Font(path) for path in paths]
    return [font.family_name for font in fonts], frozenset(code for font in fonts for code in font.get_charmap())


def drawable(text: str) -> str:
    """Return a text with a box in place of every character that no font can draw."""
    return "".join(each if each.isspace() or ord(each) in _fonts()[1] else _BOX for each in text)


def _text(text: Text, size: float) -> None:
    text.set_parse_math(False)
    text.set_fontproperties(FontProperties(family=_fonts()[0], size=size))


def _line(axes: Axes, chart: Visualization, language: Language) -> None:
    places = range(len(chart.labels))
    for n, series in enumerate(chart.series):
        values = [math.nan if value is None else value for value in series.values]
        size = 9 if len(values) <= 24 else 4  # of a figure without a neighbour a line alone would show nothing
        axes.plot(
            places, values, color=_COLOURS[n], linestyle=_DASHES[n], linewidth=3.5,
            marker=_MARKERS[n], markersize=size, label=series.name, solid_capstyle="round",
        )  # fmt: skip
    every = math.ceil(len(chart.labels) / _MOST_TICKS)
    shown = [at for at in places if at % every == 0]
    axes.set_xticks(shown, [_short(chart.labels[at], 14) for at in shown])
    margin = max(0.4, 0.055 * len(chart.labels))  # half a label, so that the first one stays clear of the figures
    axes.set_xlim(-margin, len(chart.labels) - 1 + margin)
    known = [value for series in chart.series for value in series.values if value is not None]
    if 0 <= min(known) < _FROM_ZERO * max(known):
        axes.set_ylim(bottom=0, top=max(known) * 1.08)
    _scale(axes, chart, language, axis="y")
    _ends(axes, chart, language)
    _legend(axes, chart)


def _ends(axes: Axes, chart: Visualization, language: Language) -> None:
    """Write the first and the last figure of a single line beside it."""
    if len(chart.series) != 1:
        return
    write = _writer(chart, language)
    known = [(at, value) for at, value in enumerate(chart.series[0].values) if value is not None]
    for at, value in (known[0], known[-1]):
        _text(
            axes.annotate(
                write(value), (at, value), xytext=(0, 13), textcoords="offset points", ha="center",
                color=_INK, annotation_clip=False,
            ), _TICK,
        )  # fmt: skip


def _bars(axes: Axes, chart: Visualization, language: Language) -> None:
    """Draw bars from left to right: names of any length fit beside them."""
    many = len(chart.series)
    height = 0.76 / many
    values = [value or 0.0 for series in chart.series for value in series.values]
    widest = max(map(abs, values), default=1.0) or 1.0
    write = _writer(chart, language)
    for n, series in enumerate(chart.series):
        places = [at + (n - (many - 1) / 2) * height for at in range(len(chart.labels))]
        widths = [0.0 if value is None else value for value in series.values]
        axes.barh(places, widths, height=height * 0.92, color=_COLOURS[n], label=series.name)
        for place, value in zip(places, series.values, strict=True):
            if value is not None:
                _text(
                    axes.text(
                        value + math.copysign(widest * 0.012, value), place, write(value), va="center",
                        ha="left" if value >= 0 else "right", color=_INK,
                    ), _size(len(chart.labels) * many, _TICK),
                )  # fmt: skip
    axes.set_yticks(range(len(chart.labels)), [_short(label, _LONGEST_LABEL) for label in chart.labels])
    axes.set_ylim(len(chart.labels) - 0.4, -0.6)
    low, high = min(0.0, min(values, default=0.0)), max(0.0, max(values, default=1.0))
    longest = max((len(write(value)) for value in values), default=1)
    room = max(high - low, widest) * _CHARACTER * (longest + 1)
    axes.set_xlim(low - (room if low < 0 else 0), high + (room if high > 0 or high == low else 0))
    if low < 0:
        axes.axvline(0, color=_QUIET, linewidth=1.2)
    _scale(axes, chart, language, axis="x")
    axes.spines["left"].set_visible(low >= 0)
    _legend(axes, chart)


def _pie(axes: Axes, chart: Visualization) -> None:
    values = [value or 0.0 for value in chart.series[0].values]
    total = math.fsum(values)
    names = [
        f"{_short(label, _LONGEST_LABEL)}  {100 * value / total:.1f}%"
        for label, value in zip(chart.labels, values, strict=True)
    ]
    wedges, *_ = axes.pie(
        values, colors=_COLOURS, startangle=90, counterclock=False, wedgeprops={"linewidth": 2, "edgecolor": "white"}
    )
    legend = axes.legend(
        wedges, names, loc="center left", bbox_to_anchor=(1.05, 0.5), frameon=False, handlelength=1.0, handleheight=1.0
    )
    for text in legend.get_texts():
        _text(text, _LABEL)
        text.set_color(_INK)
    axes.set_position((0.03, 0.08, 0.52, 0.77))


def _scale(axes: Axes, chart: Visualization, language: Language, *, axis: str) -> None:
    """Give the axis of figures its ticks, its unit, and quiet lines."""
    write = _writer(chart, language)
    along = axes.xaxis if axis == "x" else axes.yaxis
    along.set_major_locator(MaxNLocator(nbins=5 if axis == "x" else 6))
    along.set_major_formatter(FuncFormatter(lambda value, _: write(value)))
    along.grid(True, color=_GRID, linewidth=1)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left" if axis == "y" else "bottom"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_QUIET)
    axes.tick_params(length=0, colors=_INK)
    size = _size(len(chart.labels), _TICK) if axis == "x" else _TICK
    for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        _text(label, size)
    if chart.unit:
        if axis == "x":
            _text(axes.set_xlabel(chart.unit, color=_QUIET, loc="right"), _LABEL)
        else:
            _text(axes.text(0, 1.03, chart.unit, transform=axes.transAxes, color=_QUIET, ha="left"), _LABEL)


def _size(rows: int, most: float) -> float:
    return max(12.0, min(most, most * 13 / max(rows, 1)))


def _legend(axes: Axes, chart: Visualization) -> None:
    if len(chart.series) < 2:
        return
    legend = axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=min(3, len(chart.series)), frameon=False)
    for text, series in zip(legend.get_texts(), chart.series, strict=True):
        text.set_text(_short(series.name, 18))
        _text(text, _TICK - 1)


def _fit(figure: Figure, axes: Axes, canvas: FigureCanvasAgg, chart: Visualization) -> None:
    """Shrink the title to the width, and make room for the names beside the bars."""
    title = figure.texts[0]
    size = _TITLE
    while size > 13 and title.get_window_extent(canvas.get_renderer()).width > 0.94 * WIDTH:  # type: ignore[no-untyped-call]
        size -= 1
        _text(title, size)
    if chart.kind == "pie":
        return
    extents = [label.get_window_extent(canvas.get_renderer()).width for label in axes.get_yticklabels()]  # type: ignore[no-untyped-call]
    left = min(0.4, max(extents, default=0) / WIDTH + 0.045)
    top = 0.74 if len(chart.series) > 3 else 0.8
    axes.set_position((left, 0.16, 0.965 - left, top - 0.16))


def _short(label: str, most: int) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def _writer(chart: Visualization, language: Language) -> Callable[[float], str]:
    """Return what writes the figures of a chart, all in one scale: beyond ten million in millions, 만 or 억."""
    largest = max((abs(value) for series in chart.series for value in series.values if value is not None), default=0.0)
    if largest < _SCALED_FROM:
        return _plain
    scales = mapping("teams.axis_scales", language if has("teams.axis_scales", language) else DEFAULT)
    name, scale = next((name, scale) for name, scale in scales.items() if largest >= scale)
    return lambda value: f"{_plain(value / scale)}{name}" if value else "0"


def _plain(value: float) -> str:
    size = abs(value)
    places = 0 if size >= 1000 or value == int(value) else 1 if size >= 10 else 2 if size >= 0.1 else 4
    text = f"{value:,.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text.replace("-", "−")

"""A chart as a PNG: 1200 by 675 pixels, to be read on a phone. The same chart is the same bytes.

One chart is drawn at a time, in a style that holds for it alone; `pyplot` is not used. This module brings the plotter
along, so it is imported where a chart is drawn, in a thread.
"""

import io
import math
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pylopdf_fonts_ko
from cycler import cycler
from matplotlib import get_data_path, rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.ft2font import FT2Font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from agent.language.lexicon import has, mapping
from agent.language.registry import DEFAULT
from agent.results import Series, Visualization
from agent.types import Language

WIDTH, HEIGHT, DPI = 1200, 675, 100
_INK, _QUIET, _GRID = "#1b1f24", "#57606a", "#d8dee4"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's palette, which people with any colour vision can tell apart."""
_LINES = cycler(color=_COLOURS[:5], linestyle=("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))), marker=tuple("osD^v"))
_TITLE, _LABEL, _TICK, _SMALL = 25.0, 19.0, 18.0, 14.0
_STYLE: dict[Any, Any] = {
    "text.parse_math": False,
    "text.color": _INK,
    "font.size": _TICK,
    "axes.prop_cycle": _LINES,
    "axes.labelsize": _LABEL,
    "axes.labelcolor": _QUIET,
    "axes.edgecolor": _QUIET,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": _GRID,
    "grid.linewidth": 1,
    "lines.linewidth": 3.5,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
}
_LONGEST_LABEL, _LONGEST_TITLE, _LONGEST_TICK, _LONGEST_SERIES = 30, 80, 14, 18
_MOST_TICKS = 7
_FROM_ZERO = 0.7
"""Share of the highest figure below which the lowest must be for the axis to begin at 0: else a line shows nothing."""
_SCALED_FROM = 1e7
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
    fonts, _ = _fonts()
    with _lock, rc_context({**_STYLE, "font.family": fonts}):
        layout = ConstrainedLayoutEngine(rect=(0.025, 0.07, 0.95, 0.8))
        figure = Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI, facecolor="white", layout=layout)
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        if chart.kind == "pie":
            _pie(axes, chart)
        else:
            (_line if chart.kind == "line" else _bars)(axes, chart, _writer(chart, language))
        title, size = figure.text(0.03, 0.955, chart.title, va="top", size=_TITLE), _TITLE
        while size > _SMALL and title.get_window_extent(canvas.get_renderer()).width > 0.94 * WIDTH:  # type: ignore[no-untyped-call]
            size -= 1
            title.set_fontsize(size)
        figure.text(0.03, 0.02, drawable(source), color=_QUIET, va="bottom", size=_SMALL)
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


def _line(axes: Axes, chart: Visualization, write: Callable[[float], str]) -> None:
    places = range(len(chart.labels))
    for series in chart.series:
        values = [math.nan if value is None else value for value in series.values]
        # Of a figure without a neighbour a line alone would show nothing.
        axes.plot(places, values, label=series.name, markersize=9 if len(values) <= 24 else 4)
    shown = places[:: math.ceil(len(places) / _MOST_TICKS)]
    axes.set_xticks(shown, [_short(chart.labels[at], _LONGEST_TICK) for at in shown])
    margin = max(0.4, 0.055 * len(places))  # half a label, so that the first one stays clear of the figures
    axes.set_xlim(-margin, len(places) - 1 + margin)
    known = [(at, value) for series in chart.series for at, value in enumerate(series.values) if value is not None]
    lowest, highest = (end(value for _, value in known) for end in (min, max))
    if 0 <= lowest < _FROM_ZERO * highest:
        axes.set_ylim(bottom=0, top=highest * 1.08)
    axes.spines["left"].set_visible(False)
    axes.set_title(chart.unit, loc="left", color=_QUIET, size=_LABEL)
    _scale(axes, chart, write, axis="y")
    for at, value in (known[0], known[-1]) if len(chart.series) == 1 else ():
        axes.annotate(write(value), (at, value), xytext=(0, 13), textcoords="offset points", ha="center")


def _bars(axes: Axes, chart: Visualization, write: Callable[[float], str]) -> None:
    """Draw bars from left to right: names of any length fit beside them."""
    many, rows = len(chart.series), len(chart.labels)
    height = 0.76 / many
    for n, series in enumerate(chart.series):
        places = [at + (n - (many - 1) / 2) * height for at in range(rows)]
        widths = [value or 0.0 for value in series.values]
        bars = axes.barh(places, widths, height=height * 0.92, color=_COLOURS[n], label=series.name)
        figures = ["" if value is None else write(value) for value in series.values]
        axes.bar_label(bars, figures, padding=5, size=_size(rows * many))
    axes.set_yticks(range(rows), [_short(label, _LONGEST_LABEL) for label in chart.labels], size=_size(rows))
    axes.set_ylim(rows - 0.4, -0.6)
    values = [value for series in chart.series for value in series.values if value]
    if not values:
        axes.set_xlim(0, 1)
    if min(values, default=0.0) < 0:
        axes.axvline(0, color=_QUIET, linewidth=1.2)
        axes.spines["left"].set_visible(False)
        axes.use_sticky_edges = False
        axes.margins(x=0.1)  # for the figures, which would stand in the names
    axes.spines["bottom"].set_visible(False)
    axes.set_xlabel(chart.unit, loc="right")
    _scale(axes, chart, write, axis="x")


def _pie(axes: Axes, chart: Visualization) -> None:
    values = [value or 0.0 for value in chart.series[0].values]
    total = math.fsum(values)
    wedges, *_ = axes.pie(
        values, colors=_COLOURS, startangle=90, counterclock=False, wedgeprops={"linewidth": 2, "edgecolor": "white"}
    )
    axes.set_anchor("W")
    names = [_short(label, _LONGEST_LABEL) for label in chart.labels]
    shares = [f"{name}  {100 * value / total:.1f}%" for name, value in zip(names, values, strict=True)]
    axes.legend(wedges, shares, loc="center left", bbox_to_anchor=(1.05, 0.5), fontsize=_LABEL, handlelength=1.0)


def _scale(axes: Axes, chart: Visualization, write: Callable[[float], str], *, axis: Literal["x", "y"]) -> None:
    """Give the axis of figures its ticks and quiet lines, and several measures their names."""
    along = axes.xaxis if axis == "x" else axes.yaxis
    along.set_major_locator(MaxNLocator(nbins=5 if axis == "x" else 6))
    along.set_major_formatter(lambda value, _: write(value))
    axes.grid(True, axis=axis)
    if len(chart.series) > 1:
        names = [_short(series.name, _LONGEST_SERIES) for series in chart.series]
        handles, _ = axes.get_legend_handles_labels()
        axes.legend(
            handles, names, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=min(3, len(names)), fontsize=_TICK - 1
        )


def _size(rows: int) -> float:
    """Return the size of letters that so many rows leave room for."""
    return max(12.0, min(_TICK, _TICK * 13 / max(rows, 1)))


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

"""What is to be known about the data: what was left out, put together, converted."""

from collections.abc import Iterator

from agent.language import say
from agent.teams.analysis.columns import Columns
from agent.teams.analysis.frame import Frame
from agent.teams.analysis.selecting import Selected
from agent.teams.analysis.table import shown
from agent.types import Language

_MOST_NAMES = 4


def notes_on(
    columns: Columns, selected: Selected, frame: Frame | None, *, refused: bool, language: Language
) -> tuple[str, ...]:
    """Return sentences on the data; `refused`: a trend was asked for, and there are no periods."""
    return tuple(dict.fromkeys(_notes(columns, selected, frame, refused, language)))


def _notes(
    columns: Columns, selected: Selected, frame: Frame | None, refused: bool, language: Language
) -> Iterator[str]:
    if refused:
        yield say("analysis_n_no_periods", language)
    if not columns.table.whole:
        yield say("analysis_n_cut", language, rows=f"{len(columns.table.rows):,}")
    if selected.span == "none":
        yield say("analysis_n_no_span", language)
    if selected.only:
        yield say("analysis_n_only", language, names=_listed(selected.only))
    totals = columns.totals
    if totals:
        names = [next((cell for cell in row.cells if cell), "") for row in totals]
        yield say("analysis_n_totals", language, names=_listed(tuple(dict.fromkeys(names))))
    yield from _of_columns(selected, language)
    yield from _of_frame(frame, language)


def _of_columns(selected: Selected, language: Language) -> Iterator[str]:
    if selected.time is not None and selected.time.unread:
        name = selected.time.name or say("analysis_period", language)
        yield say("analysis_n_undated", language, of=name, count=f"{selected.time.unread:,}")
    for column in selected.measures:
        if column.missing:
            yield say("analysis_n_missing", language, of=column.name, count=f"{column.missing:,}")
        if column.unread:
            yield say("analysis_n_unread", language, of=column.name, count=f"{column.unread:,}")


def _of_frame(frame: Frame | None, language: Language) -> Iterator[str]:
    if frame is None or not frame.measures:
        return
    keys = {"sum": "analysis_n_sum", "mean": "analysis_n_mean", "median": "analysis_n_median"}
    for how in dict.fromkeys(measure.how for measure in frame.measures):
        if how in keys:
            yield say(keys[how], language, axis=_axis(frame, language))
    if frame.lines_left:
        yield say("analysis_n_lines", language, count=f"{frame.lines_left:,}")


def _axis(frame: Frame, language: Language) -> str:
    if frame.axis.grain is not None and not (language == "ko" and frame.axis.grain == "year"):
        return say(f"analysis_{frame.axis.grain}", language)
    return frame.axis.name or say("analysis_period" if frame.axis.periods else "analysis_name", language)


def _listed(names: tuple[str, ...]) -> str:
    more = f" (+{len(names) - _MOST_NAMES})" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(shown, names[:_MOST_NAMES])) + more

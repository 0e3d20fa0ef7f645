"""What figures tell, by rules: sentences that say what was computed, no cause of it, and what should be looked at."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.language import say
from agent.reasoning.analysis_contract import AnalysisBrief, Figure, Means, Reading
from agent.reasoning.grounding.number_support import numbers_stand
from agent.results import Insight
from agent.types import Language

MOST = 6
"""Insights of one analysis: more are not read."""


def analysed(brief: AnalysisBrief) -> Reading:
    """Return what the figures tell, most important first, and what should be looked at."""
    figures = brief.figures or [Figure(means="rank", metric=each, of=each.name) for each in brief.metrics]
    if not brief.figures:
        plain = (
            Insight(text=f"{each.metric.name}: {each.metric.written}", metrics=(each.metric.name,)) for each in figures
        )
        return Reading(insights=tuple(plain))
    talk = _Talk(figures, brief.language)
    found = [each for each in talk.told(brief.type) if not numbers_stand(each.text, brief.metrics)]
    return Reading(insights=tuple(found[:MOST]), recommendations=advice(brief))


@dataclass(frozen=True, slots=True)
class _Talk:
    """The figures of one analysis, to be put in words."""

    figures: Sequence[Figure]
    language: Language

    def told(self, kind: str) -> Iterator[Insight]:
        measures = list(
            dict.fromkeys(each.of for each in self.figures if each.of and each.means not in ("missing", "unread"))
        )
        main = measures[0] if measures else ""
        if kind == "trend":
            yield from self._trends(measures)
            yield from self._ends(main)
            yield from self._outliers(main)
            yield from self._steps(main)
            yield from self._growth(main)
        elif kind == "comparison":
            yield from self._first(main)
            yield from self._ranking(main)
            yield from self._whole(main)
            yield from self._outliers(main)
            for other in measures[1:]:
                yield from self._first(other)
        else:
            yield from self._trends(measures[:2])
            for measure in measures[:2] if kind == "summary" else measures[:3]:
                yield from self._outliers(measure)
                yield from self._middle(measure)
            for measure in measures:
                yield from self._ends(measure)
                yield from self._whole(measure)
                yield from self._first(measure)
        yield from self._totals()

    def _get(self, of: str, means: Means) -> Figure | None:
        return next((each for each in self.figures if each.of == of and each.means == means), None)

    def _all(self, of: str, means: Means) -> list[Figure]:
        return [each for each in self.figures if each.of == of and each.means == means]

    def _say(self, key: str, *used: Figure, **values: str) -> Insight:
        return Insight(text=say(key, self.language, **values), metrics=tuple(each.metric.name for each in used))

    def _trends(self, measures: Sequence[str]) -> Iterator[Insight]:
        for of in measures:
            first, last, change = (self._get(of, means) for means in ("first", "last", "change"))
            if first is None or last is None or change is None:
                continue
            value = change.metric.value
            if value == 0:
                yield self._say(
                    "analysis_flat", first, last, of=of, value=last.metric.written, since=first.at, at=last.at
                )
                continue
            share = self._get(of, "change_share")
            used = [first, last, change, *([share] if share else [])]
            detail = ", ".join(each.metric.written for each in used[2:])
            yield self._say(
                "analysis_rose" if value > 0 else "analysis_fell", *used, of=of, first=first.metric.written,
                last=last.metric.written, since=first.at, at=last.at, detail=detail,
            )  # fmt: skip

    def _ends(self, of: str) -> Iterator[Insight]:
        high, low = self._get(of, "highest"), self._get(of, "lowest")
        if high and low and high.at and low.at:
            yield self._say(
                "analysis_ends", high, low, of=of, highest=high.metric.written, at=high.at, lowest=low.metric.written,
                since=low.at,
            )  # fmt: skip

    def _steps(self, of: str) -> Iterator[Insight]:
        steps = [step for step in (self._get(of, "rise"), self._get(of, "fall")) if step is not None]
        if steps:
            step = max(steps, key=lambda each: abs(each.metric.value))
            key = "analysis_largest_rise" if step.means == "rise" else "analysis_largest_fall"
            yield self._say(key, step, since=step.since, at=step.at, value=step.metric.written)

    def _growth(self, of: str) -> Iterator[Insight]:
        figure = self._get(of, "growth")
        if figure is not None and figure.metric.value:
            yield self._say("analysis_growth", figure, of=of, grain=figure.at, value=figure.metric.written)

    def _outliers(self, of: str) -> Iterator[Insight]:
        middle = self._get(of, "median")
        for figure in self._all(of, "outlier")[:2]:
            if figure.of_trend or middle is None:
                yield self._say("analysis_off_course", figure, of=of, at=figure.at, value=figure.metric.written)
            else:
                yield self._say(
                    "analysis_far", figure, middle, of=of, at=figure.at, value=figure.metric.written,
                    median=middle.metric.written,
                )  # fmt: skip

    def _first(self, of: str) -> Iterator[Insight]:
        high, low = self._get(of, "highest"), self._get(of, "lowest")
        ranked = self._all(of, "rank")
        if high is None or low is None or not high.at or not ranked:
            return
        share = next((each for each in self._all(of, "share") if each.at == high.at), None)
        ratio = self._get(of, "ratio")
        used = [high, *([share] if share else [])]
        values = {"of": of, "at": high.at, "value": high.metric.written}
        if share:
            yield self._say("analysis_first_share", *used, **values, share=share.metric.written)
        else:
            yield self._say("analysis_first", *used, **values)
        if ratio is not None and ratio.at == high.at and ratio.since == low.at:
            yield self._say(
                "analysis_last_ratio",
                low,
                ratio,
                of=of,
                at=low.at,
                value=low.metric.written,
                ratio=ratio.metric.written,
            )
        else:
            yield self._say("analysis_last", low, of=of, at=low.at, value=low.metric.written)

    def _ranking(self, of: str) -> Iterator[Insight]:
        ranked = self._all(of, "rank")
        if len(ranked) > 2:
            names = ", ".join(f"{each.at} ({each.metric.written})" for each in ranked)
            rising = ranked[0].metric.value < ranked[-1].metric.value
            yield self._say("analysis_ranking_up" if rising else "analysis_ranking", *ranked, of=of, names=names)

    def _whole(self, of: str) -> Iterator[Insight]:
        total, average = self._get(of, "sum"), self._get(of, "mean")
        if total is not None and average is not None:
            yield self._say(
                "analysis_whole", total, average, of=of, total=total.metric.written, mean=average.metric.written
            )

    def _middle(self, of: str) -> Iterator[Insight]:
        low, middle, high = (self._get(of, means) for means in ("low_quarter", "median", "high_quarter"))
        average = self._get(of, "mean")
        if low and middle and high and average:
            yield self._say(
                "analysis_middle", low, high, middle, average, of=of, low=low.metric.written, high=high.metric.written,
                median=middle.metric.written, mean=average.metric.written,
            )  # fmt: skip

    def _totals(self) -> Iterator[Insight]:
        for told in (each for each in self.figures if each.means == "total_told"):
            total = self._get(told.of, "sum")
            if total is not None:
                yield self._say(
                    "analysis_total_differs",
                    told,
                    total,
                    of=told.of,
                    told=told.metric.written,
                    total=total.metric.written,
                )


MOST_ADVICE = 4
MISSING = 0.05
"""Share of missing cells from which they are worth filling."""
CONCENTRATED = 50.0
"""Percent of the total in one of several names."""
_FEW_PERIODS = 4
_FEW_NAMES = 3


def advice(brief: AnalysisBrief) -> tuple[str, ...]:
    """Return recommendations, the most urgent first; none where nothing in the figures asks for one."""
    return tuple(dict.fromkeys(_advice(brief)))[:MOST_ADVICE]


def _advice(brief: AnalysisBrief) -> Iterator[str]:
    figures, language = brief.figures, brief.language
    rows = next((each.metric.value for each in figures if each.means == "count"), 0.0)
    for figure in figures:
        if figure.means == "total_told":
            yield say("analysis_check_total", language, of=figure.of)
    for figure in figures:
        if figure.means == "outlier":
            yield say("analysis_check_outlier", language, of=figure.of, at=figure.at, value=figure.metric.written)
    for figure in figures:
        if figure.means in ("missing", "unread") and figure.metric.value >= MISSING * max(1.0, rows):
            key = "analysis_fill" if figure.means == "missing" else "analysis_correct"
            yield say(key, language, of=figure.of, count=figure.metric.written)
    concentrated = _concentrated(brief)
    if concentrated is not None:
        yield say(
            "analysis_look_first", language, of=concentrated.of, at=concentrated.at, share=concentrated.metric.written
        )
    periods = next((each.metric.value for each in figures if each.means == "periods"), _FEW_PERIODS)
    if periods < _FEW_PERIODS:
        yield say("analysis_wait", language)


def _concentrated(brief: AnalysisBrief) -> Figure | None:
    shares = [each for each in brief.figures if each.means == "share"]
    if len(shares) < _FEW_NAMES or shares[0].metric.value < CONCENTRATED:
        return None
    return shares[0]

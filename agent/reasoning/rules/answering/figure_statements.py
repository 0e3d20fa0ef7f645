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
MOST_ADVICE = 4
MISSING = 0.05
"""Share of missing cells from which they are worth filling."""
CONCENTRATED = 50.0
"""Percent of the total in one of several names."""
_FEW_PERIODS = 4
_FEW_NAMES = 3
_MANY_RANKED = 3


def analysed(brief: AnalysisBrief) -> Reading:
    """Return what the figures tell, most important first, and what should be looked at."""
    if not brief.figures:
        plain = [Insight(text=f"{each.name}: {each.written}", metrics=(each.name,)) for each in brief.metrics]
        return Reading(insights=tuple(plain))
    told = Talk(brief.figures, brief.language).told(brief.type)
    found = [each for each in told if not numbers_stand(each.text, brief.metrics)]
    return Reading(insights=tuple(found[:MOST]), recommendations=tuple(dict.fromkeys(_advice(brief)))[:MOST_ADVICE])


@dataclass(frozen=True, slots=True)
class Talk:
    """The figures of one analysis, to be put in words; the methods tell of one measure each."""

    figures: Sequence[Figure]
    language: Language

    def told(self, kind: str) -> Iterator[Insight]:
        """Yield what there is to say in an analysis of a kind, most important first."""
        counted = ("missing", "unread")
        measures = list(dict.fromkeys(each.of for each in self.figures if each.of and each.means not in counted))
        main, others, few = measures[:1], measures[1:], measures[: 2 if kind == "summary" else 3]
        if kind == "trend":
            order = [(measures, [self._trend]), (main, [self._ends, self._outliers, self._step, self._growth])]
        elif kind == "comparison":
            order = [(main, [self._first, self._ranking, self._whole, self._outliers]), (others, [self._first])]
        else:
            each = [self._ends, self._whole, self._first]
            order = [(measures[:2], [self._trend]), (few, [self._outliers, self._middle]), (measures, each)]
        for some, ways in order:
            for of in some:
                for way in ways:
                    yield from way(of)
        for told in (each for each in self.figures if each.means == "total_told"):
            if total := self._get(told.of, "sum"):
                yield self._say("total_differs", of=told.of, told=told, total=total)

    def _get(self, of: str, means: Means) -> Figure | None:
        return next(iter(self._all(of, means)), None)

    def _all(self, of: str, means: Means) -> list[Figure]:
        return [each for each in self.figures if each.of == of and each.means == means]

    def _say(self, key: str, *also: Figure, **values: Figure | str) -> Insight:
        """Return a sentence of the catalogue with these values, resting on the figures among them and on `also`."""
        used = [each for each in values.values() if isinstance(each, Figure)]
        words = {name: each.metric.written if isinstance(each, Figure) else each for name, each in values.items()}
        text = say(f"analysis_{key}", self.language, **words)
        return Insight(text=text, metrics=tuple(each.metric.name for each in (*used, *also)))

    def _trend(self, of: str) -> Iterator[Insight]:
        first, last, change = (self._get(of, means) for means in ("first", "last", "change"))
        if first is None or last is None or change is None:
            return
        if not change.metric.value:
            yield self._say("flat", first, of=of, value=last, since=first.at, at=last.at)
            return
        used = [change, *self._all(of, "change_share")[:1]]
        detail = ", ".join(each.metric.written for each in used)
        key = "rose" if change.metric.value > 0 else "fell"
        yield self._say(key, *used, of=of, first=first, last=last, since=first.at, at=last.at, detail=detail)

    def _ends(self, of: str) -> Iterator[Insight]:
        high, low = self._get(of, "highest"), self._get(of, "lowest")
        if high and low and high.at and low.at:
            yield self._say("ends", of=of, highest=high, at=high.at, lowest=low, since=low.at)

    def _step(self, of: str) -> Iterator[Insight]:
        steps = [*self._all(of, "rise")[:1], *self._all(of, "fall")[:1]]
        if steps:
            step = max(steps, key=lambda each: abs(each.metric.value))
            yield self._say(f"largest_{step.means}", since=step.since, at=step.at, value=step)

    def _growth(self, of: str) -> Iterator[Insight]:
        growth = self._get(of, "growth")
        if growth is not None and growth.metric.value:
            yield self._say("growth", of=of, grain=growth.at, value=growth)

    def _outliers(self, of: str) -> Iterator[Insight]:
        median = self._get(of, "median")
        for figure in self._all(of, "outlier")[:2]:
            if figure.of_trend or median is None:
                yield self._say("off_course", of=of, at=figure.at, value=figure)
            else:
                yield self._say("far", of=of, at=figure.at, value=figure, median=median)

    def _first(self, of: str) -> Iterator[Insight]:
        high, low, ratio = (self._get(of, means) for means in ("highest", "lowest", "ratio"))
        if high is None or low is None or not high.at or not self._all(of, "rank"):
            return
        share = next((each for each in self._all(of, "share") if each.at == high.at), None)
        if share is not None:
            yield self._say("first_share", of=of, at=high.at, value=high, share=share)
        else:
            yield self._say("first", of=of, at=high.at, value=high)
        if ratio is not None and (ratio.at, ratio.since) == (high.at, low.at):
            yield self._say("last_ratio", of=of, at=low.at, value=low, ratio=ratio)
        else:
            yield self._say("last", of=of, at=low.at, value=low)

    def _ranking(self, of: str) -> Iterator[Insight]:
        ranked = self._all(of, "rank")
        if len(ranked) >= _MANY_RANKED:
            names = ", ".join(f"{each.at} ({each.metric.written})" for each in ranked)
            rising = ranked[0].metric.value < ranked[-1].metric.value
            yield self._say("ranking_up" if rising else "ranking", *ranked, of=of, names=names)

    def _whole(self, of: str) -> Iterator[Insight]:
        total, mean = self._get(of, "sum"), self._get(of, "mean")
        if total is not None and mean is not None:
            yield self._say("whole", of=of, total=total, mean=mean)

    def _middle(self, of: str) -> Iterator[Insight]:
        low, high, median, mean = (self._get(of, each) for each in ("low_quarter", "high_quarter", "median", "mean"))
        if low and high and median and mean:
            yield self._say("middle", of=of, low=low, high=high, median=median, mean=mean)


def _advice(brief: AnalysisBrief) -> Iterator[str]:
    """Yield recommendations, the most urgent first; none where nothing in the figures asks for one."""

    def figures(*means: Means) -> list[Figure]:
        return [each for each in brief.figures if each.means in means]

    def advised(key: str, **values: str) -> str:
        return say(f"analysis_{key}", brief.language, **values)

    for each in figures("total_told"):
        yield advised("check_total", of=each.of)
    for each in figures("outlier"):
        yield advised("check_outlier", of=each.of, at=each.at, value=each.metric.written)
    rows = next((each.metric.value for each in figures("count")), 0.0)
    for each in figures("missing", "unread"):
        if each.metric.value >= MISSING * max(1.0, rows):
            yield advised("fill" if each.means == "missing" else "correct", of=each.of, count=each.metric.written)
    shares = figures("share")
    if len(shares) >= _FEW_NAMES and shares[0].metric.value >= CONCENTRATED:
        yield advised("look_first", of=shares[0].of, at=shares[0].at, share=shares[0].metric.written)
    if any(each.metric.value < _FEW_PERIODS for each in figures("periods")[:1]):
        yield advised("wait")

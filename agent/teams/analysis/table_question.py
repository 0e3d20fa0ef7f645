"""What a question asks of a table: which kind of analysis, which columns, rows and periods."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.language.lexicon import earliest, mapping, pattern, regex, words
from agent.reasoning.rules.reading.trade_synonyms import Named, Synonyms, terms_named
from agent.teams.analysis import periods
from agent.teams.analysis.periods import GRAINS, Grain, Period
from agent.text import normalise, tokens
from agent.values.names import month_pattern

Kind = Literal["trend", "comparison", "distribution", "summary"]

MATCHED_SHARE = 0.6
"""Share of a name's terms that a question must hold to speak of it."""

_TYPES: Mapping[str, Kind] = mapping("teams.types")
"""The kind that each type of a pack is computed as."""

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("distribution", pattern("teams.asks_distribution")),
    ("trend", pattern("teams.asks_trend")),
    ("comparison", pattern("teams.asks_comparison")),
    ("summary", pattern("teams.asks_summary")),
)
_GRAINS: Mapping[str, Grain] = mapping("teams.grains")
_AVERAGE = pattern("teams.asks_average")
_MEDIAN = pattern("teams.asks_median")
_COUNT = pattern("teams.asks_count")
_SHARE = pattern("teams.asks_share")
_CHARTS = tuple((name, pattern(f"teams.{name}_chart")) for name in ("pie", "bar", "line"))
_MENTION = re.compile(
    rf"(?:fy\s?)?(?<![\d,.$₩€£])(?:19|20)\d\d(?:[-./](?:0[1-9]|1[0-2])(?:[-./]\d{{2}})?(?!\d)"
    rf"|{regex('teams.behind_year')}|[\s-]?[qh][1-4]\b)?(?![\d,%$]|\s?{regex('teams.counted_not_dated')})|"
    r"\b(?:q[1-4]|h[12])\s(?:of\s)?(?:19|20)\d\d\b|"
    rf"\b{month_pattern(prose=False)}\.?\s(?:19|20)\d\d\b|"
    rf"{regex('teams.undated')}|\bq[1-4]\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(rf"\s?(?:{regex('teams.to')}|[-–~∼])\s?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What is asked; what a question leaves open is empty."""

    text: str
    kind: Kind | None = None
    words: frozenset[str] = frozenset()
    """Terms of the question, as the index has them, and those of what else its things are called."""
    own: frozenset[str] = frozenset()
    """Those of the question alone."""
    called: tuple[Named, ...] = ()
    """The terms of each thing that it names and that has other names, with theirs."""
    top: int = 0
    """Of how many at the end of a ranking is asked; below 0 for the last."""
    by: str = ""
    grain: Grain | None = None
    latest: tuple[int, Grain] | None = None
    spans: tuple[tuple[int, int], ...] = ()
    """First and last days (ordinals) of the stretches of time that are asked about; none: all."""
    undated: tuple[Period, ...] = ()
    """Periods without a year that are asked about."""
    average: bool = False
    median: bool = False
    count: bool = False
    share: bool = False
    chart: str = ""

    def holds(self, name: str, *, share: float = MATCHED_SHARE) -> bool:
        """Tell whether the question names something: it holds most of its terms."""
        return self.part(name) >= share

    def part(self, name: str) -> float:
        """Return which share of a name's terms the question holds, 0..1."""
        mine = set(tokens(name))
        return len(mine & self.words) / len(mine) if mine else 0.0


def read(text: str, subject: str = "", synonyms: Synonyms = ()) -> Asked:
    """Return what a question asks; `subject` is the type of the step, `synonyms` what else a team calls a column."""
    text = normalise(text)
    worded = next((kind for kind, words in _KINDS if words.search(text)), None)
    kind = _TYPES.get(subject.lower()) or worded
    top = earliest("teams.ranking_end", text)
    latest = earliest("teams.latest_periods", text)
    by = earliest("teams.split_by", text)
    spans, undated = _spans(text)
    own, called = frozenset(tokens(text)), tuple(terms_named(text, synonyms))
    return Asked(
        text=text,
        kind=kind,
        words=own.union(*(way for _, ways in called for way in ways)),
        own=own,
        called=called,
        top=_top(top) if top else 0,
        by=_names(by) if by else "",
        grain=_grain(text),
        latest=_latest(latest) if latest else None,
        spans=spans,
        undated=undated,
        average=bool(_AVERAGE.search(text)),
        median=bool(_MEDIAN.search(text)),
        count=bool(_COUNT.search(text)),
        share=bool(_SHARE.search(text)),
        chart=next((name for name, words in _CHARTS if words.search(text)), ""),
    )


def _names(match: re.Match[str]) -> str:
    """Return what a question splits by, where that is no stretch of time."""
    word = match["by"]
    return "" if word.lower().split()[0].rstrip("s") in _GRAINS else word


def _top(match: re.Match[str]) -> int:
    count = int(match["count"])
    return -count if match["end"].lower() in words("teams.low_ends") else count


def _latest(match: re.Match[str]) -> tuple[int, Grain]:
    return int(match["count"]), _GRAINS[match["grain"].lower()]


def _grain(text: str) -> Grain | None:
    match = earliest("teams.by_grain", text)
    return _GRAINS[match["grain"].lower()] if match else None


def _spans(text: str) -> tuple[tuple[tuple[int, int], ...], tuple[Period, ...]]:
    """Return the stretches of time that a question speaks of, and the periods without a year."""
    found: list[tuple[Period, re.Match[str]]] = []
    for match in _MENTION.finditer(text):
        period = periods.read(match.group().strip(), years=True)
        if period is not None:
            found.append((period, match))
    dated = [(period, match) for period, match in found if period.dated]
    undated = tuple(period for period, _ in found if not period.dated)
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(dated):
        period, match = dated[at]
        following = dated[at + 1] if at + 1 < len(dated) else None
        gap = text[match.end() : following[1].start()] if following else ""
        if following and _BETWEEN.fullmatch(gap) and _is_range(text, match, gap):
            spans.append((period.first_day(), following[0].last_day()))
            at += 2
            continue
        spans.append(_span(period, text, match))
        at += 1
    return tuple(spans), undated


def _is_range(text: str, match: re.Match[str], gap: str) -> bool:
    """Tell whether what stands between two periods means all from one to the other: not "2024 and 2025"."""
    joined = gap.strip().lower() in words("teams.joining")
    return not joined or _said("between", text[: match.start()])


def _span(period: Period, text: str, match: re.Match[str]) -> tuple[int, int]:
    before, behind = text[: match.start()], text[match.end() :]
    if _said("since", before) or _said("since_behind", behind):
        return (period.last_day() + 1 if _said("after", before) else period.first_day()), 10**7
    if _said("until", before) or _said("until_behind", behind):
        earlier = _said("before", before) or _said("before_behind", behind)
        return 0, (period.first_day() - 1 if earlier else period.last_day())
    return period.first_day(), period.last_day()


def _said(cue: str, text: str) -> bool:
    return pattern(f"teams.{cue}").search(text) is not None


def coarser(grain: Grain) -> Sequence[Grain]:
    """Return the grains that are longer than one, shortest first."""
    return [each for each in GRAINS[GRAINS.index(grain) + 1 :] if each not in ("week", "half")]

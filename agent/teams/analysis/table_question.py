"""What a question asks of a table: which kind of analysis, which columns, rows and periods."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from agent.language.lexicon import earliest, mapping, pattern, regex, words
from agent.reasoning.rules.reading.trade_synonyms import Named, Synonyms, terms_named
from agent.teams.analysis import periods
from agent.teams.analysis.periods import Grain, Period
from agent.text import normalise, tokens
from agent.values.names import month_pattern

Kind = Literal["trend", "comparison", "distribution", "summary"]

MATCHED_SHARE = 0.6
"""Share of a name's terms that a question must hold to speak of it."""

_TYPES: Mapping[str, Kind] = mapping("teams.types")
"""The kind that each type of a pack is computed as."""

_KINDS: tuple[Kind, ...] = ("distribution", "trend", "comparison", "summary")
_CHARTS = ("pie", "bar", "line")
_GRAINS: Mapping[str, Grain] = mapping("teams.grains")
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
    top, latest, by, grain = (
        earliest(f"teams.{name}", text) for name in ("ranking_end", "latest_periods", "split_by", "by_grain")
    )
    spans, undated = _spans(text)
    own, called = frozenset(tokens(text)), tuple(terms_named(text, synonyms))
    return Asked(
        text=text,
        kind=_TYPES.get(subject.lower()) or next((kind for kind in _KINDS if _said(f"asks_{kind}", text)), None),
        words=own.union(*(way for _, ways in called for way in ways)),
        own=own,
        called=called,
        top=int(top["count"]) * (-1 if top["end"].lower() in words("teams.low_ends") else 1) if top else 0,
        by=by["by"] if by and by["by"].lower().split()[0].rstrip("s") not in _GRAINS else "",
        grain=_GRAINS[grain["grain"].lower()] if grain else None,
        latest=(int(latest["count"]), _GRAINS[latest["grain"].lower()]) if latest else None,
        spans=spans,
        undated=undated,
        average=_said("asks_average", text),
        median=_said("asks_median", text),
        count=_said("asks_count", text),
        share=_said("asks_share", text),
        chart=next((name for name in _CHARTS if _said(f"{name}_chart", text)), ""),
    )


def _spans(text: str) -> tuple[tuple[tuple[int, int], ...], tuple[Period, ...]]:
    """Return the stretches of time that a question speaks of, and the periods without a year."""
    read = [(periods.read(match.group().strip(), years=True), match) for match in _MENTION.finditer(text)]
    found = [(period, match) for period, match in read if period is not None]
    dated = [(period, match) for period, match in found if period.dated]
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(dated):
        (first, match), (last, behind) = dated[at], dated[min(at + 1, len(dated) - 1)]
        is_range = behind is not match and _is_range(text, match, text[match.end() : behind.start()])
        spans.append((first.first_day(), last.last_day()) if is_range else _span(first, text, match))
        at += 2 if is_range else 1
    return tuple(spans), tuple(period for period, _ in found if not period.dated)


def _is_range(text: str, match: re.Match[str], gap: str) -> bool:
    """Tell whether what stands between two periods means all from one to the other: not "2024 and 2025"."""
    joined = gap.strip().lower() in words("teams.joining")
    return bool(_BETWEEN.fullmatch(gap)) and (not joined or _said("between", text[: match.start()]))


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

"""What a question asks of a table: which kind of analysis, which columns, rows and periods."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.teams.analysis import periods
from agent.teams.analysis.periods import GRAINS, Grain, Period
from agent.text import normalise, tokens

Kind = Literal["trend", "comparison", "distribution", "summary"]

MATCHED_SHARE = 0.6
"""Share of a name's terms that a question must hold to speak of it."""

_SUBJECTS: dict[str, Kind] = {
    "trend": "trend", "market": "trend", "growth": "trend", "forecast": "trend", "performance": "trend",
    "comparison": "comparison", "ranking": "comparison", "competitor": "comparison", "share": "comparison",
    "distribution": "distribution", "risk": "distribution", "outliers": "distribution", "quality": "distribution",
    "summary": "summary", "comprehensive": "summary", "overview": "summary", "general": "summary",
}  # fmt: skip
"""The kind that each type of a pack is computed as."""

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("distribution", re.compile(
        r"\bdistribut\w*|\bhistogram|\bspread\b|\boutliers?\b|\banomal\w*|\bunusual|분포|이상치|이상값|편차|산포",
        re.I)),
    ("trend", re.compile(
        r"\btrends?\b|\bover (?:time|the)\b|\bdevelop(?:ed|ment|s)?\b|\bgrow(?:th|n|s|ing)?\b|\bgrew\b|\bevol\w+|"
        r"\bchang(?:e|es|ed|ing)\b|\b(?:month|quarter|year|week|dai)ly\b|\bby (?:month|quarter|year|week|day)\b|"
        r"\b(?:rise|rose|risen|fall|fell|increas\w+|decreas\w+)\b|추이|추세|변화|변동|증감|증가|감소|성장|늘었|줄었|"
        r"(?:월|분기|연도|년도|주|일자|날짜)별", re.I)),
    ("comparison", re.compile(
        r"\bcompar\w*|\bversus\b|\bvs\.?\b|\brank\w*|\btop\b|\bbottom\b|\b(?:highest|lowest|largest|smallest|biggest|"
        r"most|least|best|worst)\b|\bshares?\b|\bproportion\w*|\bdifferen\w+|\b(?:by|per|each|across)\s\w+|\bpie\b|"
        r"비교|순위|상위|하위|가장|제일|비중|점유|차이|구성비|[가-힣]별|파이|원\s?그래프|마다", re.I)),
    ("summary", re.compile(
        r"\bsummar\w*|\boverview\b|\bstands? out\b|\binsights?\b|\bkey figures\b|\banaly[sz]\w*|요약|특이|눈에 띄|"
        r"핵심|분석|인사이트|정리", re.I)),
)  # fmt: skip
_TOP = re.compile(r"\b(?P<e>top|bottom|highest|lowest|largest|smallest)\s(?P<n>\d{1,2})\b|"
                  r"(?P<k>상위|하위)\s?(?P<m>\d{1,2})", re.I)  # fmt: skip
_LATEST = re.compile(r"\b(?:last|past|latest|recent)\s(?P<n>\d{1,3})\s(?P<g>day|week|month|quarter|year)s?\b|"
                     r"(?:최근|지난)\s?(?P<m>\d{1,3})\s?(?P<k>일|주|개월|달|분기|년)", re.I)  # fmt: skip
_KO_GRAIN: dict[str, Grain] = {
    "일": "day", "주": "week", "개월": "month", "달": "month", "월": "month", "분기": "quarter", "년": "year",
    "연도": "year", "년도": "year", "연": "year", "날짜": "day", "일자": "day",
}  # fmt: skip
_EN_GRAIN: dict[str, Grain] = {
    "day": "day", "dai": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year",
    "annual": "year",
}  # fmt: skip
_GRAIN = re.compile(r"\b(?:by|per|each|every)\s(?P<e>day|week|month|quarter|year)s?\b|"
                    r"\b(?P<l>month|quarter|year|week|dai|annual)ly\b|"
                    r"(?P<k>월|분기|연도|년도|주|일자|날짜|연)(?:별|간\s?추이)", re.I)  # fmt: skip
_BY = re.compile(
    r"\b(?:by|per|across|each|for each)\s(?:the\s)?(?P<e>[\w-]+(?:\s[\w-]+)?)"
    r"|(?<![가-힣A-Za-z])(?P<k>[가-힣A-Za-z]+)\s?(?:별|마다)",
    re.I,
)
_AVERAGE = re.compile(r"\b(?:average|mean|avg)\b|평균", re.I)
_MEDIAN = re.compile(r"\bmedian\b|중앙값|중위", re.I)
_COUNT = re.compile(
    r"\bhow many\b|\bnumber of (?:rows|entries|cases|records)\b|\bcounts?\b|몇\s?(?:건|개|번)|건수|빈도|개수", re.I
)
_SHARE = re.compile(
    r"\bshares?\b|\bproportions?\b|\bpie\b|\bpercentage of\b|비중|점유율|구성비|비율|파이|원\s?그래프", re.I
)
_TOGETHER = re.compile(r"\bcorrelat\w+|\brelat(?:ed|ion\w*)\b|\bmove together\b|상관|관계(?!사|자|없)|연관", re.I)
_CHARTS = (
    ("pie", re.compile(r"\bpie\b|파이|원\s?그래프", re.I)),
    ("bar", re.compile(r"\b(?:bars?|columns?) (?:chart|graph|plot)|\bbars\b|막대", re.I)),
    ("line", re.compile(r"\bline (?:chart|graph|plot)|꺾은선|선\s?그래프", re.I)),
)
_MENTION = re.compile(
    r"(?:fy\s?)?(?<![\d,.$₩€£])(?:19|20)\d\d(?:[-./](?:0[1-9]|1[0-2])(?:[-./]\d{2})?(?!\d)|\s?년(?:도)?(?:\s?(?:[1-4]\s?분기|\d{1,2}월|[상하]반기))?|"
    r"[\s-]?[qh][1-4]\b)?(?![\d,%$]|\s?(?:원|명|건|개|usd|won|people))|"
    r"\b(?:q[1-4]|h[12])\s(?:of\s)?(?:19|20)\d\d\b|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s(?:19|20)\d\d\b|"
    r"(?<!\d)(?:1[0-2]|[1-9])월(?!\s?간)|(?<!\d)[1-4]\s?분기|\bq[1-4]\b", re.I,
)  # fmt: skip
_SINCE = re.compile(r"(?:\b(?:since|from|after|starting(?: in)?)\s)$", re.I)
_UNTIL = re.compile(r"(?:\b(?:until|till|before|up to|through|to)\s)$", re.I)
_SINCE_KO = re.compile(r"^\s?(?:이후|부터)")
_UNTIL_KO = re.compile(r"^\s?(?:이전|까지)")
_BETWEEN = re.compile(r"\s?(?:to|until|through|and|[-–~∼]|에서|부터|와|과)\s?", re.I)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What is asked; what a question leaves open is empty."""

    text: str
    kind: Kind | None = None
    words: frozenset[str] = frozenset()
    """Terms of the question, as the index has them."""
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
    together: bool = False
    chart: str = ""

    def holds(self, name: str, *, share: float = MATCHED_SHARE) -> bool:
        """Tell whether the question names something: it holds most of its terms."""
        return self.part(name) >= share

    def part(self, name: str) -> float:
        """Return which share of a name's terms the question holds, 0..1."""
        mine = set(tokens(name))
        return len(mine & self.words) / len(mine) if mine else 0.0


def read(text: str, subject: str = "") -> Asked:
    """Return what a question asks; `subject` is the type of the step."""
    text = normalise(text)
    together = bool(_TOGETHER.search(text))
    worded = next((kind for kind, words in _KINDS if words.search(text)), None)
    kind = _SUBJECTS.get(subject.lower()) or ("summary" if together else worded)
    top = _TOP.search(text)
    latest = _LATEST.search(text)
    by = _BY.search(text)
    spans, undated = _spans(text)
    return Asked(
        text=text,
        kind=kind,
        words=frozenset(tokens(text)),
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
        together=together,
        chart=next((name for name, words in _CHARTS if words.search(text)), ""),
    )


def _names(match: re.Match[str]) -> str:
    """Return what a question splits by, where that is no stretch of time."""
    word: str = match["e"] or match["k"]
    return "" if word.lower().split()[0].rstrip("s") in _EN_GRAIN or word in _KO_GRAIN else word


def _top(match: re.Match[str]) -> int:
    count = int(match["n"] or match["m"])
    return -count if (match["e"] or match["k"]).lower() in ("bottom", "lowest", "smallest", "하위") else count


def _latest(match: re.Match[str]) -> tuple[int, Grain]:
    return int(match["n"] or match["m"]), _EN_GRAIN[match["g"].lower()] if match["g"] else _KO_GRAIN[match["k"]]


def _grain(text: str) -> Grain | None:
    match = _GRAIN.search(text)
    if match is None:
        return None
    return _KO_GRAIN[match["k"]] if match["k"] else _EN_GRAIN[(match["e"] or match["l"]).lower()]


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
    joined = gap.strip().lower() in ("and", "와", "과")
    return not joined or re.search(r"\bbetween\s$", text[: match.start()], re.I) is not None


def _span(period: Period, text: str, match: re.Match[str]) -> tuple[int, int]:
    before, after = text[: match.start()], text[match.end() :]
    if _SINCE.search(before) or _SINCE_KO.match(after):
        later = re.search(r"\bafter\s$", before, re.I)
        return (period.last_day() + 1 if later else period.first_day()), 10**7
    if _UNTIL.search(before) or _UNTIL_KO.match(after):
        earlier = re.search(r"\bbefore\s$", before, re.I) or after.lstrip().startswith("이전")
        return 0, (period.first_day() - 1 if earlier else period.last_day())
    return period.first_day(), period.last_day()


def coarser(grain: Grain) -> Sequence[Grain]:
    """Return the grains that are longer than one, shortest first."""
    return [each for each in GRAINS[GRAINS.index(grain) + 1 :] if each not in ("week", "half")]

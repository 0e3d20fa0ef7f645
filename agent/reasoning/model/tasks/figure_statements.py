"""What computed figures tell, in a model's words: a statement with a number that is no figure's is left out."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel

from agent.language.lexicon import pattern
from agent.language.registry import profile
from agent.reasoning.analysis_contract import AnalysisBrief, Means, Reading
from agent.reasoning.grounding.number_support import numbers_stand
from agent.reasoning.model.tasks.untrusted_text import Quoting, line
from agent.reasoning.model.tasks.word_checks import leaks, without_counting
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.results import Insight, Metric
from agent.text import language_of, normalise

MOST = 5
"""Insights that are asked for."""
FIGURES = 60
"""Figures that are shown: the first ones, since the analysis puts the telling ones first."""
_RECOMMENDATIONS = 3
_TOKENS = 900
_CHARACTERS = 400
_FIGURE_CHARACTERS = 250
_QUESTION_CHARACTERS = 1000
_CHANGES: frozenset[Means] = frozenset(("change", "change_share", "growth", "rise", "fall"))


class Item(BaseModel):
    """One insight, as the model tells it."""

    text: Annotated[str, AfterValidator(normalise)]
    figures: list[int] = []


class Told(BaseModel):
    """The model's answer."""

    insights: list[Item] = []
    recommendations: list[str] = []


async def analyse(endpoint: Endpoint, brief: AnalysisBrief) -> Reading:
    """Return the model's insights that the figures bear out; none without figures. Raises ModelError."""
    if not brief.metrics:
        return Reading()
    answer = await endpoint.ask("large", request(brief), shape=Told, tokens=_TOKENS)
    shown = brief.metrics[:FIGURES]
    insights: list[Insight] = []
    for item in answer.insights:
        used = [shown[n - 1] for n in dict.fromkeys(item.figures) if 1 <= n <= len(shown)]
        # The numbers must be those of the figures that it names, so that people can look them up.
        if used and _stands(item.text, used, brief) and not _turned(item.text, used, brief):
            insights.append(Insight(text=item.text, metrics=tuple(dict.fromkeys(metric.name for metric in used))))
    recommendations = [normalise(text) for text in answer.recommendations]
    kept = [text for text in recommendations if _stands(text, shown, brief)]
    return Reading(insights=tuple(insights[:MOST]), recommendations=tuple(kept[:_RECOMMENDATIONS]))


def request(brief: AnalysisBrief) -> list[Said]:
    """Return what the model is asked about the figures."""
    quoting = Quoting()
    figures = "\n".join(f"{n}. {_shown(metric)}" for n, metric in enumerate(brief.metrics[:FIGURES], start=1))
    parts = (
        quoting.block("table", line(brief.subject, _FIGURE_CHARACTERS)) if brief.subject else "",
        quoting.block("figures", figures),
        quoting.block("question", brief.question[:_QUESTION_CHARACTERS]),
    )
    return quoting.request("analyse", parts, language=profile(brief.language).name, most=MOST)


def _shown(metric: Metric) -> str:
    basis = f" ({metric.rests_on})" if metric.rests_on else ""
    return line(f"{metric.name}: {metric.written}{basis}", _FIGURE_CHARACTERS)


def _stands(text: str, metrics: Sequence[Metric], brief: AnalysisBrief) -> bool:
    if not text or len(text) > _CHARACTERS or language_of(text, brief.language) != brief.language:
        return False
    sources = [brief.subject, brief.question, *(_shown(metric) for metric in metrics)]
    return not numbers_stand(without_counting(text), metrics) and not leaks(text, sources=sources)


def _turned(text: str, used: Sequence[Metric], brief: AnalysisBrief) -> bool:
    """Tell whether a statement lets something rise that fell, or fall that rose."""
    up, down = (bool(pattern(f"model.{way}").search(text)) for way in ("rises", "falls"))
    names = {metric.name for metric in used}
    changes = [each.metric.value for each in brief.figures if each.means in _CHANGES and each.metric.name in names]
    if up == down or not changes:
        return False
    return all(value < 0 for value in changes) if up else all(value > 0 for value in changes)

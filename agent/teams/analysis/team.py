"""From a table to what it tells: found, computed, put in words, drawn."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.errors import StorageError
from agent.language import say
from agent.reasoning.analysis_contract import AnalysisBrief, Reading
from agent.reasoning.grounding.number_support import numbers_stand
from agent.reasoning.rules.answering.figure_statements import analysed
from agent.results import AnalysisResult, Outcome, Told, Visualization
from agent.state import TeamTask, Update
from agent.teams.analysis import report
from agent.teams.analysis import table_question as questions
from agent.teams.analysis.compute import Computed, compute
from agent.teams.analysis.table_search import find_table
from agent.teams.running import Tell, run
from agent.types import Language, ProducedFile, Sentence

FILE = "chart-{step}.png"
PNG = "image/png"


async def analysis(task: TeamTask, runtime: Runtime[Context]) -> Update:
    """Analyse the figures for one step."""
    return await run(analyse, task, runtime)


async def analyse(task: TeamTask, context: Context, tell: Tell) -> Outcome:
    """Return what a table tells for a step; that there is none with figures is said. Raises StorageError."""
    language = task.understood.language
    asked = questions.read(task.step.description or task.question.text, task.step.subject, context.pack.synonyms)
    tell(say("analysis_finding", language), 10)
    found = await find_table(task, context, asked)
    if found is None:
        return _nothing(task, say("analysis_no_table", language))
    name = found.columns.table.name
    tell(say("analysis_computing", language), 40, (found.columns.table.title,))
    computed = await asyncio.to_thread(compute, found.columns, asked, found.match, language)
    if computed is None:
        return _nothing(
            task, say("analysis_no_figures", language, name=report.plain(name)), (found.columns.table.title,)
        )
    reading, doubted = await _reading(task, context, computed)
    warnings = [say("unsupported_left_out", language)] if doubted else []
    about = [say("analysis_n_table", language, name=name)]
    if found.others:
        about.append(say("analysis_n_others", language, names=", ".join(found.others)))
    files: tuple[ProducedFile, ...] = ()
    if computed.chart is not None and context.files is not None:
        tell(say("analysis_drawing", language), 75)
        try:
            png = await asyncio.to_thread(_drawn, computed.chart, say("analysis_source", language, name=name), language)
            file = FILE.format(step=task.number)
            files = (await context.files.keep(context.request.turn_id, file, PNG, png, text=computed.chart.text),)
        except StorageError:
            warnings.append(say("analysis_n_chart", language))
    told = report.told(computed, reading, about, language)
    return Outcome(
        step_id=task.step.id,
        told=told,
        analysis=AnalysisResult(
            type=task.step.subject or computed.kind,
            metrics=tuple(each.metric for each in computed.figures),
            insights=tuple(reading.insights),
            report=report.report(told),
            visualization_data=computed.chart,
            recommendations=tuple(reading.recommendations),
            confidence=computed.confidence,
        ),
        files=files,
        result=say(
            "analysis_result", language, figures=len(computed.figures),
            rows=f"{len({row.number for row in computed.selected.columns.rows}):,}",
        ),
        sources=(found.columns.table.title,),
        warnings=tuple(warnings),
    )  # fmt: skip


async def _reading(task: TeamTask, context: Context, computed: Computed) -> tuple[Reading, bool]:
    """Return what the reasoner reads in the figures, and whether it said other numbers: those are left out."""
    brief = AnalysisBrief(
        question=task.step.description or task.question.text,
        language=task.understood.language,
        pack=context.pack,
        type=computed.kind,
        subject=computed.table.name,
        metrics=tuple(each.metric for each in computed.figures),
        figures=computed.figures,
    )
    reading = await context.reasoner.analyse(brief)
    known = {metric.name: metric for metric in brief.metrics}
    insights = tuple(
        replace(each, metrics=tuple(name for name in each.metrics if name in known))
        for each in reading.insights
        if not numbers_stand(each.text, brief.metrics)
    )
    advice = tuple(each for each in reading.recommendations if not numbers_stand(each, brief.metrics))
    doubted = len(insights) < len(reading.insights) or len(advice) < len(reading.recommendations)
    if not insights:
        reading = await asyncio.to_thread(analysed, brief)
        return reading, doubted
    return Reading(insights=insights, recommendations=advice), doubted


def _drawn(chart: Visualization, source: str, language: Language) -> bytes:
    from agent.teams.analysis.drawing import draw  # brings the plotter: a second that no other answer should wait for

    return draw(chart, source=source, language=language)


def _nothing(task: TeamTask, words: str, sources: Sequence[str] = ()) -> Outcome:
    return Outcome(
        step_id=task.step.id,
        told=Told(title="", sentences=(Sentence(text=words, lead="\n\n"),)),
        result=say("analysis_result_none", task.understood.language),
        sources=tuple(sources),
    )

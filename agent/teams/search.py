"""The search team: expand the question, search every variation."""

import logging
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.errors import WeftError
from agent.events import TodoUpdated
from agent.state import Found, TeamTask, Update
from agent.types import Hit, SearchFilter, SearchRequest, Step, StepStatus
from agent.words import say

logger = logging.getLogger(__name__)


async def search(task: TeamTask, runtime: Runtime[Context]) -> Update:
    """Search for one step. A failure is data: the other steps still answer."""
    context = runtime.context
    step = replace(task.step, status=StepStatus.IN_PROGRESS, started_at=context.now())
    runtime.stream_writer(TodoUpdated(step=step))
    try:
        found = await _find(task, context)
        step = _done(step, found.hits, task, context)
    except WeftError as error:
        # What went wrong may name files of the machine: it is for the log and the operator, not for the thread.
        logger.error("A step failed: %s", error, extra={"action": "step_failed", "turn_id": context.request.turn_id})
        found = Found(step_id=step.id, error=str(error))
        words = say("step_failed", task.understood.language)
        step = replace(step, status=StepStatus.FAILED, error=words, completed_at=context.now())
    runtime.stream_writer(TodoUpdated(step=step))
    return {"found": (replace(found, step=step),), "warnings": found.warnings}


async def _find(task: TeamTask, context: Context) -> Found:
    expansion = await context.reasoner.expand(task.step, task.question, task.understood, context.pack)
    request = SearchRequest(
        queries=expansion.queries,
        k=max(20, 2 * context.pack.limits.passages),
        filter=SearchFilter(collections=context.pack.collections),
        must_have=expansion.must_have if context.pack.flags.must_have_enabled else (),
    )
    result = await context.knowledge.search(request, context.request.audience)
    warnings = tuple(say(key, task.understood.language) for key in result.warnings)
    return Found(step_id=task.step.id, expansion=expansion, hits=result.hits, search=result, warnings=warnings)


def _done(step: Step, hits: tuple[Hit, ...], task: TeamTask, context: Context) -> Step:
    documents = {hit.passage.document_id for hit in hits}
    language = task.understood.language
    result = say("step_result_none", language)
    if hits:
        result = say("step_result", language, passages=len(hits), documents=len(documents))
    return replace(
        step,
        status=StepStatus.COMPLETED,
        progress=100,
        completed_at=context.now(),
        result=result,
        sources=tuple(dict.fromkeys(hit.passage.title or hit.passage.document_id for hit in hits[:5])),
    )

"""A sign of life while a message is being read: a model takes its time, and nobody should wonder."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.events import TodoUpdated
from agent.language import say
from agent.task_group import end
from agent.text import language_of
from agent.types import Step, StepStatus

PATIENCE = 0.05
"""Seconds after which the reading shows as a step: rules are done before, a model is not."""


@asynccontextmanager
async def shown_reading(runtime: Runtime[Context]) -> AsyncIterator[None]:
    """Show a step for what is done inside, where that takes longer than `PATIENCE`; the plan takes its place."""
    context = runtime.context
    if context.without_model is None:
        yield
        return
    request = context.request
    task = say("step_reading", language_of(request.text[:2000], request.default_language))
    step = Step(id="reading", team="search", task=task, purpose="evidence", started_at=context.now())
    shown = False

    async def show() -> None:
        nonlocal shown
        await asyncio.sleep(PATIENCE)
        runtime.context.tell(TodoUpdated(step=replace(step, status=StepStatus.IN_PROGRESS)))
        shown = True

    waiting = asyncio.create_task(show())
    try:
        yield
    finally:
        await end(waiting)
    if shown:
        ended = replace(step, status=StepStatus.COMPLETED, progress=100, completed_at=context.now())
        runtime.context.tell(TodoUpdated(step=ended))

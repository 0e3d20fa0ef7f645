"""Folds a turn's events into one TODO list, and shows it at a pace that the platform can bear.

One send at a time, always of the latest state; what changes meanwhile is folded together. Showing
progress never stands in the way of the answer: a send that fails is a warning.
"""

import asyncio
import contextlib
import logging
import time
from dataclasses import replace
from typing import Literal

from adapters.contract import Capabilities, Reply, TodoList
from agent.errors import DeliveryError, RateLimitedError
from agent.events import DraftWithdrawn, Event, PlanReady, TextDelta, TodoUpdated
from agent.types import Language, Step, StepStatus

logger = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds that the answer waits for a progress message under way, so that it does not overtake it."""


class Progress:
    """The progress of one turn. `async with` it around the turn; `feed` it the events."""

    def __init__(self, reply: Reply, capabilities: Capabilities, language: Language) -> None:
        self._reply = reply
        self._capabilities = capabilities
        self._started = time.perf_counter()
        self._todo = TodoList(steps=(), language=language)
        self._text = ""
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._shown = False
        self._tried = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Progress":
        """Begin to show."""
        self._task = asyncio.create_task(self._pace())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop showing, without another word."""
        await self._quiet()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as they stand."""
        return self._todo.steps

    def feed(self, event: Event) -> None:
        """Take over what an event changes."""
        match event:
            case PlanReady(plan=plan):
                self._todo = replace(self._todo, steps=plan.steps)
            case TodoUpdated(step=step):
                self._todo = replace(self._todo, steps=_with(self._todo.steps, step))
            case TextDelta(text=text):
                self._text += text
            case DraftWithdrawn():
                self._text = ""
            case _:
                return
        self._changed.set()

    async def settle(self) -> None:
        """Wait until the list was shown once and nothing is being sent: what comes next stands below it.

        At most `PATIENCE` seconds: a platform in trouble must not hold up the answer.
        """
        if self._todo.steps and self._task is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await self._tried.wait()
        await self._quiet()

    async def close(self, status: Literal["done", "failed", "stopped"]) -> None:
        """Show the last state. Steps still open are skipped."""
        await self.settle()
        if not self._todo.steps or not self._shown:
            return
        elapsed = (time.perf_counter() - self._started) * 1000
        await show_end(self._reply, replace(self._todo, status=status, elapsed_ms=elapsed))

    async def _pace(self) -> None:
        shown_todo: TodoList | None = None
        shown_text = ""
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                async with self._sending:
                    if self._todo != shown_todo and self._todo.steps:
                        shown_todo = self._todo
                        try:
                            await self._reply.show(shown_todo)
                            self._shown = True
                        finally:
                            self._tried.set()
                    if self._text != shown_text and self._capabilities.streaming:
                        shown_text = self._text
                        await self._reply.stream(shown_text)
            except RateLimitedError as error:
                await asyncio.sleep(error.retry_after)
                self._changed.set()
            except DeliveryError as error:
                logger.warning("Progress could not be shown: %s", error, extra={"action": "progress_lost"})
                return
            await asyncio.sleep(self._capabilities.edit_interval)

    async def _quiet(self) -> None:
        task, self._task = self._task, None
        if task is None:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE), self._sending:
                pass
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def show_end(reply: Reply, todo: TodoList) -> None:
    """Show the last state of a list, its open steps as skipped; that it cannot be shown is a warning."""
    steps = tuple(step if step.status.final else replace(step, status=StepStatus.SKIPPED) for step in todo.steps)
    try:
        async with asyncio.timeout(PATIENCE):  # the next question of the thread waits for this one
            await reply.show(replace(todo, steps=steps))
    except (DeliveryError, TimeoutError) as error:
        name = type(error).__name__
        logger.warning("The end of the progress could not be shown: %s", name, extra={"action": "progress_lost"})


def _with(steps: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    if any(known.id == step.id for known in steps):
        return tuple(step if known.id == step.id else known for known in steps)
    return (*steps, step)

"""Folds a turn's events into a TODO list and a draft of the answer, shown at a pace that the platform can bear.

One send at a time, always of the latest state; what changes meanwhile is folded together. Showing
progress never stands in the way of the answer: a send that fails is a warning.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

from adapters.contract import Capabilities, Reply, TodoList
from agent.errors import DeliveryError, RateLimitedError, UnreachableError
from agent.events import DraftWithdrawn, Event, PlanReady, TextDelta, TodoUpdated
from agent.types import Language, Step, StepStatus

logger = logging.getLogger(__name__)
T = TypeVar("T")

PATIENCE = 5.0
"""Seconds that the answer waits for a progress message under way, so that it does not overtake it."""
FIRST_WORDS = 0.03
"""Seconds that the beginning of an answer is held back: what is written at once is posted once, as a whole."""
MOST_FAILURES = 3
"""Times in a row that a platform may give no usable answer until a message is left as it is."""


@dataclass(kw_only=True, slots=True)
class _Shown(Generic[T]):
    """A message that follows a state: the TODO list, or the draft."""

    send: Callable[[T], Awaitable[None]]
    state: T
    """As it should be shown."""
    sent: T
    """As it was sent last; at first what needs no showing."""
    posted: bool = False
    attempted: bool = False
    over: bool = False
    """Whether it is left as it is."""
    due: float = 0.0
    """When it may next be sent, by the clock of the loop."""
    sent_at: float = 0.0
    failures: int = 0

    @property
    def behind(self) -> bool:
        """Whether there is something to send."""
        return not self.over and self.state != self.sent


class Progress:
    """The progress of one turn. `async with` it around the turn; `feed` it the events."""

    def __init__(self, reply: Reply, capabilities: Capabilities, language: Language) -> None:
        self._reply = reply
        self._pause = capabilities.edit_interval
        self._started = time.perf_counter()
        todo = TodoList(steps=(), language=language)
        self._list = _Shown(send=reply.show, state=todo, sent=todo)
        self._draft = _Shown(send=reply.stream, state="", sent="", over=not capabilities.streaming)
        self._next_edit = 0.0
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._listed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Progress":
        """Begin to show."""
        self._task = asyncio.create_task(self._show_changes())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop showing, without another word."""
        await self._quiet()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as they stand."""
        return self._list.state.steps

    @property
    def drafted(self) -> bool:
        """Whether people may see a draft of the answer."""
        return self._draft.attempted

    def feed(self, event: Event) -> None:
        """Take over what an event changes."""
        todo, draft = self._list, self._draft
        match event:
            case PlanReady(plan=plan):
                todo.state = replace(todo.state, steps=plan.steps)
            case TodoUpdated(step=step):
                todo.state = replace(todo.state, steps=_with(todo.state.steps, step))
            case TextDelta(text=text):
                if not draft.posted and not draft.state:
                    draft.due = max(draft.due, _now() + FIRST_WORDS)
                draft.state += text
            case DraftWithdrawn():
                draft.state = ""
            case _:
                return
        self._changed.set()

    async def settle(self) -> None:
        """Wait until the list was shown once and nothing is being sent: what comes next stands below it.

        The draft stays as it is. At most twice `PATIENCE`: a platform in trouble must not hold up the answer.
        """
        self._draft.over = True
        if self.steps and self._task is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await self._listed.wait()
        await self._quiet()

    async def close(self, status: Literal["done", "failed", "stopped"]) -> None:
        """Show the last state. Steps still open are skipped."""
        await self.settle()
        if not self.steps or not self._list.posted:
            return
        elapsed = (time.perf_counter() - self._started) * 1000
        await show_end(self._reply, replace(self._list.state, status=status, elapsed_ms=elapsed))

    async def _show_changes(self) -> None:
        while True:
            self._changed.clear()
            shown, pause = self._next()
            if shown is None or pause > 0:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(None if shown is None else pause):
                        await self._changed.wait()
                continue
            async with self._sending:
                if shown is self._list:
                    await self._send(self._list)
                else:
                    await self._send(self._draft)

    def _next(self) -> tuple["_Shown[TodoList] | _Shown[str] | None", float]:
        """Return what is to be sent next, and in how many seconds.

        Edits share one budget, so they take turns, and each is followed by a pause. Posting is another method of the
        platforms: the first words of an answer wait for no pause, only for the list, which stands above them.
        """
        candidates: list[_Shown[TodoList] | _Shown[str]] = [self._list] if self._list.behind else []
        if self._draft.behind and (not self.steps or self._list.posted or self._list.over):
            candidates.append(self._draft)
        if not candidates:
            return None, 0.0
        shown = min(candidates, key=lambda each: (self._due(each), each.sent_at))
        return shown, self._due(shown) - _now()

    def _due(self, shown: "_Shown[TodoList] | _Shown[str]") -> float:
        return max(shown.due, self._next_edit if shown.posted else 0.0)

    async def _send(self, shown: _Shown[T]) -> None:
        before, shown.sent, shown.attempted = shown.sent, shown.state, True
        try:
            await shown.send(shown.sent)
        except RateLimitedError as error:
            shown.sent = before
            shown.due = _now() + error.retry_after
        except UnreachableError as error:
            shown.sent = before
            shown.due = _now() + self._pause
            shown.failures += 1
            shown.over = shown.failures >= MOST_FAILURES
            _warn(error)
        except DeliveryError as error:
            shown.over = True
            _warn(error)
        else:
            shown.posted = True
            shown.failures = 0
        finally:
            shown.sent_at = _now()
            self._next_edit = shown.sent_at + self._pause
            if shown is self._list:
                self._listed.set()

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


def _now() -> float:
    return asyncio.get_running_loop().time()


def _warn(error: DeliveryError) -> None:
    logger.warning("Progress could not be shown: %s", error, extra={"action": "progress_lost"})

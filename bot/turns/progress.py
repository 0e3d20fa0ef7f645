"""Folds a turn's events into a TODO list and a draft of the answer, shown at a pace that the platform can bear.

An answer that is there within a second is one message: the list is posted once the turn has lasted that long
(`Capabilities.list_after`), or not at all where the answer has begun before. Until then a sign that passes tells that
somebody is at it. One send at a time, always of the latest state; what changes meanwhile is folded together. Showing
progress never stands in the way of the answer: a send that fails is a warning.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

from adapters.contract import Capabilities, Reply, TodoList
from agent.errors import DeliveryError, RateLimitedError, UnreachableError
from agent.events import DraftWithdrawn, Event, FinalResponse, PhaseBegan, PlanReady, TextDelta, TodoUpdated
from agent.task_group import end
from agent.types import Language, Step, StepStatus

logger = logging.getLogger(__name__)
T = TypeVar("T")

PATIENCE = 5.0
"""Seconds that the answer waits for a progress message under way, so that it does not overtake it."""
FIRST_WORDS = 0.03
"""Seconds that the beginning of an answer is held back: what is written at once is posted once, as a whole."""
TYPING_AFTER = 0.3
"""Seconds of work after which a sign of it is given, where the list is not there at once."""
TYPING_LASTS = 8.0
"""Seconds after which the sign is given again: Discord shows one for ten."""
TYPING_PATIENCE = 2.0
"""Seconds that are spent on giving one."""
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
    stands: bool = False
    """Whether it may be there: posted, or nobody knows."""
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
    """The progress of one turn. `async with` it around the turn; `feed` it the events.

    Time is the loop's. `stands`: a list of an earlier attempt may be there, and is followed from the first.
    """

    def __init__(self, reply: Reply, capabilities: Capabilities, language: Language, *, stands: bool = False) -> None:
        self._reply = reply
        self._pause = capabilities.edit_interval
        self._at_once = capabilities.list_after <= 0
        self._found = stands
        self._started = _now()
        todo = TodoList(steps=(), language=language)
        due = 0.0 if stands else self._started + capabilities.list_after
        self._list = _Shown(send=reply.show, state=todo, sent=todo, posted=stands, stands=stands, due=due)
        self._draft = _Shown(send=reply.stream, state="", sent="", over=not capabilities.streaming)
        self._next_edit = 0.0
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._listed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._typing: asyncio.Task[None] | None = None

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
            case PhaseBegan(phase=phase):
                todo.state = replace(todo.state, phase=phase)
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
            case FinalResponse():  # the answer is about to be posted: no draft is begun before it
                draft.over = draft.over or not draft.attempted
                return
            case _:
                return
        self._changed.set()
        if self._typing is None and self._task is not None and not self._at_once:
            self._typing = asyncio.create_task(self._give_signs())

    async def settle(self) -> None:
        """Wait until nothing is being sent: what comes next stands below the list, or without one.

        The draft stays as it is. At most twice `PATIENCE`: a platform in trouble must not hold up the answer.
        """
        self._draft.over = True
        if self._at_once and self.steps and self._task is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await self._listed.wait()
        await self._quiet()

    async def close(self, status: Literal["done", "failed", "stopped"]) -> None:
        """Show the last state, where a list may stand. Steps still open are skipped. Raises as `show_end` does."""
        await self.settle()
        if not self._list.stands or (self._at_once and not self.steps and not self._found):
            return
        elapsed = (_now() - self._started) * 1000
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
                    if not self._at_once and self._draft.posted and not self._list.posted:
                        self._list.over = True  # it would stand below the answer that it announces

    async def _give_signs(self) -> None:
        await asyncio.sleep(TYPING_AFTER)
        while not (self._list.stands or self._draft.stands):
            async with self._sending:
                try:
                    async with asyncio.timeout(TYPING_PATIENCE):
                        await self._reply.typing(self._list.state)
                except (DeliveryError, TimeoutError) as error:
                    logger.info("No sign of work could be given: %s", error, extra={"action": "typing_refused"})
                    return
            await asyncio.sleep(TYPING_LASTS)

    def _next(self) -> tuple["_Shown[TodoList] | _Shown[str] | None", float]:
        """Return what is to be sent next, and in how many seconds.

        Edits share one budget, so they take turns, and each is followed by a pause. Posting is another method of the
        platforms: the first words of an answer wait for no pause, only for a list that is due, which stands above them.
        """
        listed = self._list.behind and (bool(self.steps) or not self._at_once or self._found)
        candidates: list[_Shown[TodoList] | _Shown[str]] = [self._list] if listed else []
        if self._draft.behind and (not self._at_once or not self.steps or self._list.posted or self._list.over):
            candidates.append(self._draft)
        if not candidates:
            return None, 0.0
        shown = min(candidates, key=lambda each: (self._due(each), each.sent_at))
        return shown, self._due(shown) - _now()

    def _due(self, shown: "_Shown[TodoList] | _Shown[str]") -> float:
        return max(shown.due, self._next_edit if shown.posted else 0.0)

    async def _send(self, shown: _Shown[T]) -> None:
        before, stood = shown.sent, shown.stands
        shown.sent, shown.attempted, shown.stands = shown.state, True, True
        try:
            await shown.send(shown.sent)
        except RateLimitedError as error:
            shown.sent = before
            shown.due = _now() + error.retry_after
            shown.stands = stood
        except UnreachableError as error:
            shown.sent = before
            shown.due = _now() + self._pause
            shown.failures += 1
            shown.over = shown.failures >= MOST_FAILURES
            _warn(error)
        except DeliveryError as error:
            shown.over = True
            shown.stands = stood
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
        tasks = [task for task in (self._task, self._typing) if task is not None]
        self._task = self._typing = None
        if not tasks:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE), self._sending:
                pass
        await end(*tasks)
        for task in tasks:
            if not task.cancelled():
                task.result()  # raises what ended it


async def show_end(reply: Reply, todo: TodoList) -> None:
    """Show the last state of a list that stands, its open steps as skipped.

    That it is refused is a warning. Raises RateLimitedError and UnreachableError where it is to be tried again.
    """
    steps = tuple(step if step.status.final else replace(step, status=StepStatus.SKIPPED) for step in todo.steps)
    try:
        async with asyncio.timeout(PATIENCE):  # the next question of the thread waits for this one
            await reply.show(replace(todo, steps=steps, phase=None))
    except TimeoutError as error:
        raise UnreachableError("The end of the progress was not taken in time.") from error
    except (RateLimitedError, UnreachableError):
        raise
    except DeliveryError as error:
        logger.warning("The end of the progress could not be shown: %s", error, extra={"action": "progress_lost"})


def _with(steps: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    if any(known.id == step.id for known in steps):
        return tuple(step if known.id == step.id else known for known in steps)
    return (*steps, step)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _warn(error: DeliveryError) -> None:
    logger.warning("Progress could not be shown: %s", error, extra={"action": "progress_lost"})

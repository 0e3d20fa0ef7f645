"""What the calls of one turn speak to: an endpoint whose models play roles, metered."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from agent.prompts import render
from agent.reasoning.model.transport.calls import Calls, Order
from agent.reasoning.model.transport.dialect import described
from agent.reasoning.model.transport.failures import LateError, NotAskedError, UnusableError
from agent.reasoning.model.transport.messages import Said, count_messages, fitted, inert
from agent.reasoning.model.transport.pace import USUAL, readable, work
from agent.reasoning.model.transport.roles import Roles
from agent.reasoning.model.transport.usage import Call, Meter, Outcome, Spent, Unmetered

__all__ = ["Endpoint", "Said"]

Shape = TypeVar("Shape", bound=BaseModel)
_KEPT_OF_A_WRONG_ANSWER = 4000


class Endpoint:
    """Asks the model that plays a role, for one turn; the calls are those of the whole process.

    A prompt that is too long for its model is shortened where its parts allow that: whole passages are left
    out, the last ones first. Every call may raise ModelError, and nothing else. `left`: the seconds that the turn has.
    """

    def __init__(
        self, calls: Calls, roles: Roles, meter: Meter | None = None, left: Callable[[], float] = lambda: float("inf")
    ) -> None:
        self._calls = calls
        self._roles = roles
        self._meter = meter or Unmetered()
        self._left = left
        self.asked = 0
        """Calls that were begun."""

    def takes(self, calls: float) -> float:
        """Return the seconds that so many usual calls are likely to take; 0 where nothing was measured yet."""
        units = (self._calls.paces.unit(served.name) for served in self._roles.values())
        return calls * USUAL * max((unit for unit in units if unit is not None), default=0.0)

    async def text(self, role: str, messages: Sequence[Said], *, tokens: int) -> str:
        """Return the model's answer in its own words. Raises ModelError."""
        order = self._ordered(role, messages, tokens)
        async with self._calling(role, order) as seconds:
            return await self._calls.complete(order, order.messages, seconds=seconds)

    async def ask(
        self,
        role: str,
        messages: Sequence[Said],
        *,
        shape: type[Shape],
        tokens: int,
        objection: Callable[[Shape], str] = lambda _: "",
    ) -> Shape:
        """Return the model's answer in this shape, after one try at repair. Raises ModelError.

        `objection` says what is wrong with an answer of the right shape, or nothing.
        """
        order = self._ordered(role, messages, tokens)
        said = order.messages
        async with self._calling(role, order) as seconds:
            for repaired in (False, True):
                text = await self._calls.complete(order, said, seconds=seconds, shape=shape)
                try:
                    answer = _read(text, shape, objection)
                except ValueError as error:
                    if repaired:
                        self._calls.shape_was(order.model, ignored=isinstance(error, _NoObjectError))
                    said = [*order.messages, *_again(text, _in_short(error, shape))]
                else:
                    self._calls.shape_was(order.model, ignored=False)
                    return answer
            raise UnusableError("The model's answer was no JSON object of the shape that was asked for.")

    async def stream(self, role: str, messages: Sequence[Said], *, tokens: int) -> AsyncGenerator[str]:
        """Yield the model's answer as it comes. Raises ModelError, also in the middle and at the end."""
        order = self._ordered(role, messages, tokens, within=self._left())
        async with self._metered(role, order), self._calls.line() as attempt:
            pieces = self._calls.stream(order, attempt=attempt, bounds=self._calls.bounds(order, left=self._left()))
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece

    @asynccontextmanager
    async def _calling(self, role: str, order: Order) -> AsyncIterator[float]:
        """Hold a metered line for as long as a whole answer may take; give these seconds."""
        async with self._metered(role, order), self._calls.line():
            seconds = self._calls.bounds(order, left=self._left()).answer
            async with asyncio.timeout(seconds):
                yield seconds

    def _ordered(self, role: str, messages: Sequence[Said], tokens: int, within: float = float("inf")) -> Order:
        """Return a call that its model holds, and as far as it can be shortened one that is likely to end `within`."""
        model = self._roles[role]
        wanted = model.room_for_answer(tokens)
        most = model.context_tokens - wanted
        unit = self._calls.paces.unit(model.name)
        if unit is not None and within < float("inf"):
            most = min(most, readable(within / unit, wanted))
        messages = fitted([_inert(said) for said in messages], most)
        return Order(model=model, messages=messages, tokens=wanted, sent=count_messages(messages))

    @asynccontextmanager
    async def _metered(self, role: str, order: Order) -> AsyncIterator[None]:
        """Let a call begin, and tell the meter how it ended. Cancellation and a reader who leaves count too."""
        most = Spent(tokens_in=order.sent, tokens_out=order.tokens)
        planned = Call(role=role, model=order.model.name, spent=most)
        admission = self._meter.admit(planned)
        outcome: Outcome = "failed"
        late = False
        try:
            if order.sent + order.tokens > order.model.context_tokens:
                raise NotAskedError(
                    f"The prompt is too long for the model {order.model.name}: set its context_tokens, "
                    "or choose a model that holds more."
                )
            await admission.begin()
            self.asked += 1
            yield
            outcome = "ok"
        except NotAskedError:
            outcome = "not_asked"
            raise
        except (GeneratorExit, asyncio.CancelledError):
            outcome, late = "ok", True  # whoever asked has heard enough
            raise
        except LateError:
            late = True
            raise
        finally:
            self._measure(order, late=late)
            await admission.end(replace(planned, outcome=outcome, spent=order.tally.spent))

    def _measure(self, order: Order, *, late: bool) -> None:
        """Note how fast the model was; a failure says nothing of that."""
        seconds, written = order.tally.seconds, order.tally.written
        if seconds is not None and written:
            self._calls.paces.took(order.model.name, work(order.sent, written), seconds)
        elif seconds is not None and late:
            self._calls.paces.waited(order.model.name, order.expected, seconds)


class _NoObjectError(ValueError):
    """There is no JSON object in the answer."""


def _read(text: str, shape: type[Shape], objection: Callable[[Shape], str]) -> Shape:
    """Return the object in an answer, which may stand in a code fence or among other words."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise _NoObjectError("there is no JSON object in the answer")
    answer = shape.model_validate_json(text[start : end + 1])
    if problem := objection(answer):
        raise ValueError(problem)
    return answer


def _inert(said: Said) -> Said:
    """Return what was said by others as nothing but text; rules are our own."""
    content = said["content"] if said["role"] == "system" else inert(said["content"])
    return said if content == said["content"] else {"role": said["role"], "content": content}


def _again(text: str, problem: str) -> list[Said]:
    return [
        {"role": "assistant", "content": text[:_KEPT_OF_A_WRONG_ANSWER]},
        {"role": "user", "content": render("repair", problem=problem)},
    ]


def _in_short(error: ValueError, shape: type[BaseModel]) -> str:
    if isinstance(error, _NoObjectError):
        return f"{error}; it has this JSON Schema: {described(shape)}"
    if not isinstance(error, ValidationError):
        return str(error)[:500]
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, e['loc'])) or 'the answer'}: {e['msg']}" for e in found)[:500]

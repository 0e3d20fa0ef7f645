"""What the calls of a reasoner speak to: an endpoint whose models play roles, metered for one turn."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from agent.prompts import render
from agent.reasoning.model.calls import Calls
from agent.reasoning.model.dialect import described
from agent.reasoning.model.failures import NotAskedError, UnusableError
from agent.reasoning.model.inert import inert
from agent.reasoning.model.messages import Room, Said, fitted
from agent.reasoning.model.roles import Roles, Served
from agent.reasoning.model.usage import Call, Meter, Outcome, Planned, Tally, Unmetered

__all__ = ["Endpoint", "Said"]

Shape = TypeVar("Shape", bound=BaseModel)
_KEPT_OF_A_WRONG_ANSWER = 4000


class Endpoint:
    """Asks the model that plays a role. A role that nobody plays is taken for a model's own name.

    A prompt that is too long for its model is shortened where its parts allow that: whole passages are left
    out, the last ones first. Every call may raise ModelError, and nothing else.
    """

    def __init__(self, calls: Calls, roles: Roles, meter: Meter | None = None) -> None:
        self._calls = calls
        self._roles = roles
        self._meter = meter or Unmetered()
        self.asked = 0
        """Calls that were begun."""

    def for_turn(self, meter: Meter, roles: Roles | None = None) -> "Endpoint":
        """Return the same endpoint for one turn, whose calls are counted by this meter."""
        return Endpoint(self._calls, roles or self._roles, meter)

    async def text(self, role: str, messages: Sequence[Said], *, tokens: int) -> str:
        """Return the model's answer in its own words. Raises ModelError."""
        plan = self._planned(role, messages, tokens)
        async with self._metered(role, plan), self._calls.line(), self._calls.bounded():
            return await self._calls.complete(plan.model, plan.messages, tokens=plan.tokens, tally=plan.tally)

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
        plan = self._planned(role, messages, tokens)
        async with self._metered(role, plan), self._calls.line(), self._calls.bounded():
            text = await self._shaped(plan, plan.messages, shape)
            try:
                answer = _read(text, shape, objection)
                self._calls.shape_was(plan.model, ignored=False)
                return answer
            except ValueError as error:
                problem = _in_short(error, shape)
            text = await self._shaped(plan, [*plan.messages, *_again(text, problem)], shape)
            try:
                answer = _read(text, shape, objection)
                self._calls.shape_was(plan.model, ignored=False)
                return answer
            except _NoObjectError:
                self._calls.shape_was(plan.model, ignored=True)
                raise UnusableError("The model's answer was no JSON object.") from None
            except ValueError:
                raise UnusableError("The model's answer did not have the shape that was asked for.") from None

    async def stream(self, role: str, messages: Sequence[Said], *, tokens: int) -> AsyncGenerator[str]:
        """Yield the model's answer as it comes. Raises ModelError, also in the middle and at the end."""
        plan = self._planned(role, messages, tokens)
        async with self._metered(role, plan), self._calls.line() as attempt:
            pieces = self._calls.stream(
                plan.model, plan.messages, tokens=plan.tokens, tally=plan.tally, attempt=attempt
            )
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece

    async def _shaped(self, plan: "_Plan", messages: Sequence[Said], shape: type[BaseModel]) -> str:
        return await self._calls.complete(plan.model, messages, tokens=plan.tokens, tally=plan.tally, shape=shape)

    def _planned(self, role: str, messages: Sequence[Said], tokens: int) -> "_Plan":
        model = self._roles.get(role) or Served(name=role)
        wanted = model.room_for_answer(tokens)
        room = Room(tokens=model.context_tokens - wanted, count=model.count)
        messages = fitted([_inert(said) for said in messages], room)
        left = room.left(messages)
        return _Plan(
            model=model, messages=messages, tokens=wanted, left=left, sent=room.tokens - left, tally=Tally(model.count)
        )

    @asynccontextmanager
    async def _metered(self, role: str, plan: "_Plan") -> AsyncIterator[None]:
        """Let a call begin, and tell the meter how it ended. Cancellation and a reader who leaves count too."""
        planned = Planned(role=role, model=plan.model.name, tokens_in=plan.sent, tokens_out=plan.tokens)
        admission = self._meter.admit(planned)
        outcome: Outcome = "failed"
        try:
            if plan.left < 0:
                raise NotAskedError(
                    f"The prompt is too long for the model {plan.model.name}: set its context_tokens, "
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
            outcome = "ok"  # whoever asked has heard enough
            raise
        finally:
            await admission.end(Call(role=role, model=plan.model.name, outcome=outcome, spent=plan.tally.spent))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Plan:
    """A call that is ready to be made."""

    model: Served
    messages: Sequence[Said]
    tokens: int
    sent: int
    left: int
    tally: Tally


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

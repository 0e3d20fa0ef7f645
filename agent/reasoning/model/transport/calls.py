"""The one door to a chat-completions endpoint: bounded in time, length and number, retried, its errors made ours.

Nothing that the vendor's library raises leaves this file, and no text of the endpoint does either unless it
is a well-formed answer.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2  # what `openai` speaks HTTP with
import openai
from pydantic import BaseModel

from agent.errors import ModelError
from agent.reasoning.model.transport import wire
from agent.reasoning.model.transport.breaker import Attempt, Breaker, Gate
from agent.reasoning.model.transport.dialect import Dialects
from agent.reasoning.model.transport.failures import (
    RETRIES,
    NonsenseError,
    NotAskedError,
    PassingError,
    RefusedError,
    ReportedError,
    RestingError,
    UnusableError,
    passing,
    pause,
    translated,
)
from agent.reasoning.model.transport.messages import Said
from agent.reasoning.model.transport.pace import STREAM_TIMEOUT, TIMEOUT, Bounds, Paces, expected
from agent.reasoning.model.transport.response_body import Body
from agent.reasoning.model.transport.roles import Served
from agent.reasoning.model.transport.thoughts import Thoughts, unannounced
from agent.reasoning.model.transport.usage import Tally

_CHARACTERS_PER_TOKEN = 12
"""More than any tokenizer packs into one on average: an answer beyond that did not heed its bound."""
_IGNORED = 2
"""Calls in a row: one may be a slip, and what is learnt holds for a day."""
_GRACE = 2.0
"""Seconds for which what the answer cost is waited for, once the answer is whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """A call that is ready to be made."""

    model: Served
    messages: Sequence[Said]
    tokens: int
    """The most that is to be written."""
    sent: int
    """Tokens of the messages."""
    tally: Tally = field(default_factory=Tally)

    @property
    def expected(self) -> float:
        """The units of work (`pace.py`) that are expected of it."""
        return expected(self.sent, self.tokens)


class Calls:
    """Calls one endpoint. `timeout` (seconds) bounds a whole call, or the silence between two pieces of a stream.

    `stream_timeout` bounds a stream as a whole. Waiting for a place at the gate comes before both. Where they are not
    set a slow model gets more, as far as the turn has it.
    """

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        *,
        timeout: float | None = None,
        stream_timeout: float | None = None,
        breaker: Breaker | None = None,
        gate: Gate | None = None,
        dialects: Dialects | None = None,
        paces: Paces | None = None,
    ) -> None:
        # Reading is bounded where it is waited for: comments are silence, which the library does not know.
        self._client = client.with_options(max_retries=0, timeout=httpx2.Timeout(timeout or TIMEOUT, read=None))
        self._timeout = timeout
        self._stream_timeout = stream_timeout
        self._breaker = breaker or Breaker()
        self._gate = gate or Gate()
        self._dialects = dialects or Dialects()
        self.paces = paces or Paces()
        self._ignored = Counter[str]()
        """Calls in a row whose shape a model ignored."""

    @asynccontextmanager
    async def line(self) -> AsyncIterator[Attempt]:
        """Hold a line to the endpoint for one call. Raises NotAskedError; what fails inside comes out as ModelError."""
        if self._breaker.resting:
            raise _resting()
        async with self._gate.place():
            attempt = self._breaker.attempt()  # it may have gone down while this call waited
            if attempt is None:
                raise _resting()
            try:
                with translated():
                    yield attempt
            except (UnusableError, RefusedError):
                attempt.succeeded()
                raise
            except NotAskedError:
                attempt.abandoned()
                raise
            except ModelError as error:
                attempt.failed(passing=isinstance(error, PassingError))
                raise
            except BaseException:
                attempt.abandoned()
                raise
            attempt.succeeded()

    def bounds(self, order: Order, *, left: float = float("inf")) -> Bounds:
        """Return the time of a call; `left`: the seconds that its turn has."""
        usual = self._timeout or TIMEOUT
        answer = min(usual, left) if self._timeout else self.paces.limit(order.model.name, order.expected, left=left)
        stream = self._stream_timeout or (left if left < float("inf") else STREAM_TIMEOUT)
        return Bounds(answer=answer, silence=min(usual, left), stream=min(stream, left))

    async def complete(
        self, order: Order, messages: Sequence[Said], *, seconds: float, shape: type[BaseModel] | None = None
    ) -> str:
        """Return the model's answer to these messages, inside `line`; `seconds`: in which a second try is worth it."""
        heard = await self._send(order, messages, seconds=seconds, shape=shape, streaming=False)
        order.tally.wrote(heard.text)
        order.tally.answered(heard.spent)
        heard.check()
        hidden = Thoughts(begun=unannounced(heard.text))
        text = hidden.without(heard.text) + hidden.rest()
        if not text.strip():
            raise UnusableError("The model's answer was empty.")
        return text.strip()

    async def stream(self, order: Order, *, attempt: Attempt, bounds: Bounds) -> AsyncGenerator[str]:
        """Yield the model's answer as it comes, inside `line`."""
        begun = asyncio.get_running_loop().time()
        async with asyncio.timeout(bounds.answer):
            body = await self._send(order, order.messages, seconds=bounds.answer, shape=None, streaming=True)
        hidden = Thoughts(begun=self._dialects.of(order.model.name).thinks_aloud)
        left, told, given, ended = order.tokens * _CHARACTERS_PER_TOKEN, None, "", False
        async with aclosing(self._pieces(body, begun, bounds)) as pieces:
            async for heard in pieces:
                if heard.text:  # an empty piece, as many send first, says nothing yet
                    attempt.succeeded()
                order.tally.wrote(heard.text)
                told, ended = heard.spent or told, ended or bool(heard.finish)
                heard.check()
                left -= len(heard.text)
                if left < 0:
                    raise UnusableError("The model did not keep to the length that was asked for.")
                if piece := hidden.without(heard.text):
                    given += piece
                    if (">" in piece or "]" in piece) and unannounced(given, since=len(given) - len(piece)):
                        known = self._dialects.of(order.model.name)
                        self._dialects.learn(order.model.name, replace(known, thinks_aloud=True))
                        raise UnusableError("The model's thoughts came without a mark where they begin.")
                    yield piece
        if not ended:
            raise PassingError("The model's answer broke off.")
        order.tally.answered(told)
        if rest := hidden.rest():
            yield rest
        if not (given + rest).strip():
            raise UnusableError("The model's answer was empty.")

    def shape_was(self, model: Served, *, ignored: bool) -> None:
        """Note whether an answer was no JSON although a shape was asked for.

        Where that comes again and again, it is asked for in another way from then on.
        """
        self._ignored[model.name] = self._ignored[model.name] + 1 if ignored else 0
        other = self._dialects.of(model.name).looser()
        if self._ignored[model.name] >= _IGNORED and other is not None:
            self._ignored[model.name] = 0
            self._dialects.learn(model.name, other)

    async def _pieces(self, body: Body, begun: float, bounds: Bounds) -> AsyncGenerator[wire.Heard]:
        """Yield what a stream says until it ends. Once the answer is whole, only its bill may still come."""
        loop = asyncio.get_running_loop()
        until = begun + bounds.stream
        first = begun + max(bounds.answer, bounds.silence)
        """When the first words must have come."""
        # As plain objects: the library's own model of an event costs more than all the rest of it, and checks nothing.
        async with openai.AsyncStream[object](cast_to=object, response=body, client=self._client) as events:
            if "application/json" in body.headers.get("content-type", ""):  # it does not stream
                try:
                    async with asyncio.timeout_at(min(until, first)):
                        whole = await body.aread()
                except (httpx2.HTTPError, httpx2.StreamError):
                    raise NonsenseError from None
                yield wire.completion(whole)
                return
            spoken = ended = False
            while True:
                silence = loop.time() + (_GRACE if ended else bounds.silence)
                try:
                    async with asyncio.timeout_at(min(until, silence if spoken or ended else max(first, silence))):
                        event = await anext(events, None)
                except (TimeoutError, openai.APIConnectionError) as error:
                    if ended:
                        return
                    if isinstance(error, (TimeoutError, openai.APITimeoutError)):
                        raise
                    raise PassingError("The model's answer broke off.") from None
                if event is None:
                    return
                body.event()
                heard = wire.chunk(event)
                spoken, ended = spoken or bool(heard.text), ended or bool(heard.finish)
                yield heard

    async def _send(
        self,
        order: Order,
        messages: Sequence[Said],
        *,
        seconds: float,
        shape: type[BaseModel] | None,
        streaming: bool,
    ) -> Any:
        """Return what a stream comes in, or what a whole response says; tried again while there is time and hope."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        model, tally = order.model, order.tally
        known = dialect = self._dialects.of(model.name)
        tries = 0
        while True:
            request = dialect.request(
                messages,
                shape=shape,
                tokens=order.tokens,
                temperature=model.temperature,
                seed=model.seed,
                streaming=streaming,
            )
            tally.sent(messages)
            try:
                answer = await self._once(model.name, request, streaming=streaming)
            except (openai.APIStatusError, openai.APIConnectionError, ReportedError) as error:
                if not isinstance(error, openai.APITimeoutError):
                    tally.refused()
                if isinstance(error, (openai.BadRequestError, openai.UnprocessableEntityError)):
                    refusal = str(error.body).lower()
                    simpler = dialect.simpler(refusal, structured=shape is not None, streaming=streaming)
                    if simpler is None:
                        raise
                    dialect = simpler
                    continue
                tries += 1
                wait = pause(error, tries)
                if not passing(error) or tries > RETRIES or loop.time() + wait >= until:
                    raise
                await asyncio.sleep(wait)
            else:
                if dialect != known:  # remembered only once it worked
                    self._dialects.learn(model.name, dialect)
                return answer

    async def _once(self, model: str, request: dict[str, Any], *, streaming: bool) -> Any:
        calls = self._client.chat.completions
        # The body is handed over as it is: in named arguments the library looks for fields to rename, for a ms.
        asked: Any = {"model": model, "messages": (), "stream": streaming, "extra_body": request}
        if streaming:
            return Body.of((await calls.with_raw_response.create(**asked)).http_response)
        async with calls.with_streaming_response.create(**asked) as answer:
            try:
                return wire.completion(await Body.of(answer.http_response).aread())
            except httpx2.RequestError:
                raise openai.APIConnectionError(request=answer.http_request) from None


def _resting() -> RestingError:
    return RestingError("The model failed a moment ago and is left alone for a while.")

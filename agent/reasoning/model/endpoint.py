"""The one door to a chat-completions endpoint: bounded in time and length, retried, its errors turned into ours.

Nothing that the vendor's library raises leaves this file, and no text of the endpoint does either
unless it is a well-formed answer: error bodies may repeat the key or the question, and an error's
words end in logs.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

import openai
from openai.types.chat import ChatCompletionChunk
from pydantic import BaseModel, ConfigDict, ValidationError

from agent.errors import ModelError
from agent.prompts import render
from agent.reasoning.model.breaker import Breaker
from agent.reasoning.model.dialect import Dialect
from agent.reasoning.model.thoughts import Thoughts

Shape = TypeVar("Shape", bound=BaseModel)
Said = Mapping[Literal["role", "content"], str]
"""One message of a request."""

RETRIES = 2
"""After a refusal that may pass: rate limit, server error, lost connection."""
_FIRST_PAUSE = 0.25
_CHARACTERS_PER_TOKEN = 12
"""More than any tokenizer packs into one on average: an answer beyond that did not heed its bound."""


class _UnusableError(ModelError):
    """The endpoint works, but this answer is of no use."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Said(_Part):
    content: str | None = None
    refusal: str | None = None


class _Choice(_Part):
    message: _Said = _Said()
    delta: _Said | None = None
    finish_reason: str | None = None


class _Completion(_Part):
    choices: list[_Choice]


class Endpoint:
    """Calls one endpoint. `timeout` (seconds) bounds a whole call, or the silence between two pieces of a stream."""

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        *,
        timeout: float,
        stream_timeout: float,
        temperature: float,
        breaker: Breaker,
    ) -> None:
        self._client = client.with_options(max_retries=0, timeout=timeout)
        self._timeout = timeout
        self._stream_timeout = stream_timeout
        self._temperature = temperature
        self._breaker = breaker
        self._dialects: dict[str, Dialect] = {}

    async def text(self, model: str, messages: Sequence[Said], *, tokens: int) -> str:
        """Return the model's answer in its own words. Raises ModelError."""
        with self._guarded():
            async with asyncio.timeout(self._timeout):
                return await self._complete(model, messages, tokens=tokens)

    async def ask(
        self,
        model: str,
        messages: Sequence[Said],
        *,
        shape: type[Shape],
        tokens: int,
        objection: Callable[[Shape], str] = lambda _: "",
    ) -> Shape:
        """Return the model's answer in this shape, after one try at repair. Raises ModelError.

        `objection` says what is wrong with an answer of the right shape, or nothing.
        """
        with self._guarded():
            async with asyncio.timeout(self._timeout):
                text = await self._complete(model, messages, tokens=tokens, schema=shape)
                try:
                    return _read(text, shape, objection)
                except ValueError as error:
                    repair = render("repair", problem=_in_short(error))
                again: list[Said] = [
                    *messages,
                    {"role": "assistant", "content": text[:4000]},
                    {"role": "user", "content": repair},
                ]
                text = await self._complete(model, again, tokens=tokens, schema=shape)
                try:
                    return _read(text, shape, objection)
                except ValueError:
                    raise _UnusableError("The model's answer did not have the shape that was asked for.") from None

    async def stream(self, model: str, messages: Sequence[Said], *, tokens: int) -> AsyncGenerator[str]:
        """Yield the model's answer as it comes. Raises ModelError, also in the middle and at the end."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._stream_timeout
        left = tokens * _CHARACTERS_PER_TOKEN
        finish, anything, hidden = "", False, Thoughts()
        with self._guarded():
            async with asyncio.timeout(self._timeout):
                chunks = await self._send(model, messages, tokens=tokens, schema=None, streaming=True)
            async with chunks:
                pending = aiter(chunks)
                while True:
                    async with asyncio.timeout_at(min(until, loop.time() + self._timeout)):
                        chunk = await anext(pending, None)
                    if chunk is None:
                        break
                    self._breaker.succeeded()
                    for choice in _choices(chunk)[:1]:
                        said = choice.delta or _Said()
                        finish = choice.finish_reason or finish
                        _check_willing(said, finish)
                        left -= len(said.content or "")
                        if left < 0:
                            raise _UnusableError("The model did not keep to the length that was asked for.")
                        if piece := hidden.without(said.content or ""):
                            anything = anything or not piece.isspace()
                            yield piece
            if rest := hidden.rest():
                anything = True
                yield rest
            if not finish:
                raise ModelError("The model's answer broke off.")
            if not anything:
                raise _UnusableError("The model's answer was empty.")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        if not self._breaker.allows():
            raise ModelError("The model failed a moment ago and is left alone for a while.")
        try:
            with translated():
                yield
        except _UnusableError:
            self._breaker.succeeded()
            raise
        except ModelError:
            self._breaker.failed()
            raise
        self._breaker.succeeded()

    async def _complete(
        self, model: str, messages: Sequence[Said], *, tokens: int, schema: type[BaseModel] | None = None
    ) -> str:
        raw = await self._send(model, messages, tokens=tokens, schema=schema, streaming=False)
        choices = _Completion.model_validate_json(raw.content).choices
        if not choices:
            raise _UnusableError("The model gave no answer.")
        _check_willing(choices[0].message, choices[0].finish_reason or "")
        hidden = Thoughts()
        text = hidden.without(choices[0].message.content or "") + hidden.rest()
        if not text.strip():
            raise _UnusableError("The model's answer was empty.")
        return text.strip()

    async def _send(
        self, model: str, messages: Sequence[Said], *, tokens: int, schema: type[BaseModel] | None, streaming: bool
    ) -> Any:
        known = self._dialects.get(model, Dialect())
        dialect, tries = known, 0
        until = asyncio.get_running_loop().time() + self._timeout
        calls = self._client.chat.completions
        create: Any = calls.create if streaming else calls.with_raw_response.create
        while True:
            optional = dialect.parameters(schema=schema, tokens=tokens, temperature=self._temperature)
            try:
                answer = await create(model=model, messages=list(messages), stream=streaming, **optional)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                simpler = dialect.simpler(str(error.body).lower(), structured=schema is not None)
                if simpler is None:
                    raise
                dialect = simpler
            except openai.APITimeoutError:
                raise
            except (openai.APIConnectionError, openai.RateLimitError, openai.InternalServerError) as error:
                tries += 1
                pause = _pause(error, tries)
                if tries > RETRIES or asyncio.get_running_loop().time() + pause >= until:
                    raise
                await asyncio.sleep(pause)
            else:
                if dialect != known:  # remembered only once it worked
                    self._dialects[model] = dialect
                return answer


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the vendor's library raises into ModelError, without the endpoint's own words.

    The cause is left out of the chain on purpose: its text and its request hold the key and the question.
    """
    try:
        yield
    except openai.APIStatusError as error:
        raise ModelError(f"The model endpoint answered with status {error.status_code}{_advice(error)}.") from None
    except (openai.APITimeoutError, TimeoutError):
        raise ModelError("The model did not answer in time.") from None
    except openai.APIConnectionError:
        raise ModelError("The model endpoint could not be reached: check OPENAI_BASE_URL.") from None
    except (openai.OpenAIError, ValidationError, json.JSONDecodeError, UnicodeError):
        raise ModelError(
            "The model endpoint sent something that is no chat completion: check OPENAI_BASE_URL."
        ) from None


def _advice(error: openai.APIStatusError) -> str:
    if error.status_code in (401, 403):
        return ": check OPENAI_API_KEY"
    if error.status_code == 404:
        return ": check OPENAI_BASE_URL and the name of the model"
    return ""


def _pause(error: openai.APIError, tries: int) -> float:
    """Return how many seconds to wait before the next try: what the endpoint says, or twice as long each time."""
    if isinstance(error, openai.APIStatusError):
        try:
            told = float(error.response.headers.get("retry-after", ""))
        except ValueError:  # none, or a date: then our own pace
            told = -1.0
        if told >= 0:
            return told
    return _FIRST_PAUSE * 2.0 ** (tries - 1)


def _choices(chunk: object) -> list[_Choice]:
    # The library builds chunks without checking them, so the check is here.
    data = chunk.model_dump(warnings=False) if isinstance(chunk, ChatCompletionChunk) else chunk
    return _Completion.model_validate(data).choices


def _check_willing(said: _Said, finish: str) -> None:
    if said.refusal or finish == "content_filter":
        raise _UnusableError("The model refused to answer.")
    if finish == "length":
        raise _UnusableError("The model's answer was cut at its length limit.")


def _read(text: str, shape: type[Shape], objection: Callable[[Shape], str]) -> Shape:
    """Return the object in an answer, which may stand in a code fence or among other words."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise ValueError("there is no JSON object in the answer")
    answer = shape.model_validate_json(text[start : end + 1])
    if problem := objection(answer):
        raise ValueError(problem)
    return answer


def _in_short(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)[:500]
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, e['loc'])) or 'the answer'}: {e['msg']}" for e in found)[:500]

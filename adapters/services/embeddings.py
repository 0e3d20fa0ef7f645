"""Texts to vectors by any endpoint that speaks OpenAI's embeddings."""

import asyncio
import json
import random
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import openai
from pydantic import BaseModel, ConfigDict, ValidationError

from adapters.services.embedding_texts import (
    Batches,
    EmbeddingCall,
    Encoded,
    Outcome,
    SmallerError,
    TextEmbeddings,
    VectorCache,
    about_tokens,
)
from agent.errors import ModelError
from agent.ports import Vectors
from agent.retry_after import told_to_wait

_TRIES_IN_A_QUEUE = 10
"""Of a call that the endpoint puts off with 429."""
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 20.0
"""Seconds; each pause is up to twice the one before."""
_FIRST_TEXTS = 8
"""Of the first batches, while nothing is known of how fast the endpoint is."""
_SHARE = 1 / 6
"""Of the time of a call: what a batch should take. It takes longer where others wait before it."""
_SHORTEST_TEXT = 200
"""Characters; a text that is refused as too long is halved down to this."""
_TOO_MUCH = re.compile(r"batch|token|too (?:many|large|long|big)|length|maximum|context|size|limit")


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    index: int
    embedding: list[float]


class _Spent(BaseModel):
    model_config = ConfigDict(extra="ignore")

    prompt_tokens: int = 0
    total_tokens: int = 0


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    data: list[_Row]
    usage: _Spent | None = None


class OpenAIEmbeddings(TextEmbeddings):
    """Implements `Embeddings`.

    Given dimensions are asked for; an endpoint that cannot choose is asked without them, and what
    it returns must still have as many. `timeout` (seconds) bounds one call, `patience` one batch
    with all its tries. After a failure the endpoint is left alone for `rest` seconds. A batch or
    text that is too large for the endpoint is halved, and no batch is larger than what the endpoint is likely to
    answer in a sixth of `timeout`, as measured by the call before: else an endpoint that takes one call after the
    other would let those that wait run out of time, and compute them for nobody. `told` hears of every call that is
    over; it must neither wait nor raise.
    """

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        *,
        model: str,
        prefix: str = "",
        dimensions: int | None = None,
        batches: Batches | None = None,
        timeout: float = 30.0,
        patience: float = 30.0,
        tries: int = 4,
        rest: float = 0.0,
        cache: VectorCache | None = None,
        told: Callable[[EmbeddingCall], None] = lambda _: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(model, prefix=prefix, dimensions=dimensions, cache=cache, batches=batches)
        self._client = client.with_options(max_retries=0, timeout=timeout)
        self._model = model
        self._asked_dimensions = dimensions
        self._timeout = timeout
        self._patience = patience
        self._tries = tries
        self._rest = rest
        self._told = told
        self._resting_until = 0.0
        self._sleep = sleep
        self._most = self._batches.texts
        """Texts that the endpoint takes at once, as far as it has told."""
        self._most_characters = self._batches.characters
        self._pace: float | None = None
        """Seconds that a character took in the latest call; None before the first."""
        self._not_before = 0.0
        """Until when the endpoint has asked us to wait, by the loop's clock."""

    def _variant(self) -> str:
        return str(self._asked_dimensions or "")

    def _at_once(self) -> Batches:
        limits = self._batches
        if self._pace is None:
            return replace(limits, texts=min(self._most, _FIRST_TEXTS), characters=self._most_characters)
        characters = min(self._most_characters, int(self._timeout * _SHARE / self._pace))
        return replace(limits, texts=self._most, characters=characters)

    async def _encode(self, texts: Sequence[str]) -> Encoded:
        try:
            return await self._unless_resting(texts)
        except _TooMuchError as error:
            if len(texts) > 1:
                if error.by_count:
                    self._most = min(self._most, len(texts) // 2)
                else:
                    self._most_characters = min(self._most_characters, sum(map(len, texts)) // 2)
                raise SmallerError from None
            if len(texts[0]) <= _SHORTEST_TEXT:
                self._tell("failed")
                raise ModelError(str(error)) from None
            return await self._encode([texts[0][: len(texts[0]) // 2]])

    async def _unless_resting(self, texts: Sequence[str]) -> Encoded:
        """Ask, unless it failed a moment ago: whoever waits for a vector should not wait for that again."""
        clock = asyncio.get_running_loop().time
        if clock() < self._resting_until:
            self._tell("not_asked")
            raise ModelError("The embedding endpoint failed a moment ago and is left alone for now.")
        try:
            with translated():
                encoded = await self._patiently(texts)
        except ModelError:
            self._resting_until = clock() + self._rest
            self._tell("failed")
            raise
        except asyncio.CancelledError:  # nobody waits for it any more, and it may be paid for all the same
            self._tell("failed", about_tokens(texts), estimated=True)
            raise
        self._tell("ok", encoded.tokens, estimated=encoded.estimated)
        return encoded

    def _tell(self, outcome: Outcome, tokens: int = 0, *, estimated: bool = False) -> None:
        self._told(EmbeddingCall(model=self._model, outcome=outcome, tokens=tokens, estimated=estimated))

    async def _patiently(self, texts: Sequence[str]) -> Encoded:
        """Ask, and ask again when the endpoint is busy or away, waiting as long as it says."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        tries = 0
        while True:
            if (wait := self._not_before - loop.time()) > 0:
                await self._sleep(wait)
            tries += 1
            try:
                begun = loop.time()
                async with asyncio.timeout(min(self._timeout, max(0.0, deadline - begun))):
                    encoded = await self._ask(texts)
                self._measure(texts, loop.time() - begun)
                return encoded
            except (openai.APIConnectionError, openai.APIStatusError, TimeoutError) as error:
                if isinstance(error, (TimeoutError, openai.APITimeoutError)) and len(texts) > 1:
                    self._measure(texts, loop.time() - begun)
                    raise _TooMuchError(408, by_count=True) from None
                most = _TRIES_IN_A_QUEUE if _status(error) == 429 else self._tries
                pause = told_to_wait(error.response.headers) if isinstance(error, openai.APIStatusError) else None
                if pause is None:
                    pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (tries - 1)) * random.uniform(0.5, 1.0)  # noqa: S311
                else:
                    pause *= random.uniform(1.0, 1.1)  # noqa: S311 - not all that wait at the same moment
                if not _passing(error) or tries >= most or loop.time() + pause > deadline:
                    raise
                self._not_before = max(self._not_before, loop.time() + pause)

    def _measure(self, texts: Sequence[str], seconds: float) -> None:
        self._pace = max(seconds, 1e-6) / sum(map(len, texts))

    async def _ask(self, texts: Sequence[str]) -> Encoded:
        create: Any = self._client.embeddings.with_raw_response.create
        # Plain numbers: the library's own default, base64, is not understood everywhere.
        request: dict[str, Any] = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        if self._asked_dimensions is not None:
            request["dimensions"] = self._asked_dimensions
        try:
            raw = await create(**request)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            words = str(error.body).lower()
            if self._asked_dimensions is not None and "dimension" in words:
                self._asked_dimensions = None
                return await self._ask(texts)
            if _TOO_MUCH.search(words):
                raise _TooMuchError(error.status_code, by_count="batch" in words) from None
            raise
        except openai.APIStatusError as error:
            if error.status_code == 413:
                raise _TooMuchError(413, by_count=True) from None
            raise
        return await asyncio.to_thread(_read, raw.content, texts)


class _TooMuchError(Exception):
    """The endpoint does not take so much at once."""

    def __init__(self, status: int, *, by_count: bool) -> None:
        super().__init__(f"The embedding endpoint answered with status {status}: a text is too long for the model.")
        self.by_count = by_count


def _read(content: bytes, texts: Sequence[str]) -> Encoded:
    answer = _Answer.model_validate_json(content)
    rows = sorted(answer.data, key=lambda row: row.index)
    if [row.index for row in rows] != list(range(len(texts))):
        raise ModelError(f"The embedding endpoint returned {len(rows)} vectors for {len(texts)} texts.")
    if len({len(row.embedding) for row in rows}) != 1:
        raise ModelError("The embedding endpoint returned vectors of different lengths.")
    with np.errstate(over="ignore"):  # what becomes infinite is refused for having no direction
        vectors: Vectors = np.asarray([row.embedding for row in rows], dtype=np.float64).astype(np.float32)
    told = max(answer.usage.prompt_tokens, answer.usage.total_tokens) if answer.usage else 0
    return Encoded(rows=vectors, tokens=told or about_tokens(texts), estimated=not told)


def _status(error: Exception) -> int:
    return error.status_code if isinstance(error, openai.APIStatusError) else 0


def _passing(error: Exception) -> bool:
    """Tell whether the same call may succeed later."""
    if isinstance(error, openai.APIStatusError):
        if error.code == "insufficient_quota":
            return False
        return error.status_code in (408, 409, 425, 429) or error.status_code >= 500
    return True


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the vendor's library raises into ModelError, without the endpoint's own words.

    They may repeat the key or the text, and an error's words end in logs.
    """
    try:
        yield
    except openai.APIStatusError as error:
        advice = ": check OPENAI_API_KEY" if error.status_code in (401, 403) else ""
        advice = ": check OPENAI_BASE_URL and WEFT_EMBEDDING_MODEL" if error.status_code == 404 else advice
        advice = ": the account's quota is used up" if error.code == "insufficient_quota" else advice
        raise ModelError(f"The embedding endpoint answered with status {error.status_code}{advice}.") from None
    except (openai.APITimeoutError, TimeoutError):
        raise ModelError("The embedding endpoint did not answer in time.") from None
    except openai.APIConnectionError:
        raise ModelError("The embedding endpoint could not be reached: check OPENAI_BASE_URL.") from None
    except (openai.OpenAIError, ValidationError, json.JSONDecodeError, UnicodeError):
        raise ModelError("The embedding endpoint sent something that is no list of vectors.") from None

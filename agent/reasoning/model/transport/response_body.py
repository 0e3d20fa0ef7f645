"""The body of a response, bounded: a server that never ends a line must not fill the memory."""

from codecs import BOM_UTF8
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Self

import httpx2  # what `openai` speaks HTTP with

from agent.reasoning.model.transport.failures import NonsenseError

MOST_BYTES = 10_000_000
"""Of a response, or of one event of a stream: more than any answer is."""


class Body(httpx2.Response):
    """A response read in place of the one that it is made of. Reading raises NonsenseError beyond `MOST_BYTES`.

    Bytes are counted as they are once decoded: a few of them may be many.
    """

    _since = 0

    @classmethod
    def of(cls, response: httpx2.Response) -> Self:
        """Return the body of a response of which nothing was read yet."""
        return cls(
            response.status_code,
            headers=response.headers,
            stream=response.stream,
            request=response.request,
            extensions=response.extensions,
        )

    def event(self) -> None:
        """Note that an event is whole: only what comes after it counts."""
        self._since = 0

    async def aiter_bytes(self, chunk_size: int | None = None) -> AsyncGenerator[bytes]:
        """Yield the body as it comes, decoded and without a byte order mark. Raises NonsenseError."""
        head: bytes | None = b""
        async with aclosing(super().aiter_bytes(chunk_size)) as parts:
            async for part in parts:
                self._since += len(part)
                if self._since > MOST_BYTES:
                    raise NonsenseError
                if head is not None:
                    head += part
                    if len(head) < len(BOM_UTF8) and BOM_UTF8.startswith(head):
                        continue
                    part, head = head.removeprefix(BOM_UTF8), None
                yield part
        if head:
            yield head

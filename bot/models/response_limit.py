"""Lets no more of a response come than its kind ever has: a server that never ends must not fill the memory."""

from collections.abc import AsyncIterator

import httpx2  # what `openai` speaks HTTP with

MOST_OF_AN_ERROR = 20_000
"""Bytes on the wire: an error is a few lines."""
MOST_OF_A_LIST = 2_000_000
"""Of the list of models."""
MOST = 64_000_000
"""Of anything that is no stream: 64 vectors of 4,096 dimensions take some 6 MB."""


async def bounded(response: httpx2.Response) -> None:
    """Cut what is too long; a hook of the client. Streams of events are bounded where they are read."""
    if response.is_error:
        most = MOST_OF_AN_ERROR
    elif "text/event-stream" in response.headers.get("content-type", ""):
        return
    else:
        most = MOST_OF_A_LIST if response.request.url.path.endswith("/models") else MOST
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Beginning(response.stream, most)


class _Beginning(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream = stream
        self._left = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part[: self._left]
            self._left -= len(part)
            if self._left <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()

"""Downloads a file that somebody attached: bounded, from where it was said to be, and from nowhere else."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp
from yarl import URL

from agent.errors import AttachmentError
from agent.retry_after import told_to_wait

_CHUNK = 1 << 16
_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10.0, sock_read=20.0)
_LONGEST_WAIT = 10.0
"""Seconds that a platform may ask to wait; a person waits for the answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Downloaded:
    """What came."""

    data: bytes
    content_type: str
    disposition: str
    """The header Content-Disposition."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _PassingError(Exception):
    """The same request may succeed in some seconds."""

    wait: float


async def download(
    session: aiohttp.ClientSession,
    url: URL,
    *,
    most: int,
    headers: Mapping[str, str] | None = None,
    proxy: str | None = None,
    pause: float = 0.5,
    tries: int = 3,
) -> Downloaded:
    """Return what lies there, at most `most` bytes; redirects are not followed. Raises AttachmentError."""
    wanted = {"Accept-Encoding": "identity", **(headers or {})}
    for attempt in range(tries):
        try:
            async with session.get(
                url, headers=wanted, allow_redirects=False, proxy=proxy, timeout=_TIMEOUT
            ) as response:
                _check(response, pause * 2**attempt)
                return await _read(response, most)
        except _PassingError as busy:
            wait = busy.wait
        except (aiohttp.ClientError, TimeoutError, OSError):
            wait = pause * 2**attempt
        if attempt + 1 < tries:
            await asyncio.sleep(min(wait, _LONGEST_WAIT))
    raise AttachmentError("The platform does not give the file just now.", reason="away")


def _check(response: aiohttp.ClientResponse, pause: float) -> None:
    status = response.status
    if status == 200:
        return
    if status == 429 or status >= 500:
        told = told_to_wait(response.headers)
        raise _PassingError(wait=pause if told is None else told)
    if status in (404, 410):
        raise AttachmentError(f"The file is not there (status {status}).", reason="gone")
    raise AttachmentError(f"The platform does not give the file to Weft (status {status}).", reason="closed")


async def _read(response: aiohttp.ClientResponse, most: int) -> Downloaded:
    too_large = AttachmentError(f"The file is larger than {most:,} bytes.", reason="too_large")
    if (response.content_length or 0) > most:
        raise too_large
    data = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        data += chunk
        if len(data) > most:
            raise too_large
    return Downloaded(
        data=bytes(data),
        content_type=response.content_type if "Content-Type" in response.headers else "",
        disposition=response.headers.get("Content-Disposition", ""),
    )

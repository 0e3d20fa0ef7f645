"""Fetches what a URL names into a file, and never from where an outsider could not look.

A URL that somebody hands over may lead, by its name, by a redirect or by a name server that changes
its mind, to a machine in the operator's own network. So every address is checked, and what was
checked is what is connected to.
"""

import asyncio
import hashlib
import json
import os
import ssl
import tempfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Self

import aiohttp
from yarl import URL

from adapters.services.addresses import Address, Reach, reach
from adapters.services.gate import Gate, Resolve, look_up
from agent.errors import RefusedFileError, StorageError

_REDIRECTS = 5
_CHUNK = 65_536
_CONNECT = 15.0
"""Seconds until an address that does not answer is given up."""
_LONGEST_VALIDATOR = 1_000
_HEADERS = {
    "User-Agent": "Weft",
    "Accept": "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain, */*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}
_MOVED = (301, 302, 303, 307, 308)
_STATUS = {
    204: "there is nothing in it",
    205: "there is nothing in it",
    401: "it needs a login; download it and ingest the file",
    403: "it is closed to Weft, or needs a login; download it and ingest the file",
    404: "there is nothing at this address",
    407: "it needs a login at a proxy",
    410: "it was taken away for good",
    429: "the server asks to come back later",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What a URL gave."""

    path: Path
    """Where it lies now, decompressed; its owner removes it."""
    url: str
    """Where it was found: as it was asked for, or where that redirected to."""
    content_type: str
    charset: str
    digest: str
    """SHA-256 of the file."""
    validator: str
    """What `fetch` takes as `known` next time; empty where the server gives nothing to ask by."""


@dataclass(frozen=True, slots=True)
class _Known:
    url: str = ""
    etag: str = ""
    modified: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        try:
            return cls(*json.loads(text))
        except (ValueError, TypeError):
            return cls()

    @classmethod
    def of(cls, response: aiohttp.ClientResponse) -> str:
        tags = [response.headers.get(name, "") for name in ("ETag", "Last-Modified")]
        if not any(tags) or max(map(len, tags)) > _LONGEST_VALIDATOR:
            return ""
        return json.dumps([str(response.url), *tags])

    def headers(self, url: URL) -> dict[str, str]:
        """Return the question whether it has changed; a tag means something to the address that gave it alone."""
        if str(url) != self.url:
            return {}
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in asked.items() if value and value.isprintable()}


class Fetcher:
    """Fetches into `folder`. `private`: addresses of the operator's own network are allowed too.

    `most` bytes may come, compressed and as they are, within `seconds` in all.
    """

    def __init__(
        self,
        folder: Path,
        *,
        private: bool = False,
        most: int = 100_000_000,
        seconds: float = 60.0,
        reach: Callable[[Address], Reach] = reach,
        resolve: Resolve | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._folder = folder
        self._most = most
        self._seconds = seconds
        self._gate = Gate(private=private, reach=reach, resolve=resolve or look_up)
        self._tls = tls

    async def fetch(self, url: str, *, known: str = "") -> Page | None:
        """Return what is there now; None where it is what it was. Raises RefusedFileError, StorageError."""
        host = ""
        try:
            async with asyncio.timeout(self._seconds):
                target = _parsed(url)
                host = target.host or ""
                page = await self._follow(target, _Known.parse(known))
                return replace(page, url=url.partition("#")[0]) if page and page.url == str(target) else page
        except aiohttp.ServerTimeoutError:
            raise RefusedFileError(f"{host} does not answer") from None
        except TimeoutError:
            raise RefusedFileError(f"fetching it takes longer than {self._seconds:g} s, the limit") from None
        except aiohttp.ClientError as error:
            raise RefusedFileError(_reason(error, host)) from None

    async def _follow(self, url: URL, known: _Known) -> Page | None:
        # A session for each URL: cookies that a redirect needs end with it. No proxy: it would look up the name itself.
        connector = aiohttp.TCPConnector(
            resolver=self._gate,
            socket_factory=self._gate.socket,
            use_dns_cache=False,
            force_close=True,
            ssl=self._tls if self._tls is not None else True,
        )
        session = aiohttp.ClientSession(
            connector=connector,
            headers=_HEADERS,
            auto_decompress=False,
            trust_env=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT),
        )
        async with session:
            for _ in range(_REDIRECTS + 1):
                url = self._gate.admit(url)
                asked = known.headers(url)
                async with session.get(url, headers=asked, allow_redirects=False) as response:
                    if response.status in _MOVED:
                        url = _next(url, response.headers.get("Location", ""))
                        continue
                    if response.status == 304 and asked:
                        return None
                    if response.status != 200:
                        raise RefusedFileError(_refusal(response.status))
                    return await self._save(response)
        raise RefusedFileError(f"it redirects more than {_REDIRECTS} times")

    async def _save(self, response: aiohttp.ClientResponse) -> Page:
        if (response.content_length or 0) > self._most:
            raise _too_large(self._most)
        path = ""
        try:
            descriptor, path = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(descriptor, "wb") as file:
                sink = _Sink(file, self._most, response.headers.get("Content-Encoding", ""))
                async for chunk in response.content.iter_chunked(_CHUNK):
                    await asyncio.to_thread(sink.write, chunk)
                sink.end()
        except BaseException as error:
            with suppress(FileNotFoundError):
                os.unlink(path)
            if isinstance(error, OSError) and not isinstance(error, aiohttp.ClientError | TimeoutError):
                raise StorageError(f"what was fetched cannot be stored in {self._folder}: {error.strerror}") from error
            raise
        return Page(
            path=Path(path),
            url=str(response.url),
            content_type=response.content_type if "Content-Type" in response.headers else "",
            charset=response.charset or "",
            digest=sink.digest.hexdigest(),
            validator=_Known.of(response),
        )


class _Sink:
    """A file that takes at most so many bytes, before and after they are decompressed."""

    def __init__(self, file: IO[bytes], most: int, encoding: str) -> None:
        self.digest = hashlib.sha256()
        self._file = file
        self._most = most
        self._received = self._written = 0
        self._encoding = encoding.strip().lower()
        if self._encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise RefusedFileError(f"the server sends it compressed as {encoding[:40]!r}, which it was not asked for")
        self._inflate: Any = None
        self._ended = False

    def write(self, chunk: bytes) -> None:
        self._received += len(chunk)
        if self._received > self._most:
            raise _too_large(self._most)
        if self._encoding in ("", "identity"):
            self._keep(chunk)
            return
        try:
            self._decompress(chunk)
        except zlib.error:
            raise RefusedFileError("what the server sends is no proper gzip") from None

    def end(self) -> None:
        """Raise RefusedFileError where the end is missing."""
        if self._received and self._encoding not in ("", "identity") and not self._ended:
            raise RefusedFileError("the transfer broke off")

    def _decompress(self, chunk: bytes) -> None:
        while chunk:
            if self._inflate is None or self._inflate.eof:  # a gzip may have several parts
                self._inflate = zlib.decompressobj(_window(self._encoding, chunk[0]))
            while True:
                data = self._inflate.decompress(chunk, _CHUNK)
                self._keep(data)
                chunk = self._inflate.unconsumed_tail
                if self._inflate.eof or not (chunk or len(data) == _CHUNK):
                    break
            self._ended = self._inflate.eof
            chunk = self._inflate.unused_data.lstrip(b"\0") if self._ended else b""

    def _keep(self, data: bytes) -> None:
        self._written += len(data)
        if self._written > self._most:
            raise _too_large(self._most)
        self.digest.update(data)
        self._file.write(data)


def _window(encoding: str, first: int) -> int:
    """Return how to read compressed data; half of the servers mean a bare stream by `deflate`."""
    if encoding != "deflate":
        return 16 + zlib.MAX_WBITS
    return zlib.MAX_WBITS if first & 0x0F == 8 else -zlib.MAX_WBITS


def _parsed(url: str) -> URL:
    try:
        parsed = URL(url).with_fragment(None)
        port = parsed.port
    except ValueError:
        raise RefusedFileError("it is no proper URL") from None
    if parsed.scheme not in ("http", "https"):
        raise RefusedFileError("only http:// and https:// are fetched")
    if parsed.user is not None or parsed.password is not None:
        raise RefusedFileError("it holds a user name or password, and those are not sent; download the file instead")
    if not parsed.host or not port:
        raise RefusedFileError("it names no host")
    return parsed


def _next(url: URL, location: str) -> URL:
    """Return where a redirect leads."""
    try:
        target = _parsed(str(url.join(URL(location))))
    except (ValueError, RefusedFileError) as error:
        why = str(error) if isinstance(error, RefusedFileError) else "it is no proper URL"
        raise RefusedFileError(f"it redirects to an address that is not followed: {why}") from None
    if url.scheme == "https" and target.scheme == "http":
        raise RefusedFileError("it redirects from https:// to http://, where anybody may change what is read")
    return target


def _too_large(most: int) -> RefusedFileError:
    return RefusedFileError(f"it is too large; the limit is {most:,} bytes")


def _refusal(status: int) -> str:
    why = _STATUS.get(status) or ("the server failed" if status >= 500 else "the server does not give it")
    return f"{why} (status {status})"


def _reason(error: aiohttp.ClientError, host: str) -> str:
    match error:
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
            return f"the certificate of {error.host} is not valid, or it does not speak TLS"
        case aiohttp.ClientConnectorDNSError():
            return f"there is no host named {error.host}"
        case aiohttp.ClientConnectorError():
            return f"{error.host} cannot be reached ({error.strerror or 'no connection'})"
        case aiohttp.ClientPayloadError() | aiohttp.ClientOSError() | aiohttp.ServerDisconnectedError():
            return "the transfer broke off"
        case aiohttp.ClientResponseError():
            return "the server's answer is no proper HTTP, or its headers are too long"
        case aiohttp.InvalidURL():
            return "it is no proper URL"
        case _:
            return f"{host} cannot be read from ({type(error).__name__})"

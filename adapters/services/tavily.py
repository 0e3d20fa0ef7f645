"""Pages of the web by Tavily's search API (docs.tavily.com, `POST /search`).

Whatever comes back is data of strangers: it is bounded, cleaned and checked before anybody sees it.
The key goes to the address in the settings and nowhere else, so redirects are not followed.
"""

import asyncio
import ipaddress
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal
from urllib.parse import urlsplit

import httpx

from adapters.services.plain_text import one_line
from adapters.services.tavily_pages import pages_of
from agent.errors import WebSearchError
from agent.retry_after import told_to_wait
from agent.types import WebPage

LONGEST_QUERY = 400
"""Characters; Tavily refuses longer ones (docs.tavily.com, best practices for search)."""
MOST_RESULTS = 20
"""`max_results` at most (docs.tavily.com, search)."""
_BODY_LIMIT = 4_000_000
"""Bytes; twenty results with their texts stay far below."""
_PAUSE = 0.5
"""Seconds before the second try, where the service does not say."""
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

_REFUSALS = {
    401: "refuses the key: check TAVILY_API_KEY",
    403: "refuses the key, or what it is used for: check TAVILY_API_KEY",
    404: "is not at this address: check TAVILY_BASE_URL",
    429: "is asked too often for now",
    432: "says that the plan's limit is reached: it is raised on the service's dashboard",
    433: "says that the pay-as-you-go limit is reached: it is raised on the service's dashboard",
}


class TavilySearch:
    """Implements `WebSearch`. One search takes `timeout` seconds at most, its second try included."""

    def __init__(
        self,
        key: str,
        *,
        base_url: str = "https://api.tavily.com",
        search_depth: Literal["basic", "advanced"] = "basic",
        timeout: float = 10.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if why := wrong_address(base_url):
            raise WebSearchError(f"{why}: check TAVILY_BASE_URL")
        for name in ("httpx", "httpcore"):  # below this they log what is asked of whom
            logging.getLogger(name).setLevel(logging.WARNING)
        self._url = f"{base_url.rstrip('/')}/search"
        self._depth = search_depth
        self._timeout = timeout
        self._sleep = sleep
        self._key = key.strip()
        self._client: httpx.AsyncClient | None = None

    async def search(self, query: str, *, k: int) -> Sequence[WebPage]:
        """Return at most `k` pages, best first, each URL once. Raises WebSearchError."""
        asked = _shortened(one_line(query))
        if not asked or k < 1:
            return ()
        body = {"query": asked, "search_depth": self._depth, "max_results": min(k, MOST_RESULTS)}
        with _translated():
            async with asyncio.timeout(self._timeout):
                content = await self._patiently(body)
        return pages_of(content)[:k]

    async def aclose(self) -> None:
        """Let go of connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _patiently(self, body: dict[str, object]) -> bytes:
        deadline = asyncio.get_running_loop().time() + self._timeout
        try:
            return await self._ask(body)
        except _BusyError as busy:
            pause = _PAUSE if busy.retry_after is None else busy.retry_after
            if asyncio.get_running_loop().time() + pause >= deadline:
                raise
            await self._sleep(pause)
            return await self._ask(body)

    async def _ask(self, body: dict[str, object]) -> bytes:
        async with self._open().stream("POST", self._url, json=body) as response:
            if response.status_code == 429 or response.status_code >= 500:
                raise _BusyError(_refusal(response.status_code), told_to_wait(response.headers))
            if response.status_code != 200:
                raise WebSearchError(_refusal(response.status_code))
            if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
                raise WebSearchError("The web search sent its answer compressed, which it was not asked for.")
            content = bytearray()
            async for chunk in response.aiter_raw():
                content += chunk
                if len(content) > _BODY_LIMIT:
                    raise WebSearchError(f"The web search sent more than {_BODY_LIMIT:,} bytes.")
            return bytes(content)

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            local = urlsplit(self._url).hostname in _LOOPBACK
            self._client = httpx.AsyncClient(
                headers={"Authorization": f"Bearer {self._key}", "Accept-Encoding": "identity", "User-Agent": "Weft"},
                timeout=httpx.Timeout(self._timeout),
                follow_redirects=False,
                trust_env=not local,  # a proxy of the environment has no business on this machine
            )
        return self._client


def wrong_address(base_url: str) -> str:
    """Return why a base URL cannot be used; empty where it can.

    A key does not travel unencrypted, but to a server of one's own.
    """
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "the address of the web search is no proper URL"
    if parts.scheme not in ("http", "https") or not host:
        return "the address of the web search does not begin with https://"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "the address of the web search holds more than a host and a path"
    if parts.scheme == "http" and not _own_network(host):
        return "the address of the web search is not https://, and the key would be read on the way"
    return ""


def _own_network(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host == "localhost" or "." not in host


class _BusyError(WebSearchError):
    """The same search may succeed a little later."""

    def __init__(self, message: str, retry_after: float | None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds; None where the service does not say."""


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what the library raises into WebSearchError, without its words: they may repeat what was sent."""
    try:
        yield
    except (httpx.TimeoutException, TimeoutError):
        raise WebSearchError("The web search did not answer in time.") from None
    except httpx.TransportError:
        raise WebSearchError("The web search could not be reached: check TAVILY_BASE_URL and the network.") from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, UnicodeError):
        raise WebSearchError("The web search could not be asked: check TAVILY_BASE_URL and TAVILY_API_KEY.") from None


def _refusal(status: int) -> str:
    if 300 <= status < 400:
        why = "redirects, and the key is not sent elsewhere: check TAVILY_BASE_URL"
    else:
        why = _REFUSALS.get(status) or ("has failed" if status >= 500 else "does not take the question")
    return f"The web search {why} (status {status})."


def _shortened(query: str) -> str:
    """Return a query that the service takes, cut between two words where it can be."""
    if len(query) <= LONGEST_QUERY:
        return query
    cut = query[: LONGEST_QUERY + 1]
    return cut[: cut.rfind(" ")] if " " in cut else query[:LONGEST_QUERY]

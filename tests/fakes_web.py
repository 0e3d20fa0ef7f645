"""A search of the web in memory."""

from collections.abc import Mapping, Sequence
from urllib.parse import urldefrag, urlsplit

from adapters.services.plain_text import one_line, plain
from agent.errors import WebSearchError
from agent.types import WebPage


class MemoryWeb:
    """Fits `WebSearch`: finds its pages whatever is asked, or those of a query; without pages it fails."""

    def __init__(
        self, pages: Sequence[WebPage] | None = (), by_query: Mapping[str, Sequence[WebPage]] | None = None
    ) -> None:
        self.pages = pages
        self.by_query = dict(by_query or {})
        self.asked: list[str] = []

    async def search(self, query: str, *, k: int) -> Sequence[WebPage]:
        if k < 1 or not query.strip():
            return ()
        self.asked.append(query)
        pages = self.by_query.get(query, self.pages)
        if pages is None:
            raise WebSearchError
        found: dict[str, WebPage] = {}
        for page in pages:
            parts, text = urlsplit(page.url), plain(page.text, 8_000)
            if parts.scheme in ("http", "https") and parts.hostname and " " not in page.url and text:
                clean = WebPage(url=page.url, title=one_line(page.title), text=text, score=page.score, date=page.date)
                found.setdefault(urldefrag(page.url).url, clean)
        return list(found.values())[:k]

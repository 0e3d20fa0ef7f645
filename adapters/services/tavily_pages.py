"""What Tavily's search answers, as pages: strangers wrote all of it, so it is cleaned and checked."""

import email.utils
import json
import math
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from adapters.services.plain_text import one_line, plain
from agent.errors import WebSearchError
from agent.types import WebPage

LONGEST_TEXT = 8_000
"""Characters of one page."""
_LONGEST_TITLE = 300
_LONGEST_URL = 2_000


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore")

    url: str
    title: str | None = ""
    content: str | None = ""
    score: float | None = 0.0
    published_date: str | None = ""


def pages_of(content: bytes) -> list[WebPage]:
    """Return the pages of an answer, best first, each once. Raises WebSearchError for what is no answer."""
    try:
        answer: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise WebSearchError("The web search sent something that is no JSON.") from None
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise WebSearchError("The web search sent something that is no list of results.")
    pages: dict[str, WebPage] = {}
    for result in results:
        page = _page(result)
        if page is not None:
            pages.setdefault(_same(page.url), page)
    return sorted(pages.values(), key=lambda page: -page.score)


def _page(result: object) -> WebPage | None:
    """Return a result as a page; None for one that nobody can be led to, or that says nothing."""
    try:
        found = _Result.model_validate(result)
    except ValidationError:
        return None
    url, text = found.url.strip(), plain(found.content or "", LONGEST_TEXT)
    if not text or not _proper(url):
        return None
    score = found.score or 0.0
    return WebPage(
        url=url,
        title=one_line(found.title or "")[:_LONGEST_TITLE].strip() or str(urlsplit(url).hostname),
        text=text,
        score=score if math.isfinite(score) else 0.0,
        date=_day(found.published_date or ""),
    )


def _proper(url: str) -> bool:
    if len(url) > _LONGEST_URL or not url.isprintable() or any(c in url for c in ' <>"\\^`{|}'):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        return False


def _same(url: str) -> str:
    """Return what two addresses of one page have in common."""
    parts = urlsplit(url)
    return f"{(parts.hostname or '').removeprefix('www.')}{parts.path.rstrip('/')}?{parts.query}"


def _day(written: str) -> str:
    """Return the day of a date as ISO 8601 or as mail (RFC 5322) writes it."""
    try:
        return date.fromisoformat(written[:10]).isoformat()
    except ValueError:
        parsed = email.utils.parsedate(written)
        try:
            return date(*parsed[:3]).isoformat() if parsed else ""
        except ValueError:
            return ""

"""`weft search`: what a question finds, without an answer."""

import json
from pathlib import Path
from typing import Any

import click

from agent.errors import UsageError
from agent.types import Audience, Hit, Query, SearchFilter, SearchRequest, SearchResult
from bot.app import open_engine
from bot.asking import read_lines
from bot.audience import OPERATOR
from bot.settings import Settings


async def search_documents(
    settings: Settings,
    query: str | None,
    batch: Path | None,
    k: int,
    collection: str,
    user: str,
    channel: str,
    *,
    as_json: bool,
) -> int:
    """Search, once or for every line of a file, and print what was found; returns the exit code."""
    audience = _audience(user, channel)
    filter = SearchFilter(collections=(collection,) if collection else ())
    async with open_engine(settings) as engine:
        entries = _queries(batch) if batch is not None else [{"query": query or ""}]
        for entry in entries:
            request = SearchRequest(queries=(Query(text=entry["query"]),), k=k, filter=filter)
            result = await engine.knowledge.search(request, audience)
            if as_json or batch is not None:
                click.echo(json.dumps(entry | _as_json(result), ensure_ascii=False))
            else:
                _print(result)
    return 0


def _audience(user: str, channel: str) -> Audience:
    if not user and not channel:
        return OPERATOR
    principals = {"*", "workspace:console:local"}
    if user:
        principals.add(f"user:console:local:{user}")
    if channel:
        principals.add(f"channel:console:local:{channel}")
    return Audience(principals=frozenset(principals))


def _queries(path: Path) -> list[dict[str, str]]:
    entries: list[dict[str, str]] = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            entry = json.loads(line)
            entries.append({"id": str(entry.get("id", number)), "query": str(entry["query"])})
        except (json.JSONDecodeError, AttributeError, KeyError, TypeError) as error:
            raise UsageError(f'{path}:{number} needs an object with "id" and "query"') from error
    return entries


def _as_json(result: SearchResult) -> dict[str, Any]:
    return {"total_ms": round(result.total_ms, 3), "hits": [_hit(hit) for hit in result.hits]}


def _hit(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    return {
        "rank": hit.rank,
        "score": hit.score,
        "document_id": passage.document_id,
        "passage_id": passage.public_id,
        "title": passage.title,
        "section": passage.section,
        "page": passage.page,
        "source": passage.source,
        "text": passage.text,
    }


def _print(result: SearchResult) -> None:
    if not result.hits:
        click.echo("nothing found", err=True)
    for hit in result.hits:
        passage = hit.passage
        place = " › ".join(part for part in (passage.title, passage.section) if part)
        click.echo(f"{hit.rank:>3}  {place}  [{passage.public_id}]\n     {' '.join(passage.text.split())[:160]}")

"""`weft search`: what a question finds, without an answer."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from agent.errors import UsageError
from agent.language import say
from agent.text import language_of, section_path
from agent.types import Audience, Hit, IncomingMessage, Language, SearchRequest, SearchResult
from bot.app import Engine, open_engine
from bot.audience import audience_of
from bot.operator.asking import read_lines
from bot.operator.collection_names import no_collection
from bot.operator.search_options import NAMES, Wanted, wanted_of
from bot.settings import Settings
from bot.turns.private_hits import beyond
from storage.access import SqlAccess

_RRF_K = 60


async def search_documents(
    settings: Settings, query: str | None, batch: Path | None, options: dict[str, Any], *, as_json: bool
) -> int:
    """Search, once or for every line of a file, and print what was found; returns the exit code."""
    entries = _entries(batch, options) if batch is not None else [({}, wanted_of({**options, "query": query}, ""))]
    async with open_engine(settings) as engine:
        access = SqlAccess(engine.database)
        await _check_collections(access, [wanted for _, wanted in entries])
        for head, wanted in entries:
            message = wanted.asker.message(wanted.query, "")
            audience = await audience_of(message, access)
            result = await engine.knowledge.search(wanted.request, audience)
            if not audience.operator:
                result = _without_scores(result)
            more = await _beyond(engine, message, wanted.request, access)
            if as_json or batch is not None:
                shown = _as_json(wanted, result, audience) | ({"only_asker": more} if more else {})
                click.echo(json.dumps(head | shown, ensure_ascii=False))
            else:
                _print(wanted, result)
                if more:
                    click.echo(say("only_you", language_of(wanted.query), count=more), err=True)
    return 0


async def _beyond(engine: Engine, message: IncomingMessage, request: SearchRequest, access: SqlAccess) -> int:
    return await beyond(message, request, knowledge=engine.knowledge, passages=engine.library, memberships=access)


async def _check_collections(access: SqlAccess, wanted: Sequence[Wanted]) -> None:
    known = {info.name for info in await access.collections()}
    for each in wanted:
        for name in each.request.filter.collections:
            if name not in known:
                raise UsageError(f"{each.place}{no_collection(name, known)}")


def _entries(path: Path, options: dict[str, Any]) -> list[tuple[dict[str, Any], Wanted]]:
    entries = []
    for number, line in enumerate(read_lines(path), start=1):
        place = f"{path}:{number} "
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            entry = None
        if not isinstance(entry, dict) or not isinstance(entry.get("query"), str):
            raise UsageError(f'{place}needs an object with "id" and "query"')
        unknown = sorted(entry.keys() - NAMES - {"id", "query"})
        if unknown:
            raise UsageError(
                f"{place}has an unknown key {unknown[0]!r}; there are id, query, {', '.join(sorted(NAMES))}"
            )
        entries.append(({"id": entry.pop("id", str(number))}, wanted_of({**options, **entry}, place)))
    return entries


def _without_scores(result: SearchResult) -> SearchResult:
    """Return the hits with scores that tell their rank and nothing else.

    What ranks a passage counts words of documents too that this audience may not read.
    """
    return replace(
        result,
        hits=tuple(replace(hit, score=round(1 / (_RRF_K + n), 6)) for n, hit in enumerate(result.hits, start=1)),
    )


def _as_json(wanted: Wanted, result: SearchResult, audience: Audience) -> dict[str, Any]:
    language = language_of(wanted.query)
    shown: dict[str, Any] = {
        "query": wanted.query,
        "total_ms": round(result.total_ms, 3),
        "hits": [_hit(hit, rank) for rank, hit in enumerate(result.hits, start=1)],
        "warnings": _warnings(result, language),
    }
    if wanted.request.must_have:
        shown |= {
            "must_have": list(result.must_have),
            "target_documents": result.target_documents,
            "findings": _ids(result.findings),
            "sections": [{"section": group.section, "passages": _ids(group.hits)} for group in result.sections],
            "excluded": _ids(result.excluded),
        }
    return shown


def _warnings(result: SearchResult, language: Language) -> list[str]:
    read = [say("read_as", language, asked=asked, meant=meant) for asked, meant in result.read_as.items()]
    return [*read, *(say(key, language) for key in result.warnings)]


def _hit(hit: Hit, rank: int) -> dict[str, Any]:
    passage = hit.passage
    return {
        "rank": rank,
        "score": hit.score,
        "document_id": passage.document_id,
        "passage_id": passage.public_id,
        "title": passage.title,
        "section": passage.section,
        "page": passage.page,
        "source": passage.source,
        "text": passage.text,
    }


def _ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.passage.public_id for hit in hits]


def _print(wanted: Wanted, result: SearchResult) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from bot.operator.snippets import printable, snippet

    language = language_of(wanted.query)
    for warning in _warnings(result, language):
        click.echo(warning, err=True)
    if not result.hits:
        own = [name for name in (wanted.asker.user, wanted.asker.channel) if name and ":" not in name]
        whose = f" for {own[0]!r} of the console; slack:T1:{own[0]} would be of a platform" if own else ""
        click.echo(f"nothing found{whose}", err=True)
    console = Console(highlight=False)
    for rank, hit in enumerate(result.hits, start=1):
        passage = hit.passage
        place = printable(section_path(f"{passage.title} > {passage.section}"))
        page = f", {say('page', language, page=passage.page)}" if passage.page is not None else ""
        head = Text(f"{rank:>3}  ").append(place + page, style="bold")
        head.append(f"  [{printable(passage.public_id)}]", style="dim")
        console.print(head, soft_wrap=True)
        shown = snippet(passage.text, " ".join((wanted.query, *wanted.request.must_have)), cells=console.width * 2 - 12)
        console.print(Padding(shown, (0, 0, 0, 5), expand=False))

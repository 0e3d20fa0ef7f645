"""`weft ingest`, `weft documents`, `weft search`: the team's documents, at the command line."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agent.errors import UsageError
from agent.types import Audience, Hit, Query, SearchFilter, SearchRequest, SearchResult
from bot.app import open_engine
from bot.asking import read_lines
from bot.audience import OPERATOR
from bot.lock import ingesting
from bot.settings import Settings
from storage.ingest.run import IngestProgress, IngestReport, ingest

if TYPE_CHECKING:
    from rich.progress import TaskID


async def ingest_paths(settings: Settings, paths: Sequence[Path], collection: str, *, as_json: bool) -> int:
    """Bring files and folders into a collection and say what came of it; returns the exit code."""
    async with open_engine(settings) as engine:
        if collection == engine.pack.name and engine.pack.sample:
            raise UsageError(f"{collection!r} holds the sample documents: choose another --collection")
        await engine.library.declare(collection)
        async with ingesting(settings.data, collection):
            with _bar(shown=not as_json) as progress:
                report = await ingest(paths, library=engine.library, collection=collection, progress=progress)
        await engine.meanings.follow()
    if as_json:
        click.echo(json.dumps(report.as_json(), ensure_ascii=False))
    else:
        _say(report, collection)
    return 1 if report.refused else 0


def _say(report: IngestReport, collection: str) -> None:
    click.echo(
        f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, {report.removed} removed "
        f"in {collection!r}: "
        f"{report.passages} passages in {report.seconds:.1f} s"
    )
    for name in report.skipped:
        click.echo(f"skipped {name}", err=True)
    for refused in report.refused:
        click.echo(f"refused {refused.path}: {refused.reason}", err=True)


@contextmanager
def _bar(*, shown: bool) -> Iterator[Callable[[IngestProgress], None] | None]:
    """Show how far an ingest is, on standard error, where that is a terminal."""
    if not shown:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[passages]} passages, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task: TaskID = bar.add_task("Reading", total=None, passages=0, rate=0.0)

        def tell(progress: IngestProgress) -> None:
            one_file = progress.files_total == 1  # then the bytes tell more than the files
            done = progress.bytes_done if one_file else progress.files_done
            total = progress.bytes_total if one_file else progress.files_total
            bar.update(task, completed=done, total=total, passages=progress.passages, rate=progress.rate)

        yield tell


async def reindex(settings: Settings) -> int:
    """Make the vectors anew, beside the ones in use; returns the exit code."""
    if not (settings.embedding_model and settings.model_configured):
        raise UsageError("there are no vectors without WEFT_EMBEDDING_MODEL; the index of words needs no care")
    async with open_engine(settings) as engine:
        made = await engine.meanings.rebuild()
    click.echo(f"{made} passages have a vector of {settings.embedding_model}")
    return 0


async def list_documents(settings: Settings, collection: str, *, as_json: bool) -> int:
    """Print what is stored; returns the exit code."""
    async with open_engine(settings) as engine:
        stored = await engine.library.listing(collection=collection)
    if as_json:
        fields = ("collection", "document_id", "title", "source", "passages", "characters", "updated_at")
        click.echo(json.dumps([{name: getattr(info, name) for name in fields} for info in stored], ensure_ascii=False))
        return 0
    for info in stored:
        click.echo(f"{info.collection}\t{info.document_id}\t{info.title}\t{info.passages} passages")
    return 0


async def show_document(settings: Settings, document_id: str, collection: str) -> int:
    """Print the passages of a document; returns the exit code."""
    async with open_engine(settings) as engine:
        found = [i for i in await engine.library.listing(collection=collection) if i.document_id == document_id]
        if not found:
            raise UsageError(f"there is no document {document_id!r}: `weft documents list` shows what there is")
        for info in found:
            click.echo(f"{info.title} ({info.collection}/{info.document_id}, {info.source})")
            passages = await engine.library.around(
                f"{document_id}#0", collection=info.collection, window=info.passages, audience=OPERATOR
            )
            for passage in passages:
                click.echo(f"\n--- {passage.public_id}  {passage.section}\n{passage.text}")
    return 0


async def remove_document(settings: Settings, document_id: str, collection: str) -> int:
    """Remove a document; returns the exit code."""
    async with open_engine(settings) as engine:
        if not await engine.library.remove(document_id, collection=collection):
            raise UsageError(f"there is no document {document_id!r}: `weft documents list` shows what there is")
    click.echo(f"removed {document_id}")
    return 0


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

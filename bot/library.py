"""`weft documents` and `weft reindex`: what is stored, for those who keep it."""

import json

import click

from agent.errors import UsageError
from bot.app import open_engine
from bot.audience import OPERATOR
from bot.settings import Settings


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


async def reindex(settings: Settings) -> int:
    """Make the vectors anew, beside the ones in use; returns the exit code."""
    if not (settings.embedding_model and settings.model_configured):
        raise UsageError("there are no vectors without WEFT_EMBEDDING_MODEL; the index of words needs no care")
    async with open_engine(settings) as engine:
        made = await engine.meanings.rebuild()
    click.echo(f"{made} passages have a vector of {settings.embedding_model}")
    return 0

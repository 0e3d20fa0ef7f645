"""`weft reindex`: both indexes made anew from the documents, beside the ones in use."""

import click

from bot.app import open_engine
from bot.models.vector_progress import shown
from bot.settings import Settings


async def reindex(settings: Settings, *, forget: bool) -> int:
    """Make the indexes of words and of vectors anew, telling how far it is and what it cost; returns the exit code."""
    async with open_engine(settings, follows=True) as engine:
        click.echo(f"words: {await engine.library.index.rebuild():,} passages")
        meanings = engine.meanings
        if meanings.embedders is None:
            click.echo("vectors: none, as WEFT_EMBEDDING_MODEL is not set or there is no endpoint to ask")
            return 0
        with shown() as tell:
            followed = await meanings.rebuild(tell, forget=forget)
    click.echo(f"vectors: {followed.made:,} passages, by {meanings.embedders.passages.name}: {followed.cost}")
    if followed.problem:
        click.echo(f"{followed.missing:,} passages have no vector yet: {followed.problem}", err=True)
    return 1 if followed.problem else 0

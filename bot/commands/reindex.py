"""`weft reindex`."""

from pathlib import Path

import click

from bot.commands.running import data_option, load_settings, run


@click.command()
@data_option
@run
async def reindex(data: Path | None) -> int:
    """Make the vectors anew: after a change of the embedding model, or when their file is damaged."""
    from bot.library import reindex as rebuild

    return await rebuild(load_settings(data=data))

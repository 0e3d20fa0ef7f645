"""`weft reindex`."""

from pathlib import Path

import click

from bot.commands.running import data_option, load_settings, run


@click.command()
@click.option("--forget", is_flag=True, help="Ask the model for every text again, also for those whose vector is kept.")
@data_option
@run
async def reindex(*, forget: bool, data: Path | None) -> int:
    """Make the indexes anew: after a change of the embedding model, or when a file is damaged.

    The old ones stay in use meanwhile. What was interrupted goes on where it was.
    """
    from bot.operator.reindexing import reindex as rebuild

    return await rebuild(load_settings(data=data), forget=forget)

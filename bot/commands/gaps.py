"""`weft gaps`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.command()
@click.option("--days", type=click.IntRange(1, 400), default=30, show_default=True, help="How many days back.")
@click.option("--most", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many are listed.")
@json_option
@data_option
@run
async def gaps(days: int, most: int, as_json: bool, data: Path | None) -> int:
    """List what people asked and the documents did not answer well, questions that are alike together.

    A question counts as unanswered where nothing was found, as hedged where what was found came with a word of doubt,
    as disliked where somebody put a thumb down under the answer. Nothing tells who asked.
    """
    from bot.operator.gaps import print_gaps

    return await print_gaps(load_settings(data=data), days=days, most=most, as_json=as_json)

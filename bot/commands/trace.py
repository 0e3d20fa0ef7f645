"""`weft trace`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.command()
@click.argument("turn_id")
@json_option
@data_option
@run
async def trace(turn_id: str, as_json: bool, data: Path | None) -> int:
    """Tell the way that a turn took: searches, filters, passages, what was left out and why, checks, calls, nodes.

    TURN_ID is what `weft ask --json` and the log call it. What is kept of a turn goes with it.
    """
    from bot.operator.tracing import print_trace

    return await print_trace(load_settings(data=data), turn_id, as_json=as_json)

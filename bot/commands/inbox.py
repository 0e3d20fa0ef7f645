"""`weft inbox`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.group()
def inbox() -> None:
    """See the messages that wait, and those that were given up."""


@inbox.command("list")
@click.option("--all", "waiting", is_flag=True, help="Also those that wait or are being answered.")
@json_option
@data_option
@run
async def inbox_list(waiting: bool, as_json: bool, data: Path | None) -> int:
    """List the messages that were given up, without their words."""
    from bot.operator.dead_letters import list_letters

    return await list_letters(load_settings(data=data), waiting=waiting, as_json=as_json)


@inbox.command("retry")
@click.argument("ids", type=int, nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that were given up.")
@data_option
@run
async def inbox_retry(ids: tuple[int, ...], everything: bool, data: Path | None) -> int:
    """Let messages that were given up be answered, as if they were new."""
    from bot.operator.dead_letters import change_letters

    return await change_letters(load_settings(data=data), "retry", ids, everything=everything)


@inbox.command("drop")
@click.argument("ids", type=int, nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that were given up.")
@data_option
@run
async def inbox_drop(ids: tuple[int, ...], everything: bool, data: Path | None) -> int:
    """Forget messages that were given up, and their words."""
    from bot.operator.dead_letters import change_letters

    return await change_letters(load_settings(data=data), "drop", ids, everything=everything)

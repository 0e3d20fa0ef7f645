"""`weft channels`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run

MODES = ("mentions", "thread", "all", "off", "queue", "burst", "replace", "default")


@click.group()
def channels() -> None:
    """Say which messages are answered in which channel, and by which pack."""


@channels.command("list")
@json_option
@data_option
@run
async def channels_list(as_json: bool, data: Path | None) -> int:
    """List the channels and workspaces whose mode or pack was set."""
    from bot.operator.channels import list_channels

    return await list_channels(load_settings(data=data), as_json=as_json)


@channels.command("set")
@click.argument("place")
@click.argument("mode", type=click.Choice(MODES), required=False)
@click.option("--pack", metavar="NAME", help="The pack that is in force there; `default`: none of its own.")
@json_option
@data_option
@run
async def channels_set(place: str, mode: str | None, pack: str | None, as_json: bool, data: Path | None) -> int:
    """Set the mode or the pack of a channel (channel:slack:T1:C1), or of a workspace or server (workspace:discord:G1).

    mentions: who mentions Weft. thread: besides, what Weft is asked in its threads. all: besides, every question in
    the channel that the documents answer. off: nothing.

    Beside these, what becomes of messages on top of each other. queue: each waits for its turn. burst: lines that
    somebody types one after the other are one question. replace: a new question takes the place of the same person's
    last one, where that is not answered.

    default: nothing of its own; a channel then goes by its workspace, a workspace by `thread` and `queue`. It acts at
    once.

    A pack acts where `weft serve` has it (`weft serve --pack a --pack b`); threads that have begun keep theirs.
    """
    from bot.operator.channels import set_place

    return await set_place(load_settings(data=data), place, mode, pack, as_json=as_json)

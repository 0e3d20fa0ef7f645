"""`weft watch`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.group()
def watch() -> None:
    """Ingest folders, files and URLs again and again by the clock."""


@watch.command("add")
@click.argument("source", metavar="PATH|URL")
@click.option(
    "--every", default="1h", show_default=True, help='30m, 6h, 1d, a crontab "0 3 * * *" or words "every day at 3am".'
)
@click.option("--collection", default="documents", show_default=True, help="Where the documents go.")
@click.option("--zone", default="", help="The time zone of a crontab or words.  [default: WEFT_ZONE]")
@json_option
@data_option
@run
async def watch_add(source: str, every: str, collection: str, zone: str, as_json: bool, data: Path | None) -> int:
    """Have the clock ingest PATH or URL at once, and from then on by its plan; only what changed is read again.

    The clock runs in `weft serve`, or as `weft clock`: this command reads nothing itself. The same source and
    collection again: another pause, from now.
    """
    from bot.operator.watches import add_watch

    return await add_watch(load_settings(data=data), source, every, collection, zone=zone, as_json=as_json)


@watch.command("list")
@json_option
@data_option
@run
async def watch_list(as_json: bool, data: Path | None) -> int:
    """List what is watched, when it was ingested last, and what went wrong."""
    from bot.operator.watches import list_watches

    return await list_watches(load_settings(data=data), as_json=as_json)


@watch.command("remove")
@click.argument("named", metavar="NUMBER|PATH|URL")
@data_option
@run
async def watch_remove(named: str, data: Path | None) -> int:
    """Watch it no longer. What was ingested from it stays."""
    from bot.operator.watches import remove_watch

    return await remove_watch(load_settings(data=data), named)

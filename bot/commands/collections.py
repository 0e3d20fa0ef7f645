"""`weft collections`."""

from pathlib import Path

import click

from agent.errors import UsageError
from bot.commands.running import data_option, json_option, load_settings, run


@click.group()
def collections() -> None:
    """Say who may read which documents."""


@collections.command("list")
@json_option
@data_option
@run
async def collections_list(as_json: bool, data: Path | None) -> int:
    """List the collections with their readers."""
    from bot.operator.access import list_collections

    return await list_collections(load_settings(data=data), as_json=as_json)


@collections.command("create")
@click.argument("name")
@click.argument("more", nargs=-1, metavar="")
@click.option("--readers", multiple=True, help="Who may read it, from the start; without it everyone.")
@json_option
@data_option
@run
async def collections_create(
    name: str, more: tuple[str, ...], readers: tuple[str, ...], as_json: bool, data: Path | None
) -> int:
    """Make an empty collection, so that its readers are set before its documents come."""
    from bot.operator.access import create_collection

    if more and not readers:
        raise UsageError(f"{more[0]!r} is too much: write --readers before who may read it")
    return await create_collection(load_settings(data=data), name, (*readers, *more), as_json=as_json)


@collections.command("readers")
@click.argument("name")
@click.argument("more", nargs=-1, metavar="")
@click.option("--add", multiple=True, help="These may read it too.")
@click.option("--remove", multiple=True, help="These may no longer.")
@click.option("--set", "put", multiple=True, help="Only these may read it; `nobody`: the operator alone.")
@json_option
@data_option
@run
async def collections_readers(
    name: str,
    more: tuple[str, ...],
    add: tuple[str, ...],
    remove: tuple[str, ...],
    put: tuple[str, ...],
    as_json: bool,
    data: Path | None,
) -> int:
    """Show or change who may read a collection; acts at once.

    A reader is everyone, workspace:slack:T1, channel:slack:T1:C1, user:discord:G1:U1 or group:finance.
    """
    from bot.operator.access import change_readers

    given = [values for values in (add, remove, put) if values]
    if more and len(given) != 1:
        raise UsageError(f"{more[0]!r} belongs to no option: put --add, --remove or --set before each reader")
    return await change_readers(
        load_settings(data=data),
        name,
        add=(*add, *more) if add else (),
        remove=(*remove, *more) if remove else (),
        put=(*put, *more) if put else (),
        as_json=as_json,
    )


@collections.command("remove")
@click.argument("name")
@click.option("--yes", "sure", is_flag=True, help="Do not ask.")
@data_option
@run
async def collections_remove(name: str, sure: bool, data: Path | None) -> int:
    """Remove a collection with its documents."""
    from bot.operator.access import remove_collection

    return await remove_collection(load_settings(data=data), name, sure=sure)

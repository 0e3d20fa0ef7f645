"""`weft packs`."""

import click

from bot.commands.running import json_option, run


@click.group()
def packs() -> None:
    """Look at packs."""


@packs.command("list")
@json_option
@run
async def packs_list(as_json: bool) -> int:
    """List the packs that come with Weft."""
    from bot.operator.packs import list_packs

    return list_packs(as_json=as_json)


@packs.command("show")
@click.argument("path")
@json_option
@run
async def packs_show(path: str, as_json: bool) -> int:
    """Show what a pack brings: intents, scopes, slots, documents, templates.

    PATH is the name of one that comes with Weft, or a folder.
    """
    from bot.operator.packs import show_pack

    return show_pack(path, as_json=as_json)


@packs.command("check")
@click.argument("path")
@json_option
@run
async def packs_check(path: str, as_json: bool) -> int:
    """Check a pack's files; every mistake is told by file, line and key."""
    from bot.operator.packs import check_pack

    return check_pack(path, as_json=as_json)

"""`weft groups`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.group()
def groups() -> None:
    """Name people and channels that may read the same."""


@groups.command("list")
@json_option
@data_option
@run
async def groups_list(as_json: bool, data: Path | None) -> int:
    """List the groups with their members."""
    from bot.operator.access import list_groups

    return await list_groups(load_settings(data=data), as_json=as_json)


@groups.command("add")
@click.argument("name")
@click.argument("members", nargs=-1, required=True)
@data_option
@run
async def groups_add(name: str, members: tuple[str, ...], data: Path | None) -> int:
    """Put users (user:slack:T1:U1) and channels (channel:slack:T1:C1) into a group.

    A channel in a group says that everybody in that channel belongs to the group. The group `guests` is for
    who does not belong to the workspace: what the workspace may read is closed to its members.
    """
    from bot.operator.access import add_to_group

    return await add_to_group(load_settings(data=data), name, members)


@groups.command("remove")
@click.argument("name")
@click.argument("members", nargs=-1)
@data_option
@run
async def groups_remove(name: str, members: tuple[str, ...], data: Path | None) -> int:
    """Take members out of a group; without members, all of them."""
    from bot.operator.access import remove_from_group

    return await remove_from_group(load_settings(data=data), name, members)

"""`weft packs`."""

import click

from bot.commands.running import run


@click.group()
def packs() -> None:
    """Look at packs."""


@packs.command("list")
def packs_list() -> None:
    """List the packs that ship with Weft."""
    from agent.packs.load import available

    for name in available():
        click.echo(name)


@packs.command("check")
@click.argument("path")
@run
async def packs_check(path: str) -> int:
    """Check a pack's files."""
    from agent.packs.load import load_pack
    from bot.app import pack_folder

    pack = load_pack(pack_folder(path))
    held = f"{len(pack.intents)} intents, {len(pack.templates)} templates"
    click.echo(f"{pack.name}: {' / '.join(pack.title.texts.values())}, {held}: fine")
    return 0

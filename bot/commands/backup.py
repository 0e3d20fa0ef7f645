"""`weft backup` and `weft restore`."""

import asyncio
from pathlib import Path

import click

from bot.commands.running import data_option, load_settings, run


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@data_option
@run
async def backup(file: Path, data: Path | None) -> int:
    """Write all state into FILE, while Weft runs: a tar archive, compressed where its name ends in .gz or .tgz."""
    from storage.backup import backup as write

    folder = load_settings(data=data).data
    size = await asyncio.to_thread(write, folder, file)
    click.echo(f"{folder} is in {file}: {size:,} bytes")
    return 0


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@data_option
@run
async def restore(file: Path, data: Path | None) -> int:
    """Fill an empty data folder from FILE, which `weft backup` wrote. Nothing is written before all was verified."""
    from storage.backup import restore as read

    folder = load_settings(data=data).data
    count = await asyncio.to_thread(read, file, folder)
    click.echo(f"{folder} holds {count} files from {file}")
    return 0

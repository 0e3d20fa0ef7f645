"""`weft backup` and `weft restore`."""

import asyncio
from contextlib import nullcontext
from pathlib import Path

import click

from bot.commands.running import data_option, load_settings, run


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@data_option
@run
async def backup(file: Path, data: Path | None) -> int:
    """Write all state into FILE, while Weft runs: a tar archive, compressed where its name ends in .gz or .tgz."""
    from bot.stores import database_url
    from storage.backup import backup as write

    settings = load_settings(data=data)
    folder = settings.data
    if url := database_url(settings):
        from storage.postgres.failures import place_of
        from storage.postgres.transfer import backup as copy

        size = await asyncio.to_thread(copy, url, file)
        click.echo(f"{place_of(url)} is in {file}: {size:,} bytes")
        return 0
    size = await asyncio.to_thread(write, folder, file)
    click.echo(f"{folder} is in {file}: {size:,} bytes")
    return 0


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@data_option
@run
async def restore(file: Path, data: Path | None) -> int:
    """Fill an empty data folder from FILE, which `weft backup` wrote. Nothing is written before all was verified.

    Where WEFT_DATABASE_URL is set, the database, after `weft migrate`; the file is to be of a database, too.
    """
    from bot.process_lock import held
    from bot.stores import database_url
    from storage.backup import restore as read

    settings = load_settings(data=data)
    folder = settings.data
    if url := database_url(settings):
        from storage.postgres.failures import place_of
        from storage.postgres.migrate import check
        from storage.postgres.transfer import restore as put_back

        await check(url)
        count = await asyncio.to_thread(put_back, file, url)
        click.echo(f"{place_of(url)} holds {count} tables from {file}")
        return 0
    with held(folder / "clock.lock", what="weft serve") if folder.is_dir() else nullcontext():
        count = await asyncio.to_thread(read, file, folder)
    click.echo(f"{folder} holds {count} files from {file}")
    return 0

"""`weft migrate`."""

from pathlib import Path

import click

from agent.errors import UsageError
from bot.commands.running import load_settings, run


@click.command()
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The data folder of an installation of files, to be carried over.",
)
@run
async def migrate(source: Path | None) -> int:
    """Bring the tables of PostgreSQL up to date, before Weft starts and after updates: where WEFT_DATABASE_URL says.

    Twice, or by two at once, does no harm. With --from, what a data folder holds is copied into the empty database;
    stop the Weft that runs on that folder first, which stays as it is.
    """
    from bot.process_lock import held
    from bot.stores import database_url

    url = database_url(load_settings())
    if not url:
        raise UsageError("WEFT_DATABASE_URL is not set: data folders are brought up to date when they are opened")
    from storage.postgres.carry import carry_over
    from storage.postgres.failures import place_of
    from storage.postgres.migrate import migrate as bring_up

    before, after = await bring_up(url)
    change = "is up to date" if before == after else f"was brought from schema {before} to {after}"
    click.echo(f"{place_of(url)} {change}")
    if source is None:
        return 0
    with held(source / "clock.lock", what="weft serve"):
        counts = await carry_over(source, url)
    told = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count)
    click.echo(f"carried over from {source}: {told or 'nothing'}")
    return 0

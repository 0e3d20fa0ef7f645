"""`weft doctor`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, pack_option, run


@click.command()
@json_option
@pack_option
@data_option
@run
async def doctor(*, as_json: bool, pack: str | None, data: Path | None) -> int:
    """Look at settings, data folder and endpoints: what is missing, and what to do about it.

    Nothing is changed. Every model that may be asked is asked for a few words, which costs some tokens, and none
    of it is in `weft usage`. Exit code 1 when something does not work.
    """
    from bot.doctor.report import doctor as look
    from bot.settings import Settings

    return await look(Settings.load(pack=pack, data=data), as_json=as_json)

"""`weft eval`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, pack_option, run


@click.command("eval")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@pack_option
@data_option
@run
async def evaluate(file: Path, as_json: bool, pack: str | None, data: Path | None) -> int:
    """Ask the questions of FILE and mark the answers; exit code 1 below the bar that the file names.

    With --pack and without --data only the pack's own documents are asked, in a folder that is thrown away.
    """
    from bot.operator import evaluation

    settings = load_settings(pack=pack, data=data)
    return await evaluation.evaluate(settings, file, fresh=pack is not None and data is None, as_json=as_json)

"""`weft eval`."""

from pathlib import Path

import click

from agent.errors import UsageError
from agent.packs.load import PACK_FILE
from bot.commands.running import data_option, json_option, load_settings, pack_option, run


@click.command("eval")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--from-threads", is_flag=True, help="Propose questions from those that people asked, as YAML.")
@click.option("--days", type=click.IntRange(1, 3650), default=30, help="With --from-threads: of so many last days.")
@click.option("--most", type=click.IntRange(1, 5000), default=50, help="With --from-threads: so many questions.")
@json_option
@pack_option
@data_option
@run
async def evaluate(
    file: Path | None, from_threads: bool, days: int, most: int, as_json: bool, pack: str | None, data: Path | None
) -> int:
    """Ask the questions of FILE and mark the answers; exit code 1 below the bar that the file names.

    With --pack and without --data only the pack's own documents are asked, in a folder that is thrown away. So it is
    without both where FILE lies in the folder of a pack: that one is asked.

    With --from-threads nothing is asked: what people asked is printed as such a file, with what was answered as what is
    expected, to be confirmed. These are people's own words, without names: a command for the operator.
    """
    from bot.operator import evaluation, proposals

    if (file is None) != from_threads:
        raise UsageError("give either a FILE of questions or --from-threads")
    if file is not None and pack is None and data is None and (file.parent / PACK_FILE).is_file():
        pack = str(file.parent)
    settings = load_settings(pack=pack, data=data)
    if file is None:
        return await proposals.propose(settings, days=days, most=most)
    return await evaluation.evaluate(settings, file, fresh=pack is not None and data is None, as_json=as_json)

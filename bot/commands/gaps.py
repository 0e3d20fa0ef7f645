"""`weft gaps`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.command()
@click.option("--days", type=click.IntRange(1, 400), default=30, show_default=True, help="How many days back.")
@click.option("--most", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many are listed.")
@click.option("--digest-to", metavar="PLACE", default="", help="Tell it in a channel from now on: channel:slack:T1:C1.")
@click.option("--at", "when", default="", help="When, as for `weft schedule add`.  [default: every Monday at 9]")
@click.option("--zone", default="", help="The time zone of that.")
@json_option
@data_option
@run
async def gaps(days: int, most: int, digest_to: str, when: str, zone: str, as_json: bool, data: Path | None) -> int:
    """List what people asked and the documents did not answer well, questions that are alike together.

    A question counts as unanswered where nothing was found, as hedged where what was found came with a word of doubt,
    as disliked where somebody put a thumb down under the answer. Nothing tells who asked.

    With --digest-to nothing is listed: a digest is posted in that channel again and again, of what was asked in that
    very channel in the week before. `weft schedule list` shows it, `weft schedule remove` ends it.
    """
    if digest_to:
        from bot.operator.schedules import add_digest

        return await add_digest(load_settings(data=data), digest_to, when, zone=zone, as_json=as_json)
    from bot.operator.gaps import print_gaps

    return await print_gaps(load_settings(data=data), days=days, most=most, as_json=as_json)

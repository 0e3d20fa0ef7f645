"""`weft schedule`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.group()
def schedule() -> None:
    """Ask questions again and again by the clock; people can set them in chat too."""


@schedule.command("add")
@click.argument("when")
@click.argument("question")
@click.option("--in", "place", required=True, metavar="PLACE", help="channel:slack:T1:C1, or playground.")
@click.option("--zone", default="", help="The time zone of WHEN, such as Asia/Seoul.  [default: WEFT_ZONE]")
@json_option
@data_option
@run
async def schedule_add(when: str, question: str, place: str, zone: str, as_json: bool, data: Path | None) -> int:
    """Ask QUESTION in a channel, WHEN: "every Monday at 9", "매주 월요일 9시", a crontab "0 9 * * mon-fri".

    Each time it begins a thread there, answered from what that channel may read, and says what changed since the last.
    """
    from bot.operator.schedules import add_schedule

    return await add_schedule(load_settings(data=data), place, when, question, zone=zone, as_json=as_json)


@schedule.command("list")
@json_option
@data_option
@run
async def schedule_list(as_json: bool, data: Path | None) -> int:
    """List standing questions, digests and watched answers, with their numbers."""
    from bot.operator.schedules import list_schedules

    return await list_schedules(load_settings(data=data), as_json=as_json)


@schedule.command("pause")
@click.argument("number", type=click.IntRange(min=1))
@data_option
@run
async def schedule_pause(number: int, data: Path | None) -> int:
    """Leave one out until it is resumed."""
    return await _change(number, "pause", data)


@schedule.command("resume")
@click.argument("number", type=click.IntRange(min=1))
@data_option
@run
async def schedule_resume(number: int, data: Path | None) -> int:
    """Let one go on; what was left out is not made up for."""
    return await _change(number, "resume", data)


@schedule.command("remove")
@click.argument("number", type=click.IntRange(min=1))
@data_option
@run
async def schedule_remove(number: int, data: Path | None) -> int:
    """Delete one."""
    return await _change(number, "remove", data)


async def _change(number: int, what: str, data: Path | None) -> int:
    from bot.operator.schedules import change_schedule

    return await change_schedule(load_settings(data=data), number, what)

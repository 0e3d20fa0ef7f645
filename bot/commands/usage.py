"""`weft usage`."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from bot.commands.running import data_option, json_option, load_settings, run

if TYPE_CHECKING:
    from storage.usage import By, UsageSum

_COLUMNS = ("calls", "tokens in", "tokens out", "cost", "failures", "fallbacks")


@click.command()
@click.option(
    "--days", type=click.IntRange(1, 400), default=30, show_default=True, help="How many days back, today included."
)
@click.option(
    "--by",
    type=click.Choice(["user", "channel", "model", "day", "role"]),
    default="day",
    show_default=True,
    help="What the calls are summed by.",
)
@json_option
@data_option
@run
async def usage(days: int, by: "By", as_json: bool, data: Path | None) -> int:
    """Tell what the models were asked and what it cost, embeddings among it.

    A failure is a call that came to nothing; a fallback is a failure, or a call that a limit or a resting
    endpoint kept back: the offline rules answered it, or words alone were searched. What belongs to no user and
    no channel, such as the embeddings of documents, is shown as "-".
    """
    from bot.stores import open_database
    from storage.usage import SqlUsage

    settings = load_settings(data=data)
    today = datetime.now(ZoneInfo(settings.usage_zone)).date()
    since = (today - timedelta(days=days - 1)).isoformat()
    async with open_database(settings) as database:
        sums = await SqlUsage(database).sums(since, by)
    if as_json:
        report = {"since": since, "zone": settings.usage_zone, "by": by, "sums": [asdict(each) for each in sums]}
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        _print(sums, by, since, settings.usage_zone)
    return 0


def _print(sums: "Sequence[UsageSum]", by: str, since: str, zone: str) -> None:
    from bot.operator.snippets import printable

    if not sums:
        click.echo(f"The model was not asked since {since} ({zone}).")
        return
    rows = [(printable(each.name) or "-", *_figures(each)) for each in sums]
    total = [sum(column) for column in zip(*(_numbers(each) for each in sums), strict=True)]
    rows.append(("in all", *_shown(total)))
    widths = [max(map(len, column)) for column in zip((by, *_COLUMNS), *rows, strict=True)]
    for first, *others in ((by, *_COLUMNS), *rows):
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        click.echo("  ".join(cells))
    if estimated := sum(each.estimated for each in sums):
        click.echo(f"Tokens of {estimated:,} calls are estimated: the endpoint did not tell them.")


def _numbers(each: "UsageSum") -> tuple[float, ...]:
    return each.calls, each.tokens_in, each.tokens_out, each.cost, each.failures, each.fallbacks


def _figures(each: "UsageSum") -> tuple[str, ...]:
    return _shown(_numbers(each))


def _shown(numbers: Sequence[float]) -> tuple[str, ...]:
    return tuple(
        f"{number:.4f}" if name == "cost" else f"{number:,.0f}" for name, number in zip(_COLUMNS, numbers, strict=True)
    )

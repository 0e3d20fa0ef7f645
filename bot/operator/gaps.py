"""`weft gaps`: what people ask and the documents do not answer, questions that are alike together."""

import json
import time
from dataclasses import asdict

import click

from bot.app import data_folder
from bot.gaps import grouped
from bot.operator.snippets import printable
from bot.settings import Settings
from storage.database import Database
from storage.gaps import weak_turns
from storage.schema import WEFT

_DAY = 86_400.0
_REMARKS = 3
"""Of one gap that are printed; the object has them all."""


async def print_gaps(settings: Settings, *, days: int, most: int, as_json: bool) -> int:
    """Print the gaps of the last days, those asked most first; returns the exit code. Raises StorageError."""
    database = await Database.open(data_folder(settings) / "weft.db", WEFT)
    try:
        weak = await weak_turns(database, since=time.time() - days * _DAY)
    finally:
        await database.close()
    gaps = grouped(weak)
    if as_json:
        report = {"days": days, "questions": len(weak), "gaps": [asdict(gap) for gap in gaps[:most]]}
        click.echo(json.dumps(report, ensure_ascii=False))
        return 0
    if not gaps:
        click.echo(f"No question of the last {days} days was left without a good answer.")
        return 0
    for gap in gaps[:most]:
        told = ", ".join(f"{count} {name}" for name, count in sorted(gap.shortfalls.items()))
        click.echo(f"{gap.asked:>4}x  {printable(gap.question)}\n       {told}; last on {gap.last}")
        if gap.near:
            click.echo(f"       nearest: {printable(' · '.join(gap.near))}")
        if gap.reasons:
            counted = ", ".join(f"{count} {kind.value}" for kind, count in gap.reasons.items())
            click.echo(f"       why: {counted}")
        for remark in gap.remarks[:_REMARKS]:
            click.echo(f"       “{printable(remark)}”")
    if len(gaps) > most:
        click.echo(f"... and {len(gaps) - most} more: --most {len(gaps)}")
    return 0

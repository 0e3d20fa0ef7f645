"""`weft watch`: folders, files and URLs that are ingested again by the clock."""

import json
import os
import time
from typing import Any

import click

from agent.errors import RefusedFileError, UsageError
from agent.types import ThreadKey
from agent.values.timetable import Timetable
from bot.calendar.words import told_moment, told_plan
from bot.operator.collection_names import check_new
from bot.operator.schedules import named_zone, opened, parse_when, timing
from bot.operator.snippets import printable
from bot.settings import Settings
from storage.contracts import Schedule, ScheduleKind
from storage.ingest.urls import is_url, normalised, shown

LEAST_SECONDS = 300
"""Between two times that a source is ingested."""
_NOWHERE = ThreadKey(platform="", workspace_id="", channel_id="", thread_id="")


async def add_watch(settings: Settings, source: str, every: str, collection: str, *, zone: str, as_json: bool) -> int:
    """Watch a source, which is ingested at once and then by its plan; returns the exit code. Raises UsageError."""
    await check_new(settings, collection)
    text = _source(source)
    zone, now = named_zone(settings, zone), time.time()
    plan = _plan(every, zone, now)
    async with opened(settings) as schedules:
        put = await schedules.put(
            Schedule(
                kind=ScheduleKind.SOURCE,
                key=_NOWHERE,
                plan=plan,
                zone=zone,
                text=text,
                origin=f"source\t{collection}\t{text}",
                created=now,
                since=now,
                details={"collection": collection},
            )
        )
        put = await schedules.get(put.id) or put
    click.echo(json.dumps(_as_json(put), ensure_ascii=False) if as_json else _line(put))
    click.echo("it is ingested as soon as a clock runs: `weft serve`, or `weft clock`", err=True)
    return 0


async def list_watches(settings: Settings, *, as_json: bool) -> int:
    """Print every watched source, and what came of it last; returns the exit code."""
    async with opened(settings) as schedules:
        found = [each for each in await schedules.all() if each.kind is ScheduleKind.SOURCE]
    if as_json:
        click.echo(json.dumps({"sources": [_as_json(each) for each in found]}, ensure_ascii=False))
        return 0
    for each in found:
        click.echo(_line(each))
    if not found:
        click.echo("nothing is watched: `weft watch add` takes a folder, a file or a URL", err=True)
    return 0


async def remove_watch(settings: Settings, named: str) -> int:
    """Stop watching a source, named by its number or as it was added; its documents stay. Raises UsageError."""
    async with opened(settings) as schedules:
        found = [each for each in await schedules.all() if each.kind is ScheduleKind.SOURCE]
        meant = [each for each in found if str(each.id) == named or each.text in _ways_to_write(named)]
        if not meant:
            raise UsageError(f"{named!r} is not watched: `weft watch list` tells what is")
        for each in meant:
            await schedules.remove(each.id)
            click.echo(f"{each.id}: no longer watched. What was ingested from it stays: `weft documents` deletes it.")
    return 0


def _ways_to_write(named: str) -> tuple[str, ...]:
    return (named,) if is_url(named) else (named, os.path.abspath(named))


def _source(source: str) -> str:
    """Return a source as any process finds it. Raises UsageError."""
    if is_url(source):
        try:
            return normalised(source)
        except RefusedFileError as error:
            raise UsageError(f"{shown(source)}: {error}") from None
    if not source:  # an unset variable must not mean the folder that somebody is in
        raise UsageError("the source is empty: name a file, a folder or an address")
    path = os.path.abspath(source)
    if not os.path.exists(path):
        raise UsageError(f"{source}: there is no such file or folder")
    return path


def _plan(every: str, zone: str, now: float) -> Timetable:
    plan = parse_when(every if " " in every.strip() else f"every {every}", zone, now)
    if plan.least_pause < LEAST_SECONDS:
        raise UsageError(f"{every!r} is too often: a source is ingested at most every {LEAST_SECONDS // 60} minutes")
    return plan


def _as_json(entry: Schedule) -> dict[str, Any]:
    return {
        "id": entry.id,
        "source": shown(entry.text) if is_url(entry.text) else entry.text,
        "collection": entry.details.get("collection", ""),
        **timing(entry),
        "last": entry.details.get("at"),
        "report": entry.details.get("report"),
        "refused": entry.details.get("refused", 0),
        "paused": entry.paused,
        "failures": entry.failures,
        "problem": entry.problem,
    }


def _line(entry: Schedule) -> str:
    when = f"{told_plan(entry.plan, 'en')} ({entry.zone})" if entry.plan else ""
    state = "paused" if entry.paused else "not ingested yet"
    at, report = entry.details.get("at"), entry.details.get("report")
    if isinstance(at, float | int):
        counts = report.items() if isinstance(report, dict) else ()
        told = ", ".join(f"{count} {name}" for name, count in counts if count)
        refused = entry.details.get("refused", 0)
        state = f"{told_moment(at, entry.zone)}: {told or 'nothing there'}" + (
            f", {refused} refused" if refused else ""
        )
    if entry.problem:
        state += f"; failed {'once' if entry.failures == 1 else f'{entry.failures} times'}: {entry.problem}"
    source = shown(entry.text) if is_url(entry.text) else entry.text
    collection = str(entry.details.get("collection", ""))
    return "\t".join(map(printable, (str(entry.id), source, collection, when, state)))

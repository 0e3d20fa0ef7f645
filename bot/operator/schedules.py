"""`weft schedule`: the calendar from the console; what people set in chat is listed too."""

import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import click

from agent.errors import UsageError
from agent.text import language_of, normalise
from agent.types import Author, Language, ThreadKey
from agent.values.recurrence import recurrence
from agent.values.timetable import Timetable, zone_of
from bot.calendar.words import told_moment, told_plan
from bot.operator.channels import parse_place, show_place
from bot.operator.snippets import printable
from bot.settings import Settings
from bot.stores import open_database
from storage.contracts import NOBODY, Place, Schedule, ScheduleKind
from storage.schedules import SqlSchedules

_PLAYGROUND = ThreadKey(platform="playground", workspace_id="local", channel_id="web", thread_id="")
_DIGEST = "0 9 * * mon"


async def add_schedule(settings: Settings, written: str, when: str, question: str, *, zone: str, as_json: bool) -> int:
    """Set a standing question, and print it; returns the exit code. Raises UsageError."""
    text = normalise(question)
    if not text or len(text) > settings.question_limit:
        raise UsageError(f"a question has 1 to {settings.question_limit} characters, this one has {len(text)}")
    return await _add(settings, written, when, ScheduleKind.QUESTION, text, zone=zone, as_json=as_json)


async def add_digest(settings: Settings, written: str, when: str, *, zone: str, as_json: bool) -> int:
    """Set the digest of a channel, and print it; returns the exit code. Raises UsageError."""
    return await _add(settings, written, when or _DIGEST, ScheduleKind.DIGEST, "", zone=zone, as_json=as_json)


async def list_schedules(settings: Settings, *, as_json: bool) -> int:
    """Print every entry of the calendar but watched sources; returns the exit code."""
    async with opened(settings) as schedules:
        found = [each for each in await schedules.all() if each.kind is not ScheduleKind.SOURCE]
        damaged = await schedules.damaged()
    if as_json:
        report = {"schedules": [_as_json(each) for each in found], "damaged": list(damaged)}
        click.echo(json.dumps(report, ensure_ascii=False))
        return 0
    for each in found:
        click.echo(_line(each))
    if not found and not damaged:
        click.echo("nothing is asked by the clock: `weft schedule add` sets a question", err=True)
    for number in damaged:
        click.echo(f"{number}\tcannot be read: `weft schedule remove {number}` deletes it", err=True)
    return 0


async def change_schedule(settings: Settings, number: int, what: str) -> int:
    """Pause, resume or remove an entry; returns the exit code. Raises UsageError for one that there is not."""
    async with opened(settings) as schedules:
        there = await schedules.get(number) is not None or number in await schedules.damaged()
        if not there:
            raise UsageError(f"there is no entry {number}: see `weft schedule list` and `weft watch list`")
        if what == "remove":
            await schedules.remove(number)
        else:
            await schedules.pause(number, paused=what == "pause", now=time.time())
    done = {"pause": "paused", "resume": "goes on", "remove": "removed"}
    click.echo(f"{number}: {done[what]}")
    return 0


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[SqlSchedules]:
    """Give the calendar of the data folder. Raises StorageError."""
    async with open_database(settings) as database:
        yield SqlSchedules(database)


def parse_when(written: str, zone: str, now: float) -> Timetable:
    """Return a plan that somebody wrote in words, as a crontab or as a pause. Raises UsageError."""
    text = normalise(written).strip(" .")
    found = recurrence(text)
    if found is not None and (found.start, found.end) == (0, len(text)):
        return found.on(datetime.fromtimestamp(now, zone_of(zone)).weekday())
    try:
        return Timetable.parse(text)
    except ValueError as error:
        raise UsageError(f"{error}; words work too, such as: every Monday at 9") from None


def named_zone(settings: Settings, given: str, usual: str = "") -> str:
    """Return the zone that was given, else the usual one. Raises UsageError."""
    try:
        return zone_of(given or usual or settings.zone).key
    except ValueError as error:
        raise UsageError(str(error)) from None


def timing(entry: Schedule) -> Mapping[str, Any]:
    """Return when an entry comes, as JSON values."""
    if entry.plan is None:
        return {"plan": "", "zone": entry.zone, "next": ""}
    following = entry.plan.after(max(time.time(), entry.since), entry.zone, since=entry.created)
    return {
        "plan": str(entry.plan),
        "zone": entry.zone,
        "next": "" if entry.paused else datetime.fromtimestamp(following, zone_of(entry.zone)).isoformat(),
    }


async def _add(
    settings: Settings, written: str, when: str, kind: ScheduleKind, text: str, *, zone: str, as_json: bool
) -> int:
    key, private = _place(written)
    channel = f"{key.platform}:{key.workspace_id}:{key.channel_id}"
    zone, now = named_zone(settings, zone, settings.channel_zones.get(channel, "")), time.time()
    plan = parse_when(when, zone, now)
    if plan.least_pause < settings.schedule_minutes * 60:
        raise UsageError(
            f"{when!r} is too often: at most every {settings.schedule_minutes} minutes (WEFT_SCHEDULE_MINUTES)"
        )
    async with opened(settings) as schedules:
        put = await schedules.put(
            Schedule(
                kind=kind,
                key=key,
                owner=Author(id="you") if private else NOBODY,
                private=private,
                plan=plan,
                zone=zone,
                text=text,
                language=language_of(text or when),
                created=now,
                since=now,
            )
        )
    click.echo(json.dumps(_as_json(put), ensure_ascii=False) if as_json else _line(put))
    return 0


def _place(written: str) -> tuple[ThreadKey, bool]:
    """Return the place that somebody wrote, and whether it is private. Raises UsageError."""
    if written == "playground":
        return _PLAYGROUND, True
    place = parse_place(written)
    if not place.channel:
        raise UsageError(f"{written!r} is a whole workspace: name a channel, such as channel:slack:T1:C1")
    key = ThreadKey(platform=place.platform, workspace_id=place.workspace, channel_id=place.channel, thread_id="")
    return key, False


def _shown(key: ThreadKey) -> str:
    if key.platform == _PLAYGROUND.platform:
        return key.platform
    return show_place(Place(platform=key.platform, workspace=key.workspace_id, channel=key.channel_id))


def _as_json(entry: Schedule) -> dict[str, Any]:
    return {
        "id": entry.id,
        "kind": entry.kind.value,
        "place": _shown(entry.key),
        **timing(entry),
        "text": entry.text or str(entry.details.get("question", "")),
        "owner": entry.user,
        "paused": entry.paused,
        "failures": entry.failures,
        "problem": entry.problem,
    }


def _line(entry: Schedule) -> str:
    language: Language = "en"
    when = f"{told_plan(entry.plan, language)} ({entry.zone})" if entry.plan else "when its documents change"
    following = ""
    if entry.plan is not None and not entry.paused:
        moment = entry.plan.after(max(time.time(), entry.since), entry.zone, since=entry.created)
        following = f", next {told_moment(moment, entry.zone)}"
    state = ("paused" if entry.paused else "on") + following + (f"; {entry.problem}" if entry.problem else "")
    text = entry.text or str(entry.details.get("question", "")) or "what was not answered there"
    return "\t".join(map(printable, (str(entry.id), entry.kind.value, _shown(entry.key), when, state, text)))

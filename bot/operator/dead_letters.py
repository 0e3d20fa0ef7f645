"""`weft inbox`: what was given up, another try, or its end."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Literal

import click

from agent.errors import UsageError
from agent.text import visible
from bot.settings import Settings
from bot.stores import database_url, open_database
from storage.dead_letters import DeadLetters

_DONE = {"retry": "will be answered", "drop": "forgotten"}


async def list_letters(settings: Settings, *, waiting: bool, as_json: bool) -> int:
    """Print the messages that were given up; `waiting`: all that are not answered."""
    async with _opened(settings) as letters:
        found = await letters.list(waiting=waiting)
    if as_json:
        click.echo(json.dumps({"messages": [asdict(each) for each in found]}, ensure_ascii=False))
        return 0
    for each in found:
        at = datetime.fromtimestamp(each.at).astimezone().isoformat(" ", "seconds")
        why = f", {visible(each.error)}" if each.error else ""
        counts = f"{each.attempts} failed turns, {each.deaths} processes died"
        click.echo(f"{each.id:>7}  {each.status:5}  {at}  {visible(each.thread)}  {each.kind}: {counts}{why}")
    if not found:
        click.echo("no message waits" if waiting else "no message was given up")
    return 0


async def change_letters(
    settings: Settings, what: Literal["retry", "drop"], ids: Sequence[int], *, everything: bool
) -> int:
    """Try again, or forget, what was given up; exit code 1 where one of the ids is none of it. Raises UsageError."""
    if everything == bool(ids):
        raise UsageError("name messages by the numbers that `weft inbox list` shows, or say --all")
    async with _opened(settings) as letters:
        wanted = None if everything else ids
        changed = await (letters.retry(wanted) if what == "retry" else letters.drop(wanted))
    click.echo(f"{len(changed)} {'message' if len(changed) == 1 else 'messages'} {_DONE[what]}")
    missing = sorted(set(ids) - set(changed))
    if missing:
        click.echo(f"weft: not given up: {', '.join(map(str, missing))}", err=True)
    return 1 if missing else 0


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[DeadLetters]:
    if not database_url(settings) and not (settings.data / "inbox.db").exists():
        raise UsageError(f"{settings.data} has no inbox: name the folder with --data")
    async with open_database(settings, "inbox.db") as database:
        yield DeadLetters(database)

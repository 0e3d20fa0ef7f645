"""`weft doctor`: what is configured, what is missing, what to do. It changes nothing and creates nothing."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict

import click

from bot.app import pack_folder
from bot.doctor import data_folder, platforms
from bot.doctor import settings as checks_settings
from bot.doctor.check import Check, run
from bot.models.endpoint import model_client
from bot.operator.snippets import printable
from bot.settings import Settings

_MARKS = {"ok": "ok     ", "warning": "warning", "problem": "problem"}
_COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}


async def doctor(settings: Settings, *, as_json: bool) -> int:
    """Look at everything and print what was found; returns the exit code."""
    checks = await diagnose(settings)
    problems = sum(check.status == "problem" for check in checks)
    if as_json:
        click.echo(json.dumps({"checks": [asdict(check) for check in checks], "ok": not problems}, ensure_ascii=False))
        return 1 if problems else 0
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark = click.style(_MARKS[check.status], fg=_COLOURS[check.status])
        click.echo(f"{mark}  {check.name:{width}}  {printable(check.detail)}")
        if check.advice:
            click.echo(f"{'':{width + 11}}→ {printable(check.advice)}")
    warnings = sum(check.status == "warning" for check in checks)
    click.echo(f"{_counted(problems, 'problem')}, {_counted(warnings, 'warning')}")
    return 1 if problems else 0


async def diagnose(settings: Settings) -> Sequence[Check]:
    """Return all checks: first what answers are made of, then what they are made with, then where they go."""
    async with AsyncExitStack() as stack:
        client = None
        if settings.model_configured:
            client = model_client(settings)
            stack.push_async_callback(client.close)
        stored, model, (embedding, name), slack, discord = await asyncio.gather(
            _databases(settings),
            checks_settings.model(settings, client),
            checks_settings.embedding(settings, client),
            _slack(settings),
            _discord(settings),
        )
        return [
            *await run("settings", lambda: checks_settings.settings_files(settings)),
            *await run("pack", lambda: checks_settings.packs([pack_folder(name) for name in settings.packs])),
            *stored,
            *await _contents(settings, stored, name),
            *model,
            *embedding,
            *await run("web search", lambda: checks_settings.web(settings)),
            *await checks_settings.medical_names(settings),
            *slack,
            *discord,
            *await run("clock", checks_settings.clock),
        ]


async def _slack(settings: Settings) -> Sequence[Check]:
    """Ask Slack only with settings that may be right."""
    set_up = await run("Slack", lambda: checks_settings.slack(settings))
    asked = settings.slack_bot_token.get_secret_value() and all(check.status == "ok" for check in set_up)
    return await platforms.slack(settings) if asked else set_up


async def _discord(settings: Settings) -> Sequence[Check]:
    """Ask Discord only with a token that may be right."""
    set_up = await run("Discord", lambda: checks_settings.discord(settings))
    asked = settings.discord_token.get_secret_value() and all(check.status == "ok" for check in set_up)
    return await platforms.discord(settings) if asked else set_up


async def _databases(settings: Settings) -> Sequence[Check]:
    place = await run("data folder", lambda: data_folder.folder(settings.data))
    if settings.database_url.get_secret_value():
        from bot.doctor import database

        return [*place, *await database.checks(settings)]
    if not settings.data.is_dir() or any(check.status == "problem" for check in place):
        return place
    return [*place, *await run("databases", lambda: data_folder.databases(settings.data))]


async def _contents(settings: Settings, stored: Sequence[Check], embedding: str) -> Sequence[Check]:
    """Look into what is whole; what is not has been told."""
    data = settings.data
    if not data.is_dir() or settings.database_url.get_secret_value():
        return []
    current = data_folder.current(data, stored)
    found: list[Check] = []
    if current:
        found += await run("documents", lambda: data_folder.documents(data))
        found += await run("word index", lambda: data_folder.words(data))
        found += await run("calendar", lambda: data_folder.calendar(data))
    found += await data_folder.vectors(data, embedding, counted=current)
    if any(check.name == "inbox.db" and check.status == "ok" for check in stored):
        found += await run("inbox", lambda: data_folder.inbox(data))
    return [*found, *await run("processes", lambda: data_folder.running(data))]


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"

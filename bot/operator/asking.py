"""`weft ask`: one turn on the console, through the same inbox as everybody's."""

import asyncio
import json
import mimetypes
import os
import re
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import click

from adapters.console import ConsoleAdapter
from agent.errors import UsageError
from agent.events import Event, FinalResponse, to_json
from agent.language import say
from agent.retrieval.scopes import collections_of
from agent.text import language_of
from agent.types import (
    Attachment,
    Author,
    IncomingMessage,
    MessageKind,
    Mode,
    Query,
    Response,
    SearchFilter,
    SearchRequest,
    ThreadKey,
    TurnRecord,
)
from bot.app import Engine, open_engine
from bot.settings import Settings
from bot.turns.private_hits import beyond
from bot.turns.turn import Observer
from bot.turns.worker import Worker
from storage.access import SqlAccess

Shape = Literal["text", "json", "events"]
PLATFORMS = ("slack", "discord", "playground", "console")
LEASE = 5.0
"""Seconds after which a killed `weft ask` no longer holds up its thread."""
_OPTIONAL = ("thread", "as", "channel")
"""Texts that a line of a batch may have besides, or none."""
_ALONE = "@"
"""Begins the place in which somebody asks alone."""
_ID = re.compile(r"[^\s:,#<>]+")
_NOT_OWN = re.compile(r"[#@<*].*|everyone|nobody|[CDGUW](?=.*\d)[A-Z\d]+|\d{15,}")
"""What is no id of the console's own: names and mentions, readers that are nobody's id, ids of Slack and Discord."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asker:
    """Who asks, and where. Nobody, and nowhere: the operator. Raises UsageError for who cannot be.

    `user` and `channel` are ids of the console's own, or name a platform's: `slack:T1:U1`.
    """

    user: str = ""
    channel: str = ""
    mode: Mode = "agent"

    def __post_init__(self) -> None:
        self._place()

    def message(self, text: str, thread: str, attachments: tuple[Attachment, ...] = ()) -> IncomingMessage:
        """Return a message of this asker, the only one of its kind."""
        identity = uuid.uuid4().hex
        workspace, user, channel = self._place()
        # Everybody's threads are their own: what was said to one person in private is no other's history.
        place = channel or (f"{_ALONE}{user}" if user else "")
        return IncomingMessage(
            key=ThreadKey(platform="console", workspace_id=workspace, channel_id=place, thread_id=thread or identity),
            event_id=f"console:{identity}",
            message_id=identity,
            author=Author(id=user),
            text=text,
            kind=MessageKind.DIRECT,
            received_at=time.time(),
            private=not channel,
            attachments=attachments,
            mode=self.mode,
        )

    def _place(self) -> tuple[str, str, str]:
        """Return workspace, user and channel. The workspace of a platform is named with it: `slack:T1`."""
        user_of, user = _split(self.user, "user", "slack:T1:U1")
        channel_of, channel = _split(self.channel, "channel", "slack:T1:C1")
        if self.user and self.channel and user_of != channel_of:
            raise UsageError(f"{self.user} and {self.channel} are not of one workspace")
        return (user_of if self.user else channel_of), user, channel


def _split(written: str, kind: str, example: str) -> tuple[str, str]:
    """Return workspace and id of `slack:T1:U1`, also with its kind before it; an id alone is the console's own.

    Raises UsageError for what can be neither: who is nobody reads as little as somebody for whom all is closed.
    """
    *place, identity = written.removeprefix(f"{kind}:").split(":")
    if not place and not _NOT_OWN.fullmatch(identity):
        return "local", identity
    wrong = identity.startswith(_ALONE) or not all(map(_ID.fullmatch, (*place, identity)))
    if len(place) != 2 or wrong:
        raise UsageError(
            f"{written!r} is no {kind}: write its ids, such as {example}, or a {kind} of the console's own"
        )
    platform, workspace = place
    if platform not in PLATFORMS:
        raise UsageError(f"{written!r}: there is no platform {platform!r}; there are {', '.join(PLATFORMS)}")
    return (workspace if platform == "console" else f"{platform}:{workspace}"), identity


class Console:
    """Asks, and waits for the answer."""

    def __init__(self, engine: Engine, *, quiet: bool) -> None:
        self._engine = engine
        self._turns = engine.turns_on([ConsoleAdapter(quiet=quiet)])

    async def ask(self, message: IncomingMessage, observe: Observer | None = None) -> Response:
        """Return what came of a message, behind those that wait in its thread."""
        responses: list[Response] = []

        def watch(event: Event) -> None:
            if isinstance(event, FinalResponse):
                responses.append(event.response)
            if observe is not None:
                observe(event)

        worker = Worker(
            self._engine.inbox,
            self._turns,
            platforms=["console"],
            lease=LEASE,
            thread=message.key,
            observe=lambda row: watch if row.event_id == message.event_id else None,
        )
        await self._engine.inbox.add(message)
        try:
            while not responses:
                row = await worker.claim()
                if row is not None:
                    await worker.see_through(row)
                elif await self._engine.inbox.finished(message):
                    await self._taken_over(message, watch)  # another console in this thread answered it
                else:
                    await self._engine.inbox.wait(0.2)
        except asyncio.CancelledError:
            await self._engine.inbox.withdraw(message)  # whoever presses Ctrl-C does not want the answer later
            raise
        return responses[-1]

    async def _taken_over(self, message: IncomingMessage, observe: Observer) -> None:
        if await self._turns.answered(message):
            await self._turns.run(message, observe)  # delivers what is there, and runs nothing
        else:
            await self._turns.fail(message, "turn_failed", observe)


def attached(files: Sequence[Path]) -> tuple[Attachment, ...]:
    """Return files as they go with a message. Raises UsageError for one that is not there."""
    for path in files:
        if not path.is_file():
            raise UsageError(f"there is no file {str(path)!r} to attach")
    return tuple(
        Attachment(
            id=str(path.resolve()),
            name=path.name,
            media_type=mimetypes.guess_type(path.name)[0] or "",
            size=path.stat().st_size,
            url=str(path.resolve()),
        )
        for path in files
    )


async def ask_once(
    settings: Settings,
    question: str,
    thread: str,
    asker: Asker,
    shape: Shape,
    attachments: tuple[Attachment, ...] = (),
) -> int:
    """Ask one question and print what came of it; returns the exit code."""
    async with open_engine(settings) as engine:
        console = Console(engine, quiet=shape != "text")

        def observe(event: Event) -> None:
            if shape == "events":
                _print(to_json(event))

        response = await console.ask(asker.message(question, thread, attachments), observe)
        if shape == "json":
            _print(asdict(response))
        elif shape == "text" and asker.user and asker.channel:
            await _say_what_is_beyond(engine, asker.message(response.standalone_query or question, thread))
    return 0 if response.status == "completed" else 1


async def _say_what_is_beyond(engine: Engine, message: IncomingMessage) -> None:
    """Tell who asks in a room, and nobody else there, how much more there is for them alone."""
    filter = SearchFilter(collections=collections_of(engine.pack))
    request = SearchRequest(queries=(Query(text=message.text),), filter=filter)
    access = SqlAccess(engine.database)
    more = await beyond(message, request, knowledge=engine.knowledge, passages=engine.library, memberships=access)
    if more:
        click.echo(say("only_you", language_of(message.text), count=more), err=True)


async def ask_batch(settings: Settings, path: Path, asker: Asker) -> int:
    """Ask the questions of a JSONL file in order, one line out for each; returns the exit code."""
    code = 0
    entries = [_entry(path, number, line) for number, line in enumerate(read_lines(path), start=1)]
    askers = [_asker_of(entry, asker, f"{path}:{number}") for number, entry in enumerate(entries, start=1)]
    async with open_engine(settings) as engine:
        console = Console(engine, quiet=True)
        for number, (entry, own) in enumerate(zip(entries, askers, strict=True), start=1):
            message = own.message(entry.get("text", ""), entry.get("thread") or "")
            if "assistant" in entry:
                await _note(engine, message, entry["assistant"])
                continue
            response = await console.ask(message)
            _print({"id": entry.get("id", str(number)), **asdict(response)})
            code = code or int(response.status != "completed")
    return code


def read_lines(path: Path) -> list[str]:
    """Return the lines that say something. Raises UsageError for a file that cannot be read."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    return [line for line in text.split("\n") if line.strip()]


def _entry(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}:{number} is not JSON: {error}") from error
    if not isinstance(entry, dict) or not ({"text", "assistant"} & entry.keys()):
        raise UsageError(f'{path}:{number} needs an object with "text", or with "assistant"')
    for key in ("text", "assistant", *_OPTIONAL):
        if not isinstance(entry.get(key, ""), str) and not (key in _OPTIONAL and entry[key] is None):
            raise UsageError(f"{path}:{number}: {key} must be a text")
    return entry


def _asker_of(entry: Mapping[str, Any], asker: Asker, place: str) -> Asker:
    """Return who asks a line, where it says so. Raises UsageError for who cannot be."""
    try:
        return replace(asker, user=entry.get("as") or asker.user, channel=entry.get("channel") or asker.channel)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from error


async def _note(engine: Engine, message: IncomingMessage, answer: str) -> None:
    """Put a given answer into a thread's history, as the answer to the question before it."""
    thread = str(message.key)
    turns = await engine.agent.turns(thread)
    if turns:
        record = replace(turns[-1], answer=answer, evidence=(), titles=())
    else:
        record = TurnRecord(
            turn_id=message.turn_id,
            message_id=message.message_id,
            asked_by=message.author.id,
            question="",
            standalone="",
            answer=answer,
            route="given",
            at=time.time(),
        )
    await engine.agent.note(thread, record)


def _print(value: object) -> None:
    try:
        click.echo(json.dumps(value, ensure_ascii=False, default=str))
    except BrokenPipeError:
        # Whoever read our lines has seen enough. The turn still ends as it should.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

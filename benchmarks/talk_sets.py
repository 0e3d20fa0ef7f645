"""The talk corpora, `benchmarks/talk/*/`: threads of people, with Weft among them, and the platform that plays them.

`office` is about a handbook, `trades` about fourteen workplaces, each other one about six places, whose threads stand
side by side. A line is
`who KIND text`. KIND is `@` where Weft is called, `+` where Weft is asked without being called, `-` where people talk
to each other. `(40m)` or `(2h)` before a text is a pause; without one a minute passes. `@name` mentions somebody. A
thread marked `channel` stands outside of any thread, in a channel whose every question is heard.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from adapters.contract import Capabilities, Deliveries, TodoList
from agent.types import (
    Attachment,
    Author,
    ChannelMode,
    Clarification,
    IncomingMessage,
    MessageKind,
    ProducedFile,
    Response,
    ThreadKey,
)
from bot.app import Engine
from bot.turns.worker import Worker
from storage.contracts import Place
from storage.ingest.run import ingest

TALK = Path(__file__).parent / "talk"
CORPORA = (
    "office", "trades", "care", "works", "software", "clubs", "bureaus", "shops", "schools", "transport", "companies",
    "remarks", "notes", "stays", "crews", "yards", "ports", "parishes", "desks", "benches", "depots", "teams",
    "halls", "plants", "tellers", "agencies", "courts", "estates", "guilds", "kitchens", "rinks", "studios", "trains",
    "banks", "wards", "towers", "labs", "hangars",
)  # fmt: skip
"""What the weights are fitted on."""
LEFT_OUT = ("unseen1", "unseen2")
"""What they are measured on: written by somebody who wrote none of the others, and never fitted on."""
_LINE = re.compile(r"(\S+) ([@+-]) (?:\((\d+)([mh])\) )?(.+)")
_MENTION = re.compile(r"@(\w+)")


@dataclass(frozen=True)
class Line:
    who: str
    kind: Literal["@", "+", "-"]
    text: str
    pause: float
    """Minutes since the line before."""

    @property
    def wanted(self) -> bool:
        """Whether Weft should answer."""
        return self.kind != "-"


@dataclass(frozen=True)
class Thread:
    name: str
    channel: bool
    lines: tuple[Line, ...]

    @property
    def language(self) -> str:
        return self.name[:2]


def threads(corpus: str) -> Iterator[Thread]:
    for part in (TALK / corpus / "threads.txt").read_text("utf-8").strip().split("\n\n"):
        head, *rest = part.splitlines()
        name, _, mark = head.removeprefix("## ").partition(" ")
        lines = []
        for each in rest:
            found = _LINE.fullmatch(each)
            if found is None:
                raise ValueError(f"{corpus}: {each!r} is no line")
            pause = float(found[3] or 1) * (60 if found[4] == "h" else 1)
            lines.append(Line(found[1], found[2], found[5], pause))  # type: ignore[arg-type]
        yield Thread(name, mark == "channel", tuple(lines))


@dataclass
class Shown:
    """All that a platform was made to show for one message."""

    answers: list[Response] = field(default_factory=list)
    anything: int = 0


class Watcher:
    """A platform, and each reply on it, that counts what it is made to show."""

    name = "slack"
    capabilities = Capabilities(text_limit=4000, edit_interval=0.0, streaming=True)

    def __init__(self, shown: dict[str, Shown], turn: str = "") -> None:
        self._all = shown
        self._turn = turn

    @property
    def _shown(self) -> Shown:
        shown = self._all.setdefault(self._turn, Shown())
        shown.anything += 1
        return shown

    async def connect(self) -> None: ...

    async def close(self) -> None: ...

    async def listen(self, intake: object) -> None: ...

    async def open_thread(self, message: IncomingMessage, deliveries: Deliveries) -> ThreadKey:
        return message.key

    def reply(self, message: IncomingMessage, deliveries: Deliveries) -> "Watcher":
        return Watcher(self._all, message.turn_id)

    async def settle(self, message: IncomingMessage) -> None: ...

    async def erase(self, message: IncomingMessage, deliveries: Deliveries) -> None: ...

    async def fetch(self, message: IncomingMessage, attachment: Attachment, *, most: int) -> bytes:
        return b""

    async def typing(self, todo: TodoList) -> None:
        """Count it: it shows that Weft is at it."""
        _ = self._shown

    async def show(self, todo: TodoList) -> None:
        _ = self._shown

    async def stream(self, text: str) -> None:
        _ = self._shown

    async def ask(self, clarification: Clarification) -> None:
        _ = self._shown

    async def close_choices(self, clarification: Clarification, first: object) -> None: ...

    async def finish(self, response: Response) -> None:
        self._shown.answers.append(response)

    async def attach(self, file: ProducedFile) -> None:
        _ = self._shown

    async def fail(self, failure: object) -> None:
        _ = self._shown


class Player:
    """Plays threads through the application, on a clock of its own."""

    def __init__(self, engine: Engine) -> None:
        self.shown: dict[str, Shown] = {}
        self.now = 1_700_000_000.0
        self._engine = engine
        engine.inbox._now = lambda: self.now
        turns = engine.turns_on([Watcher(self.shown)])
        turns._now = lambda: self.now
        self._worker = Worker(engine.inbox, turns, platforms=["slack"])

    async def say(self, thread: Thread, number: int) -> Shown:
        """Say one line of a thread; return what was shown for it."""
        line = thread.lines[number]
        self.now += 60 * line.pause
        message = message_of(thread, number, self.now)
        conversation = self._engine.conversation
        if message.kind is MessageKind.THREAD_REPLY and not await conversation.takes_part(message.key):
            return Shown()  # what is said before Weft is called is not handed in
        await conversation.accept(message)
        while (row := await self._worker.claim()) is not None:
            await self._worker.see_through(row)
        return self.shown.get(message.turn_id, Shown())


def message_of(thread: Thread, number: int, at: float) -> IncomingMessage:
    line = thread.lines[number]
    called = line.kind == "@"
    unheard = MessageKind.CHANNEL if thread.channel else MessageKind.THREAD_REPLY
    return IncomingMessage(
        key=ThreadKey(
            platform="slack",
            workspace_id="T1",
            channel_id="ALL" if thread.channel else "C1",
            thread_id=f"{thread.name}-{number}" if thread.channel else thread.name,
        ),
        event_id=f"{thread.name}-{number}",
        message_id=f"{thread.name}-{number}",
        author=Author(id=f"U-{line.who}", name=line.who.capitalize()),
        text=line.text,
        kind=MessageKind.MENTION if called else unheard,
        received_at=at,
        calls=tuple(_MENTION.findall(line.text)),
    )


async def prepare(engine: Engine, corpus: str) -> None:
    """Bring the documents of a corpus into the library, for the office also the handbook, and open its channel."""
    handbook = [engine.pack.documents] if corpus == "office" else []
    await ingest([*handbook, TALK / corpus / "docs"], library=engine.library, collection="docs")
    await engine.modes.set(Place(platform="slack", workspace="T1", channel="ALL"), ChannelMode.ALL)

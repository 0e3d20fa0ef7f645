import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any

import pytest

from adapters.contract import TodoList
from adapters.discord.adapter import DiscordAdapter
from agent.errors import StorageError
from agent.types import Author, Citation, DeliveryRef, IncomingMessage, MessageKind, Rating, Response, ThreadKey
from tests.fakes_deliveries import MemoryDeliveries
from tests.fakes_last_heard import MemoryLastHeard
from tests.servers.discord import DiscordServer

PATIENCE = (0.01,) * 6


class ListIntake:
    """Keeps what it is handed, once for each event; refuses while `broken`, waits while `held`."""

    def __init__(self) -> None:
        self.messages: list[IncomingMessage] = []
        self.held: list[str] = []
        """Events whose turns may not begin yet."""
        self.joined: set[ThreadKey] = set()
        self.all_heard: set[str] = set()
        self.off: set[str] = set()
        self.ratings: list[tuple[DeliveryRef | str, Rating]] = []
        self.known: list[DeliveryRef] | None = None
        """Messages of answers that are kept; None: all are."""
        self.plans: dict[str, TodoList] = {}
        self.heard = MemoryLastHeard()
        self.broken = 0
        self.tried = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def accept(self, message: IncomingMessage, *, hold: float = 0.0) -> bool:
        self.tried += 1
        await self.gate.wait()
        if self.broken:
            self.broken -= 1
            raise StorageError("the disk is full")
        if any(known.event_id == message.event_id for known in self.messages):
            return False
        self.messages.append(message)
        self.held += [message.event_id] if hold else []
        self.joined.add(message.key)
        return True

    async def let_go(self, message: IncomingMessage) -> None:
        self.held.remove(message.event_id)

    async def takes_part(self, key: ThreadKey) -> bool:
        return key in self.joined

    async def hears(self, key: ThreadKey, by: str = "") -> MessageKind | None:
        if await self.takes_part(key):
            return MessageKind.THREAD_REPLY
        return MessageKind.CHANNEL if key.channel_id in self.all_heard else None

    async def follows(self, posted: DeliveryRef) -> ThreadKey | None:
        return None

    async def thread_of(self, key: ThreadKey, message_id: str) -> ThreadKey | None:
        return None

    async def is_off(self, key: ThreadKey) -> bool:
        return key.channel_id in self.off

    async def last_heard(self, platform: str) -> Mapping[ThreadKey, str]:
        return await self.heard.of(platform)

    async def note_heard(self, heard: Mapping[ThreadKey, str]) -> None:
        await self.heard.put(heard)

    async def accepted_in(self, place: ThreadKey, *, since: float) -> Sequence[IncomingMessage]:
        gone = {message.turn_id for message in self.messages if message.kind is MessageKind.DELETE}
        return [m for m in self.messages if m.key.channel_id == place.channel_id and m.turn_id not in gone]

    async def plan_of(self, posted: DeliveryRef) -> TodoList | None:
        return self.plans.get(posted.message_id)

    async def rate(self, answer: DeliveryRef | str, rating: Rating) -> bool:
        if self.known is not None and answer not in self.known:
            return False
        self.ratings.append((answer, rating))
        return True

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]


@pytest.fixture
async def discord() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server


@pytest.fixture
def intake() -> ListIntake:
    return ListIntake()


@pytest.fixture
def deliveries() -> MemoryDeliveries:
    return MemoryDeliveries()


@pytest.fixture
async def make(discord: DiscordServer) -> AsyncIterator[Callable[..., DiscordAdapter]]:
    """Make adapters for the server; each is closed in the end."""
    async with AsyncExitStack() as stack:

        def build(**more: Any) -> DiscordAdapter:
            where = {"api_base_url": discord.api_url, "gateway_url": discord.gateway_url}
            pace = {"patience": PATIENCE, "identify_pause": 0.01, "list_after": 0.0}
            pace |= {"settle": 0.05, "mark_every": 0.01}
            adapter = DiscordAdapter(**{"token": discord.token, **pace, **where, **more})
            stack.push_async_callback(adapter.close)
            return adapter

        yield build


@pytest.fixture
async def adapter(make: Callable[..., DiscordAdapter]) -> DiscordAdapter:
    """An adapter as a worker has it: it answers, and hears nothing."""
    adapter = make()
    await adapter.connect()
    return adapter


@pytest.fixture
async def listen(discord: DiscordServer, intake: ListIntake) -> AsyncIterator[Callable[..., Any]]:
    tasks: list[asyncio.Task[None]] = []

    async def start(adapter: DiscordAdapter) -> asyncio.Task[None]:
        task = asyncio.create_task(adapter.listen(intake))
        tasks.append(task)
        await discord.until(lambda: discord.gateway.open_sessions or task.done())
        if task.done():
            task.result()
        return task

    yield start
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.fixture
async def listening(adapter: DiscordAdapter, listen: Callable[..., Any]) -> DiscordAdapter:
    await listen(adapter)
    return adapter


@pytest.fixture
def ask(discord: DiscordServer) -> Callable[..., Any]:
    """Write a question that mentions the bot, and return it as the listener would hand it in."""

    async def write(text: str = "how do I reset it?", *, private: bool = False) -> IncomingMessage:
        channel = await discord.dm(discord.alice) if private else discord.general
        id = await discord.post(channel, discord.alice, f"<@{discord.bot}> {text}")
        return IncomingMessage(
            key=ThreadKey(
                platform="discord",
                workspace_id="@me" if private else discord.guild_id,
                channel_id=channel,
                thread_id=channel if private else id,
            ),
            event_id=f"discord:{channel}:{id}",
            message_id=id,
            author=Author(id=discord.alice, name="alice"),
            text=text,
            kind=MessageKind.DIRECT if private else MessageKind.MENTION,
            received_at=0.0,
            private=private,
            extra={"stands_in": channel},
        )

    return write


def response(answer: str = "Hold the button [1].", **more: Any) -> Response:
    return Response(
        **{
            "thread_id": "t",
            "turn_id": "u",
            "pack": "handbook",
            "mode": "agent",
            "language": "en",
            "route": "research",
            "answer": answer,
            "response_type": "answer",
            **more,
        }
    )


def citation(n: int = 1, **more: Any) -> Citation:
    return Citation(
        **{"n": n, "document_id": "d", "passage_id": f"d#{n}", "title": "The Manual", "quote": "Hold", **more}
    )


@pytest.fixture(name="response")
def response_fixture() -> Callable[..., Response]:
    return response


@pytest.fixture(name="citation")
def citation_fixture() -> Callable[..., Citation]:
    return citation

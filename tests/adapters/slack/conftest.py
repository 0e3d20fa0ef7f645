import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import uvicorn
from starlette.applications import Starlette

from adapters.slack.adapter import SlackAdapter
from agent.errors import StorageError
from agent.types import DeliveryRef, IncomingMessage, MessageKind, Rating, ThreadKey, turn_id_of
from tests.fakes_deliveries import MemoryDeliveries
from tests.servers.slack import SlackServer

_FOLLOWING = (MessageKind.THREAD_REPLY, MessageKind.EDIT, MessageKind.DELETE)


class ListIntake:
    """Keeps what it accepts; `refuse` makes that many attempts fail, `gate` holds them back."""

    def __init__(self) -> None:
        self.messages: list[IncomingMessage] = []
        self.early: list[IncomingMessage] = []
        """What waits for the message that it follows."""
        self.again: list[str] = []
        self.threads: set[str] = set()
        self.all_heard: set[str] = set()
        self.off: set[str] = set()
        self.ratings: list[tuple[DeliveryRef | str, Rating]] = []
        self.refuse = 0
        self.gate: asyncio.Event | None = None
        self.waiting = asyncio.Event()

    async def accept(self, message: IncomingMessage, *, hold: float = 0.0) -> bool:
        if self.refuse:
            self.refuse -= 1
            raise StorageError("disk full")
        if self.gate is not None:
            self.waiting.set()
            await self.gate.wait()
        if message.event_id in {known.event_id for known in self.messages}:
            self.again.append(message.event_id)
            return False
        if message.kind in _FOLLOWING and str(message.key) not in self.threads:
            self.early.append(message)
            return True
        self.messages.append(message)
        self.threads.add(str(message.key))
        return True

    async def let_go(self, message: IncomingMessage) -> None:
        pass

    async def takes_part(self, key: ThreadKey) -> bool:
        return str(key) in self.threads

    async def hears(self, key: ThreadKey, by: str = "") -> MessageKind | None:
        if await self.takes_part(key):
            return MessageKind.THREAD_REPLY
        return MessageKind.CHANNEL if key.channel_id in self.all_heard else None

    async def follows(self, posted: DeliveryRef) -> ThreadKey | None:
        return None

    async def thread_of(self, key: ThreadKey, message_id: str) -> ThreadKey | None:
        turn = turn_id_of(key, message_id)
        return next((message.key for message in self.messages if message.turn_id == turn), None)

    async def is_off(self, key: ThreadKey) -> bool:
        return key.channel_id in self.off

    async def rate(self, answer: DeliveryRef | str, rating: Rating) -> bool:
        self.ratings.append((answer, rating))
        return True


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    """A workspace that knows no streams, as some are: what is written there is edited."""
    async with SlackServer() as server:
        server.native = False
        yield server


@pytest.fixture
def intake() -> ListIntake:
    return ListIntake()


@pytest.fixture
def deliveries() -> MemoryDeliveries:
    return MemoryDeliveries()


MakeAdapter = Callable[..., SlackAdapter]


@pytest.fixture
async def make_adapter(slack: SlackServer) -> AsyncIterator[MakeAdapter]:
    made: list[SlackAdapter] = []

    def make(**settings: object) -> SlackAdapter:
        values = {
            "bot_token": slack.bot_token,
            "signing_secret": slack.signing_secret,
            "api_base_url": slack.url,
            "retry_pause": 0.01,
            "list_after": 0.0,
            **settings,
        }
        made.append(SlackAdapter(**values))
        return made[-1]

    yield make
    for adapter in made:
        await adapter.close()


@pytest.fixture
async def adapter(make_adapter: MakeAdapter) -> SlackAdapter:
    adapter = make_adapter()
    await adapter.connect()
    return adapter


@pytest.fixture
async def serve() -> AsyncIterator[Callable[[SlackAdapter], Awaitable[str]]]:
    """Serve an adapter's routes on a real socket; gives the address for Slack."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(adapter: SlackAdapter) -> str:
            app = Starlette(routes=adapter.routes())
            config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none")
            server = uvicorn.Server(config)
            listening = socket.create_server(("127.0.0.1", 0))
            port = listening.getsockname()[1]
            task = asyncio.create_task(server._serve([listening]))

            async def stop() -> None:
                server.should_exit = server.force_exit = True
                await task
                listening.close()

            stack.push_async_callback(stop)
            return f"http://127.0.0.1:{port}/slack/events"

        yield start


@pytest.fixture
async def endpoint(adapter: SlackAdapter, intake: ListIntake, serve: Callable[[SlackAdapter], Awaitable[str]]) -> str:
    adapter.bind(intake)
    return await serve(adapter)

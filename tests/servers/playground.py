"""The playground over real HTTP, with an application behind it that plays given turns."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from starlette.applications import Starlette

from adapters.contract import Reply
from adapters.playground.adapter import PlaygroundAdapter
from adapters.playground.http import Welcome, playground_routes
from agent.errors import StorageError
from agent.types import Citation, DeliveryRef, IncomingMessage, MessageKind, Passage, Rating, Response, ThreadKey
from bot.processes.previews import previews
from bot.processes.web import WebServer, create_web, listen_on
from storage.board import BoardStore
from tests.fakes_deliveries import MemoryDeliveries

Play = Callable[[Reply, IncomingMessage], Awaitable[None]]

TEXT = (
    "Full-time employees receive 25 days of paid leave each calendar year.\n"
    "Unused days may be carried over until 31 March of the following year."
)
PASSAGES = tuple(
    Passage(
        id=index + 1,
        document_id="leave.md",
        collection="handbook",
        title="Leave policy",
        text=text,
        section="Time off > Annual leave",
        page=3,
        position=index,
        source="https://handbook.example/leave",
    )
    for index, text in enumerate(
        (
            "This page says how time off works. It applies to everyone with a permanent contract.",
            TEXT,
            "Ask your manager at least two weeks ahead. <script>alert(1)</script>",
        )
    )
)
WELCOME = Welcome(
    pack="handbook",
    people="the HR desk",
    title={"en": "Ask the handbook", "ko": "사내 안내서에 물어보세요"},
    description={
        "en": "Leave, expenses, equipment and how we work: every answer shows where it stands.",
        "ko": "휴가, 비용, 장비, 일하는 방식: 모든 답변에 출처를 함께 보여 드립니다.",
    },
    prompts=(
        {"en": "How many days of annual leave do I get?", "ko": "연차는 며칠인가요?"},
        {"en": "How do I claim travel expenses?", "ko": "출장비는 어떻게 청구하나요?"},
        {"en": "Which laptop can I order, and how?", "ko": "노트북은 어떻게 신청하나요?"},
        {"en": "What do I do in my first week?", "ko": "첫 주에는 무엇을 하나요?"},
    ),
)


async def welcome() -> Welcome:
    """Return what the page says without a question."""
    return WELCOME


def citation(n: int = 1, *, quote: str = TEXT.split("\n")[0], **changed: object) -> Citation:
    values = {
        "document_id": "leave.md",
        "passage_id": "leave.md#1",
        "title": "Leave policy",
        "section": "Time off > Annual leave",
        "page": 3,
        "source": "https://handbook.example/leave",
        "collection": "handbook",
    }
    return Citation(n=n, quote=quote, **{**values, **changed})


def response(message: IncomingMessage, answer: str, *citations: Citation, **changed: object) -> Response:
    values = {"language": "en", "route": "research", "response_type": "answer", "total_ms": 420.0}
    return Response(
        thread_id=str(message.key),
        turn_id=message.turn_id,
        pack="handbook",
        mode="agent",
        answer=answer,
        citations=citations,
        **{**values, **changed},
    )


class ScriptedIntake:
    """Takes messages as the application does, and plays a turn for each one that has a script."""

    def __init__(self, adapter: PlaygroundAdapter, play: Play | None = None) -> None:
        self.adapter = adapter
        self.play = play
        self.accepted: list[IncomingMessage] = []
        self.failing = False
        self.ratings: list[tuple[DeliveryRef | str, Rating]] = []
        self.tasks: set[asyncio.Task[None]] = set()
        self.news = asyncio.Condition()

    async def accept(self, message: IncomingMessage, *, hold: float = 0.0) -> bool:
        if self.failing:
            raise StorageError("the disk is full")
        if any(message.event_id == known.event_id for known in self.accepted):
            return False
        self.accepted.append(message)
        async with self.news:
            self.news.notify_all()
        if self.play is not None:
            reply = self.adapter.reply(message, MemoryDeliveries())
            task = asyncio.create_task(self.play(reply, message))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        return True

    async def let_go(self, message: IncomingMessage) -> None:
        pass

    async def heard(self, kind: MessageKind, times: int = 1) -> None:
        """Return once this many messages of this kind have come."""
        async with asyncio.timeout(60), self.news:
            await self.news.wait_for(lambda: [each.kind for each in self.accepted].count(kind) >= times)

    async def takes_part(self, key: ThreadKey) -> bool:
        return True

    async def hears(self, key: ThreadKey, by: str = "") -> MessageKind | None:
        return MessageKind.THREAD_REPLY

    async def follows(self, posted: DeliveryRef) -> ThreadKey | None:
        return None

    async def thread_of(self, key: ThreadKey, message_id: str) -> ThreadKey | None:
        return None

    async def is_off(self, key: ThreadKey) -> bool:
        return False

    async def rate(self, answer: DeliveryRef | str, rating: Rating) -> bool:
        self.ratings.append((answer, rating))
        return True


class ListedPassages:
    """A reader over a list."""

    def __init__(self, passages: Sequence[Passage] = PASSAGES) -> None:
        self.passages = list(passages)

    async def around(self, passage_public_id: str, collection: str, window: int) -> Sequence[Passage]:
        for index, passage in enumerate(self.passages):
            if passage.public_id == passage_public_id and collection in ("", passage.collection):
                return self.passages[max(0, index - window) : index + window + 1]
        return []


@asynccontextmanager
async def serving(app: Starlette, hang_up: Callable[[], Awaitable[None]], port: int = 0) -> AsyncIterator[str]:
    """Serve an application on this machine; yields its address."""
    bound = listen_on("127.0.0.1", port)
    address = f"http://127.0.0.1:{bound.getsockname()[1]}"
    server = WebServer(app, hang_up=hang_up)
    task = asyncio.create_task(server.serve(sockets=[bound]))
    try:
        await server.ready.wait()
        yield address
    finally:
        server.should_exit = True
        await task
        bound.close()


@dataclass
class Playground:
    """A running playground and all that stands behind it."""

    address: str
    board: BoardStore
    adapter: PlaygroundAdapter
    intake: ScriptedIntake
    passages: ListedPassages = field(default_factory=ListedPassages)

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])


@asynccontextmanager
async def playground(
    path: Path,
    *,
    play: Play | None = None,
    port: int = 0,
    token: str = "",
    allowed_hosts: Sequence[str] = (),
    upload_bytes: int = 50_000_000,
) -> AsyncIterator[Playground]:
    """Run a playground over the board in this file."""
    board = await BoardStore.open(path)
    adapter = PlaygroundAdapter(board, upload_bytes=upload_bytes)
    intake = ScriptedIntake(adapter, play)
    listening = asyncio.create_task(adapter.listen(intake))
    passages = ListedPassages()
    app = create_web(
        routes=playground_routes(adapter, passages=passages, welcome=welcome, previews=previews()),
        token=token,
        allowed_hosts=allowed_hosts,
    )
    try:
        async with serving(app, adapter.close, port) as address:
            yield Playground(address, board, adapter, intake, passages)
    finally:
        for task in (listening, *intake.tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await board.close()

"""Inbox, worker and turns as they are, around a scripted agent and a platform that records."""

import asyncio
import contextlib
import os

import pytest

from bot.turns import worker
from bot.turns.conversation import Conversation
from bot.turns.hearing import Hearing
from bot.turns.turn import Rules, Turns
from bot.turns.worker import Worker
from storage.access import SqlAccess
from storage.database import Database
from storage.deliveries import SqlDeliveries
from storage.inbox import SqlInbox
from storage.schema import INBOX, WEFT
from storage.turns import SqlTurns
from tests.fakes import NoCheckpoints, RecordingAdapter, ScriptedAgent
from tests.fakes_channels import MemoryChannelModes
from tests.fakes_profiles import MemoryProfiles


class Bench:
    """The real inbox, worker and turns, around a scripted agent and a platform that records."""

    def __init__(self, inbox, database) -> None:
        self.inbox, self.database, self.profiles = inbox, database, MemoryProfiles()
        self.adapter = RecordingAdapter()
        self.agent = ScriptedAgent()
        self.checkpoints = NoCheckpoints()
        self.stored = SqlTurns(database)
        self.deliveries = SqlDeliveries(database)
        self.conversation = Conversation(inbox, MemoryChannelModes())
        self.calendar = None

    def worker(self, **options) -> Worker:
        turns = Turns(
            agent=self.agent, adapters={"fake": self.adapter}, deliveries=self.deliveries, turns=self.stored,
            checkpoints=self.checkpoints, memberships=SqlAccess(self.database), profiles=self.profiles,
            rules=Rules(pack="test", question_limit=500), inbox=self.inbox, calendar=self.calendar,
            hearing=Hearing(MemoryChannelModes(), self.inbox, self.stored),
        )  # fmt: skip
        return Worker(self.inbox, turns, platforms=["fake"], **options)

    async def looked(self, what: str, times: int = 3) -> None:
        """Wait until the inbox has been asked so many times more: for what is to be cut off, or what may be claimed."""
        asked, enough = [], asyncio.Event()
        method = getattr(self.inbox, what)

        async def counted(*args, **options):
            result = await method(*args, **options)
            asked.append(what)
            if len(asked) > times:
                enough.set()
            return result

        setattr(self.inbox, what, counted)
        try:
            await enough.wait()
        finally:
            setattr(self.inbox, what, method)

    @contextlib.asynccontextmanager
    async def working(self, **options):
        task = asyncio.create_task(self.worker(**options).run())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def settled(self) -> dict[str, int]:
        """Wait until nothing is left to do."""
        async with asyncio.timeout(60):
            while True:
                counts = await self.inbox.counts()
                if not counts["todo"] and not counts["doing"]:
                    return counts
                await asyncio.sleep(0.01)


@pytest.fixture
async def bench(tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(worker, "STOP_POLL", 0.01)
    monkeypatch.setattr(worker, "DELIVERY_RETRY_SECONDS", 0.01)
    monkeypatch.setattr(worker, "CLAIM_PAUSE", 0.01)
    queue = await Database.open(tmp_path / "inbox.db", INBOX, durable=True)
    database = await Database.open(tmp_path / "weft.db", WEFT)
    made = Bench(SqlInbox(queue), database)
    made.queue = queue
    yield made
    await queue.close()
    await database.close()


@pytest.fixture
def own_place(tmp_path, monkeypatch):
    """Work in a folder of its own: no settings but a data folder in it and a pack that has no documents."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_")):
            monkeypatch.delenv(name)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "pack.yaml").write_text(
        "{name: rules, title: {en: Rules, ko: 규정}, description: {en: The rules., ko: 규정입니다.}}"
    )
    monkeypatch.setenv("WEFT_PACK", str(tmp_path / "pack"))
    monkeypatch.setenv("WEFT_DATA", str(tmp_path / "data"))
    return tmp_path

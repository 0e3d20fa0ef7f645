"""Files that come with questions: read once, given to this turn and later ones, told about where they cannot be."""

import asyncio
import os
import time
from dataclasses import replace

import pytest

from agent.errors import AttachmentError
from agent.types import Attachment, MessageKind
from bot.processes.housekeeping import DAY, Housekeeping
from bot.turns.attachments import Attachments
from bot.turns.hearing import Hearing
from bot.turns.turn import Rules, Turns
from storage.access import SqlAccess
from storage.attachments import SqlAttachments
from storage.database import Database
from storage.deliveries import SqlDeliveries
from storage.schema import WEFT
from storage.turns import SqlTurns
from tests.fakes import NoCheckpoints, RecordingAdapter, ScriptedAgent, incoming
from tests.fakes_channels import MemoryChannelModes, NoLines
from tests.fakes_profiles import MemoryProfiles

CSV = b"region,sales\nSeoul,10\nBusan,20\n"


class FilingAdapter(RecordingAdapter):
    """A platform that keeps files by id; what is no bytes is raised."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, bytes | Exception] = {}
        self.fetched: list[str] = []

    async def fetch(self, message, attachment, *, most):
        self.fetched.append(attachment.id)
        found = self.files[attachment.id]
        if isinstance(found, Exception):
            raise found
        return found


class Desk:
    """Real storage, real readers, an agent that repeats what it was asked."""

    def __init__(self, database, folder) -> None:
        self.adapter, self.agent = FilingAdapter(), ScriptedAgent()
        self.store, self.folder = SqlAttachments(database), folder
        self.stored = SqlTurns(database)
        self.turns = Turns(
            agent=self.agent, adapters={"fake": self.adapter}, deliveries=SqlDeliveries(database), turns=self.stored,
            checkpoints=NoCheckpoints(), memberships=SqlAccess(database), profiles=MemoryProfiles(),
            rules=Rules(pack="test", question_limit=500), hearing=Hearing(MemoryChannelModes(), NoLines(), self.stored),
            attachments=Attachments(self.store, folder=folder, most_bytes=10_000, most_files=2),
        )  # fmt: skip

    def file(self, data, name="sales.csv", **more) -> Attachment:
        identity = f"F{len(self.adapter.files)}"
        self.adapter.files[identity] = data
        return Attachment(id=identity, name=name, **more)

    async def ask(self, text="How much?", *files, number=1, **more):
        """Ask; returns the request that the agent got, and the warnings of the answer."""
        message = replace(incoming(text, message_id=f"m{number}", **more), attachments=files)
        known = len(self.agent.asked)
        await self.turns.run(message)
        request = self.agent.asked[-1] if len(self.agent.asked) > known else None
        finished = self.adapter.of(message).finished
        return request, finished[-1].warnings if finished else ()


@pytest.fixture
async def desk(tmp_path):
    database = await Database.open(tmp_path / "weft.db", WEFT)
    yield Desk(database, tmp_path)
    await database.close()


async def test_a_question_is_given_its_files(desk):
    request, warnings = await desk.ask(
        "How much?", desk.file(CSV), desk.file("# 규정\n\n휴가는 20일.\n".encode(), "a.md")
    )
    table, text = request.attached
    assert (table.name, text.name, warnings) == ("sales.csv", "a.md", ())
    assert table.sheets[0].rows == (("Seoul", "10"), ("Busan", "20")) and "휴가는 20일" in text.passages[0].text
    assert {p.id for each in request.attached for p in each.passages} == {-1, -2}
    assert sorted(os.listdir(desk.folder)) == sorted(
        name for name in os.listdir(desk.folder) if name.startswith(("weft.db", "passing.lock"))
    )


async def test_later_questions_of_the_thread_have_them_too_and_no_other_thread_has(desk):
    await desk.ask("How much?", desk.file(CSV))
    request, _ = await desk.ask("And in Busan?", number=2)
    assert [each.name for each in request.attached] == ["sales.csv"] and desk.adapter.fetched == ["F0"]
    request, _ = await desk.ask("And in Busan?", desk.file(CSV, "new.csv"), number=3)
    assert [each.name for each in request.attached] == ["new.csv", "sales.csv"]
    request, _ = await desk.ask("And here?", number=4, thread="other")
    assert request.attached == ()


async def test_a_turn_that_runs_again_fetches_nothing_twice(desk):
    file = desk.file(CSV)
    await desk.ask("How much?", file)
    request, _ = await desk.ask("How much is it?", file, kind=MessageKind.EDIT)
    assert len(request.attached) == 1 and desk.adapter.fetched == ["F0"]


@pytest.mark.parametrize(
    ("data", "name", "english", "korean"),
    [
        (AttachmentError(reason="gone"), "a.csv", "no longer there", "더 이상 없으니"),
        (AttachmentError(reason="closed"), "a.csv", "files:read", "권한"),
        (AttachmentError(reason="elsewhere"), "a.csv", "another service", "다른 서비스"),
        (AttachmentError(reason="away"), "a.csv", "could not be downloaded", "내려받을 수"),
        (AttachmentError(reason="too_large"), "a.csv", "0.01 MB", "0.01MB"),
        (b"\x00\x01", "a.bin", "type of file", "형식"),
        (b"\x89PNG....", "a.csv", "picture", "그림"),
        (b"", "a.csv", "no text", "글이 없습니다"),
        (b"\xd0\xcf\x11\xe0" + "WordDocument".encode("utf-16-le"), "a.doc", "format is too old", "옛 형식"),
        (b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), "a.xlsx", "encrypted", "암호"),
        (b"<!doctype html><p>Sign in</p>", "a.pdf", "not the type", "다른 형식"),
    ],
)
async def test_what_cannot_be_read_is_told_and_the_question_answered(desk, caplog, data, name, english, korean):
    for number, (text, word) in enumerate((("How much?", english), ("얼마인가요?", korean)), start=1):
        request, (warning,) = await desk.ask(text, desk.file(data, name), desk.file(CSV), number=number)
        assert word in warning and f"“{name}”" in warning and "{" not in warning
        assert request.attached[0].name == "sales.csv"
    assert name not in caplog.text


async def test_a_size_that_is_told_is_believed_before_anything_is_fetched(desk):
    _, (warning,) = await desk.ask("How much?", desk.file(CSV, size=10_001))
    assert "limit" in warning and desk.adapter.fetched == []


@pytest.mark.parametrize(("name", "type"), [("shot.png", ""), ("shot", "image/jpeg"), ("talk.mp4", "video/mp4")])
async def test_what_nothing_reads_is_not_fetched(desk, name, type):
    _, (warning,) = await desk.ask("How much?", desk.file(b"....", name, media_type=type))
    assert ("picture" in warning) is ("shot" in name) and desk.adapter.fetched == []


async def test_more_files_than_are_read_are_named(desk):
    files = [desk.file(CSV, f"{n}.csv") for n in range(4)]
    request, (warning,) = await desk.ask("How much?", *files)
    assert "2 files" in warning and "2.csv, 3.csv" in warning and len(request.attached) == 2


async def test_what_was_cut_is_told(desk, monkeypatch):
    monkeypatch.setattr("storage.attachment_reading.CELLS", 2)
    _, (warning,) = await desk.ask("How much?", desk.file(CSV))
    assert "the beginning was read: 1 row." in warning


async def test_a_file_without_words_is_asked_about(desk):
    request, _ = await desk.ask("", desk.file(CSV))
    assert request.text == "What does the attached file say?"
    _, warnings = await desk.ask("", number=2)
    assert desk.adapter.of(incoming(message_id="m2")).failed and warnings == ()


async def test_a_file_that_nobody_was_asked_about_waits_for_a_question(desk):
    request, warnings = await desk.ask("", desk.file(CSV), kind=MessageKind.THREAD_REPLY)
    assert request is None and warnings == () and not desk.adapter.of(incoming(message_id="m1")).failed
    request, _ = await desk.ask("How much?", number=2)
    assert [each.name for each in request.attached] == ["sales.csv"]


async def test_files_go_with_their_question(desk):
    await desk.ask("How much?", desk.file(CSV))
    await desk.turns.run(incoming(message_id="m1", kind=MessageKind.DELETE))
    request, _ = await desk.ask("And now?", number=2)
    assert request.attached == ()


async def test_files_are_forgotten_by_the_clock(desk):
    await desk.ask("How much?", desk.file(CSV))
    later = time.time() + 31 * DAY
    nothing = None
    housekeeping = Housekeeping(
        inbox=nothing, checkpoints=nothing, deliveries=nothing, turns=desk.stored, attachments=desk.store,
        keep_days=30, now=lambda: later,
    )  # fmt: skip
    assert await housekeeping.jobs["prune_attachments"]() == 1
    request, _ = await desk.ask("And now?", number=2)
    assert request.attached == ()


async def test_a_stopped_turn_leaves_no_process_and_no_file(desk):
    hanging = asyncio.Event()

    async def fetch(message, attachment, *, most):
        hanging.set()
        await asyncio.Event().wait()

    desk.adapter.fetch = fetch
    task = asyncio.create_task(desk.ask("How much?", desk.file(CSV)))
    await hanging.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [name for name in os.listdir(desk.folder) if name.startswith("fetched")]

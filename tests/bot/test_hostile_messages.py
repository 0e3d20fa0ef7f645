"""Long messages and strange documents through the real application: nothing holds up its event loop.

What is measured is the processor's time of the loop's own thread, between two looks at it, in pieces of work of the
run: neither a busy or slow machine nor what other threads do counts.
"""

import asyncio
import contextlib
import sys
import time

import pytest

from bot.app import open_engine
from bot.operator.asking import Asker, Console
from bot.settings import Settings
from storage.ingest.run import ingest
from tests.cost import piece, spent

LENGTH = 8_000
"""Characters of a message, at most."""
SLICE = 20
"""Pieces of work (`tests.cost`) that one step of the loop's thread may take: four times what is aimed at."""
WHOLE = 300
"""Pieces of work for a whole turn, all threads: it reads, searches, writes and checks."""
PIECES = {
    "syllable": "가", "amounts": "100원", "commas": "a, ", "and": "and ", "brackets": "(", "und": "그리고 ",
    "lines": "\n", "dates": "12 March ", "emoji": "😀", "unseen": "\u200b", "law": "제3조 ", "digits": "1 ",
    "links": "[a](http://a.b/c) ", "it": "그것 ", "orders": "chart the leave, ",
    "mixed": "VPN 설정? 100원, (a) and 12 March - http://a.b/c \n* ",
}  # fmt: skip
MESSAGES = {name: (piece * LENGTH)[:LENGTH] for name, piece in PIECES.items()} | {
    "words": " ".join(f"연차{i}휴가는" for i in range(880))[:LENGTH],
    "numbers": " ".join(str(1000 + i) for i in range(1590)),
}
DOCUMENTS = {
    "line.md": "The vault code of the archive changes every May and the keeper tells it. " * 14_000,
    "word.txt": "vault" * 200_000,
    "syllables.txt": "가" * 300_000,
    "markup.md": "**__``__** [](<>) ||| --- " * 8_000,
    "title.md": "# The vault of the archive",
    "items.md": "# Vault codes\n\n" + "\n".join(f"- vault code {i} of the archive" for i in range(20_000)),
    "blank.md": "\n" * 200_000 + "The vault of the archive opens at nine." + " " * 200_000,
}


def tell(line: str) -> None:
    """Show what was measured, to whoever looks with `-s`."""
    sys.stdout.write(f"{line}\n")


class Heartbeat:
    """Looks at the processor's time of the loop's thread whenever the loop comes round."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.thread_time()

    def _look(self) -> None:
        now = time.thread_time()
        self.longest, self._last = max(self.longest, now - self._last), now

    async def _beat(self) -> None:
        self._last = time.thread_time()
        while True:
            await asyncio.sleep(0.001)  # a loop that never sleeps would take the interpreter from all other threads
            self._look()

    async def __aenter__(self) -> "Heartbeat":
        self._task = asyncio.create_task(self._beat())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._look()
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task


@pytest.fixture
async def engine(tmp_path, sampled, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with open_engine(Settings.load(data=sampled)) as opened:
        await Console(opened, quiet=True).ask(Asker().message("How many days of annual leave?", "first"))
        yield opened


async def measured(engine, text, thread):
    """Return what came of a message, the longest step of the loop, and the cost of all of it, in pieces of work."""
    with spent() as cost:
        async with asyncio.timeout(600), Heartbeat() as heart:
            response = await Console(engine, quiet=True).ask(Asker().message(text, thread))
    return response, heart.longest / cost.unit, cost.pieces


async def test_a_step_that_takes_long_is_seen():
    async with Heartbeat() as heart:
        work = sum(piece() for _ in range(2 * SLICE))
    assert heart.longest >= work


async def test_no_message_holds_up_the_event_loop(engine):
    late = {}
    for name, text in MESSAGES.items():
        response, longest, whole = await measured(engine, text, name)
        tell(f"{name:10} {longest:6.1f} at once {whole:7.1f} in all  {response.status}")
        assert response.answer
        if longest > SLICE or whole > WHOLE:
            late[name] = (longest, whole)
    assert not late


async def test_nor_does_one_after_another_in_a_thread(engine):
    """What was said before is read again with a follow-up."""
    for name in ("syllable", "und", "words", "it", "mixed"):
        _, longest, whole = await measured(engine, MESSAGES[name], "one thread")
        tell(f"{name:10} {longest:6.1f} at once {whole:7.1f} in all")
        response, asked, total = await measured(engine, "and how many days is it for that?", "one thread")
        assert response.answer and max(longest, asked) < SLICE and max(whole, total) < WHOLE


async def test_nor_does_a_strange_document(engine, tmp_path):
    folder = tmp_path / "strange"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    started = time.process_time()
    report = await ingest([folder], library=engine.library, collection="strange")
    assert report.added == len(DOCUMENTS)
    tell(f"taken in: {time.process_time() - started:.1f} s")
    for text in (
        "What is the vault code of the archive?",
        "List all vault codes of the archive",
        "vault" * 40,
        "가" * 200,
    ):
        response, longest, whole = await measured(engine, text, text[:20])
        tell(f"{text[:20]:20} {longest:6.1f} at once {whole:7.1f} in all  {response.status}")
        assert response.answer and longest < SLICE and whole < 2 * WHOLE

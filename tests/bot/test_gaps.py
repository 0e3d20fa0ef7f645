"""`weft gaps`: what was answered badly, alike questions together, and nothing of who asked."""

import asyncio
import json
import time

from click.testing import CliRunner

from agent.types import DeliveryRef, Rating
from bot.cli import main
from bot.gaps import grouped
from bot.turns.conversation import Conversation
from storage.database import Database
from storage.deliveries import SqlDeliveries
from storage.gaps import WeakTurn
from storage.inbox import SqlInbox
from storage.ratings import SqlRatings
from storage.schema import WEFT
from storage.turns import SqlTurns
from tests.fakes_channels import MemoryChannelModes
from tests.storage.turns import stored

POSTED = DeliveryRef(channel_id="C1", message_id="1.2")


def weak(question: str, at: float = 1.0, titles: tuple[str, ...] = (), shortfall="unanswered") -> WeakTurn:
    return WeakTurn(question=question, shortfall=shortfall, at=at, titles=titles)


def test_alike_questions_are_one_gap_and_the_most_asked_stands_first():
    gaps = grouped([
        weak("What is the moon policy?", 5),
        weak("How do I book the company yacht?", 1, ("Travel",)),
        weak("booking of the company's yacht", 2, ("Travel", "Sports"), "hedged"),
        weak("회사 요트는 어떻게 예약하나요?", 3),
        weak("회사 요트 예약 방법", 4),
    ])  # fmt: skip
    assert [(gap.question, gap.asked) for gap in gaps] == [
        ("회사 요트 예약 방법", 2), ("booking of the company's yacht", 2), ("What is the moon policy?", 1)
    ]  # fmt: skip
    assert gaps[1].shortfalls == {"hedged": 1, "unanswered": 1} and gaps[1].near == ["Travel", "Sports"]


def test_questions_without_words_are_no_trouble():
    assert [gap.asked for gap in grouped([weak("?!"), weak("???", 2)])] == [1, 1] and grouped([]) == []


async def test_a_thumb_finds_the_turn_of_the_message_that_it_is_under(tmp_path, database):
    deliveries, ratings = SqlDeliveries(database), SqlRatings(database)
    inbox = await SqlInbox.open(tmp_path / "inbox.db")
    try:
        intake = Conversation(inbox, MemoryChannelModes(), deliveries, ratings)
        await deliveries.record("t1", "answer:0", POSTED, "digest")
        down = Rating(user="U2", helpful=False, at=3.0)
        assert await intake.rate(POSTED, down)
        assert not await intake.rate(DeliveryRef(channel_id="C1", message_id="9.9"), down)
        assert await ratings.of("t1") == [down]
    finally:
        await inbox.close()


def test_the_command_lists_them(tmp_path, monkeypatch):
    async def asked() -> None:
        database = await Database.open(tmp_path / "weft.db", WEFT)
        turn = stored("t1", at=time.time(), response_type="not_found", standalone_query="Where is \x1b[31mthe yacht?")
        await SqlTurns(database).put(turn)
        await database.close()

    def gaps(folder: str, *options: str) -> str:
        result = CliRunner().invoke(main, ["gaps", "--data", folder, *options])
        assert result.exit_code == 0, result.output
        return result.stdout

    monkeypatch.chdir(tmp_path)
    asyncio.run(asked())
    shown = gaps(str(tmp_path))
    assert "1x  Where is" in shown and "1 unanswered" in shown and "\x1b" not in shown and "U1" not in shown
    [gap] = json.loads(gaps(str(tmp_path), "--json"))["gaps"]
    assert gap["asked"] == 1 and gap["shortfalls"] == {"unanswered": 1}
    (tmp_path / "other").mkdir()
    assert "No question" in gaps(str(tmp_path / "other"), "--days", "1")

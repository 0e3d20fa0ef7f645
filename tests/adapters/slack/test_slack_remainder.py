"""What only an asker may read, in Slack: shown to them beside the answer, and shared by a press on a button."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agent.language import say
from bot.app import open_engine
from bot.settings import Settings
from storage.access import SqlAccess
from storage.ingest.run import ingest

ASKED, SECRET, OPEN = "How high is the salary of grade seven?", "61,400", "published every spring"
DOCUMENTS = {
    "open": f"# Pay\n\nThe salary of grade seven is {OPEN} by the works council.",
    "pay": f"# Pay scale\n\nThe salary of grade seven is {SECRET} euros a year.",
}


class Room:
    """A channel in which only U1 may read the collection `pay`."""

    def __init__(self, slack, adapter, engine, endpoint: str, folder) -> None:
        self.slack, self.adapter, self.engine, self.endpoint, self.folder = slack, adapter, engine, endpoint, folder
        self.access = SqlAccess(engine.database)

    async def knows(self, name: str) -> None:
        (self.folder / f"{name}.md").write_text(DOCUMENTS[name])
        await ingest([self.folder / f"{name}.md"], library=self.engine.library, collection=name)

    async def ask(self, text: str = ASKED, *, user: str = "U1", channel: str = "C1", **more) -> str:
        """Mention Weft; return the time stamp of the question once it is answered."""
        sent = await self.slack.mention(self.endpoint, text, user=user, channel=channel, **more)
        await self.settled()
        return sent.ts

    async def settled(self) -> None:
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)

    async def press(self, shown: dict, *, user: str = "U1", channel: str = "C1") -> list[dict]:
        """Press the button of what one person was shown, as Slack tells of it; return the responses to that."""
        before = len(self.slack.responses)
        message = {"ts": "1.0", **shown}
        await self.slack.click(self.endpoint, message, 0, user=user, channel=channel, ephemeral=channel == "C1")
        await self.settled()
        await self.adapter._listener.settle()
        return self.slack.responses[before:]

    def in_thread(self, ts: str, channel: str = "C1") -> str:
        return json.dumps(self.slack.bot_messages(channel, ts), ensure_ascii=False)

    def seen_by_all(self) -> str:
        return json.dumps([m for c in ("C1", "C2") for m in self.slack.bot_messages(c)], ensure_ascii=False)


@asynccontextmanager
async def a_life(slack, make_adapter, serve, folder) -> AsyncIterator[Room]:
    """Run Weft on a data folder, from its start to its end."""
    adapter = make_adapter(list_after=3600.0)
    await adapter.connect()
    async with open_engine(Settings.load(data=folder / "data")) as engine:
        adapter.bind(engine.conversation)
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(slack, adapter, engine, await serve(adapter), folder)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


@pytest.fixture
async def room(slack, make_adapter, serve, tmp_path, owned):
    async with a_life(slack, make_adapter, serve, tmp_path) as room:
        await room.access.create("pay", {"user:slack:T1:U1"})
        await room.knows("pay")
        yield room


async def test_after_a_restart_the_button_still_works(slack, make_adapter, serve, tmp_path, sampled):
    async with a_life(slack, make_adapter, serve, tmp_path) as room:
        await room.access.create("pay", {"user:slack:T1:U1"})
        await room.knows("pay")
        ts = await room.ask()
        [shown] = slack.ephemerals
    async with a_life(slack, make_adapter, serve, tmp_path) as room:
        await room.press(shown)
        assert SECRET in room.in_thread(ts)
        [told] = await room.press(shown)
        assert told["text"] == say("share_again", "en")


async def test_what_only_the_asker_may_read_is_shown_to_them_below_the_answer_that_all_see(room):
    await room.knows("open")
    ts = await room.ask()
    assert OPEN in room.in_thread(ts) and SECRET not in room.seen_by_all()
    [shown] = room.slack.ephemerals
    assert (shown["user"], shown["channel"], shown["thread_ts"]) == ("U1", "C1", ts)
    assert say("more_alone", "en", count=1) in json.dumps(shown) and SECRET in json.dumps(shown)
    [button] = shown["blocks"][-1]["elements"]
    assert button["text"]["text"] == "Share here"


@pytest.mark.parametrize(
    ("text", "question", "language"),
    [
        ("# Zurich vault\n\nThe Zurich vault opens with the door code 77-31.", "What opens the Zurich vault?", "en"),
        ("# 취리히 금고\n\n취리히 금고의 출입 번호는 77-31입니다.", "취리히 금고의 출입 번호는 무엇인가요?", "ko"),
    ],
)
async def test_with_nothing_for_the_others_they_are_told_only_that_it_was_answered(room, text, question, language):
    (room.folder / "vault.md").write_text(text)
    await ingest([room.folder / "vault.md"], library=room.engine.library, collection="pay")
    ts = await room.ask(question)
    [told] = room.slack.bot_messages("C1", ts)
    assert told["blocks"] == [{"type": "markdown", "text": say("answered_alone", language)}]
    [shown] = room.slack.ephemerals
    assert "77-31" in json.dumps(shown) and shown["user"] == "U1"


async def test_who_may_read_no_more_than_the_others_is_shown_nothing_more(room):
    await room.knows("open")
    ts = await room.ask(user="U2")
    assert OPEN in room.in_thread(ts) and not room.slack.ephemerals and not room.slack.directs


async def test_a_question_that_their_documents_do_not_answer_offers_nothing(room):
    await room.knows("open")
    await room.ask("When does the cafeteria open on Fridays?")
    assert not room.slack.ephemerals and say("answered_alone", "en") not in room.seen_by_all()


async def test_a_press_shows_all_what_its_asker_was_shown_once(room):
    await room.knows("open")
    ts = await room.ask()
    [shown] = room.slack.ephemerals
    assert SECRET not in room.seen_by_all()
    [closed] = await room.press(shown)
    assert SECRET in room.in_thread(ts) and say("shared_by", "en", name="Alice") in room.in_thread(ts)
    assert closed["replace_original"] and not [b for b in closed["blocks"] if b["type"] == "actions"]
    posted = len(room.slack.bot_messages("C1", ts))
    [told] = await room.press(shown)
    assert told["text"] == say("share_again", "en") and not told["replace_original"]
    assert len(room.slack.bot_messages("C1", ts)) == posted


@pytest.mark.parametrize("language", ["en", "ko"])
async def test_where_guests_read_along_it_is_shown_without_a_button(room, language):
    room.slack.channels["C2"] = True
    room.slack.shared_outside.add("C2")
    ts = await room.ask(ASKED if language == "en" else "7급 급여(salary of grade seven)는 얼마예요?", channel="C2")
    [shown] = room.slack.ephemerals
    assert SECRET in json.dumps(shown) and shown["user"] == "U1" and "weft_share" not in json.dumps(shown)
    assert SECRET not in room.seen_by_all() and room.slack.bot_messages("C2", ts)


@pytest.mark.parametrize("place", ["C1", "DU1"])
async def test_where_guests_have_come_meanwhile_a_press_shares_nothing(room, place):
    await room.ask()
    [shown] = room.slack.ephemerals
    room.slack.shared_outside.add("C1")
    room.adapter._outside._known.clear()  # what is known of a channel holds for a minute
    [told] = await room.press(shown, channel=place)
    assert told["text"] == say("share_guests", "en") and SECRET not in room.seen_by_all()


async def test_another_person_cannot_share_it_and_does_not_spend_the_press(room):
    ts = await room.ask()
    [shown] = room.slack.ephemerals
    [told] = await room.press(shown, user="U2")
    assert told["text"] == say("share_not_yours", "en") and SECRET not in room.seen_by_all()
    await room.press(shown)
    assert SECRET in room.in_thread(ts)


@pytest.mark.parametrize("change", ["readers", "document"])
async def test_what_they_may_no_longer_read_or_reads_otherwise_now_is_not_shared(room, change):
    await room.ask()
    [shown] = room.slack.ephemerals
    if change == "readers":
        await room.access.change_readers("pay", lambda _: frozenset({"user:slack:T1:U2"}))
    else:
        (room.folder / "pay.md").write_text(DOCUMENTS["pay"].replace(SECRET, "62,000"))
        await ingest([room.folder / "pay.md"], library=room.engine.library, collection="pay")
    [told] = await room.press(shown)
    assert told["text"] == say("share_closed", "en") and SECRET not in room.seen_by_all()


async def test_after_the_turn_is_forgotten_a_press_is_told_that_it_is_over(room):
    await room.ask()
    [shown] = room.slack.ephemerals
    await room.engine.turns.prune(older_than=9e18)
    [told] = await room.press(shown)
    assert told["text"] == say("share_over", "en") and SECRET not in room.seen_by_all()


async def test_an_edited_question_is_not_shared_by_the_button_of_the_old_one(room):
    (room.folder / "more.md").write_text("# Bonus\n\nThe bonus of grade eight is 4,100 euros a year.")
    await ingest([room.folder / "more.md"], library=room.engine.library, collection="pay")
    ts = await room.ask()
    await room.slack.edit(room.endpoint, "C1", ts, f"<@{room.slack.bot_user}> How high is the bonus of grade eight?")
    await room.settled()
    old, new = room.slack.ephemerals
    [told] = await room.press(old)
    assert told["text"] == say("share_over", "en")
    await room.press(new)
    assert "4,100" in room.in_thread(ts) and SECRET not in room.seen_by_all()


async def test_a_deleted_question_takes_what_was_shared_of_it_along(room):
    ts = await room.ask()
    [shown] = room.slack.ephemerals
    await room.press(shown)
    assert SECRET in room.seen_by_all()
    await room.slack.delete(room.endpoint, "C1", ts, tombstone=True)
    await room.settled()
    assert not room.slack.bot_messages("C1", ts)
    [told] = await room.press(shown, user="U2")
    assert told["text"] == say("share_over", "en")


async def test_the_shared_answer_is_no_history_of_the_thread_and_no_memory_of_the_asker(room):
    ts = await room.ask()
    await room.press(room.slack.ephemerals[0])
    before = len(room.slack.bot_messages("C1", ts))
    await room.ask("source?", user="U2", thread_ts=ts)
    later = room.slack.bot_messages("C1", ts)[before:]
    assert later and SECRET not in json.dumps(later) and "Pay scale" not in json.dumps(later)


async def test_where_the_asker_cannot_be_told_in_the_channel_it_comes_directly_with_a_link(room):
    room.slack.fail("chat.postEphemeral", status=200, error="user_not_in_channel", times=9)
    ts = await room.ask()
    [shown] = room.slack.bot_messages("D9U1")
    assert SECRET in json.dumps(shown) and f"p{ts.replace('.', '')}" in json.dumps(shown)
    await room.press(shown, channel="D9U1")
    assert SECRET in room.in_thread(ts)


async def test_where_the_asker_cannot_be_told_at_all_nothing_is_said_to_have_been(room):
    room.slack.fail("chat.postEphemeral", status=200, error="user_not_in_channel", times=9)
    room.slack.users.pop("U1")
    ts = await room.ask()
    assert say("answered_alone", "en") not in room.in_thread(ts) and SECRET not in room.seen_by_all()
    assert room.slack.bot_messages("C1", ts)


async def test_in_a_shared_channel_a_colleague_is_shown_what_the_workspace_may_read_and_a_guest_is_not(room):
    room.slack.shared_outside.add("C1")
    await room.access.change_readers("pay", lambda _: frozenset({"workspace:slack:T1"}))
    await room.ask()
    assert SECRET not in room.seen_by_all() and SECRET in json.dumps(room.slack.ephemerals)
    room.slack.ephemerals.clear()
    room.slack.users["U9"], room.slack.teams["U9"] = "Eve", "T9"
    await room.ask(user="U9")
    assert not room.slack.ephemerals and "D9U9" not in room.slack.channels

"""Questions in Slack about what others wrote: the whole application, from Slack's events to what is shown there."""

import asyncio
import json
from pathlib import Path

import pytest

from agent.language import say
from bot.app import open_engine
from bot.settings import Settings
from tests.servers.slack import SlackServer

SECRET = "the launch codes are hidden under the third flower pot"


class Room:
    """A workspace in which people talk, and Weft is asked about it."""

    def __init__(self, slack: SlackServer, engine, endpoint: str, data: Path) -> None:
        self.slack, self.engine, self.endpoint, self.data = slack, engine, endpoint, data

    def says(self, text: str, thread: str | None = None, user: str = "U2", channel: str = "C1", **more) -> str:
        """Let somebody write what Weft is not told of: it has no part in the thread."""
        return self.slack.add(channel, user, text, thread, **more)["ts"]

    def thread(self, *texts: str, users: tuple[str, ...] = ("U2", "U3"), channel: str = "C1") -> str:
        """Let people talk in turn; returns the time stamp of their thread."""
        root = self.says(texts[0], user=users[0], channel=channel)
        for n, text in enumerate(texts[1:], start=1):
            self.says(text, root, users[n % len(users)], channel)
        return root

    async def ask(self, text: str, thread: str | None = None, *, channel: str = "C1", **more) -> str:
        """Ask, and return all that is shown of the answer: its words, and the small print."""
        sent = await self.slack.mention(self.endpoint, text, thread_ts=thread, channel=channel, **more)
        return await self._answer(sent.ts, thread or sent.ts, channel)

    async def tell(self, text: str, *, channel: str = "D1", **more) -> str:
        """Write to Weft directly."""
        sent = await self.slack.message(self.endpoint, text, channel=channel, **more)
        return await self._answer(sent.ts, None, channel)

    async def _answer(self, ts: str, thread: str | None, channel: str) -> str:
        async with asyncio.timeout(90):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)
        mine = [m for m in self.slack.bot_messages(channel, thread) if m["ts"] > ts]
        return "\n".join(json.dumps(m.get("blocks") or m["text"], ensure_ascii=False) for m in mine)

    def kept(self) -> str:
        """Everything that stands in the files of the data folder."""
        files = [path for path in self.data.rglob("*") if path.is_file()]
        return "".join(path.read_bytes().decode("utf-8", "replace") for path in files)


@pytest.fixture
async def room(slack, make_adapter, serve, sampled):
    slack.users |= {"U3": "Chloe", "U4": "민수"}
    adapter = make_adapter()
    await adapter.connect()
    async with open_engine(Settings.load(data=sampled)) as engine:
        adapter.bind(engine.conversation)
        endpoint = await serve(adapter)
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(slack, engine, endpoint, sampled)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


WRONG = "You have 12 paid days of sick leave a year."
TALK = (
    "Where do we hold the offsite in May?", "Busan would be nice, the hotel there costs 120,000 won a night",
    "Jeju is 200,000 won and we need flights", "ok, then let's go with Busan", "yes", "I will book rooms by 3 March",
)  # fmt: skip


async def test_a_thread_of_others_is_summed_up_by_who_said_what(room):
    thread = room.thread(*TALK)
    told = await room.ask("summarize this thread", thread)
    assert say("thread_summary", "en") in told and "**Bob**" in told and "**Chloe**" in told
    assert "Busan" in told and "3 March" in told
    assert say("thread_size", "en", messages="6", people=2) in told
    assert f"https://test.slack.com/archives/C1/p{thread.replace('.', '')}" in told  # a source leads to its message


async def test_what_was_decided_is_told_by_who_said_it(room):
    thread = room.thread(*TALK)
    told = await room.ask("what was decided?", thread)
    assert say("thread_decided", "en") in told and "let's go with Busan" in told and "Jeju is" not in told


async def test_where_nothing_was_decided_it_says_so(room):
    thread = room.thread("Where do we hold the offsite?", "Busan would be nice", "Jeju is nicer I think")
    assert say("thread_undecided", "en") in await room.ask("what did we decide?", thread)


async def test_in_korean_too(room):
    thread = room.thread(
        "워크숍 장소를 어디로 할까요?", "부산이 좋겠어요, 호텔이 1박 12만 원이래요", "부산으로 가기로 했습니다", "네"
    )
    told = await room.ask("뭐로 결정됐어?", thread)
    assert say("thread_decided", "ko") in told and "부산으로 가기로 했습니다" in told
    told = await room.ask("이 스레드 요약해줘", thread)
    assert say("thread_summary", "ko") in told and "12만 원" in told


async def test_a_statement_is_held_against_the_documents(room):
    thread = room.thread(WRONG)
    told = await room.ask("is that correct?", thread)
    assert say("check_differs", "en") in told and "10 paid days" in told
    assert "Bob" in told and WRONG in told  # what was checked, and whose it is


async def test_a_question_of_somebody_elses_is_answered(room):
    thread = room.thread("How many sick days are there in a year?")
    told = await room.ask("can you answer this?", thread)
    assert "10 paid days" in told and "How many sick days are there in a year?" in told and "Bob" in told
    told = await room.ask("", room.thread("hello all", "병가는 1년에 며칠인가요?", users=("U2", "U4")))
    assert "10" in told and "민수" in told
    told = await room.ask("이거 답해줄 수 있어?", room.thread("How many sick days are there in a year?"))
    assert "10 paid days" in told


async def test_a_question_of_its_own_leans_on_the_question_before_it(room):
    thread = room.thread("How do I set up the VPN on macOS?", "no idea, sorry")
    assert "Windows" in await room.ask("and on Windows?", thread)


async def test_a_question_of_its_own_is_answered_from_the_documents_and_not_from_talk(room):
    thread = room.thread("I think there are 99 sick days a year", "really?")
    told = await room.ask("how many sick days are there in a year?", thread)
    assert "10 paid days" in told and "99 sick" not in told


async def test_who_said_what(room):
    thread = room.thread(*TALK)
    told = await room.ask("what did Chloe say?", thread)
    assert "120,000" in told and "200,000" not in told


async def test_nothing_that_was_said_is_kept_but_what_the_answer_tells(room):
    thread = room.thread("Where do we hold the offsite in May?", SECRET, "ok, then let's go with Busan", "yes")
    assert "launch" not in await room.ask("what was decided?", thread)
    await room.ask("how many sick days are there in a year?", thread)
    assert "launch codes" not in room.kept() and "go with Busan" in room.kept()
    remembered = await room.engine.profiles.memories("slack:T1:U1", room.engine.pack.name, "", k=9)
    assert [memory.question for memory in remembered] == ["how many sick days are there in a year?"]


async def test_of_a_question_before_one_of_its_own_nothing_is_kept(room):
    thread = room.thread("Where are the flower pots with the launch codes?")
    assert "10 paid days" in await room.ask("how many sick days are there in a year?", thread)
    kept = room.kept()
    assert "flower" not in kept and "how many sick days are there in a year?" in kept


async def test_where_weft_was_asked_alone_its_answer_is_what_is_summed_up(room):
    question = "how many days of annual leave are carried over?"
    await room.ask(question)
    thread = next(m["ts"] for m in room.slack.messages("C1") if question in m["text"])
    assert say("thread_summary", "en") not in await room.ask("summarize this thread", thread)


async def test_its_sources_and_a_shorter_form_are_told_on(room):
    thread = room.thread(*TALK)
    await room.ask("summarize this thread", thread)
    told = await room.ask("source?", thread)
    assert "Chloe · " in told and "120,000 won a night" in told


async def test_a_linked_message_is_read_where_everybody_may_see_it(room):
    said = room.says(WRONG, channel="C2")
    link = f"<https://test.slack.com/archives/C2/p{said.replace('.', '')}>"
    told = await room.ask(f"is this still correct? {link}")
    assert say("check_differs", "en") in told and "Bob" in told
    thread = room.thread(*TALK, channel="C2")
    told = await room.ask(f"summarize <https://test.slack.com/archives/C2/p{thread.replace('.', '')}|this thread>")
    assert "3 March" in told


@pytest.mark.parametrize("where", ["not a member", "private", "outsiders", "gone", "no right"])
async def test_a_linked_message_is_not_read_where_somebody_may_not_see_it(room, where, caplog):
    said = room.says(SECRET, channel="C2")
    link = f"<https://test.slack.com/archives/C2/p{said.replace('.', '')}>"
    reason = "elsewhere"
    if where == "not a member":
        room.slack.members["C2"] = {"U2"}
    elif where == "private":  # the asker is in it, but not everybody who reads along
        room.slack.private.add("C2")
        assert "flower pot" in await room.tell(f"summarize this thread {link}", user="U1")
    elif where == "outsiders":
        room.slack.shared_outside.add("C1")
    elif where == "gone":
        room.slack.remove("C2", said)
        reason = "gone"
    else:
        room.slack.channels["C2"] = False
        reason = "closed"
    told = await room.ask(f"is that correct? {link}")
    assert say(f"pointed_{reason}", "en") in told and "flower" not in told and "flower" not in caplog.text
    if where == "not a member":
        assert not room.slack.called("conversations.replies")
        assert say("pointed_elsewhere", "en") in await room.tell(f"is that correct? {link}", user="U1")


def shared(text: str, *within: dict) -> dict:
    return {
        "is_share": True, "is_msg_unfurl": True, "author_id": "U3", "channel_id": "C9", "ts": "1700000000.000100",
        "text": text, "from_url": "https://test.slack.com/archives/C9/p1700000000000100", "attachments": list(within),
    }  # fmt: skip


async def test_a_forwarded_message_is_what_is_asked_about_also_one_within_another(room):
    told = await room.ask("is that correct?", attachments=[shared(WRONG)])
    assert say("check_differs", "en") in told and "Chloe" in told
    inner = shared("How many sick days are there in a year?")
    assert "10 paid days" in await room.tell("", attachments=[inner])  # as it is when somebody only shares it
    told = await room.ask("can you answer this?", attachments=[shared("", inner)])
    assert "10 paid days" in told


async def test_a_preview_of_a_link_is_not_read(room):
    preview = {**shared(SECRET), "is_share": False}
    assert "flower" not in await room.ask("is that correct?", attachments=[preview])


async def test_what_a_bot_wrote_is_read_and_what_weft_wrote_is_not(room):
    root = room.says("", user="", bot_id="B7", username="Deploys", attachments=[{"text": "Probation lasts 9 months."}])
    told = await room.ask("is that correct?", root)
    assert "Deploys" in told and "9 months" in told
    own = room.slack.add("C1", room.slack.bot_user, "Probation lasts 9 months.", bot_id=room.slack.bot_id)["ts"]
    assert say("nothing_pointed_at", "en") in await room.ask("is that correct?", own)


async def test_a_mention_that_points_at_nothing_is_asked_what_it_means(room):
    assert say("empty_question", "en") in await room.ask("")
    assert say("unreadable", "en") in await room.ask("😀😀")
    assert say("nothing_pointed_at", "en") in await room.ask("can you answer this?")
    assert say("help", "en", topic="x")[-20:] in await room.ask("help")
    await room.ask(question := "how many sick days are there in a year?")
    own = next(m["ts"] for m in room.slack.messages("C1") if question in m["text"])
    assert say("empty_question", "en") in await room.ask("", own)


async def test_a_thread_of_5000_messages_is_read_within_bounds(room):
    root = room.says("Where do we hold the offsite in May?")
    for n in range(5_000):
        room.says(f"and what about the weather on day {n}", root, user=f"U{2 + n % 2}")
    room.says("ok, we decided: the offsite is in Busan", root)
    told = await room.ask("what was decided?", root)
    assert "in Busan" in told and len(room.slack.called("conversations.replies")) <= 6
    assert say("thread_cut", "en", messages="500") in told


async def test_300_people_are_named_without_300_calls(room):
    room.slack.users |= {f"U9{n}": f"Person{n}" for n in range(300)}
    room.slack.quota["users.info"] = 100
    root = room.says("Where do we hold the offsite in May?", user="U90")
    for n in range(1, 300):
        room.says(f"I vote for city {n}", root, user=f"U9{n}")
    room.says("we decided to go with city 77", root, user="U9299")
    told = await room.ask("what was decided?", root)
    assert "Person299" in told and "city 77" in told
    assert say("thread_size", "en", messages="301", people=300) in told
    assert "city 7" in await room.ask("what did Person7 say?", root)


async def test_an_app_that_slack_limits_tells_of_the_first_messages(room):
    room.slack.page_size, room.slack.quota["conversations.replies"] = 15, 1
    root = room.thread("Where do we hold the offsite in May?", *(f"I like city {n} for 3 days" for n in range(40)))
    told = await room.ask("summarize this thread", root)
    assert say("thread_cut", "en", messages="15") in told


async def test_a_short_limit_is_waited_for_and_an_outage_is_not(room, monkeypatch):
    thread = room.thread(*TALK)
    room.slack.fail("conversations.replies", retry_after=0)
    assert "go with Busan" in await room.ask("what was decided?", thread)
    room.slack.fail("conversations.replies", retry_after=60)
    assert say("pointed_away", "en") in await room.ask("what was decided?", thread)
    monkeypatch.setattr("bot.turns.pointed_messages.READ_SECONDS", 0.05)
    room.slack.holds["conversations.replies"] = asyncio.Event()
    other = room.thread("How do I set up the VPN on macOS?")
    told = await room.ask("how many sick days are there in a year?", other)
    assert say("pointed_away", "en") in told and "10 paid days" in told
    room.slack.holds["conversations.replies"].set()


async def test_a_question_of_its_own_waits_for_no_limit_and_the_next_does_not_even_ask(room, monkeypatch):
    monkeypatch.setattr("adapters.slack.history.LONGEST_WAIT", 1_000.0)
    monkeypatch.setattr("bot.turns.pointed_messages.READ_SECONDS", 1_000.0)
    room.slack.fail("conversations.replies", retry_after=600)
    for question in ("how many sick days are there in a year?", "who waters the plants of the third floor?"):
        thread = room.thread("hello", "how are you?")
        told = await room.ask(question, thread)
        assert say("pointed_away", "en") in told and ("10 paid days" in told or "plants" in question)
    assert len(room.slack.called("conversations.replies")) == 1


async def test_without_the_right_to_read_it_says_so_and_answers_what_it_can(room):
    room.slack.missing_scopes.add("conversations.replies")
    thread = room.thread(*TALK)
    assert say("pointed_closed", "en") in await room.ask("summarize this thread", thread)
    told = await room.ask("how many sick days are there in a year?", room.thread("hello", "how are you?"))
    assert "10 paid days" in told and say("pointed_closed", "en") in told


async def test_who_does_not_call_weft_has_it_read_nothing(room):
    thread = room.thread("How many sick days are there in a year?")
    await room.slack.message(room.endpoint, "what was decided?", thread_ts=thread)
    assert await room.ask("how many sick days are there?", thread)
    before = len(room.slack.called("conversations.replies"))
    await room.slack.message(room.endpoint, "are you coming?", thread_ts=thread)
    async with asyncio.timeout(60):
        while (counts := await room.engine.inbox.counts())["todo"] or counts["doing"]:
            await asyncio.sleep(0.01)
    assert len(room.slack.called("conversations.replies")) == before

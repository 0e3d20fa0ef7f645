"""Questions in Discord about what others wrote: the whole application, from the gateway's events to what is shown."""

import asyncio

import pytest

from agent.language import say
from bot.app import open_engine
from bot.settings import Settings
from tests.servers.discord import DiscordServer

SECRET = "the launch codes are hidden under the third flower pot"
WRONG = "You have 12 paid days of sick leave a year."
ASKED = "How many sick days are there in a year?"
TALK = (
    "Where do we hold the offsite in May?", "Busan would be nice, the hotel there costs 120,000 won a night",
    "Jeju is 200,000 won and we need flights", "ok, then let's go with Busan", "yes", "I will book rooms by 3 March",
)  # fmt: skip


class Room:
    """A server in which people talk, and Weft is asked about it."""

    def __init__(self, discord: DiscordServer, engine, adapter) -> None:
        self.discord, self.engine, self.adapter = discord, engine, adapter
        self.handled: set[str] = set()
        """Ids of the messages that were heard, or let go."""

    async def talk(self, *texts: str, place: str = "") -> str:
        """Let people talk in turn, in a thread of theirs unless a place is given; returns the last message's id."""
        place = place or await self.discord.thread(self.discord.general, "offsite")
        self.place, id = place, ""
        for n, text in enumerate(texts):
            id = await self.discord.post(place, (self.discord.bob, self.discord.alice)[n % 2], text)
        return id

    async def ask(self, text: str = "", place: str = "", *, who: str = "", call: bool = True, **more) -> str:
        """Ask in a place, and return all that is shown of the answer."""
        place = place or self.discord.general
        said = f"<@{self.discord.bot}> {text}" if call else text
        self.last = await self.discord.post(place, who or self.discord.alice, said, **more)
        await self.discord.until(lambda: self.last in self.handled)
        await self.settled()
        places = dict.fromkeys((self.last, place))
        mine = [m for each in places for m in self.discord.from_bot(each) if int(m["id"]) > int(self.last)]
        return "\n".join(message["content"] for message in mine)

    async def settled(self) -> None:
        async with asyncio.timeout(90):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)

    def link(self, place: str, message: str) -> str:
        return f"https://discord.com/channels/{self.discord.guild_id}/{place}/{message}"


@pytest.fixture
async def room(discord, make, sampled, monkeypatch):
    from adapters.discord.gateway import Gateway

    taken, adapter = Gateway.on_message, make()
    handled: set[str] = set()

    async def on_message(self, message):
        await taken(self, message)
        handled.add(str(message.id))

    monkeypatch.setattr(Gateway, "on_message", on_message)
    async with open_engine(Settings.load(data=sampled)) as engine:
        listening = asyncio.create_task(adapter.listen(engine.conversation))
        await discord.until(lambda: discord.gateway.open_sessions or listening.done())
        working = asyncio.create_task(engine.worker([adapter]).run())
        room = Room(discord, engine, adapter)
        room.handled = handled
        yield room
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)


async def test_a_thread_of_others_is_summed_up_and_its_decision_told(room):
    first = await room.talk(TALK[0])
    for n, text in enumerate(TALK[1:], start=1):
        await room.discord.post(room.place, (room.discord.bob, room.discord.alice)[n % 2], text)
    told = await room.ask("summarize this thread", room.place, who=room.discord.bob)
    assert say("thread_summary", "en") in told and "**bob**" in told and "**alice**" in told and "3 March" in told
    assert room.link(room.place, first) in told
    told = await room.ask("what was decided?", room.place)
    assert say("thread_decided", "en") in told and "go with Busan" in told and "Jeju is" not in told


async def test_a_channel_without_a_thread_is_read_where_it_is_asked_about(room):
    await room.talk(*TALK, place=room.discord.general)
    assert "go with Busan" in await room.ask("what was decided?")


async def test_a_reply_reads_what_it_replies_to(room):
    said = await room.talk("hi all", WRONG, place=room.discord.general)
    for n in range(60):  # far up in the channel
        await room.discord.post(room.discord.general, room.discord.bob, f"something else {n}")
    told = await room.ask("is that correct?", who=room.discord.bob, reply_to=said, ping=False)
    assert say("check_differs", "en") in told and "10 paid days" in told and "alice" in told and "12 paid days" in told
    asked = await room.discord.post(room.discord.general, room.discord.alice, ASKED)
    for words in ("can you answer this?", "이거 답해줄 수 있어?", ""):
        told = await room.ask(words, who=room.discord.bob, reply_to=asked, ping=False)
        assert "10 paid days" in told and ASKED in told


async def test_a_question_of_its_own_leans_on_what_it_replies_to(room):
    asked = await room.talk("How do I set up the VPN on macOS?", place=room.discord.general)
    assert "Windows" in await room.ask("and on Windows?", reply_to=asked, ping=False)


async def test_a_reply_to_a_message_that_is_gone_says_so(room):
    said = await room.talk(WRONG, place=room.discord.general)
    post = room.discord.post

    async def reply_late(*args, **more):  # it was deleted between the two
        id = await post(*args, **more)
        room.discord._messages[room.discord.general].pop(said, None)
        return id

    room.discord.post = reply_late
    assert say("pointed_gone", "en") in await room.ask("is that correct?", reply_to=said, ping=False)


async def test_what_another_bot_wrote_is_read_and_what_weft_wrote_is_gone_on_with(room):
    said = await room.discord.post(room.discord.general, room.discord.robot, "")
    room.discord._messages[room.discord.general][said]["embeds"] = [{"title": "HR news", "description": WRONG}]
    told = await room.ask("is that correct?", reply_to=said, ping=False)
    assert say("said_by_app", "en", name="robot") in told.replace("\\", "") and say("check_differs", "en") in told
    await room.ask("how do I set up the VPN on macOS?")
    thread = room.last
    answer = room.discord.from_bot(thread)[-1]["id"]
    assert "Windows" in await room.ask("and on Windows?", thread, reply_to=answer)


async def test_a_forwarded_message_is_what_is_asked_about_also_one_within_another(room):
    said = await room.talk(WRONG, place=room.discord.random)
    forwarded = await room.discord.forward(room.discord.general, room.discord.bob, room.discord.random, said)
    told = await room.ask("is that correct?", reply_to=forwarded, ping=False)
    assert say("check_differs", "en") in told
    await room.discord.forward(room.discord.general, room.discord.alice, room.discord.random, said)
    told = await room.ask("is that correct?")  # a comment on what is forwarded is a message of its own behind it
    assert say("check_differs", "en") in told and "12 paid days" in told
    private = await room.discord.dm(room.discord.alice)
    await room.discord.forward(private, room.discord.alice, room.discord.random, said)
    await room.discord.until(lambda: any("10 paid days" in m["content"] for m in room.discord.from_bot(private)))
    asked = await room.talk(ASKED, place=room.discord.random)
    once = await room.discord.forward(room.discord.random, room.discord.bob, room.discord.random, asked)
    twice = await room.discord.forward(room.discord.general, room.discord.bob, room.discord.random, once)
    assert "10 paid days" in await room.ask("can you answer this?", reply_to=twice, ping=False)


async def test_of_a_forum_post_the_first_message_is_read(room):
    post = await room.discord.forum_post(room.discord.bob, "Sick", ASKED)
    told = await room.ask("can you answer this?", post)
    assert "10 paid days" in told and "bob" in told


async def test_a_linked_message_and_its_thread_are_read(room):
    said = await room.talk(WRONG, place=room.discord.random)
    told = await room.ask(f"is this correct? {room.link(room.discord.random, said)}")
    assert say("check_differs", "en") in told
    last = await room.talk(*TALK)
    told = await room.ask(f"summarize this thread {room.link(room.place, last)}")
    assert "Busan" in told and "3 March" in told


@pytest.mark.parametrize(
    "where", ["asker shut out", "others shut out", "private thread", "not on the server", "direct", "unreadable"]
)
async def test_a_linked_message_is_not_read_where_somebody_may_not_see_it(room, where, caplog):
    discord, place = room.discord, room.discord.random
    alone = await discord.dm(discord.alice)
    if where == "private thread":
        place = await discord.private_thread(discord.general, "secret", [discord.bob])
    elif where == "direct":
        place = await discord.dm(discord.bob)
    said = await discord.post(place, discord.bob, SECRET)
    if where == "asker shut out":
        discord.close_to(place, discord.alice)
    elif where == "others shut out":
        discord.close_to(place, discord.role)
        link = room.link(place, said)
        assert "flower" in await room.ask(f"summarize this thread {link}", alone, call=False)
    elif where == "not on the server":
        discord.left.add(discord.alice)
    elif where == "unreadable":
        discord.unreadable.add(place)
    discord.gateway.guild["owner_id"] = discord.bob
    link = room.link(place, said)
    told = await room.ask(f"is that correct? {link}")
    reason = "closed" if where == "unreadable" else "elsewhere"
    assert say(f"pointed_{reason}", "en") in told and "flower" not in told and "flower" not in caplog.text
    if where not in ("unreadable", "others shut out"):
        assert "flower" not in await room.ask(f"summarize this thread {link}", alone, call=False)
        assert not discord.sent("GET", f"/channels/{place}/messages")


@pytest.mark.parametrize("why", ["no right", "no content"])
async def test_without_the_right_to_read_it_says_so_and_answers_what_it_can(room, why):
    await room.talk(*TALK)
    if why == "no right":
        room.discord.unreadable.add(room.place)
    else:
        room.discord.hides_content = True
    assert say("pointed_closed", "en") in await room.ask("summarize this thread", room.place)
    assert "10 paid days" in await room.ask("how many sick days are there in a year?", room.place)


async def test_a_limit_is_waited_for_and_a_slow_answer_is_not(room, monkeypatch):
    await room.talk(*TALK)
    room.discord.fault("GET", rf"/channels/{room.place}/messages", status=429, retry_after=0.01)
    assert "go with Busan" in await room.ask("what was decided?", room.place)
    monkeypatch.setattr("bot.turns.pointed_messages.READ_SECONDS", 0.05)
    room.discord.history_seconds = 30
    assert say("pointed_away", "en") in await room.ask("what was decided?", room.place)


async def test_a_thread_of_5000_messages_is_read_within_bounds(room):
    thread = await room.talk(TALK[0], place=room.discord.general)
    await room.discord.thread(room.discord.general, "offsite", id=thread)
    for n in range(5_000):
        room.discord._new_message(thread, room.discord.bob, f"and what about the weather on day {n}")
    await room.discord.post(thread, room.discord.bob, "ok, we decided: the offsite is in Busan")
    told = await room.ask("what was decided?", thread)
    assert "in Busan" in told and len(room.discord.sent("GET", f"/channels/{thread}/messages")) <= 6
    assert say("thread_cut", "en", messages="500") in told
    assert "offsite in May" in await room.ask("summarize this thread", thread)  # the message that it was made from


async def test_of_300_people_each_is_told_by_name(room):
    discord = room.discord
    room.place = await discord.thread(discord.general, "offsite")
    people = [discord.snowflake() for _ in range(300)]
    for n, person in enumerate(people):
        discord.users[person] = discord.users[discord.bob] | {
            "id": person,
            "username": f"person{n}",
            "global_name": f"Person{n}",
        }
        discord._new_message(room.place, person, f"I vote for city {n}")
    discord._new_message(room.place, people[299], "we decided to go with city 77")
    told = await room.ask("what was decided?", room.place)
    assert "Person299" in told and "city 77" in told
    assert say("thread_size", "en", messages="301", people=300) in told
    assert "city 7" in await room.ask("what did Person7 say?", room.place)


async def test_where_no_thread_can_be_made_a_reply_goes_on(room):
    discord = room.discord
    told = await room.ask("how do I set up the VPN on macOS?", discord.voice)
    assert "macOS" in told and room.last not in discord.channels
    question, answer = room.last, discord.from_bot(discord.voice)[-1]["id"]
    told = await room.ask("and on Windows?", discord.voice, who=discord.bob, reply_to=answer, call=False)
    assert "Windows" in told and "Portal" in told
    follow_up, again = room.last, discord.from_bot(discord.voice)[-1]["id"]
    told = await room.ask("source?", discord.voice, reply_to=again, ping=False, call=False)
    assert "VPN" in told
    [key] = {turn.thread for turn in await room.engine.turns._select("1=1")}
    assert key.endswith(question)
    posts = discord.sent("POST", rf"/channels/{discord.voice}/messages/\d+/threads")
    assert len(posts) == 1  # it is not tried again and again
    await discord.delete(discord.voice, follow_up)
    await discord.until(lambda: again not in {m["id"] for m in discord.from_bot(discord.voice)})
    await room.settled()
    assert len(await room.engine.turns._select("1=1")) == 2


async def test_a_reply_that_is_edited_is_answered_anew_in_its_conversation(room):
    discord = room.discord
    await room.ask("how do I set up the VPN on macOS?", discord.voice)
    answer = discord.from_bot(discord.voice)[-1]["id"]
    await room.ask("and on Linux?", discord.voice, reply_to=answer, call=False)
    await discord.edit(discord.voice, room.last, "and on Windows?")
    shown = lambda: [m["content"] for m in discord.from_bot(discord.voice) if say("updated", "en") in m["content"]]  # noqa: E731
    [told] = await discord.until(shown)
    assert "Windows" in told

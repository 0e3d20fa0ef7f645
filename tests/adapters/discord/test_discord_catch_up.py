"""What was said while nobody listened: found in the history, and handed in once."""

import asyncio

import pytest

from adapters.discord.marks import Marks, mark_of
from adapters.discord.parse import Place as Where
from agent.types import MessageKind, Overlap, ThreadKey
from bot.app import open_engine
from bot.settings import Settings
from storage.contracts import Place
from tests.servers.discord_components import BUTTON, parts_of, text_of


@pytest.fixture
async def ended(discord, make, listen, intake):
    """A listener that knows the places and has ended; the next one is started by the function that this gives."""
    adapter = make()
    task = await listen(adapter)
    await discord.until(lambda: key_of(discord, discord.general, "") in adapter._connected().attendance.marks._marks)
    dm = await discord.dm(discord.alice)
    await discord.post(dm, discord.alice, "hello")
    await discord.until(lambda: intake.messages)

    async def end() -> None:
        task.cancel()
        await asyncio.wait([task])
        await adapter.close()
        await discord.until(lambda: not discord.gateway.open_sessions)

    await end()
    intake.messages.clear()
    intake.joined.clear()
    return lambda **more: listen(make(**more))


QUESTION = "How many days of annual leave does a new employee get?"


def thumbs(discord, thread):
    """Return the answers in a thread: each has a pair of thumbs below."""
    found = [(message, parts_of(message, BUTTON)) for message in discord.from_bot(thread)]
    return [message for message, buttons in found if any(b.get("custom_id") == "weft_rate:up" for b in buttons)]


def whole(discord):
    return ThreadKey(platform="discord", workspace_id=discord.guild_id, channel_id="", thread_id="")


def key_of(discord, channel, thread):
    return ThreadKey(platform="discord", workspace_id=discord.guild_id, channel_id=channel, thread_id=thread)


async def settled(discord, intake):
    """Wait until what is written now has been handed in: everything before it was dealt with."""
    await discord.post(discord.random, discord.bob, f"<@{discord.bot}> last of all")
    await discord.until(lambda: "last of all" in intake.texts)


async def caught_up(discord, intake):
    """Wait until every place was read."""
    await discord.until(lambda: whole(discord) in intake.heard._kept and _all_marked(discord, intake))


def _all_marked(discord, intake):
    marked = {p.thread_id or p.channel_id: int(m) for p, (m, _) in intake.heard._kept.items()}
    places = [c["id"] for c in discord.channels.values() if c["type"] != 15]
    last = {id: max((int(m["id"]) for m in discord.messages(id)), default=0) for id in places}
    directs = [c["id"] for c in discord.channels.values() if c["type"] == 1]
    return all(marked.get(id, 0 if id in directs else -1) >= last[id] for id in places)


async def test_a_first_start_answers_nothing_of_what_was_said_before(discord, make, listen, intake):
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> before Weft came")
    await listen(make())
    await caught_up(discord, intake)
    assert intake.messages == []


async def test_questions_asked_while_nobody_listened_are_handed_in_once_and_in_order(discord, ended, intake):
    thread = await discord.thread(discord.general)
    intake.joined.add(key_of(discord, discord.general, thread))
    dm = await discord.dm(discord.alice)
    asked = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> one")
    await discord.post(discord.general, discord.bob, f"<@{discord.bot}> two")
    await discord.post(thread, discord.alice, "in the thread?")
    await discord.post(dm, discord.alice, "directly")
    await ended()
    await discord.until(lambda: len(intake.messages) == 4)
    await caught_up(discord, intake)
    assert {message.text: message.kind for message in intake.messages} == {
        "one": MessageKind.MENTION,
        "two": MessageKind.MENTION,
        "in the thread?": MessageKind.THREAD_REPLY,
        "directly": MessageKind.DIRECT,
    }
    assert intake.texts.index("one") < intake.texts.index("two")
    one = next(message for message in intake.messages if message.text == "one")
    assert one.event_id == f"discord:{discord.general}:{asked}"


async def test_what_was_read_and_then_is_told_of_is_not_taken_for_deleted(discord, adapter, listen, intake):
    await listen(adapter)
    await discord.until(lambda: key_of(discord, discord.general, "") in adapter._connected().attendance.marks._marks)
    for text in ("one", "two"):
        await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {text}")
    await discord.until(lambda: len(intake.messages) == 2)
    await settled(discord, intake)
    adapter._connected().attendance.leave(lambda guild: True)  # a session begins, and the places are behind
    for message in discord.messages(discord.general):
        await discord.gateway.dispatch("MESSAGE_CREATE", message)
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> three")
    await discord.until(lambda: "three" in intake.texts)
    assert intake.texts == ["one", "two", "last of all", "three"]
    assert all(message.kind is MessageKind.MENTION for message in intake.messages)


@pytest.mark.parametrize("how", ["invalidate", "time_out"])
async def test_a_session_that_discord_ends_loses_no_question(discord, listening, intake, how):
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> heard")
    await discord.until(lambda: intake.messages)
    await caught_up(discord, intake)
    discord.gateway.admits.clear()
    await getattr(discord.gateway, how)()
    for text in ("one", "two", "three"):
        await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {text}")
    discord.gateway.admits.set()
    await discord.until(lambda: len(intake.messages) == 4)
    assert intake.texts == ["heard", "one", "two", "three"]
    await settled(discord, intake)
    assert len(intake.messages) == 5


async def test_what_comes_while_a_place_is_behind_follows_what_was_missed_there(discord, ended, intake):
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> missed")
    await ended(settle=60.0)  # nothing but the next message makes it read
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> live")
    await discord.until(lambda: len(intake.messages) == 2)
    assert intake.texts == ["missed", "live"]


async def test_an_older_question_than_the_limit_is_left_alone(discord, ended, intake):
    discord.ago = 2 * 3600.0
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> too old")
    discord.ago = 1800.0
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> young enough")
    discord.ago = 0.0
    general = key_of(discord, discord.general, "")
    intake.heard._kept[general] = ("1", 0.0)  # heard last long ago
    intake.heard._kept[whole(discord)] = ("1", 0.0)
    await ended(catch_up_hours=1.0)
    await caught_up(discord, intake)
    await settled(discord, intake)
    assert intake.texts == ["young enough", "last of all"]
    young, last = intake.messages
    assert 1700 < last.received_at - young.received_at < 1900  # as old as it is


async def test_no_hours_mean_no_reading(discord, ended, intake):
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> missed")
    await ended(catch_up_hours=0.0)
    await settled(discord, intake)
    await caught_up(discord, intake)
    assert intake.texts == ["last of all"]
    assert discord.sent("GET", r"/channels/\d+/messages") == []


async def test_of_very_many_messages_the_latest_are_read(discord, ended, intake):
    for n in range(250):
        await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {n}")
    await ended()
    await discord.until(lambda: "249" in intake.texts)
    assert intake.texts == [str(n) for n in range(50, 250)]


async def test_a_missed_question_that_was_edited_says_what_it_says_now_and_a_deleted_one_nothing(
    discord, ended, intake
):
    edited = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> how do I rest it?")
    await discord.edit(discord.general, edited, f"<@{discord.bot}> how do I reset it?")
    gone = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> never mind")
    await discord.delete(discord.general, gone)
    await ended()
    await settled(discord, intake)
    await caught_up(discord, intake)
    assert sorted(intake.texts) == ["how do I reset it?", "last of all"]


async def test_an_accepted_question_that_was_edited_or_deleted_meanwhile_is_told(discord, make, listen, intake):
    adapter = make()
    task = await listen(adapter)
    await caught_up(discord, intake)
    ids = [await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {text}") for text in ("a", "b", "c")]
    await discord.until(lambda: len(intake.messages) == 3)
    await caught_up(discord, intake)
    task.cancel()
    await asyncio.wait([task])
    await adapter.close()
    await discord.until(lambda: not discord.gateway.open_sessions)
    await discord.edit(discord.general, ids[0], f"<@{discord.bot}> a, but better")
    await discord.delete(discord.general, ids[1])
    await listen(make())
    await discord.until(lambda: len(intake.messages) == 5)
    edit, deletion = intake.messages[3:]
    assert (edit.kind, edit.text, edit.message_id) == (MessageKind.EDIT, "a, but better", ids[0])
    assert (deletion.kind, deletion.message_id) == (MessageKind.DELETE, ids[1])
    assert deletion.turn_id == intake.messages[1].turn_id


async def test_what_people_said_to_each_other_is_left_to_them(discord, ended, intake):
    intake.all_heard.add(discord.general)
    thread = await discord.thread(discord.general)
    intake.joined.add(key_of(discord, discord.general, thread))
    await discord.post(discord.general, discord.alice, "does anybody know how to reset it?")
    await discord.post(discord.general, discord.bob, "hold the button")
    await discord.post(thread, discord.alice, "and how long?")
    await discord.post(thread, discord.bob, "ten seconds")
    await discord.post(thread, discord.robot, "a bot's word")
    await ended()
    await settled(discord, intake)
    await caught_up(discord, intake)
    # the last word of each is judged like any other message; what somebody has answered is talk
    assert sorted(intake.texts) == ["hold the button", "last of all", "ten seconds"]


async def test_a_thread_made_meanwhile_is_read_from_its_beginning(discord, ended, intake):
    post = await discord.forum_post(discord.alice, "Reset", f"<@{discord.bot}> how do I reset it?")
    await ended()
    await discord.until(lambda: intake.messages)
    [message] = intake.messages
    assert message.key == key_of(discord, discord.forum, post)


async def test_a_place_without_history_is_given_up_and_the_others_are_read(discord, ended, intake, caplog):
    discord.unreadable.add(discord.general)
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> unreadable secret")
    await discord.post(discord.random, discord.alice, f"<@{discord.bot}> readable")
    await ended()
    await caught_up(discord, intake)
    assert intake.texts == ["readable"]
    assert "could not be caught up" in caplog.text and "secret" not in caplog.text


async def test_an_outage_while_reading_leaves_the_place_behind_until_it_is_read(discord, ended, intake):
    discord.fault("GET", rf"/channels/{discord.general}/messages", times=2, status=400, code=50035)
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> missed")
    await ended()
    await discord.until(lambda: discord.faults and discord.faults[0].times == 1)
    for text in ("live", "live again"):
        await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {text}")
        await discord.until(lambda text=text: text in intake.texts)
    assert intake.texts == ["live", "missed", "live again"]  # what came live has not moved the mark


async def test_a_message_is_marked_only_when_it_is_stored(discord, listening, intake):
    await caught_up(discord, intake)
    intake.gate.clear()
    id = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> hello")
    await discord.until(lambda: intake.tried)
    marks = listening._connected().attendance.marks
    place = key_of(discord, discord.general, "")
    assert marks._marks[place] < int(id)
    intake.gate.set()
    await discord.until(lambda: marks._marks[place] == int(id))
    await discord.until(lambda: intake.heard._kept[place][0] == id)


async def _serve(discord, make, engine):
    """Listen and answer, until what this returns is called."""
    adapter = make()
    listening = asyncio.create_task(adapter.listen(engine.conversation))
    working = asyncio.create_task(engine.worker([adapter]).run())
    await discord.until(lambda: discord.gateway.open_sessions or listening.done())
    async with asyncio.timeout(60):
        while whole(discord) not in await engine.conversation.last_heard("discord"):
            await asyncio.sleep(0.01)

    async def end():
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)
        await adapter.close()
        await discord.until(lambda: not discord.gateway.open_sessions)

    return end


async def test_the_application_answers_what_it_missed_once_and_shows_its_steps(discord, make, sampled):
    async with open_engine(Settings.load(data=sampled)) as engine:
        end = await _serve(discord, make, engine)
        heard = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {QUESTION}")
        await discord.until(lambda: thumbs(discord, heard))
        await end()
        missed = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {QUESTION}")
        gone = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {QUESTION}")
        await discord.delete(discord.general, gone)
        for _ in range(2):  # and a second start finds nothing more
            end = await _serve(discord, make, engine)
            await discord.until(lambda: thumbs(discord, missed))
            last = await discord.post(discord.general, discord.bob, f"<@{discord.bot}> {QUESTION}")
            await discord.until(lambda last=last: thumbs(discord, last))
            await end()
        assert [len(thumbs(discord, thread)) for thread in (heard, missed, gone)] == [1, 1, 0]
        end = await _serve(discord, make, engine)
        card = next(m for m in discord.from_bot(missed) if text_of(m).startswith("**Done**"))
        click = await discord.click(card, 0, discord.bob)
        await discord.until(lambda: click["state"] == "done")
        assert "✅" in click["data"]["content"] and "-# " in click["data"]["content"]
        await end()


async def test_missed_lines_that_are_one_question_get_one_answer(discord, make, sampled):
    async with open_engine(Settings.load(data=sampled, burst_seconds=2.0)) as engine:
        place = Place(platform="discord", workspace=discord.guild_id, channel=discord.general)
        await engine.modes.set_overlap(place, Overlap.BURST)
        end = await _serve(discord, make, engine)
        heard = await discord.post(discord.general, discord.bob, f"<@{discord.bot}> {QUESTION}")
        await discord.until(lambda: thumbs(discord, heard))
        await end()
        first = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> quick question")
        second = await discord.post(discord.general, discord.alice, QUESTION)
        end = await _serve(discord, make, engine)
        await discord.until(lambda: thumbs(discord, first))
        [answer], [other] = thumbs(discord, first), thumbs(discord, heard)
        assert answer["content"] == other["content"] and second not in discord.channels
        await end()


def test_what_was_read_before_a_session_began_does_not_count_for_it():
    place = Where(workspace_id="1", channel_id="2")
    marks = Marks({mark_of(place): "5"})
    marks.leave(lambda _: True)
    before = marks.sessions
    marks.leave(lambda _: True)
    marks.reached(place, 7, session=before)
    assert marks.is_behind(place) and marks.behind(place) == 7
    marks.heard(place, 9)
    assert marks.behind(place) == 7
    marks.reached(place, 9, session=marks.sessions)
    assert not marks.is_behind(place)

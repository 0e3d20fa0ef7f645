"""Servers on Discord: forums and their tags, the first words in a new server, presence, and several connections."""

import asyncio
import logging

import pytest

from adapters.discord.probe import WANTED
from adapters.discord.sharding import SHARD_PATIENCE, Shards
from agent.errors import SettingsError
from agent.language import say
from agent.types import MessageKind
from tests.clock import pass_time
from tests.servers.discord import EPHEMERAL, MANAGE_THREADS
from tests.servers.discord_components import BUTTON, parts_of


def may_manage_threads(discord):
    role = next(role for role in discord.gateway.guild["roles"] if role["id"] == discord.role)
    role["permissions"] = str(MANAGE_THREADS)


async def test_a_post_of_a_forum_where_all_is_answered_is_asked_with_its_title(discord, listening, intake):
    intake.all_heard.add(discord.forum)
    post = await discord.forum_post(discord.alice, "Parental leave", "How many days do I get?")
    await discord.until(lambda: intake.messages)
    [message] = intake.messages
    assert (message.kind, message.text) == (MessageKind.CHANNEL, "Parental leave\n\nHow many days do I get?")
    assert (message.key.channel_id, message.key.thread_id) == (discord.forum, post)


@pytest.mark.parametrize("name", ["Solved", "해결됨"])
async def test_a_post_that_is_tagged_as_solved_is_left_alone_unless_weft_is_called(discord, make, listen, intake, name):
    intake.all_heard.add(discord.forum)
    solved, other = discord.tag_forum(name, "hardware")
    await listen(make())
    await discord.forum_post(discord.alice, "Old", "How was it?", tags=[solved])
    await discord.forum_post(discord.alice, "Called", f"<@{discord.bot}> How was it?", tags=[solved])
    await discord.forum_post(discord.alice, "New", "How is it?", tags=[other])
    await discord.until(lambda: len(intake.messages) == 2)
    assert intake.texts == ["Called\n\nHow was it?", "New\n\nHow is it?"]


@pytest.fixture
async def answered(discord, make, listen, intake, deliveries, response, citation):
    """Return what opens a post of a forum and answers it; it gives the post and the answer."""

    async def answer(**more):
        adapter = make()
        await listen(adapter)
        post = await discord.forum_post(discord.alice, "Reset", f"<@{discord.bot}> how?", **more)
        await discord.until(lambda: intake.messages)
        await adapter.reply(intake.messages[0], deliveries).finish(response(citations=(citation(1),)))
        [told] = discord.from_bot(post)
        return post, told

    return answer


async def test_who_opened_a_post_marks_it_as_solved_below_the_answer(discord, answered):
    tag, other = discord.tag_forum("solved", "hardware")
    may_manage_threads(discord)
    post, answer = await answered(tags=[other])
    assert parts_of(answer, BUTTON)[-1]["label"] == say("mark_solved", "en")
    stranger = await discord.click(answer, 2, discord.bob)
    await discord.until(lambda: stranger["state"] == "done")
    assert stranger["data"]["content"] == say("solved_not_yours", "en")
    assert discord.channels[post]["applied_tags"] == [other]
    for _ in range(2):
        owner = await discord.click(answer, 2, discord.alice)
        await discord.until(lambda owner=owner: owner["state"] == "done")
        assert owner["data"]["content"] == say("solved_marked", "en")
    assert discord.channels[post]["applied_tags"] == [other, tag]
    discord.lost_rights = MANAGE_THREADS
    late = await discord.click(answer, 2, discord.alice, locale="ko")
    await discord.until(lambda: late["state"] == "done")
    assert late["data"]["content"] == say("solved_refused", "ko")


async def test_a_post_that_takes_long_to_be_marked_is_told_of_beside_the_answer(discord, answered, monkeypatch):
    monkeypatch.setattr("adapters.discord.interactions._AT_ONCE", 0.01)
    [tag] = discord.tag_forum("solved")
    may_manage_threads(discord)
    post, answer = await answered()
    go_on = asyncio.Event()
    discord.fault("PATCH", rf"/channels/{post}$", hold=go_on)
    pressed = await discord.click(answer, 2, discord.alice)
    await discord.until(lambda: pressed["state"] == "deferred")
    go_on.set()
    await discord.until(lambda: pressed["state"] == "done")
    first, told = discord.from_bot(post)
    assert first["content"] == answer["content"] and discord.channels[post]["applied_tags"] == [tag]
    assert told["content"] == say("solved_marked", "en") and told["flags"] & EPHEMERAL


async def test_where_weft_may_set_no_tags_none_is_offered(discord, answered):
    discord.tag_forum("solved")
    _, answer = await answered()
    assert len(parts_of(answer, BUTTON)) == 2


async def test_a_new_server_is_greeted_once_with_what_is_missing(discord, listening, intake):
    await discord.until(lambda: any(place.channel_id for place in intake.heard._kept))
    send, view = 1 << 11, 1 << 10
    guild, channel = await discord.join(permissions=send | view)
    [greeting] = await discord.until(lambda: discord.from_bot(channel))
    assert "Read Message History, " not in greeting["content"].partition(":")[0]
    for name in ("Create Public Threads", "Attach Files", "Read Message History"):
        assert name in greeting["content"]
    assert f"client_id={discord.bot}" in greeting["content"] and "Send Messages," not in greeting["content"]
    await discord.until(lambda: any(place.workspace_id == guild for place in intake.heard._kept))
    whole, other = await discord.join(permissions=WANTED.value)
    [greeting] = await discord.until(lambda: discord.from_bot(other))
    assert greeting["content"] == say("server_welcome", "en")
    assert len(discord.from_bot(channel)) == 1 and whole != guild


async def test_a_server_where_weft_may_not_write_is_told_through_its_owner(discord, listening, intake):
    await discord.until(lambda: any(place.channel_id for place in intake.heard._kept))
    _, channel = await discord.join(permissions=1 << 10, writable=False)
    dm = await discord.dm(discord.bob)
    [told] = await discord.until(lambda: discord.from_bot(dm))
    assert "Send Messages" in told["content"] and discord.from_bot(channel) == []


async def test_in_no_server_the_log_says_how_to_invite_it(discord, make, listen, intake, caplog):
    discord.gateway.guild["id"] = "3"  # of the other shard: nothing is here
    await listen(make(shards="1/2"))
    await discord.until(lambda: "is in no server yet" in caplog.text)
    assert f"client_id={discord.bot}" in caplog.text


async def test_weft_says_how_it_is_asked_and_the_log_how_it_is_invited(discord, make, listen, intake, caplog):
    caplog.set_level(logging.INFO)
    await listen(make())
    await discord.until(lambda: "Invite it with" in caplog.text)
    identify = next(message for message in discord.gateway.received if message["op"] == 2)
    assert identify["d"]["presence"]["game"]["state"] == say("presence", "en")
    assert f"client_id={discord.bot}&scope=bot+applications.commands&permissions={WANTED.value}" in caplog.text


@pytest.mark.parametrize(
    ("text", "shards"),
    [
        ("", None), ("1", None), ("auto", Shards()), ("4", Shards(4)), ("0-1/4", Shards(4, (0, 1))),
        (" 3/4 ", Shards(4, (3,))),
    ],
)  # fmt: skip
def test_shards_are_read_from_the_setting(text, shards):
    assert Shards.parse(text) == shards


@pytest.mark.parametrize("text", ["0", "4/4", "2-1/4", "many", "-1/4", "0-1/", "99999"])
def test_a_setting_of_shards_that_cannot_be_is_refused_with_what_to_write(text):
    with pytest.raises(SettingsError, match="WEFT_DISCORD_SHARDS"):
        Shards.parse(text)


def shard_of(discord):
    return (int(discord.guild_id) >> 22) % 2


@pytest.mark.parametrize("setting", ["2", "auto"])
async def test_questions_are_heard_over_several_connections_and_once_each(discord, make, listen, intake, setting):
    discord.shards = 2
    await listen(make(shards=setting))
    await discord.until(lambda: len(discord.gateway.open_sessions) == 2)
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> here")
    await discord.post(await discord.dm(discord.alice), discord.alice, "and directly")
    await discord.until(lambda: len(intake.messages) == 2)
    assert sorted(intake.texts) == ["and directly", "here"]


async def test_a_shard_that_never_gets_ready_holds_up_no_other_and_is_told(discord, make, listen, intake, caplog):
    late = 1 - shard_of(discord)
    discord.gateway.mute_shards = {late}
    adapter = make(shards="2")
    task = await listen(adapter)
    await discord.until(lambda: adapter._client is not None and adapter._client._ready_shards)
    pass_time(SHARD_PATIENCE)
    await discord.until(lambda: f"shards {late} of 2 are not ready" in caplog.text)
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> heard")
    await discord.until(lambda: intake.texts == ["heard"])
    await discord.until(lambda: intake.heard._kept)  # what it hears is marked, and would be caught up with
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    await discord.until(lambda: not discord.gateway.open_sessions)


async def test_a_process_ends_also_while_a_shard_connects_anew(discord, make, listen, intake):
    task = await listen(make(shards="2", settle=0.2))
    await discord.until(lambda: len(discord.gateway.open_sessions) == 2)
    discord.gateway.greets.clear()
    await discord.gateway.invalidate()
    async with asyncio.timeout(60):
        while not discord.gateway.ungreeted:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
    discord.gateway.greets.set()
    assert task.cancelled()


async def test_a_process_with_its_share_of_the_shards_hears_only_that(discord, make, listen, intake):
    mine = shard_of(discord)
    await listen(make(shards=f"{mine}/2"))
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> heard")
    await discord.until(lambda: intake.texts == ["heard"])
    assert [m["d"]["shard"] for m in discord.gateway.received if m["op"] == 2] == [[mine, 2]]


async def test_a_shard_whose_session_ends_is_caught_up_with(discord, make, listen, intake):
    await listen(make(shards="2", settle=0.2))  # a session ends before anything is ready
    await discord.until(lambda: len(discord.gateway.open_sessions) == 2)
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> heard")
    await discord.until(lambda: any(p.channel_id == discord.general for p in intake.heard._kept))
    discord.gateway.admits.clear()
    await discord.gateway.invalidate()
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> missed")
    await discord.post(discord.random, discord.alice, f"<@{discord.bot}> missed where nobody wrote before")
    discord.gateway.admits.set()
    await discord.until(lambda: len(intake.messages) == 3)
    assert sorted(intake.texts) == ["heard", "missed", "missed where nobody wrote before"]


@pytest.mark.parametrize("shards", ["", "2"])
async def test_a_server_that_discord_could_not_serve_for_a_while_is_caught_up_with(
    discord, make, listen, intake, shards
):
    await listen(make(shards=shards))
    await discord.until(lambda: any(place.channel_id for place in intake.heard._kept))
    sessions = discord.gateway.sessions
    await discord.gateway.dispatch("GUILD_DELETE", {"id": discord.guild_id, "unavailable": True})
    discord.gateway.sessions = []  # nobody is told of it
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> missed")
    discord.gateway.sessions = sessions
    await discord.gateway.dispatch("GUILD_CREATE", {**discord.gateway.guild, "unavailable": False})
    await discord.until(lambda: intake.texts == ["missed"])

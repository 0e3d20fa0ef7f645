"""What the adapter hears, through the real client and a gateway on loopback."""

import asyncio

import pytest

from agent.language import say
from agent.types import MessageKind, ThreadKey


def key_of(server, channel, thread):
    return ThreadKey(platform="discord", workspace_id=server.guild_id, channel_id=channel, thread_id=thread)


async def test_a_mention_in_a_channel_begins_the_thread_of_its_own_id(discord, listening, intake):
    id = await discord.post(
        discord.general,
        discord.alice,
        f"<@{discord.bot}> ask <@{discord.bob}> in <#{discord.random}> <:wave:5> about <t:0:R>",
        attachments=[
            {
                "id": "77",
                "filename": "a.pdf",
                "size": 9,
                "content_type": "application/pdf",
                "url": "u",
                "proxy_url": "u",
            }
        ],
    )
    [message] = await discord.until(lambda: intake.messages)
    assert message.kind is MessageKind.MENTION
    assert message.key == key_of(discord, discord.general, id)
    assert message.text == "ask @bob in #random :wave: about 1970-01-01T00:00:00Z"
    assert message.event_id == f"discord:{discord.general}:{id}"
    assert message.message_id == id
    assert (message.author.id, message.author.name) == (discord.alice, "alice")
    assert message.attachments[0].name == "a.pdf"
    assert message.attachments[0].media_type == "application/pdf"
    assert message.permalink == f"https://discord.com/channels/{discord.guild_id}/{discord.general}/{id}"
    assert not message.private


async def test_the_bots_own_role_is_a_mention_too(discord, listening, intake):
    await discord.post(discord.general, discord.alice, f"<@&{discord.role}> what now?")
    [message] = await discord.until(lambda: intake.messages)
    assert (message.kind, message.text) == (MessageKind.MENTION, "what now?")


async def test_a_follow_up_needs_no_mention_where_weft_takes_part(discord, listening, intake):
    known = await discord.thread(discord.general)
    unknown = await discord.thread(discord.general)
    intake.joined.add(key_of(discord, discord.general, known))
    await discord.post(unknown, discord.alice, "nobody asked weft here")
    await discord.post(discord.general, discord.alice, "nor here")
    await discord.post(known, discord.alice, "and on Windows?")
    [message] = await discord.until(lambda: intake.messages)
    assert (message.kind, message.text) == (MessageKind.THREAD_REPLY, "and on Windows?")
    assert message.key == key_of(discord, discord.general, known)


async def test_whom_a_message_calls_comes_along(discord, listening, intake):
    thread = await discord.thread(discord.general)
    intake.joined.add(key_of(discord, discord.general, thread))
    bobs = await discord.post(thread, discord.bob, f"hey <@{discord.alice}> have you tried that?")
    await discord.post(thread, discord.alice, "yes, it works", reply_to=bobs)
    own = await discord.post(thread, discord.alice, "said to nobody")
    await discord.post(thread, discord.alice, "said to myself", reply_to=own)
    wefts = await discord.post(thread, discord.bot, "20 days.")
    await discord.post(thread, discord.alice, "and on Windows?", reply_to=wefts, ping=False)
    await discord.post(thread, discord.bob, f"<@{discord.alice}> shall we ask <@{discord.bot}>?")
    heard = await discord.until(lambda: len(intake.messages) == 6 and intake.messages)
    assert [message.calls for message in heard] == [
        (discord.alice,), (discord.bob,), (), (), (), (discord.alice,),
    ]  # fmt: skip
    assert [message.addressed for message in heard] == [False] * 5 + [True]
    assert [message.replies_to_weft for message in heard] == [False] * 4 + [True, False]


async def test_every_message_of_a_channel_is_heard_where_that_is_its_mode(discord, listening, intake):
    intake.all_heard.add(discord.forum)
    await discord.post(discord.general, discord.alice, "not here?")
    post = await discord.forum_post(discord.alice, "Reset", "how do I reset it?")
    [message] = await discord.until(lambda: intake.messages)
    assert (message.text, message.key) == ("how do I reset it?", key_of(discord, discord.forum, post))
    intake.all_heard.add(discord.general)
    id = await discord.post(discord.general, discord.bob, "and here?")
    _, message = await discord.until(lambda: len(intake.messages) == 2 and intake.messages)
    assert (message.kind, message.key.thread_id, message.addressed) == (MessageKind.CHANNEL, id, False)


async def test_a_command_where_weft_is_off_is_told_so_and_nothing_else_happens(discord, listening, intake):
    intake.off.add(discord.general)
    interaction = await discord.slash(discord.general, discord.alice, "how many days?")
    await discord.until(lambda: discord.sent("POST", "/interactions/"))
    [told] = discord.sent("POST", "/interactions/")
    assert told.body["data"]["content"] == say("off_here", "en") and told.body["data"]["flags"] == 64
    assert not intake.messages and interaction


async def test_who_may_manage_the_channel_is_noted_with_the_message(discord, listening, adapter, intake):
    for who in (discord.alice, discord.bob):  # alice owns the server
        await discord.post(discord.general, who, f"<@{discord.bot}> mode mentions")
    heard = await discord.until(lambda: len(intake.messages) == 2 and intake.messages)
    assert [await adapter.may_manage(message) for message in heard] == [True, False]


async def test_a_mention_inside_a_thread_belongs_to_that_thread(discord, listening, intake):
    thread = await discord.thread(discord.general)
    id = await discord.post(thread, discord.alice, f"<@{discord.bot}> what is this about?")
    [message] = await discord.until(lambda: intake.messages)
    assert message.kind is MessageKind.MENTION
    assert message.key == key_of(discord, discord.general, thread)
    assert message.event_id == f"discord:{thread}:{id}"


async def test_a_forum_post_is_a_thread(discord, listening, intake):
    post = await discord.forum_post(discord.alice, "Reset", f"<@{discord.bot}> how do I reset it?")
    await discord.until(lambda: intake.messages)
    await discord.post(post, discord.bob, "and how often?")
    first, second = await discord.until(lambda: len(intake.messages) == 2 and intake.messages)
    assert first.key == second.key == key_of(discord, discord.forum, post)
    assert second.kind is MessageKind.THREAD_REPLY


async def test_a_thread_that_was_archived_when_the_client_came_is_looked_up(discord, adapter, listen, intake):
    thread = await discord.thread(discord.general)
    await discord.archive(thread)
    await listen(adapter)
    intake.joined.add(key_of(discord, discord.general, thread))
    await discord.post(thread, discord.alice, "still there?")
    [message] = await discord.until(lambda: intake.messages)
    assert message.key == key_of(discord, discord.general, thread)


async def test_a_direct_message_is_private(discord, listening, intake):
    dm = await discord.dm(discord.alice)
    await discord.post(dm, discord.alice, "how many days of leave?")
    [message] = await discord.until(lambda: intake.messages)
    assert message.kind is MessageKind.DIRECT
    assert message.private
    assert message.key == ThreadKey(platform="discord", workspace_id="@me", channel_id=dm, thread_id=dm)


async def test_bots_webhooks_and_the_system_are_not_answered(discord, listening, intake):
    thread = await discord.thread(discord.general)
    intake.joined.add(key_of(discord, discord.general, thread))
    me = f"<@{discord.bot}> "
    await discord.post(discord.general, discord.robot, me + "from a bot")
    await discord.post(thread, discord.bot, me + "from itself")
    await discord.post(discord.general, discord.alice, me + "from a webhook", webhook_id=discord.snowflake())
    await discord.post(thread, discord.alice, me + "pinned a message", type=6)
    await discord.post(discord.general, discord.alice, me + "from a person")
    await discord.until(lambda: intake.messages)
    assert intake.texts == ["from a person"]


async def test_an_edit_of_a_question_is_told_once(discord, listening, intake):
    id = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> how do I rest it?")
    await discord.post(discord.general, discord.alice, "small talk")
    question = (await discord.until(lambda: intake.messages))[0]
    await discord.edit(discord.general, id, f"<@{discord.bot}> how do I reset it?")
    await discord.edit(discord.general, id, f"<@{discord.bot}> how do I reset it?")
    await discord.edit(discord.general, id, f"<@{discord.bot}> how do I reset it?", touch=True)
    _, edit = await discord.until(lambda: len(intake.messages) == 2 and intake.messages)
    assert (edit.kind, edit.text) == (MessageKind.EDIT, "how do I reset it?")
    assert (edit.key, edit.message_id, edit.turn_id) == (question.key, id, question.turn_id)
    assert edit.event_id.startswith(f"{question.event_id}:edit:")
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> next")
    await discord.until(lambda: "next" in intake.texts)
    assert len(intake.messages) == 3


async def test_an_edit_elsewhere_is_nobodys_business(discord, listening, intake):
    id = await discord.post(discord.general, discord.alice, "small talk")
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> first")
    await discord.until(lambda: intake.messages)
    await discord.edit(discord.general, id, "smaller talk")
    await discord.delete(discord.general, id)
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> next")
    await discord.until(lambda: "next" in intake.texts)
    assert intake.texts == ["first", "next"]


async def test_a_mention_that_an_edit_adds_makes_a_question(discord, listening, intake):
    id = await discord.post(discord.general, discord.alice, "how do I reset it?")
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> first")
    await discord.until(lambda: intake.messages)
    await discord.edit(discord.general, id, f"<@{discord.bot}> how do I reset it?")
    _, message = await discord.until(lambda: len(intake.messages) == 2 and intake.messages)
    assert (message.kind, message.message_id) == (MessageKind.MENTION, id)
    assert message.event_id == f"discord:{discord.general}:{id}"


async def test_a_deleted_question_is_told(discord, listening, intake):
    id = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> how do I reset it?")
    question = (await discord.until(lambda: intake.messages))[0]
    await discord.delete(discord.general, id)
    _, deletion = await discord.until(lambda: len(intake.messages) == 2 and intake.messages)
    assert deletion.kind is MessageKind.DELETE
    assert (deletion.key, deletion.turn_id) == (question.key, question.turn_id)
    assert deletion.author.id == discord.alice


async def test_a_command_is_stored_first_and_acknowledged_then(discord, listening, intake):
    intake.gate.clear()
    interaction = await discord.slash(discord.general, discord.alice, "how do I reset it?", locale="ko")
    await discord.until(lambda: intake.tried)
    assert interaction["state"] == "new"
    intake.gate.set()
    await discord.until(lambda: intake.held)
    assert interaction["state"] == "new"  # its turn may not begin before there is a response to fill
    await discord.until(lambda: not intake.held)
    assert interaction["state"] == "deferred"
    [message] = intake.messages
    assert message.kind is MessageKind.COMMAND
    assert message.key == key_of(discord, discord.general, "")
    assert message.message_id == interaction["id"]
    assert message.locale == "ko"
    assert message.extra["interaction_token"] == interaction["token"]
    assert message.extra["application_id"] == discord.bot
    assert not interaction["data"].get("flags")  # for everybody to see


async def test_a_command_that_cannot_be_acknowledged_is_answered_all_the_same(discord, listening, intake):
    discord.fault("POST", r"/interactions/", status=404, code=10062)
    await discord.slash(discord.general, discord.alice, "how do I reset it?")
    await discord.until(lambda: intake.messages and not intake.held)


async def test_a_command_in_a_thread_or_in_private_stays_there(discord, listening, intake):
    thread, dm = await discord.thread(discord.general), await discord.dm(discord.alice)
    await discord.slash(thread, discord.alice, "one")
    await discord.until(lambda: intake.messages)
    await discord.slash(dm, discord.alice, "two")
    one, two = await discord.until(lambda: len(intake.messages) == 2 and intake.messages)
    assert one.key == key_of(discord, discord.general, thread)
    assert (two.key.thread_id, two.private) == (dm, True)


@pytest.mark.parametrize(("locale", "words"), [("en-US", "just now"), ("ko", "지금은")])
async def test_a_command_that_cannot_be_stored_is_declined_to_its_author_alone(
    discord, listening, intake, caplog, locale, words
):
    intake.broken = 99
    interaction = await discord.slash(discord.general, discord.alice, "a secret question", locale=locale)
    await discord.until(lambda: interaction["state"] == "done")
    assert words in interaction["data"]["content"]
    assert interaction["data"]["flags"] & 64
    assert discord.messages(discord.general) == []
    assert "could not be stored" in caplog.text
    assert "secret" not in caplog.text
    intake.broken = 0
    again = await discord.slash(discord.general, discord.alice, "again")
    await discord.until(lambda: again["state"] == "deferred")


async def test_storing_is_tried_again_because_discord_sends_nothing_twice(discord, listening, intake):
    intake.broken = 2
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> hello")
    await discord.until(lambda: intake.messages)
    assert discord.from_bot(discord.general) == []


async def test_a_message_that_cannot_be_stored_is_answered_so(discord, listening, intake):
    intake.broken = 3
    id = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> 안녕하세요")
    [sorry] = await discord.until(lambda: discord.from_bot(discord.general))
    assert "다시 시도" in sorry["content"]
    assert str(sorry["message_reference"]["message_id"]) == id
    assert intake.messages == []


async def test_messages_of_a_channel_keep_their_order_while_storing_is_slow(discord, listening, intake):
    dm = await discord.dm(discord.alice)
    intake.gate.clear()
    for n in range(5):
        await discord.post(dm, discord.alice, f"message {n}")
    await discord.post(discord.general, discord.bob, f"<@{discord.bot}> elsewhere")
    await discord.until(lambda: intake.tried == 2)  # one lane waits, the other does not wait for it
    intake.gate.set()
    await discord.until(lambda: len(intake.messages) == 6)
    assert [text for text in intake.texts if text.startswith("message")] == [f"message {n}" for n in range(5)]


async def test_a_reply_in_a_new_thread_waits_for_its_root_to_be_stored(discord, listening, intake):
    intake.gate.clear()
    root = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> first")
    await discord.thread(discord.general, id=root)
    await discord.post(root, discord.bob, "second?")
    await discord.delete(discord.general, root)
    await discord.until(lambda: intake.tried == 1)
    intake.gate.set()
    await discord.until(lambda: len(intake.messages) == 3)
    assert [m.kind for m in intake.messages] == [MessageKind.MENTION, MessageKind.THREAD_REPLY, MessageKind.DELETE]


async def test_without_the_content_intent_mentions_and_direct_messages_still_work(discord, make, listen, intake):
    await listen(make(message_content=False))
    thread = await discord.thread(discord.general)
    intake.joined.add(key_of(discord, discord.general, thread))
    blank = await discord.post(thread, discord.alice, "not readable")
    await discord.edit(thread, blank, "still not readable")
    await discord.post(thread, discord.alice, f"<@{discord.bot}> readable")
    await discord.until(lambda: intake.messages)
    await discord.post(await discord.dm(discord.alice), discord.alice, "readable too")
    await discord.until(lambda: len(intake.messages) == 2)
    assert intake.texts == ["readable", "readable too"]


async def test_the_command_is_registered_once(discord, make, listen):
    for expected in (1, 1):
        adapter = make()
        task = await listen(adapter)
        assert len(discord.sent("PUT", "/applications/")) == expected
        task.cancel()
        await asyncio.wait([task])
        await adapter.close()
        await discord.until(lambda: not discord.gateway.open_sessions)
    assert [command["name"] for command in discord.commands] == ["ask", "weft", "weft-channel", "Ask Weft about this"]
    assert discord.commands[0]["options"][0]["required"]
    discord.commands[0]["description"] = "an older text"
    await listen(make())
    assert len(discord.sent("PUT", "/applications/")) == 2


async def test_listening_ends_when_cancelled_and_answering_goes_on(discord, adapter, listen, intake, ask, deliveries):
    task = await listen(adapter)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    await discord.until(lambda: not discord.gateway.open_sessions)
    question = await ask()
    key = await adapter.open_thread(question, deliveries)
    assert key.thread_id in discord.channels


async def test_an_event_that_is_being_stored_is_not_lost_when_listening_ends(discord, adapter, listen, intake):
    task = await listen(adapter)
    intake.gate.clear()
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> hello")
    await discord.until(lambda: intake.tried)
    task.cancel()
    asyncio.get_running_loop().call_later(0.05, intake.gate.set)
    await asyncio.wait([task])
    assert intake.texts == ["hello"]

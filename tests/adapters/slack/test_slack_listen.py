"""Events over HTTP: what is taken, what is answered, and that nothing is acknowledged before it is stored."""

import asyncio
import json
import logging
import time
from dataclasses import replace

import pytest

from adapters.slack import listen
from adapters.slack.adapter import SlackAdapter
from adapters.slack.parse import LATEST_DELIVERY, place_of
from agent.language import say
from agent.types import MessageKind
from tests.servers.slack import SlackServer


async def test_a_mention_is_stored_with_all_that_is_known(slack: SlackServer, endpoint: str, intake) -> None:
    sent = await slack.mention(endpoint, "How many *days* does <@U2> have? <https://a.example/x|policy> &amp; more")
    [message] = intake.messages
    assert sent.statuses == [200, 200]
    assert intake.again == [message.event_id]  # the twin event about the same message
    assert str(message.key) == f"slack:T1:C1:{sent.ts}"
    assert message.event_id == f"slack:T1:C1:{sent.ts}"
    assert message.message_id == sent.ts
    assert message.text == "How many **days** does @Bob have? [policy](https://a.example/x) & more"
    assert (message.kind, message.author.id, message.private) == (MessageKind.MENTION, "U1", False)
    assert message.permalink == f"https://test.slack.com/archives/C1/p{sent.ts.replace('.', '')}"


async def test_the_message_event_alone_gives_the_same(slack: SlackServer, endpoint: str, intake) -> None:
    message = slack.add("C1", "U1", f"<@{slack.bot_user}> first")
    await slack.event(endpoint, slack.event_of("C1", message))
    await slack.event(endpoint, {**slack.event_of("C1", message), "type": "app_mention"})
    assert [m.text for m in intake.messages] == ["first"]
    assert len(intake.again) == 1


async def test_acknowledged_only_after_it_is_stored(slack: SlackServer, endpoint: str, intake) -> None:
    intake.gate = asyncio.Event()
    asking = asyncio.create_task(slack.mention(endpoint, "When?", twin=False))
    await asyncio.wait_for(intake.waiting.wait(), 60)
    done, _ = await asyncio.wait([asking], timeout=0.1)
    assert not done
    intake.gate.set()
    assert (await asking).statuses == [200]


async def test_what_could_not_be_stored_comes_again(slack: SlackServer, endpoint: str, intake) -> None:
    intake.refuse = 1
    message = slack.add("C1", "U1", f"<@{slack.bot_user}> Important")
    event = slack.event_of("C1", message)
    assert (await slack.event(endpoint, event)).status == 500
    assert (await slack.event(endpoint, event, retry=1)).status == 200
    assert (await slack.event(endpoint, event, retry=2)).status == 200
    assert [m.text for m in intake.messages] == ["Important"]
    assert len(intake.again) == 1


async def test_without_an_inbox_slack_is_told_to_come_again(slack: SlackServer, adapter: SlackAdapter, serve) -> None:
    assert (await slack.mention(await serve(adapter), "Anybody?", twin=False)).statuses == [500]


async def test_slack_out_of_reach_loses_nothing(slack: SlackServer, make_adapter, serve, intake) -> None:
    adapter = make_adapter()
    adapter.bind(intake)
    slack.fail("auth.test", status=500, times=99)
    endpoint = await serve(adapter)
    assert (await slack.mention(endpoint, "Hello?", twin=False)).statuses == [500]


@pytest.mark.parametrize("signature", ["wrong", "stale", "undated", "none"])
async def test_forged_requests_are_refused_and_not_quoted_in_the_log(
    slack: SlackServer, endpoint: str, intake, caplog: pytest.LogCaptureFixture, signature
) -> None:
    caplog.set_level(logging.DEBUG)
    message = slack.add("C1", "U1", f"<@{slack.bot_user}> SECRET-WORDS")
    answer = await slack.event(endpoint, slack.event_of("C1", message), signature=signature)
    assert answer.status == 401
    assert not intake.messages
    assert any(getattr(record, "action", "") == "slack_refused" for record in caplog.records)
    assert "SECRET-WORDS" not in caplog.text


async def test_no_text_is_logged_on_the_good_path_either(
    slack: SlackServer, endpoint: str, intake, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    intake.refuse = 1
    await slack.mention(endpoint, "SECRET-WORDS")
    await slack.command(endpoint, "SECRET-WORDS")
    assert "SECRET-WORDS" not in caplog.text
    assert slack.bot_token not in caplog.text


@pytest.mark.parametrize(("more", "status"), [(0, 200), (1, 413)])
async def test_a_request_larger_than_any_of_slacks_is_refused(
    slack: SlackServer, endpoint: str, intake, caplog: pytest.LogCaptureFixture, more: int, status: int
) -> None:
    event = slack.event_of("C1", slack.add("C1", "U1", f"<@{slack.bot_user}> SECRET-WORDS"))
    envelope = {"type": "event_callback", "team_id": slack.team, "event": event, "filling": ""}
    filling = listen._BODY_LIMIT - len(json.dumps(envelope)) + more
    answer = await slack.post(endpoint, json.dumps({**envelope, "filling": "x" * filling}))
    assert (answer.status, len(intake.messages)) == (status, int(status == 200))
    assert "SECRET-WORDS" not in caplog.text


async def test_the_address_is_verified(slack: SlackServer, endpoint: str) -> None:
    answer = await slack.post(endpoint, json.dumps({"type": "url_verification", "challenge": "c-123"}))
    assert (answer.status, "c-123" in answer.body) == (200, True)


async def test_buttons_and_other_events_are_acknowledged(slack: SlackServer, endpoint: str, intake) -> None:
    assert (await slack.event(endpoint, {"type": "reaction_added", "user": "U1"})).status == 200
    click = {"type": "block_actions", "user": {"id": "U1"}, "actions": [{"action_id": "a", "type": "button"}]}
    form = "payload=" + json.dumps(click)
    assert (await slack.post(endpoint, form, "application/x-www-form-urlencoded")).status == 200
    assert not intake.messages


async def test_a_direct_message_is_one_conversation(slack: SlackServer, endpoint: str, intake) -> None:
    await slack.message(endpoint, "안녕하세요", channel="D1")
    sent = await slack.message(endpoint, "in a thread", channel="D1", thread_ts="1.000001")
    await slack.message(endpoint, "and another thing", channel="D1")
    first, second, third = intake.messages
    assert (first.kind, first.private, first.key.thread_id) == (MessageKind.DIRECT, True, "D1")
    assert third.key == first.key and third.turn_id != first.turn_id
    assert (second.key.thread_id, second.message_id) == ("1.000001", sent.ts)  # of a message that nobody took


async def test_below_a_direct_message_the_conversation_goes_on(slack: SlackServer, endpoint: str, intake) -> None:
    asked = await slack.message(endpoint, "How many days?", channel="D1")
    await slack.message(endpoint, "and for contractors?", channel="D1", thread_ts=asked.ts)
    first, second = intake.messages
    assert second.key == first.key and second.kind is MessageKind.DIRECT
    assert place_of(first) == place_of(second) == replace(first.key, thread_id=asked.ts)
    [said] = [each for each in slack.messages("D1") if each["ts"] == asked.ts]
    root = {**said, "thread_ts": asked.ts}  # as Slack tells of a message with replies
    edited = {"user": "U1", "ts": slack.next_ts()}
    changed = {
        "type": "message", "subtype": "message_changed", "channel": "D1", "channel_type": "im", "ts": slack.next_ts(),
        "message": {**root, "text": "How many weeks?", "edited": edited}, "previous_message": root,
    }  # fmt: skip
    await slack.event(endpoint, changed)
    edit = intake.messages[-1]
    assert (edit.kind, edit.key, edit.turn_id) == (MessageKind.EDIT, first.key, first.turn_id)
    assert place_of(edit) == place_of(first)


async def test_follow_ups_are_taken_only_where_weft_takes_part(slack: SlackServer, endpoint: str, intake) -> None:
    asked = await slack.mention(endpoint, "First")
    await slack.message(endpoint, "and on Windows?", thread_ts=asked.ts)
    await slack.message(endpoint, "seen by all", thread_ts=asked.ts, subtype="thread_broadcast")
    elsewhere = await slack.message(endpoint, "people talking")
    await slack.message(endpoint, "to each other", thread_ts=elsewhere.ts)
    assert [(m.text, m.kind) for m in intake.messages] == [
        ("First", MessageKind.MENTION),
        ("and on Windows?", MessageKind.THREAD_REPLY),
        ("seen by all", MessageKind.THREAD_REPLY),
    ]
    assert {m.key.thread_id for m in intake.messages} == {asked.ts}


async def test_what_follows_a_message_that_may_still_come_is_kept(slack: SlackServer, endpoint: str, intake) -> None:
    root = slack.add("C1", "U1", f"<@{slack.bot_user}> First")  # Slack could not deliver it yet
    await slack.message(endpoint, "and then?", thread_ts=root["ts"])
    await slack.edit(endpoint, "C1", root["ts"], "First, without a call")
    await slack.delete(endpoint, "C1", root["ts"])
    assert [(m.kind, m.text) for m in intake.early] == [
        (MessageKind.THREAD_REPLY, "and then?"),
        (MessageKind.EDIT, "First, without a call"),
        (MessageKind.DELETE, ""),
    ]
    assert intake.early[1].edited > 0 and not intake.messages


async def test_of_what_cannot_follow_anything_nothing_is_kept(slack: SlackServer, endpoint: str, intake) -> None:
    chatter = slack.add("C1", "U1", "hello everybody")
    await slack.edit(endpoint, "C1", chatter["ts"], "hello you all")  # it never called Weft
    old = f"{time.time() - LATEST_DELIVERY - 60:.6f}"
    await slack.message(endpoint, "a reply to what was said long ago", thread_ts=old)
    deleted = {"type": "message", "subtype": "message_deleted", "channel": "C1", "ts": "9.1", "deleted_ts": old}
    await slack.event(endpoint, {**deleted, "previous_message": {"type": "message", "user": "U1", "ts": old}})
    assert not intake.early and not intake.messages


async def test_whom_a_message_calls_comes_along(slack: SlackServer, endpoint: str, intake) -> None:
    asked = await slack.mention(endpoint, "First")
    await slack.message(endpoint, "Thanks! <@U2> can you check this?", thread_ts=asked.ts)
    await slack.message(endpoint, "<!subteam^S1> please look", thread_ts=asked.ts)
    await slack.message(endpoint, f"<@U2> ask <@{slack.bot_user}> what it means", thread_ts=asked.ts)
    assert [(m.text, m.kind, m.calls) for m in intake.messages] == [
        ("First", MessageKind.MENTION, ()),
        ("Thanks! @Bob can you check this?", MessageKind.THREAD_REPLY, ("U2",)),
        ("@S1 please look", MessageKind.THREAD_REPLY, ("S1",)),
        ("@Bob ask what it means", MessageKind.MENTION, ("U2",)),
    ]
    assert {m.author.name for m in intake.messages} == {slack.users["U1"]}
    assert [m.addressed for m in intake.messages] == [True, False, False, True]


async def test_every_message_of_a_channel_is_heard_where_that_is_its_mode(slack, endpoint, intake) -> None:
    intake.all_heard.add("C2")
    await slack.message(endpoint, "not here?")
    said = await slack.message(endpoint, "but here?", channel="C2")
    [message] = intake.messages
    assert (message.text, message.kind, message.key.thread_id) == ("but here?", MessageKind.CHANNEL, said.ts)
    assert not message.addressed


async def test_nobody_is_looked_up_who_is_not_heard(slack, endpoint, intake) -> None:
    await slack.message(endpoint, "people <@U2> talking")
    assert not slack.called("users.info")


async def test_a_command_where_weft_is_off_is_told_so_and_nothing_else_happens(slack, endpoint, intake) -> None:
    intake.off.add("C1")
    sent = await slack.command(endpoint, "How many days?")
    assert say("off_here", "en") in sent.answers[0].body and not intake.messages


async def test_bots_and_housekeeping_are_ignored(slack: SlackServer, endpoint: str, intake) -> None:
    call = f"<@{slack.bot_user}> loop?"
    asked = await slack.mention(endpoint, "First")
    for more in (
        {"user": slack.bot_user},
        {"user": slack.bot_user, "bot_id": slack.bot_id},
        {"user": "U9", "bot_id": "B9"},
        {"user": "USLACKBOT"},
        {"subtype": "bot_message", "bot_id": "B9"},
        {"subtype": "channel_join"},
        {"subtype": "channel_topic"},
        {"hidden": True},
    ):
        answer = await slack.message(endpoint, call, **{"thread_ts": asked.ts, **more})
        assert answer.statuses == [200], more
    assert [m.text for m in intake.messages] == ["First"]


async def test_files_come_along(slack: SlackServer, endpoint: str, intake) -> None:
    file = {"id": "F1", "name": "plan.pdf", "mimetype": "application/pdf", "size": 9, "url_private": "https://f/1"}
    await slack.message(endpoint, "", channel="D1", subtype="file_share", files=[file])
    [attachment] = intake.messages[0].attachments
    assert (attachment.id, attachment.name, attachment.size) == ("F1", "plan.pdf", 9)
    assert (attachment.media_type, attachment.url) == ("application/pdf", "https://f/1")


async def test_an_edit_goes_to_the_turn_of_its_question(slack: SlackServer, endpoint: str, intake) -> None:
    asked = await slack.mention(endpoint, "Frist")
    await slack.edit(endpoint, "C1", asked.ts, f"<@{slack.bot_user}> First")
    question, edit = intake.messages
    assert (edit.kind, edit.text, edit.turn_id) == (MessageKind.EDIT, "First", question.turn_id)
    assert edit.event_id.startswith(question.event_id + ":edit:")
    assert edit.key == question.key


async def test_what_only_looks_like_an_edit_is_ignored(slack: SlackServer, endpoint: str, intake) -> None:
    asked = await slack.mention(endpoint, "First")
    text = f"<@{slack.bot_user}> First"
    await slack.edit(endpoint, "C1", asked.ts, text)  # unchanged, as after an unfurl
    message = {"type": "message", "user": "U1", "text": "other", "ts": asked.ts}
    event = {"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "9.1", "hidden": True}
    await slack.event(endpoint, {**event, "message": message, "previous_message": {**message, "text": text}})
    by_bot = {**message, "user": slack.bot_user, "edited": {"user": slack.bot_user, "ts": "9.2"}}
    await slack.event(endpoint, {**event, "message": by_bot, "previous_message": {**by_bot, "text": "…"}})
    assert [m.text for m in intake.messages] == ["First"]


async def test_a_mention_added_by_an_edit_is_a_question(slack: SlackServer, endpoint: str, intake) -> None:
    said = await slack.message(endpoint, "what about leave?")
    await slack.edit(endpoint, "C1", said.ts, f"<@{slack.bot_user}> what about leave?")
    [message] = intake.messages
    assert (message.kind, message.event_id) == (MessageKind.MENTION, f"slack:T1:C1:{said.ts}")


@pytest.mark.parametrize("tombstone", [False, True])
async def test_a_deletion_names_its_question(slack: SlackServer, endpoint: str, intake, tombstone: bool) -> None:
    asked = await slack.mention(endpoint, "First")
    await slack.delete(endpoint, "C1", asked.ts, tombstone=tombstone)
    question, deletion = intake.messages
    assert (deletion.kind, deletion.message_id, deletion.text) == (MessageKind.DELETE, asked.ts, "")
    assert (deletion.turn_id, deletion.key) == (question.turn_id, question.key)


async def test_deletions_elsewhere_and_of_our_own_are_ignored(slack: SlackServer, endpoint: str, intake) -> None:
    asked = await slack.mention(endpoint, "First")
    other = await slack.message(endpoint, "nothing to do with Weft")
    await slack.delete(endpoint, "C1", other.ts)
    ours = slack.add("C1", slack.bot_user, "an answer", asked.ts, bot_id=slack.bot_id)
    await slack.delete(endpoint, "C1", ours["ts"])
    assert [m.kind for m in intake.messages] == [MessageKind.MENTION]


async def test_a_name_that_does_not_come_leaves_the_id(slack: SlackServer, endpoint: str, intake) -> None:
    await slack.mention(endpoint, "Who is <@U404>?")
    slack.fail("users.info", drop=True, times=2)  # aiohttp tries a GET again by itself
    await slack.mention(endpoint, "Who is <@U2>?")
    assert [m.text for m in intake.messages] == ["Who is @U404?", "Who is @U2?"]


async def test_what_is_said_keeps_its_order_while_a_name_is_looked_up(
    slack: SlackServer, endpoint: str, intake
) -> None:
    slack.holds["users.info"] = asyncio.Event()
    first = asyncio.create_task(slack.mention(endpoint, "first, with <@U2>", twin=False))
    await slack.until(lambda: slack.called("users.info"))
    second = asyncio.create_task(slack.mention(endpoint, "second", twin=False))
    await asyncio.wait([second], timeout=0.1)
    slack.holds["users.info"].set()
    await asyncio.gather(first, second)
    assert [m.text for m in intake.messages] == ["first, with @Bob", "second"]


async def test_names_are_asked_for_once(slack: SlackServer, endpoint: str, intake) -> None:
    await asyncio.gather(*(slack.mention(endpoint, f"{n} <@U2>") for n in range(5)))
    assert all("@Bob" in m.text for m in intake.messages)
    assert sorted(call.args["user"] for call in slack.called("users.info")) == ["U1", "U2"]


async def test_a_slash_command_waits_for_its_thread(slack: SlackServer, endpoint: str, intake) -> None:
    sent = await slack.command(endpoint, "what does payload mean?")
    [message] = intake.messages
    assert (sent.statuses, sent.answers[0].body) == ([200], "")
    assert (message.kind, message.text) == (MessageKind.COMMAND, "what does payload mean?")
    assert (message.key.channel_id, message.key.thread_id, message.message_id) == ("C1", "", sent.ts)
    assert message.extra["response_url"].endswith(sent.ts)


async def test_a_slash_command_without_a_question_gets_a_hint(slack: SlackServer, endpoint: str, intake) -> None:
    sent = await slack.command(endpoint, "  ", command="/weft")
    assert sent.statuses == [200]
    assert "/weft How many days" in sent.answers[0].body
    assert not intake.messages


async def test_a_slash_command_that_could_not_be_stored_says_so(slack: SlackServer, endpoint: str, intake) -> None:
    intake.refuse = 1
    sent = await slack.command(endpoint, "휴가는 며칠인가요?")
    assert sent.statuses == [200]
    assert "잠시 후 다시" in sent.answers[0].body


async def test_without_a_signing_secret_nothing_is_served(make_adapter) -> None:
    assert make_adapter(signing_secret="").routes() == []

"""People ask in Slack, in Discord and in the browser; a real `weft serve` answers, also after it was killed."""

import asyncio
import contextlib
import json
import re
import shutil
import signal
import sqlite3
import uuid

import httpx
import pytest

from agent.language import say
from tests.servers.discord import DiscordServer
from tests.servers.discord_components import CONTAINER
from tests.servers.openai import OpenAIServer, obliging
from tests.servers.slack import SlackServer

QUESTION = "How many days of annual leave does a new employee get?"


@pytest.fixture
async def slack():
    async with SlackServer() as server:
        yield server


@pytest.fixture
async def discord():
    async with DiscordServer() as server:
        yield server


def slack_settings(slack: SlackServer, *, socket: bool = False) -> dict[str, str]:
    way = {"SLACK_APP_TOKEN": slack.app_token} if socket else {"SLACK_SIGNING_SECRET": slack.signing_secret}
    return {"SLACK_BOT_TOKEN": slack.bot_token, "SLACK_API_BASE_URL": slack.url, **way}


def discord_settings(discord: DiscordServer) -> dict[str, str]:
    return {
        "DISCORD_TOKEN": discord.token,
        "DISCORD_API_BASE_URL": discord.api_url,
        "DISCORD_GATEWAY_URL": discord.gateway_url,
    }


def shown(message: dict) -> str:
    """Return all that a Slack message says."""
    return json.dumps(message, ensure_ascii=False)


def no_lists(messages: list[dict]) -> list[dict]:
    """Return what Weft said; whether a turn lasts so long that it has a list depends on the machine."""
    titles = tuple(f"**{say(status, language)}**" for status in ("working", "done") for language in ("en", "ko"))
    slots = [m.get("metadata", {}).get("event_payload", {}).get("slot") for m in messages]
    return [
        m for m, slot in zip(messages, slots, strict=True)
        if slot != "progress" and not is_card(m) and not m.get("content", "").startswith(titles)
    ]  # fmt: skip


def is_card(message: dict) -> bool:
    """Tell whether a message of Discord is a container, as a list is."""
    return any(part.get("type") == CONTAINER for part in message.get("components") or ())


async def answers(slack: SlackServer, channel: str, thread: str, count: int = 1) -> list[dict]:
    """Wait until so many answers (messages with sources) stand in a Slack thread."""

    def look() -> list[dict]:
        found = [m for m in slack.bot_messages(channel, thread) if say("sources", "en") in shown(m)]
        return found if len(found) >= count else []

    return await slack.until(look)


async def test_slack_mention_follow_up_and_command(weft, slack, sampled):
    shutil.rmtree(sampled)  # this one is the first start
    process = await weft("serve", "--port", "0", **slack_settings(slack))
    endpoint = f"{process.url}/slack/events"
    sent = await slack.mention(endpoint, QUESTION)
    (answer,) = await answers(slack, "C1", sent.ts)
    assert "[1]" in shown(answer) and answer["thread_ts"] == sent.ts
    assert len(no_lists(slack.bot_messages("C1", sent.ts))) == 1

    again = await slack.message(endpoint, "and what about part-time employees?", thread_ts=sent.ts)
    assert set(again.statuses) == {200}
    await slack.until(lambda: len(no_lists(slack.bot_messages("C1", sent.ts))) == 2)

    await slack.message(endpoint, "lol same here", thread_ts=sent.ts, user="U2")
    await slack.command(endpoint, QUESTION)
    anchors = await slack.until(lambda: [m for m in slack.bot_messages("C1") if "annual leave does" in m["text"]])
    await answers(slack, "C1", anchors[0]["ts"])
    assert len(no_lists(slack.bot_messages("C1", sent.ts))) == 2  # nobody had asked Weft
    assert await process.end() == 0
    assert "annual leave does" not in process.log  # what people write is not in the log


async def test_slack_over_socket_mode_and_direct_messages(weft, slack):
    await weft("serve", "--port", "0", **slack_settings(slack, socket=True))
    await slack.until(lambda: slack.connections)
    sent = await slack.message(None, QUESTION, channel="D1")
    found = await slack.until(
        lambda: [m for m in slack.bot_messages("D1") if say("sources", "en") in shown(m)], timeout=60
    )
    assert found[0]["thread_ts"] == sent.ts


async def test_a_redelivered_event_is_answered_once_also_after_a_restart(weft, slack):
    process = await weft("serve", "--port", "0", **slack_settings(slack))
    sent = await slack.mention(f"{process.url}/slack/events", QUESTION)
    await answers(slack, "C1", sent.ts)
    await process.end()
    process = await weft("serve", "--port", "0", **slack_settings(slack))
    message = next(m for m in slack.messages("C1") if m["ts"] == sent.ts)
    event = slack.event_of("C1", message)
    assert (await slack.event(f"{process.url}/slack/events", event)).status == 200
    other = await slack.mention(f"{process.url}/slack/events", QUESTION)
    await answers(slack, "C1", other.ts)
    assert len(await answers(slack, "C1", sent.ts)) == 1


async def test_killed_in_the_middle_every_accepted_message_has_exactly_one_answer(weft, slack):
    process = await weft("serve", "--port", "0", **slack_settings(slack))
    endpoint = f"{process.url}/slack/events"
    gate = asyncio.Event()  # turns begin and cannot end
    slack.holds = {"chat.postMessage": gate, "chat.startStream": gate}
    sent = await asyncio.gather(*(slack.mention(endpoint, QUESTION, twin=False) for _ in range(5)))
    assert all(set(each.statuses) == {200} for each in sent)
    await slack.until(lambda: slack.called("chat.postMessage") or slack.called("chat.startStream"))
    await process.end(signal.SIGKILL)
    gate.set()
    slack.holds = {}
    await weft("serve", "--port", "0", **slack_settings(slack))
    for each in sent:
        await answers(slack, "C1", each.ts)
    for each in sent:
        assert len(await answers(slack, "C1", each.ts)) == 1
        assert len(no_lists(slack.bot_messages("C1", each.ts))) == 1
        await slack.until(lambda ts=each.ts: say("working", "en") not in shown(slack.bot_messages("C1", ts)))


async def test_an_edited_question_edits_its_answer_and_a_deleted_one_takes_it_away(weft, slack):
    process = await weft("serve", "--port", "0", **slack_settings(slack))
    endpoint = f"{process.url}/slack/events"
    sent = await slack.mention(endpoint, QUESTION)
    (answer,) = await answers(slack, "C1", sent.ts)
    new = f"<@{slack.bot_user}> How do I set up the VPN on Windows?"
    await slack.edit(endpoint, "C1", sent.ts, new)
    edited = await slack.until(
        lambda: [m for m in slack.bot_messages("C1", sent.ts) if say("updated", "en") in shown(m)], timeout=60
    )
    assert edited[0]["ts"] == answer["ts"]
    await slack.delete(endpoint, "C1", sent.ts)
    await slack.until(lambda: not slack.bot_messages("C1", sent.ts))


async def test_discord_mention_opens_a_thread_and_follow_ups_are_heard(weft, discord):
    await weft("serve", "--port", "0", **discord_settings(discord))
    await discord.until(lambda: discord.gateway.open_sessions)
    # A thread has the id of the message that it is made from.
    thread = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {QUESTION}")

    def answered(count: int):
        found = [m for m in discord.from_bot(thread) if say("sources", "en") in m["content"]]
        return found if len(found) >= count else []

    (answer,) = await discord.until(lambda: answered(1))
    assert "[1]" in answer["content"] and len(no_lists(discord.from_bot(thread))) == 1
    await discord.post(thread, discord.alice, "and how much can I carry over?")
    await discord.until(lambda: len(no_lists(discord.from_bot(thread))) >= 2)


async def test_the_browsers_interface_answers_over_its_stream(cold, weft):
    process = await weft("serve", "--port", "0")
    async with httpx.AsyncClient(base_url=process.url, timeout=60, trust_env=False) as client:
        body = {"text": QUESTION, "client_id": uuid.uuid4().hex}
        sent = (await client.post("/api/messages", json=body)).json()
        async with asyncio.timeout(240):
            while "inbox_done 1" not in (await client.get("/metrics")).text:
                await asyncio.sleep(0.05)
        posts = (await client.get(f"/api/threads/{sent['thread']}")).json()["posts"]
        assert [post["role"] for post in posts] == ["user", "todo", "answer"] and not posts[2].get("draft")


async def test_web_worker_and_clock_as_processes_of_their_own(weft, slack):
    web = await weft("web", "--port", "0", **slack_settings(slack))
    worker = await weft("worker", **slack_settings(slack))
    clock = await weft("clock")
    sent = await slack.mention(f"{web.url}/slack/events", QUESTION)
    await answers(slack, "C1", sent.ts)
    async with httpx.AsyncClient(base_url=web.url, timeout=60, trust_env=False) as client:
        body = {"text": QUESTION, "client_id": uuid.uuid4().hex}
        made = (await client.post("/api/messages", json=body)).json()
        async with asyncio.timeout(240):
            while len((await client.get(f"/api/threads/{made['thread']}")).json()["posts"]) < 3:
                await asyncio.sleep(0.05)
    second = await weft("clock")
    async with asyncio.timeout(240):
        while "stands by" not in second.log:
            await asyncio.sleep(0.05)
        assert await clock.end(signal.SIGKILL) == -signal.SIGKILL
        while "is the clock" not in second.log:
            await asyncio.sleep(0.05)
    assert [await each.end() for each in (worker, web, second)] == [0, 0, 0]


async def test_a_wrong_token_is_one_line(weft, slack):
    process = await weft("worker", **{**slack_settings(slack), "SLACK_BOT_TOKEN": "xoxb-wrong"})
    assert await process.ended() == 2
    assert "SLACK_BOT_TOKEN" in process.log and "Traceback" not in process.log and "xoxb-wrong" not in process.log


async def test_discord_command_and_direct_message(weft, discord):
    await weft("serve", "--port", "0", **discord_settings(discord))
    await discord.until(lambda: discord.gateway.open_sessions)
    command = await discord.slash(discord.general, discord.alice, QUESTION)
    await discord.until(lambda: command["state"] == "done")
    anchor = (await discord.until(lambda: discord.from_bot(discord.general)))[0]
    assert QUESTION in anchor["content"]
    # The thread made from the anchor has its id.
    await discord.until(lambda: [m for m in discord.from_bot(anchor["id"]) if say("sources", "en") in m["content"]])
    direct = await discord.dm(discord.alice)
    await discord.post(direct, discord.alice, "육아휴직 급여는 얼마나 나오나요?")
    (answer,) = await discord.until(
        lambda: [m for m in discord.from_bot(direct) if say("sources", "ko") in m["content"]]
    )
    assert "기본급" in answer["content"]


async def test_discord_and_worker_as_processes_of_their_own(weft, discord):
    gateway = await weft("discord", **discord_settings(discord))
    worker = await weft("worker", **discord_settings(discord))
    await discord.until(lambda: discord.gateway.open_sessions)
    thread = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {QUESTION}")
    await discord.until(lambda: [m for m in discord.from_bot(thread) if say("sources", "en") in m["content"]])
    assert [await each.end() for each in (gateway, worker)] == [0, 0]


async def test_discord_commands_are_answered_in_their_own_response_however_slow_discord_is(weft, discord):
    discord.callback_seconds, discord.late_webhook = 0.5, 2
    await weft("discord", **discord_settings(discord))
    await weft("worker", **discord_settings(discord))
    await discord.until(lambda: discord.gateway.open_sessions)
    commands = [await discord.slash(discord.general, discord.alice, QUESTION) for _ in range(10)]
    await discord.until(lambda: all(command["state"] == "done" for command in commands))
    anchors = {message["id"] for message in discord.from_bot(discord.general)}
    assert anchors == {command["message_id"] for command in commands}
    for anchor in anchors:
        await discord.until(lambda id=anchor: [m for m in discord.from_bot(id) if say("sources", "en") in m["content"]])
    for command in commands:  # nobody filled a response that was not there
        filled = [request.at for request in discord.sent("PATCH", "/webhooks") if command["token"] in request.path]
        assert min(filled) > command["answered_at"] and len(filled) == 3
    assert {message["id"] for message in discord.from_bot(discord.general)} == anchors


async def test_what_an_ingest_did_not_come_to_is_given_its_vector_while_weft_serves(weft, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "widget.md").write_text("# Widget\n\nThe default colour of the widget is teal.\n")
    ingesting = await weft("ingest", str(docs))  # with no embedding set
    assert await ingesting.ended() == 0
    async with OpenAIServer() as server:
        server.answer(obliging)
        named = {"OPENAI_BASE_URL": server.url, "WEFT_MODEL": "test-model", "WEFT_EMBEDDING_MODEL": "first"}
        serving = await weft("serve", "--port", "0", **named)
        async with asyncio.timeout(240):
            while not re.search(r"vectors: ([1-9]\d*) of \1 passages", serving.log):
                await asyncio.sleep(0.05)
        texts = [text for request in server.requests for text in request.body.get("input", ())]
        assert any("teal" in text for text in texts)


async def test_a_platform_that_refuses_its_token_does_not_end_the_others(weft, slack, discord):
    wrong = {**slack_settings(slack), "SLACK_BOT_TOKEN": "xoxb-old"}
    process = await weft("serve", "--port", "0", **wrong, **discord_settings(discord))
    await discord.until(lambda: discord.gateway.open_sessions)
    thread = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {QUESTION}")
    await discord.until(lambda: [m for m in discord.from_bot(thread) if say("sources", "en") in m["content"]])
    async with httpx.AsyncClient(base_url=process.url, timeout=60, trust_env=False) as client:
        health = (await client.get("/health")).json()
        figures = (await client.get("/metrics")).text
    assert health["status"] == "degraded"
    assert health["platforms"] == {"playground": "connected", "slack": "refused", "discord": "connected"}
    assert "weft_platform_up_slack 0" in figures and "weft_platform_up_discord 1" in figures
    assert "Slack refuses SLACK_BOT_TOKEN" in process.log and "xoxb-old" not in process.log
    await discord.until(lambda: "Discord: connected as weft in 1 server" in process.log)
    assert await process.end() == 0


async def test_a_token_that_socket_mode_refuses_does_not_end_the_others(weft, slack, discord):
    wrong = {**slack_settings(slack, socket=True), "SLACK_APP_TOKEN": "xapp-old"}
    process = await weft("serve", "--port", "0", **wrong, **discord_settings(discord))
    await discord.until(lambda: discord.gateway.open_sessions)
    thread = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {QUESTION}")
    await discord.until(lambda: [m for m in discord.from_bot(thread) if say("sources", "en") in m["content"]])
    assert "Slack refuses SLACK_APP_TOKEN" in process.log and "Slack: connected as weft" in process.log
    async with httpx.AsyncClient(base_url=process.url, timeout=60, trust_env=False) as client:
        assert (await client.get("/health")).json()["platforms"]["slack"] == "refused"


async def test_what_was_asked_while_a_token_was_refused_is_answered_with_the_next(weft, slack):
    process = await weft("serve", "--port", "0", **slack_settings(slack))
    for method in ("chat.postMessage", "chat.startStream"):
        slack.fail(method, status=200, error="token_revoked", times=99)
    sent = await slack.mention(f"{process.url}/slack/events", QUESTION)
    await slack.until(lambda: slack.called("chat.postMessage"))
    async with httpx.AsyncClient(base_url=process.url, timeout=60, trust_env=False) as client, asyncio.timeout(240):
        while (await client.get("/health")).json()["platforms"]["slack"] != "refused":
            await asyncio.sleep(0.05)
    await process.end()
    with contextlib.closing(sqlite3.connect(process.data / "inbox.db")) as inbox, inbox:
        inbox.execute("UPDATE inbox SET run_at=0")  # as half a minute later
    slack._faults.clear()
    slack.bot_token = "xoxb-new"
    await weft("serve", "--port", "0", **slack_settings(slack))
    await answers(slack, "C1", sent.ts)


async def test_discord_alone_ends_when_its_token_is_refused(weft, discord):
    process = await weft("discord", **{**discord_settings(discord), "DISCORD_TOKEN": "wrong"})
    assert await process.ended() == 2
    assert "Discord refuses DISCORD_TOKEN" in process.log

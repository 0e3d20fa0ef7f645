"""A running Weft gives each place what its readers may read, and follows when that is changed."""

import asyncio
import json
import uuid

import httpx
import pytest
from click.testing import CliRunner

from adapters.drafts import GOES_ON
from bot.cli import main
from tests.e2e.test_serve import no_lists
from tests.servers.discord import DiscordServer
from tests.servers.slack import SlackServer

QUESTION = "What is the monthly salary of grade seven?"
FACT, TITLE = "7,100 euros", "Zebra pay scale"
DOCUMENT = (
    f"# {TITLE}\n\nThe monthly salary of grade seven is {FACT}. The monthly salary of grade eight is 8,200 euros.\n"
)


@pytest.fixture
def operate(sampled):
    """Run an operator's command beside the running Weft."""

    async def run(*args: str) -> str:
        result = await asyncio.to_thread(CliRunner().invoke, main, [*args, "--data", str(sampled)])
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


@pytest.fixture
async def pay(operate, tmp_path):
    """Store a document in the collection `hr`, which nobody may read yet."""
    (tmp_path / "pay.md").write_text(DOCUMENT)
    await operate("collections", "create", "hr", "--readers", "nobody")
    await operate("ingest", str(tmp_path / "pay.md"), "--collection", "hr")


def whole(messages: list[dict]) -> list[dict]:
    """Return the messages once none of them is a draft."""
    return [] if GOES_ON.strip() in json.dumps(messages, ensure_ascii=False) else messages


def told(messages: list[dict]) -> bool:
    text = json.dumps(messages, ensure_ascii=False)
    assert (FACT in text) == (TITLE in text)  # not even a title is told
    return FACT in text


async def test_slack_places_and_people_read_their_own(weft, operate, pay):
    async with SlackServer() as slack:
        slack.channels["D2"] = True
        process = await weft(
            "serve", "--port", "0",
            SLACK_BOT_TOKEN=slack.bot_token, SLACK_API_BASE_URL=slack.url, SLACK_SIGNING_SECRET=slack.signing_secret,
        )  # fmt: skip
        endpoint = f"{process.url}/slack/events"

        def said() -> bool:
            """Say whether nothing is being written: on a busy machine an answer comes in pieces."""
            return not slack.open_streams

        async def mention(channel: str, text: str = QUESTION, **more) -> tuple[bool, str]:
            sent = await slack.mention(endpoint, text, channel=channel, **more)
            thread = more.get("thread_ts", sent.ts)
            before = 0 if thread == sent.ts else 1
            found = await slack.until(
                lambda: said() and (m := no_lists(slack.bot_messages(channel, thread))[before:]) and whole(m)
            )
            return told(found), thread

        async def direct(channel: str, user: str) -> bool:
            count = len(no_lists(slack.bot_messages(channel)))
            await slack.message(endpoint, QUESTION, channel=channel, user=user)
            return told(await slack.until(lambda: said() and whole(no_lists(slack.bot_messages(channel))[count:])))

        await operate("collections", "readers", "hr", "--set", "channel:slack:T1:C1", "group:finance")
        may, thread = await mention("C1")
        assert may and not (await mention("C2"))[0] and not await direct("D1", "U1")
        await operate("groups", "add", "finance", "user:slack:T1:U1")
        assert await direct("D1", "U1") and not await direct("D2", "U2")
        assert not (await mention("C2", user="U1"))[0]  # the others in that channel may not
        await operate("collections", "readers", "hr", "--remove", "channel:slack:T1:C1")
        assert not (await mention("C1", "and of grade eight?", thread_ts=thread))[0]
        assert FACT not in process.log


async def test_discord_people_read_their_own_in_direct_messages(weft, operate, pay):
    async with DiscordServer() as discord:
        await operate("collections", "readers", "hr", "--set", f"user:discord:{discord.guild_id}:{discord.alice}")
        await weft(
            "serve", "--port", "0",
            DISCORD_TOKEN=discord.token, DISCORD_API_BASE_URL=discord.api_url, DISCORD_GATEWAY_URL=discord.gateway_url,
        )  # fmt: skip
        await discord.until(lambda: discord.gateway.open_sessions)
        channel = await discord.dm(discord.alice)
        await discord.post(channel, discord.alice, QUESTION)
        assert told(await discord.until(lambda: whole(no_lists(discord.from_bot(channel)))))
        thread = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {QUESTION}")
        assert not told(await discord.until(lambda: (m := no_lists(discord.from_bot(thread))) and whole(m)))


async def test_the_page_opens_no_passage_that_was_closed(weft, operate, pay):
    await operate("collections", "readers", "hr", "--set", "workspace:playground:local")
    process = await weft("serve", "--port", "0")
    async with httpx.AsyncClient(base_url=process.url, timeout=60, trust_env=False) as client:

        async def ask() -> bool:
            sent = (await client.post("/api/messages", json={"text": QUESTION, "client_id": uuid.uuid4().hex})).json()
            async with asyncio.timeout(240):
                while True:
                    posts = (await client.get(f"/api/threads/{sent['thread']}")).json()["posts"]
                    if len(posts) >= 3 and not any(post.get("draft") for post in posts):
                        return told(posts)
                    await asyncio.sleep(0.05)

        passage = {"passage_id": "pay.md#0", "collection": "hr"}
        assert await ask()
        assert FACT in (await client.get("/api/passages", params=passage)).text
        await operate("collections", "readers", "hr", "--set", "workspace:slack:T1")
        assert not await ask()
        closed = await client.get("/api/passages", params=passage)
        assert closed.status_code == 404 and FACT not in closed.text


async def test_threads_of_the_console_are_not_each_others_history(operate, pay):
    await operate("collections", "readers", "hr", "--set", "user:console:local:kim")

    async def ask(text: str, *who: str) -> str:
        return await operate("ask", text, "--thread", "T", *who, "--json")

    assert FACT in await ask(QUESTION, "--as", "kim")
    for who in (("--as", "lee"), ("--as", "kim", "--channel", "all"), ("--channel", "all")):
        for text in ("what did you say before?", "and of grade eight?", QUESTION):
            said = await ask(text, *who)
            assert FACT not in said and TITLE not in said
    assert FACT in await ask(QUESTION)  # the operator

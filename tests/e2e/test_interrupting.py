"""Questions edited and deleted while a model thinks about them, by processes that only share a folder."""

import asyncio
import signal

import pytest

from adapters.drafts import GOES_ON
from agent.language import say
from tests.e2e.test_serve import answers, discord_settings, no_lists, shown, slack_settings
from tests.servers.discord import DiscordServer
from tests.servers.openai import OpenAIServer, obliging
from tests.servers.slack import SlackServer

OLD = "How many days of annual leave does a new employee get?"
NEW = "How do I set up the VPN on Windows?"


@pytest.fixture
async def thinking():
    """A model that answers what is not about `OLD`, and thinks about that until `free` is set."""
    async with OpenAIServer() as model:
        model.answer(obliging)
        model.free, model.asked = asyncio.Event(), asyncio.Event()

        async def before_chat(request):
            if "annual leave" in request.text and "VPN" not in request.text:
                model.asked.set()
                await model.free.wait()

        model.before_chat = before_chat
        yield model
        model.free.set()


def settings(model: OpenAIServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "sk-test"}


async def test_slack_deleted_and_edited_while_the_worker_thinks(weft, thinking):
    async with SlackServer() as slack, asyncio.timeout(240):
        web = await weft("web", "--port", "0", **slack_settings(slack), **settings(thinking))
        await weft("worker", **slack_settings(slack), **settings(thinking))
        endpoint = f"{web.url}/slack/events"
        deleted, edited = await slack.mention(endpoint, OLD), await slack.mention(endpoint, OLD)
        await slack.until(lambda: slack.bot_messages("C1", deleted.ts) and slack.bot_messages("C1", edited.ts))
        await thinking.asked.wait()
        await slack.delete(endpoint, "C1", deleted.ts)
        await slack.edit(endpoint, "C1", edited.ts, f"<@{slack.bot_user}> {NEW}")
        await slack.until(lambda: not slack.bot_messages("C1", deleted.ts))
        (answer,) = await answers(slack, "C1", edited.ts)
        assert "VPN" in shown(answer) and say("updated", "en") not in shown(answer)
        thinking.free.set()
        await answers(slack, "C1", (await slack.mention(endpoint, OLD)).ts)
        assert not slack.bot_messages("C1", deleted.ts)
        assert len(no_lists(slack.bot_messages("C1", edited.ts))) == 1
        posted = [call.args.get("text", "") for call in slack.called("chat.postMessage")]
        assert not [text for text in posted if say("turn_stopped", "en") in text]


async def test_slack_a_killed_worker_leaves_an_edit_and_a_deletion_to_the_next(weft, thinking):
    async with SlackServer() as slack, asyncio.timeout(240):
        web = await weft("web", "--port", "0", **slack_settings(slack), **settings(thinking))
        worker = await weft("worker", **slack_settings(slack), **settings(thinking))
        endpoint = f"{web.url}/slack/events"
        deleted, edited = await slack.mention(endpoint, OLD), await slack.mention(endpoint, OLD)
        await slack.until(lambda: slack.bot_messages("C1", deleted.ts) and slack.bot_messages("C1", edited.ts))
        await thinking.asked.wait()
        await worker.end(signal.SIGKILL)
        await slack.delete(endpoint, "C1", deleted.ts)
        await slack.edit(endpoint, "C1", edited.ts, f"<@{slack.bot_user}> {NEW}")
        await weft("worker", **slack_settings(slack), **settings(thinking))
        (answer,) = await answers(slack, "C1", edited.ts)
        assert "VPN" in shown(answer) and len(no_lists(slack.bot_messages("C1", edited.ts))) == 1
        await slack.until(lambda: not slack.bot_messages("C1", deleted.ts))


async def test_slack_delivers_a_deletion_and_a_reply_before_what_they_follow(weft):
    async with SlackServer() as slack, asyncio.timeout(240):
        process = await weft("serve", "--port", "0", **slack_settings(slack))
        endpoint = f"{process.url}/slack/events"
        gone = slack.add("C1", "U1", f"<@{slack.bot_user}> {OLD}")
        root = slack.add("C1", "U1", f"<@{slack.bot_user}> {OLD}")
        late = [slack.event_of("C1", each) for each in (gone, root)]
        await slack.delete(endpoint, "C1", gone["ts"])
        await slack.message(endpoint, "and how many can I carry over?", thread_ts=root["ts"])
        for event in late:  # Slack's second delivery
            assert (await slack.event(endpoint, event)).status == 200
        await slack.until(lambda: len(no_lists(slack.bot_messages("C1", root["ts"]))) >= 2)
        assert not slack.bot_messages("C1", gone["ts"])


async def test_discord_deleted_and_edited_while_the_worker_thinks(weft, thinking):
    async with DiscordServer() as discord, asyncio.timeout(240):
        await weft("discord", **discord_settings(discord), **settings(thinking))
        await weft("worker", **discord_settings(discord), **settings(thinking))
        await discord.until(lambda: discord.gateway.open_sessions)
        call = f"<@{discord.bot}> "
        deleted = await discord.post(discord.general, discord.alice, call + OLD)
        edited = await discord.post(discord.general, discord.bob, call + OLD)
        await discord.until(lambda: discord.from_bot(deleted) and discord.from_bot(edited))
        await thinking.asked.wait()
        await discord.delete(discord.general, deleted)
        await discord.edit(discord.general, edited, call + NEW)
        await discord.until(lambda: not discord.from_bot(deleted))

        def answered():
            told = [m["content"] for m in discord.from_bot(edited)]
            return [text for text in told if say("sources", "en") in text and GOES_ON.strip() not in text]

        (answer,) = await discord.until(answered)
        assert "VPN" in answer and say("updated", "en") not in answer
        assert len(no_lists(discord.from_bot(edited))) == 1 and not discord.from_bot(deleted)

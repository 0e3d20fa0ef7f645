"""What a question points at, read by a worker that has no gateway and hears nothing itself."""

import asyncio

from agent.language import say
from tests.e2e.test_serve import answers, discord_settings, slack_settings
from tests.servers.discord import DiscordServer
from tests.servers.slack import SlackServer

WRONG = "You have 12 paid days of sick leave a year."


async def test_discord_what_one_process_hears_another_reads(weft):
    async with DiscordServer() as discord, asyncio.timeout(240):
        await weft("discord", **discord_settings(discord))
        await weft("worker", **discord_settings(discord))
        await discord.until(lambda: discord.gateway.open_sessions)
        said = await discord.post(discord.random, discord.bob, WRONG)
        link = f"https://discord.com/channels/{discord.guild_id}/{discord.random}/{said}"
        question = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> is this correct? {link}")
        told = lambda: [m["content"] for m in discord.from_bot(question) if say("sources", "en") in m["content"]]  # noqa: E731
        [answer] = await discord.until(told)
        assert say("check_differs", "en") in answer and "bob" in answer and "10 paid days" in answer


async def test_slack_what_one_process_hears_another_reads(weft):
    async with SlackServer() as slack, asyncio.timeout(240):
        web = await weft("web", "--port", "0", **slack_settings(slack))
        worker = await weft("worker", **slack_settings(slack))
        root = slack.add("C1", "U2", WRONG)["ts"]
        await slack.mention(f"{web.url}/slack/events", "is that correct?", thread_ts=root)
        [answer] = await answers(slack, "C1", root)
        assert say("check_differs", "en") in str(answer) and "Bob" in str(answer) and "10 paid days" in str(answer)
        assert "12 paid days" not in web.log + worker.log

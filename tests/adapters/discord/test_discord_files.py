"""Files on Discord: heard with their message, fetched from the CDN without a token."""

from dataclasses import replace

import pytest
from aiohttp import web

from agent.errors import AttachmentError
from tests.contracts.attachments import DATA, FetchContract
from tests.servers.web import WebServer, text


@pytest.fixture
def offer(discord, listening, intake):
    async def offer(data: bytes, name: str):
        known = len(intake.messages)
        await discord.post(
            discord.general, discord.alice, f"<@{discord.bot}> what is it?", attachments=[discord.attach(data, name)]
        )
        await discord.until(lambda: len(intake.messages) > known)
        message = intake.messages[-1]
        return message, message.attachments[0]

    return offer


@pytest.fixture
def withdraw(discord):
    async def withdraw(attachment):
        del discord.files[attachment.id]

    return withdraw


class TestDiscordFetch(FetchContract):
    pass


async def refusal(adapter, message, attachment) -> str:
    with pytest.raises(AttachmentError) as caught:
        await adapter.fetch(message, attachment, most=100_000)
    return caught.value.reason


async def test_no_token_is_sent_and_no_other_host_is_asked(discord, adapter, offer):
    message, attachment = await offer(DATA, "a.csv")
    async with WebServer() as other:
        other.pages["/a"] = text("x")
        for address in (
            other.url("/a"),
            "https://cdn.discordapp.com.example.org/attachments/1/2/a.csv",
            "http://cdn.discordapp.com/attachments/1/2/a.csv",
            "https://cdn.discordapp.com:8443/attachments/1/2/a.csv",
            "file:///etc/passwd",
            "",
        ):
            assert await refusal(adapter, message, replace(attachment, url=address)) == "elsewhere"
        assert other.requests == []
    await adapter.fetch(message, attachment, most=100_000)
    assert [shown for _, shown in discord.downloads] == [""]


async def test_an_address_that_is_over_is_asked_for_anew(discord, adapter, offer):
    message, attachment = await offer(DATA, "a.csv")
    discord.signed = "ex=2"
    stored = discord._messages[discord.general][message.message_id]
    stored["attachments"][0]["url"] = attachment.url.replace("ex=1", "ex=2")
    assert await adapter.fetch(message, attachment, most=100_000) == DATA


async def test_a_file_of_a_deleted_message_is_gone(discord, adapter, offer):
    message, attachment = await offer(DATA, "a.csv")
    discord.signed = "ex=2"
    await discord.delete(discord.general, message.message_id)
    assert await refusal(adapter, message, attachment) == "gone"


async def test_redirects_and_outages(discord, adapter, offer):
    message, attachment = await offer(DATA, "a.csv")
    discord.file_faults += [web.Response(status=503)]
    assert await adapter.fetch(message, attachment, most=100_000) == DATA
    discord.file_faults += [web.Response(status=500) for _ in range(3)]
    assert await refusal(adapter, message, attachment) == "away"
    async with WebServer() as other:
        discord.file_faults.append(web.Response(status=302, headers={"Location": other.url("/")}))
        assert await refusal(adapter, message, attachment) == "gone"
        assert other.requests == []

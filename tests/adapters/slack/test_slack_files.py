"""Files on Slack: heard with their message, fetched with the token, which nobody else gets."""

import logging
from dataclasses import replace

import pytest
from aiohttp import web

from agent.errors import AttachmentError
from agent.types import Attachment, MessageKind
from tests.contracts.attachments import DATA, FetchContract
from tests.servers.web import WebServer, text


@pytest.fixture
def offer(slack, endpoint, intake):
    async def offer(data: bytes, name: str, media_type: str = "", *, direct: bool = True, **more):
        message = slack.add(
            "D1", "U1", "What is it?", files=[slack.attach(data, name, media_type, **more)], subtype="file_share"
        )
        answer = await slack.event(endpoint, slack.event_of("D1", message))
        assert answer.status == 200
        heard = intake.messages[-1]
        return heard, heard.attachments[0]

    return offer


@pytest.fixture
def withdraw(slack):
    async def withdraw(attachment):
        del slack.files[attachment.id]

    return withdraw


class TestSlackFetch(FetchContract):
    pass


async def refusal(adapter, message, attachment, most=100_000) -> AttachmentError:
    with pytest.raises(AttachmentError) as caught:
        await adapter.fetch(message, attachment, most=most)
    assert "xoxb" not in str(caught.value)
    return caught.value


async def test_a_message_with_files_is_heard_wherever_it_is_written(slack, endpoint, intake):
    shared = {"subtype": "file_share", "files": [slack.attach(DATA, "a.csv", "text/csv")]}
    sent = await slack.mention(endpoint, "How many rows?", **shared)
    reply = slack.add("C1", "U2", "", sent.ts, **shared)
    await slack.event(endpoint, slack.event_of("C1", reply))
    assert [m.kind for m in intake.messages] == [MessageKind.MENTION, MessageKind.THREAD_REPLY]
    assert all(m.attachments[0].name == "a.csv" and m.attachments[0].size == len(DATA) for m in intake.messages)


@pytest.mark.parametrize("scope", [False, "page"])
async def test_a_login_page_tells_that_the_scope_is_missing(slack, adapter, offer, scope):
    message, attachment = await offer(b"a,b\n", "a.csv", "text/csv")
    slack.may_read_files = scope
    error = await refusal(adapter, message, attachment)
    assert error.reason == "closed" and (scope is False or "files:read" in str(error))


async def test_a_page_that_somebody_attached_is_no_login_page(adapter, offer):
    page = b"<!DOCTYPE html><html><p>Our rules</p></html>"
    message, attachment = await offer(page, "rules.html", "text/html")
    assert await adapter.fetch(message, attachment, most=1_000) == page


async def test_the_token_goes_to_slack_alone(slack, adapter, offer, caplog):
    caplog.set_level(logging.DEBUG)
    message, attachment = await offer(DATA, "a.csv")
    async with WebServer() as other:
        other.pages["/a"] = text("stolen")
        port = slack.root.rpartition(":")[2]
        for address in (
            other.url("/a"),
            f"{slack.root}@127.0.0.1:{other.port}/a",
            f"http://localhost:{port}/files-pri/T1-F1/a.csv",
            f"https://127.0.0.1:{port}/files-pri/T1-F1/a.csv",
            "https://files.slack.com.example.org/files-pri/T1-F1/a.csv",
            "http://files.slack.com/files-pri/T1-F1/a.csv",
            "file:///etc/passwd",
            "https://[",
        ):
            error = await refusal(adapter, message, replace(attachment, url=address))
            assert error.reason == "elsewhere"
        assert other.requests == []
    assert slack.downloads == [] and slack.bot_token not in caplog.text
    await adapter.fetch(message, attachment, most=100_000)
    assert slack.downloads == [f"Bearer {slack.bot_token}"]


async def test_a_redirect_is_not_followed(slack, adapter, offer):
    message, attachment = await offer(DATA, "a.csv")
    async with WebServer() as other:
        slack.file_faults.append(web.Response(status=302, headers={"Location": other.url("/a")}))
        assert (await refusal(adapter, message, attachment)).reason == "closed"
        assert other.requests == []


async def test_only_an_id_is_known_of_a_file_in_a_shared_channel(slack, adapter, offer):
    message, attachment = await offer(DATA, "a.csv")
    bare = Attachment(id=attachment.id, name="")
    assert await adapter.fetch(message, bare, most=100_000) == DATA
    assert (await refusal(adapter, message, replace(bare, id="F99"))).reason == "gone"
    slack.files[attachment.id] |= {"is_external": True}
    assert (await refusal(adapter, message, bare)).reason == "elsewhere"


async def test_an_outage_is_waited_out_for_a_while(slack, adapter, offer):
    message, attachment = await offer(DATA, "a.csv")
    slack.file_faults += [web.Response(status=503), web.Response(status=429, headers={"Retry-After": "0"})]
    assert await adapter.fetch(message, attachment, most=100_000) == DATA
    slack.file_faults += [web.Response(status=500) for _ in range(3)]
    assert (await refusal(adapter, message, attachment)).reason == "away"


async def test_a_size_that_is_not_told_is_bounded_all_the_same(adapter, offer):
    message, attachment = await offer(DATA * 100, "a.bin", announced=False)
    assert (await refusal(adapter, message, attachment, most=5_000)).reason == "too_large"

"""Tokens, errors of Slack's in our words, and Socket Mode."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack import api
from adapters.slack.adapter import SlackAdapter
from agent.errors import (
    ClosedError,
    DeliveryError,
    GoneError,
    RateLimitedError,
    SettingsError,
    TokenError,
    UnreachableError,
)
from tests.servers.slack import SlackServer


async def test_a_wrong_bot_token_names_the_setting(make_adapter) -> None:
    with pytest.raises(SettingsError, match="SLACK_BOT_TOKEN") as refused:
        await make_adapter(bot_token="xoxb-wrong").connect()
    assert "\n" not in str(refused.value)
    assert "xoxb-wrong" not in str(refused.value)


async def test_a_wrong_app_token_names_the_setting(make_adapter, intake) -> None:
    with pytest.raises(SettingsError, match="SLACK_APP_TOKEN"):
        await make_adapter(app_token="xapp-wrong").listen(intake)


async def test_connecting_waits_for_slack(slack: SlackServer, make_adapter) -> None:
    slack.fail("auth.test", status=503, times=2)
    await make_adapter().connect()


async def test_slack_out_of_reach_is_no_wrong_setting(slack: SlackServer, make_adapter) -> None:
    slack.fail("auth.test", status=503, times=99)
    with pytest.raises(DeliveryError):
        await make_adapter().connect()


KINDS = {
    **dict.fromkeys(sorted(api.GONE - {"edit_window_closed"}), GoneError),
    **dict.fromkeys(sorted(api.CLOSED), ClosedError),
    **dict.fromkeys(sorted(api.BAD_TOKEN), TokenError),
    **dict.fromkeys(sorted(api.BAD_BLOCKS), api.BlocksRefusedError),
    **dict.fromkeys(sorted(api.LIMITED), RateLimitedError),
    **dict.fromkeys(sorted(api.OUTAGES), UnreachableError),
    "edit_window_closed": api.EditClosedError,
    "msg_too_long": DeliveryError,
    "no_text": DeliveryError,
    "missing_scope": TokenError,
    "something_new": DeliveryError,
}


@pytest.mark.parametrize("code", KINDS)
def test_every_error_has_its_kind(code: str) -> None:
    with pytest.raises(DeliveryError) as raised, api.slack_errors("chat.postMessage"):
        raise SlackApiError("failed", answer(200, {"ok": False, "error": code}))
    assert type(raised.value) is KINDS[code]
    assert code in str(raised.value)


def test_a_scope_that_only_extras_need_is_no_wrong_token() -> None:
    with pytest.raises(DeliveryError) as raised, api.slack_errors("conversations.replies"):
        raise SlackApiError("failed", answer(200, {"ok": False, "error": "missing_scope"}))
    assert type(raised.value) is DeliveryError


@pytest.mark.parametrize(
    ("status", "data", "kind"),
    [
        (429, {}, RateLimitedError),
        (500, {}, UnreachableError),
        (502, "<html>", UnreachableError),
        (200, {}, UnreachableError),
    ],
)
def test_answers_without_a_code(status: int, data: object, kind: type) -> None:
    with pytest.raises(kind), api.slack_errors("chat.postMessage"):
        raise SlackApiError("failed", answer(status, data))


@pytest.mark.parametrize("after", ["soon", "3", None])
def test_how_long_to_wait(after: str | None) -> None:
    with pytest.raises(RateLimitedError) as raised, api.slack_errors("chat.postMessage"):
        raise SlackApiError("failed", answer(429, {}, {"Retry-After": after} if after else {}))
    assert raised.value.retry_after == (3 if after == "3" else 1)


def answer(status: int, data: object, headers: dict[str, str] | None = None) -> AsyncSlackResponse:
    return AsyncSlackResponse(
        client=None, http_verb="POST", api_url="u", req_args={}, data=data, headers=headers or {}, status_code=status
    )


@contextlib.asynccontextmanager
async def listening(adapter: SlackAdapter, intake) -> AsyncIterator[None]:
    task = asyncio.create_task(adapter.listen(intake))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_socket_mode_takes_questions_and_commands(slack: SlackServer, make_adapter, intake) -> None:
    adapter = make_adapter(app_token=slack.app_token, signing_secret="", ping_interval=1.0)
    async with listening(adapter, intake):
        assert (await slack.mention(None, "First")).statuses == [200, 200]
        assert (await slack.command(None, "Second")).statuses == [200]
        hint = await slack.command(None, "")
        assert "/ask" in hint.answers[0].body
    assert [m.text for m in intake.messages] == ["First", "Second"]
    assert not slack.sockets


async def test_socket_mode_acknowledges_only_what_is_stored(slack: SlackServer, make_adapter, intake) -> None:
    adapter = make_adapter(app_token=slack.app_token, ping_interval=1.0)
    async with listening(adapter, intake):
        intake.gate = asyncio.Event()
        asking = asyncio.create_task(slack.mention(None, "First", twin=False))
        await asyncio.wait_for(intake.waiting.wait(), 60)
        assert not slack.acks
        intake.gate.set()
        assert (await asking).statuses == [200]
        intake.refuse = 1
        said = slack.add("C1", "U1", f"<@{slack.bot_user}> Second")
        refused = await slack.event(None, slack.event_of("C1", said), timeout=0.5)
        assert refused.status == 0
        assert (await slack.event(None, slack.event_of("C1", said))).status == 200
    assert [m.text for m in intake.messages] == ["First", "Second"]


@pytest.mark.parametrize("how", ["close_sockets", "refresh_sockets"])
async def test_socket_mode_comes_back(slack: SlackServer, make_adapter, intake, how: str) -> None:
    adapter = make_adapter(app_token=slack.app_token, ping_interval=1.0)
    async with listening(adapter, intake):
        assert (await slack.mention(None, "First")).statuses == [200, 200]
        await getattr(slack, how)()
        await slack.until(lambda: slack.connections == 2 and len(slack.sockets) == 1)
        assert (await slack.mention(None, "Second")).statuses == [200, 200]
    assert [m.text for m in intake.messages] == ["First", "Second"]


async def test_without_an_app_token_listening_only_binds(slack: SlackServer, adapter, intake, serve) -> None:
    async with listening(adapter, intake):
        endpoint = await serve(adapter)
        assert (await slack.mention(endpoint, "First", twin=False)).statuses == [200]
    assert not slack.called("apps.connections.open")

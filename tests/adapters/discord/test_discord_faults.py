"""What goes wrong between Weft and Discord, and what then happens."""

import asyncio
import logging
import time
from json import JSONDecodeError

import aiohttp
import discord as sdk
import pytest
from discord.gateway import KeepAliveHandler

from adapters.contract import TodoList
from adapters.discord.adapter import DiscordAdapter
from adapters.discord.errors import translated
from agent.errors import (
    ClosedError,
    DeliveryError,
    GoneError,
    RateLimitedError,
    SettingsError,
    TokenError,
    UnreachableError,
    WeftError,
)
from tests.servers.discord_components import text_of

CREATE = r"/channels/\d+/messages$"


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 429, "retry_after": 0.02},
        {"status": 503},
        {"drop": True},
        {"drop": True, "after": True},  # Discord took it, and the answer was lost
    ],
    ids=["429", "503", "dropped", "dropped after it took effect"],
)
async def test_the_final_answer_arrives_once(discord, adapter, deliveries, ask, response, fault):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await adapter.open_thread(question, deliveries)
    discord.fault("POST", CREATE, times=2, **fault)
    await reply.finish(response())
    discord.fault("PATCH", r"/channels/\d+/messages/\d+", times=2, **fault)
    await reply.finish(response("New words."))
    assert [message["content"] for message in discord.messages(question.message_id)] == ["New words."]
    assert not discord.faults


async def test_threads_and_anchors_are_made_in_spite_of_faults(discord, adapter, deliveries, ask):
    question = await ask()
    discord.fault("POST", r".*/threads$", status=503)
    discord.fault("POST", r".*/threads$", drop=True, after=True)
    await adapter.open_thread(question, deliveries)
    assert question.message_id in discord.channels


async def test_patience_ends(discord, make, deliveries, ask, response):
    adapter = make(patience=(0.01,))
    await adapter.connect()
    question = await ask()
    await adapter.open_thread(question, deliveries)
    discord.fault("POST", CREATE, times=2, status=503)
    with pytest.raises(UnreachableError, match="503"):
        await adapter.reply(question, deliveries).finish(response())
    await adapter.reply(question, deliveries).finish(response())
    assert len(discord.messages(question.message_id)) == 1


async def test_an_update_of_the_plan_does_not_wait_for_better_times(discord, adapter, deliveries, ask):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.show(TodoList(steps=(), language="en"))
    discord.fault("PATCH", r"/channels/\d+/messages/\d+", times=1, status=503)
    with pytest.raises(UnreachableError):
        await reply.show(TodoList(steps=(), language="ko"))
    discord.fault("PATCH", r"/channels/\d+/messages/\d+", times=1, status=503)
    await reply.show(TodoList(steps=(), language="ko", status="done"))
    assert [text_of(m) for m in discord.messages(question.message_id)] == ["**완료**"]


async def test_a_wrong_token_is_told_in_one_line(discord, make):
    with pytest.raises(SettingsError, match="DISCORD_TOKEN") as caught:
        await make(token="wrong").connect()
    assert "\n" not in str(caught.value)
    assert "developer portal" in str(caught.value)
    with pytest.raises(SettingsError, match="DISCORD_TOKEN"):
        DiscordAdapter(token=" ")


async def test_nobody_at_the_address(make, unused_tcp_port):
    with pytest.raises(UnreachableError, match="could not be reached"):
        await make(api_base_url=f"http://127.0.0.1:{unused_tcp_port}/api/v10").connect()


async def test_a_token_that_is_reset_while_listening(discord, make, listen, intake):
    adapter = make()
    await adapter.connect()
    discord.gateway.token = "another"
    with pytest.raises(SettingsError, match="DISCORD_TOKEN"):
        await adapter.listen(intake)


async def test_an_intent_that_is_switched_off_is_named(discord, make, listen, intake):
    discord.gateway.refuse_intents = 1 << 15
    with pytest.raises(SettingsError, match=r"Message Content Intent.*WEFT_DISCORD_MESSAGE_CONTENT"):
        await make().listen(intake)
    await listen(make(message_content=False))


async def test_another_api_names_its_gateway(discord, make, listen, intake):
    await listen(make(gateway_url=""))
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> hello")
    await discord.until(lambda: intake.messages)


async def test_commands_that_cannot_be_registered_do_not_keep_it_from_listening(discord, make, listen, intake, caplog):
    discord.fault("GET", r"/applications/", status=403, code=50001)
    await listen(make())
    assert "commands could not be registered" in caplog.text


async def test_a_gateway_that_is_down_at_first_is_tried_again(discord, make, intake, caplog, monkeypatch):
    monkeypatch.setattr("discord.client.ExponentialBackoff.delay", lambda _: 0.01)  # up to two seconds otherwise
    discord.gateway.down = True
    task = asyncio.create_task(make().listen(intake))
    await discord.until(lambda: caplog.text.count("cannot be reached; trying again") >= 2)
    discord.gateway.down = False
    await discord.until(lambda: discord.gateway.open_sessions)
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> hello")
    await discord.until(lambda: intake.messages)
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize("how", ["drop", "ask_to_reconnect", "invalidate"])
async def test_the_gateway_comes_back(discord, listening, intake, how):
    await getattr(discord.gateway, how)()
    sessions = discord.gateway.sessions
    if how == "invalidate":
        await discord.until(lambda: discord.gateway.count(2) == 2 and discord.gateway.open_sessions)
    else:
        # said while nobody was connected: RESUME replays it
        await discord.until(lambda: not discord.gateway.open_sessions or discord.gateway.count(6))
    await discord.post(discord.general, discord.alice, f"<@{discord.bot}> hello")
    await discord.until(lambda: intake.messages)
    assert intake.texts == ["hello"]
    assert discord.gateway.count(6) == (0 if how == "invalidate" else 1)
    assert len(sessions) == 1 if how != "invalidate" else len(discord.gateway.sessions) == 1


async def test_an_event_that_fails_does_not_stop_the_next(discord, listening, intake, caplog):
    discord.fault("POST", "/interactions/", status=404, code=10062)  # acknowledged too late
    late = await discord.slash(discord.general, discord.alice, "first")
    await discord.until(lambda: "could not be handled" in caplog.text)
    assert late["state"] == "new"
    again = await discord.slash(discord.general, discord.alice, "second")
    await discord.until(lambda: again["state"] == "deferred")
    assert intake.texts == ["first", "second"]


async def test_heartbeats_are_sent(discord, adapter, listen):
    discord.gateway.heartbeat_ms = 30
    await listen(adapter)
    await discord.until(lambda: discord.gateway.count(1) >= 3)


async def test_texts_and_tokens_stay_out_of_the_logs(discord, make, listen, intake, deliveries, response, caplog):
    caplog.set_level(logging.DEBUG)
    adapter = make()
    await listen(adapter)
    interaction = await discord.slash(discord.general, discord.alice, "a secret question")
    await discord.until(lambda: interaction["state"] == "deferred")
    discord.fault("PATCH", "/webhooks/", status=429, retry_after=0.01)
    discord.fault("POST", CREATE, status=429, retry_after=0.01)
    key = await adapter.open_thread(intake.messages[0], deliveries)
    assert key.thread_id
    await adapter.reply(intake.messages[0], deliveries).finish(response("a secret answer"))
    assert "rate limited" in caplog.text
    assert "secret" not in caplog.text
    assert interaction["token"] not in caplog.text
    assert discord.token not in caplog.text


def http_error(kind, status, code=0, headers=None):
    class Answer:
        reason = "because"

    answer = Answer()
    answer.status, answer.headers = status, headers or {}
    return kind(answer, {"code": code, "message": "In content: a secret"})


CASES = [
    (http_error(sdk.NotFound, 404, 10008), GoneError),
    (http_error(sdk.NotFound, 404, 10003), GoneError),
    (http_error(sdk.Forbidden, 403, 50013), ClosedError),
    (http_error(sdk.HTTPException, 400, 50083), ClosedError),
    (http_error(sdk.Forbidden, 403, 50001), ClosedError),
    (http_error(sdk.Forbidden, 403, 50007), GoneError),
    (http_error(sdk.HTTPException, 400, 200000), ClosedError),
    (http_error(sdk.HTTPException, 401, 0), TokenError),
    (http_error(sdk.HTTPException, 413, 40005), DeliveryError),
    (http_error(sdk.HTTPException, 413, 0), DeliveryError),
    (http_error(sdk.HTTPException, 400, 50035), DeliveryError),
    (http_error(sdk.HTTPException, 400, 1), DeliveryError),
    (http_error(sdk.HTTPException, 429, 0, {"Retry-After": "7"}), RateLimitedError),
    (http_error(sdk.DiscordServerError, 503), UnreachableError),
    (sdk.RateLimited(7.0), RateLimitedError),
    (sdk.LoginFailure("no"), SettingsError),
    (sdk.PrivilegedIntentsRequired(None), SettingsError),
    (sdk.GatewayNotFound(), DeliveryError),
    (sdk.InvalidData("x"), DeliveryError),
    (sdk.MissingApplicationID(), DeliveryError),
    (sdk.ClientException("x"), DeliveryError),
    (aiohttp.ServerDisconnectedError(), UnreachableError),
    (ConnectionResetError(), UnreachableError),
    (TimeoutError(), UnreachableError),
    (JSONDecodeError("a secret", "a secret", 0), UnreachableError),
]


@pytest.mark.parametrize(("theirs", "ours"), CASES, ids=[f"{type(t).__name__}-{n}" for n, (t, _) in enumerate(CASES)])
def test_every_error_of_discord_becomes_one_of_ours(theirs, ours):
    with pytest.raises(WeftError) as caught, translated():
        raise theirs
    assert type(caught.value) is ours
    assert caught.value.__cause__ is theirs
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    if isinstance(caught.value, RateLimitedError):
        assert caught.value.retry_after == 7.0


@pytest.mark.parametrize("sharded", [False, True])
async def test_no_heartbeat_is_left_when_the_adapter_is_closed(discord, make, listen, monkeypatch, sharded):
    beating, run = [], KeepAliveHandler.run

    def slow_to_end(self):
        beating.append(self)
        run(self)
        time.sleep(0.1)

    monkeypatch.setattr(KeepAliveHandler, "run", slow_to_end)
    adapter = make(shards="1") if sharded else make()
    await adapter.connect()
    await listen(adapter)
    await adapter.close()
    assert beating and not any(thread.is_alive() for thread in beating)

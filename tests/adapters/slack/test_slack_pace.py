"""What Slack refuses one turn, the other turns of the process do not try meanwhile."""

import asyncio
from dataclasses import replace

import pytest

from adapters.slack import pace
from adapters.slack.pace import AT_ONCE, Pace
from agent.errors import RateLimitedError
from agent.types import Response, ThreadKey
from tests.clock import pass_time
from tests.fakes import incoming
from tests.servers.slack import SlackServer

BURST = 3


RESPONSE = Response(
    thread_id="t", turn_id="t1", pack="p", mode="agent", language="en", route="research", answer="",
    response_type="answer",
)  # fmt: skip


async def test_twenty_answers_in_one_channel_are_refused_less_often_than_they_are_posted(
    slack: SlackServer, adapter, deliveries, monkeypatch
) -> None:
    monkeypatch.setitem(pace._INTERVALS, "chat.postMessage", 0.06)
    slack.limits["chat.postMessage"] = BURST, 20.0  # a faster clock on both sides
    roots = [slack.add("C1", "U1", f"question {n}")["ts"] for n in range(20)]

    async def answer(root: str) -> None:
        key = ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id=root)
        asked = replace(incoming(message_id=root), key=key)
        await adapter.reply(asked, deliveries).finish(replace(RESPONSE, answer=f"Answer to {root}"))

    await asyncio.gather(*(answer(root) for root in roots))
    (bucket,) = slack.buckets.values()
    assert bucket.accepted == 20 and bucket.refused <= AT_ONCE
    for root in roots:
        assert len(slack.bot_messages("C1", root)) == 1


async def test_who_does_not_wait_does_not_ask_while_others_wait() -> None:
    lanes, asked = Pace(retry_pause=0.01), 0

    async def refused() -> None:
        nonlocal asked
        asked += 1
        raise RateLimitedError("no", retry_after=100)

    with pytest.raises(RateLimitedError):
        await lanes.call("chat.postMessage", "C1", refused, patient=False)
    with pytest.raises(RateLimitedError) as limit:
        await lanes.call("chat.postMessage", "C1", refused, patient=False)
    assert asked == 1 and 90 < limit.value.retry_after <= 100
    with pytest.raises(RateLimitedError):
        await lanes.call("chat.postMessage", "C2", refused, patient=False)  # another channel has its own limit
    assert asked == 2
    for channel in ("C1", "C2"):
        with pytest.raises(RateLimitedError):
            await lanes.call("chat.update", channel, refused, patient=False)
    assert asked == 3  # an edit's limit is the workspace's


async def test_who_waits_for_a_place_does_not_go_when_one_is_free_by_a_refusal() -> None:
    lanes, begun = Pace(retry_pause=0.01), 0
    told, gate = asyncio.Event(), asyncio.Event()

    async def refused() -> None:
        await told.wait()
        raise RateLimitedError("no", retry_after=5)

    async def call() -> None:
        nonlocal begun
        begun += 1
        await gate.wait()

    first = asyncio.create_task(lanes.call("chat.update", "C1", refused, patient=False))
    calls = [asyncio.create_task(lanes.call("chat.update", "C1", call)) for _ in range(AT_ONCE)]
    for _ in range(50):
        await asyncio.sleep(0)
    assert begun == AT_ONCE - 1
    told.set()
    with pytest.raises(RateLimitedError):
        await first
    for _ in range(50):
        await asyncio.sleep(0)
    assert begun == AT_ONCE - 1
    pass_time(5)
    while begun < AT_ONCE:
        await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*calls)


async def test_after_a_refusal_calls_go_one_by_one_and_after_a_minute_as_before() -> None:
    lanes, under_way, most = Pace(retry_pause=0.01), 0, 0
    gate = asyncio.Event()

    async def call() -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await gate.wait()
        under_way -= 1

    async def refused() -> None:
        raise RateLimitedError("no", retry_after=5)

    with pytest.raises(RateLimitedError):
        await lanes.call("chat.update", "C1", refused, patient=False)
    calls = [asyncio.create_task(lanes.call("chat.update", "C1", call)) for _ in range(6)]
    pass_time(5)
    while not under_way:
        await asyncio.sleep(0)
    for _ in range(50):
        await asyncio.sleep(0)
    assert most == 1
    gate.set()
    for _ in range(6):
        await asyncio.sleep(0.01)
        pass_time(2)
    await asyncio.gather(*calls)
    pass_time(70)
    gate.clear()
    calls = [asyncio.create_task(lanes.call("chat.update", "C1", call)) for _ in range(6)]
    for _ in range(50):
        await asyncio.sleep(0)
    assert under_way == AT_ONCE
    gate.set()
    await asyncio.gather(*calls)


async def test_a_call_that_is_cut_off_while_it_waits_keeps_nobody_else_waiting() -> None:
    lanes = Pace(retry_pause=0.01)

    async def refused() -> None:
        raise RateLimitedError("no", retry_after=100)

    async def fine() -> str:
        return "done"

    with pytest.raises(RateLimitedError):
        await lanes.call("chat.update", "C1", refused, patient=False)
    first = asyncio.create_task(lanes.call("chat.update", "C1", fine))
    second = asyncio.create_task(lanes.call("chat.update", "C1", fine))
    await asyncio.sleep(0)
    first.cancel()
    pass_time(101)
    assert await asyncio.wait_for(second, 60) == "done"

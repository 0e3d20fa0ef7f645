"""When an endpoint is left alone, also while many calls are under way."""

import asyncio

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.errors import ModelError
from agent.reasoning.model.transport.breaker import Attempt, Breaker
from agent.reasoning.model.transport.calls import Calls
from agent.reasoning.model.transport.endpoint import Endpoint
from agent.reasoning.model.transport.roles import Served
from tests.reasoning_model.making import both
from tests.servers.openai import Answer, Hang, OpenAIServer, Raw, refusal


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def made(failures: int = 2) -> tuple[Breaker, Clock]:
    clock = Clock()
    return Breaker(failures=failures, rest=10.0, clock=clock), clock


def attempt(breaker: Breaker) -> Attempt:
    found = breaker.attempt()
    assert found is not None
    return found


def test_after_a_rest_one_call_tries_while_the_others_stay_away() -> None:
    breaker, clock = made(failures=1)
    attempt(breaker).failed()
    assert breaker.attempt() is None
    clock.now = 10.0
    trial = attempt(breaker)
    clock.now = 1000.0  # however long it takes
    assert breaker.attempt() is None
    trial.failed()
    assert breaker.attempt() is None
    clock.now = 1010.0
    attempt(breaker).succeeded()
    assert [breaker.attempt() is None for _ in range(3)] == [False] * 3


def test_a_trial_that_is_given_up_lets_another_try() -> None:
    breaker, clock = made(failures=1)
    attempt(breaker).failed()
    clock.now = 10.0
    attempt(breaker).abandoned()
    attempt(breaker).succeeded()
    assert breaker.attempt()


def test_calls_that_began_before_say_nothing_about_an_endpoint_that_rests() -> None:
    breaker, clock = made(failures=2)
    calls = [attempt(breaker) for _ in range(6)]
    calls[0].failed()
    calls[1].failed()
    clock.now = 9.0
    calls[2].failed()  # does not make the rest longer
    calls[3].succeeded()  # nor ends it
    assert breaker.resting
    clock.now = 10.0
    trial = attempt(breaker)
    calls[4].failed()
    calls[5].succeeded()
    assert breaker.attempt() is None  # the trial alone decides
    trial.succeeded()
    assert breaker.attempt()


def test_only_failures_in_a_row_count() -> None:
    breaker, _ = made(failures=2)
    for _ in range(5):
        attempt(breaker).failed()
        attempt(breaker).succeeded()
    assert not breaker.resting


def test_failures_that_may_pass_count_less() -> None:
    breaker, _ = made(failures=2)
    for _ in range(4):
        attempt(breaker).failed(passing=True)
    assert not breaker.resting
    attempt(breaker).failed(passing=True)
    assert breaker.resting
    breaker, _ = made(failures=2)
    attempt(breaker).failed()
    for _ in range(2):
        attempt(breaker).failed(passing=True)
    assert not breaker.resting
    attempt(breaker).failed(passing=True)
    assert breaker.resting


def test_an_endpoint_that_has_just_answered_is_not_down() -> None:
    breaker, clock = made(failures=2)
    attempt(breaker).succeeded()
    for _ in range(9):
        attempt(breaker).failed()
    assert not breaker.resting
    clock.now = 5.0
    attempt(breaker).failed()
    assert breaker.resting


def test_a_rest_is_logged_when_it_begins_and_when_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    breaker, clock = made(failures=2)
    attempt(breaker).failed()
    assert not caplog.records
    for _ in range(4):  # the second failure, and three trials that fail
        attempt(breaker).failed()
        assert len(caplog.records) == 1
        clock.now += 10.0
    assert "left alone" in caplog.text and "every 10 seconds" in caplog.text
    for _ in range(3):
        attempt(breaker).succeeded()
    assert [record.getMessage() for record in caplog.records][1:] == ["The model endpoint answers again."]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["begin", "succeed", "fail", "abandon", "wait"]), st.integers(0, 5))))
def test_while_an_endpoint_rests_at_most_one_call_is_let_through(steps: list[tuple[str, int]]) -> None:
    breaker, clock = made(failures=2)
    under_way: list[tuple[Attempt, bool]] = []
    went_down = False
    for what, which in steps:
        if what == "begin":
            rested = breaker._resting_until is not None
            found = breaker.attempt()
            if found:
                under_way.append((found, rested))
        elif what == "wait":
            clock.now += 2.0 * which
        elif under_way:
            call, _ = under_way.pop(which % len(under_way))
            {"succeed": call.succeeded, "fail": call.failed, "abandon": call.abandoned}[what]()
        went_down = breaker._resting_until is not None
        if not went_down:
            under_way = [(call, False) for call, _ in under_way]
        assert sum(trial for _, trial in under_way) <= 1
    while under_way:  # whatever happened: once all is over and the rest too, a call is let through again
        under_way.pop()[0].abandoned()
    clock.now += 10.0
    assert breaker.attempt() is not None


async def test_many_calls_to_a_dead_endpoint_end_in_one_rest(server: OpenAIServer, client: openai.AsyncOpenAI) -> None:
    breaker, clock = made(failures=2)
    door = Endpoint(Calls(client, timeout=60.0, breaker=breaker), both(Served(name="m")))
    server.answer(refusal(401, "no"))

    async def ask() -> str:
        return await door.text("large", [{"role": "user", "content": "hi"}], tokens=10)

    first = await asyncio.gather(*(ask() for _ in range(8)), return_exceptions=True)
    assert all(isinstance(error, ModelError) for error in first)
    asked = len(server.chats)
    await asyncio.gather(*(ask() for _ in range(8)), return_exceptions=True)
    assert len(server.chats) == asked
    clock.now = 10.0
    server.answer(Hang())
    trial = asyncio.create_task(ask())
    while not server.at_once:
        await asyncio.sleep(0.01)
    await asyncio.gather(*(ask() for _ in range(8)), return_exceptions=True)
    assert len(server.chats) == asked + 1
    trial.cancel()
    await asyncio.gather(trial, return_exceptions=True)
    server.answer("Good morning.")
    assert await ask() == "Good morning."


PAGE = Raw(body=b"<html>hi</html>", content_type="text/html")


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        (refusal(401, "no"), 2),
        (refusal(403, "no"), 2),
        (refusal(429, "no", **{"Retry-After": "99"}), 2),
        (Hang(), 2),
        (refusal(500, "no", **{"Retry-After": "0"}), 5),
        (refusal(503, "no", **{"Retry-After": "0"}), 5),
        (PAGE, 5),
    ],
    ids=["401", "403", "429", "silence", "500", "503", "a page"],
)
async def test_what_lasts_ends_the_use_of_an_endpoint_sooner_than_what_may_pass(
    server: OpenAIServer, client: openai.AsyncOpenAI, answer: Answer, calls: int
) -> None:
    breaker, _ = made(failures=2)
    timeout = 0.3 if isinstance(answer, Hang) else 60.0  # an answer that comes late is silence
    door = Endpoint(Calls(client, timeout=timeout, breaker=breaker), both(Served(name="m")))
    server.answer(answer)
    made_calls = 0
    while not breaker.resting and made_calls < 9:
        made_calls += 1
        with pytest.raises(ModelError):
            await door.text("large", [{"role": "user", "content": "hi"}], tokens=10)
    assert made_calls == calls


async def test_a_stream_that_begins_empty_and_falls_silent_speaks_against_its_endpoint(
    server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    breaker, _ = made(failures=2)
    door = Endpoint(Calls(client, timeout=0.3, breaker=breaker), both(Served(name="m")))
    server.answer(Hang())
    for _ in range(2):
        with pytest.raises(ModelError):
            async for _ in door.stream("large", [{"role": "user", "content": "hi"}], tokens=10):
                pass
    assert breaker.resting

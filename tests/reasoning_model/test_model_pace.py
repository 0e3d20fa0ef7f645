"""How fast a model is, and what follows for the time that its calls get."""

import openai
import pytest

from agent.reasoning.model.transport.calls import Calls
from agent.reasoning.model.transport.endpoint import Endpoint
from agent.reasoning.model.transport.pace import SLOW, USUAL, Paces
from agent.reasoning.model.transport.roles import Served
from tests.reasoning_model.making import HOURS, both, brief, message, reading
from tests.servers.openai import Hang, OpenAIServer, refusal

MODEL = Served(name="m")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_what_a_small_call_took_tells_what_a_large_one_will() -> None:
    of = Paces(clock=Clock())
    assert of.unit("m") is None
    of.took("m", 100.0, 10.0)
    assert of.unit("m") == pytest.approx(0.1) and of.unit("other") is None
    of.took("m", 300.0, 60.0)
    assert of.unit("m") == pytest.approx(0.15)  # half of it is what was believed before


def test_a_slow_model_gets_more_time_and_never_more_than_its_turn() -> None:
    of = Paces(clock=Clock())
    assert of.limit("m", 300.0, left=110.0) == 55.0  # not known: half of the turn
    assert of.limit("m", 300.0, left=10.0) == 5.0
    assert of.limit("m", 300.0, left=float("inf")) == 30.0
    of.took("m", 100.0, 20.0)
    assert of.limit("m", 300.0, left=500.0) == pytest.approx(180.0)
    assert of.limit("m", 300.0, left=110.0) == 110.0
    of.took("fast", 100.0, 0.5)
    assert of.limit("fast", 300.0, left=110.0) == 30.0
    assert of.limit("fast", 300.0, left=4.0) == 4.0


def test_waiting_in_vain_says_something_of_a_model_that_was_never_heard_of_and_only_for_a_while() -> None:
    clock = Clock()
    of = Paces(clock=clock)
    of.waited("m", 100.0, 55.0)
    assert of.unit("m") == pytest.approx(1.1)  # twice as long, at least
    clock.now += 61
    assert of.unit("m") is None
    of.waited("m", 100.0, 55.0)
    clock.now += 61
    assert of.unit("m") is not None  # the second time for longer
    of.took("m", 100.0, 1.0)
    of.waited("m", 100.0, 55.0)
    assert of.unit("m") == pytest.approx(0.01)


def test_a_measure_is_believed_for_a_while() -> None:
    clock = Clock()
    of = Paces(clock=clock)
    of.took("m", 100.0, 1.0)
    clock.now += 901
    assert of.unit("m") is None


def test_that_a_model_is_slow_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    of = Paces(clock=Clock())
    of.took("m", 100.0, 100 * SLOW)
    of.took("m", 100.0, 200 * SLOW)
    assert caplog.text.count("is slow, some 18 s for a usual call") == 1 and "deadline_seconds" in caplog.text


async def test_every_kind_of_call_is_measured(server: OpenAIServer, client: openai.AsyncOpenAI) -> None:
    from agent.reasoning.model.tasks import composition
    from agent.reasoning.model.tasks import understanding as reads

    for streamed in (False, True):
        door = Endpoint(Calls(client), both(MODEL))
        assert door.takes(1) == 0.0
        if streamed:
            server.answer(f"{HOURS.split('. ')[0]}. [1]")
            assert [sentence async for sentence in composition.compose(door, brief())]
        else:
            server.answer(reading())
            await reads.read(door, message("When does the library close?"))
        assert 0.0 < door.takes(1) == door.takes(2) / 2


async def test_a_failure_says_nothing_of_the_pace(server: OpenAIServer, client: openai.AsyncOpenAI) -> None:
    server.answer(refusal(401, "no"))
    door = Endpoint(Calls(client), both(MODEL))
    with pytest.raises(Exception, match="401"):
        await door.text("large", [{"role": "user", "content": "hi"}], tokens=10)
    assert door.takes(1) == 0.0


async def test_no_call_takes_longer_than_its_turn(server: OpenAIServer, client: openai.AsyncOpenAI) -> None:
    server.answer(Hang(after="The library closes"))
    for timeout in (None, 500.0):
        calls = Calls(client, timeout=timeout, stream_timeout=timeout)
        door = Endpoint(calls, both(MODEL), left=lambda: 0.3)
        with pytest.raises(Exception, match="in time"):
            await door.text("large", [{"role": "user", "content": "hi"}], tokens=10)
        with pytest.raises(Exception, match="in time"):
            _ = [piece async for piece in door.stream("large", [{"role": "user", "content": "hi"}], tokens=10)]


async def test_a_slow_model_is_shown_as_many_passages_as_it_has_time_for(
    server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    from agent.reasoning.model.tasks import composition

    server.answer("NO_ANSWER")
    texts = [f"Rule {n} of the house. " * 40 for n in range(10)]
    shown = []
    for unit, left in ((0.0, 110.0), (0.3, 110.0), (0.3, float("inf"))):
        calls = Calls(client)
        if unit:
            calls.paces.took("m", USUAL, unit * USUAL)
        door = Endpoint(calls, both(MODEL), left=lambda left=left: left)
        _ = [sentence async for sentence in composition.compose(door, brief("What is rule 1?", *texts))]
        shown.append(sum(bool(server.requests[-1].quoted(f"passage {n}")) for n in range(1, 11)))
    assert 1 <= shown[1] < shown[0] == shown[2]

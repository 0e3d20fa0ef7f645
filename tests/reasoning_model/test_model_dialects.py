"""What an endpoint takes is found out once, and believed for a day."""

import openai
import pytest

from agent.errors import ModelError
from agent.reasoning.model.transport.calls import Calls
from agent.reasoning.model.transport.dialect import KEPT_SECONDS, Dialect, Dialects
from agent.reasoning.model.transport.endpoint import Endpoint
from agent.reasoning.model.transport.roles import Served
from tests.servers.openai import OpenAIServer

PLAIN = Dialect(way="plain")


def door(client: openai.AsyncOpenAI) -> Endpoint:
    return Endpoint(Calls(client), {"large": Served(name="m")})


async def test_thoughts_without_a_beginning_are_expected_from_then_on(
    server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    server.answer("I muse about it.</think>It is blue.")
    endpoint = door(client)
    with pytest.raises(ModelError, match="without a mark"):
        _ = [piece async for piece in endpoint.stream("large", [{"role": "user", "content": "hi"}], tokens=50)]
    pieces = [piece async for piece in endpoint.stream("large", [{"role": "user", "content": "hi"}], tokens=50)]
    assert "".join(pieces) == "It is blue."


@pytest.mark.parametrize(("later", "believed"), [(0.0, True), (KEPT_SECONDS - 1, True), (KEPT_SECONDS, False)])
def test_what_was_learnt_is_believed_for_a_day(later: float, believed: bool) -> None:
    now = [1000.0]
    dialects = Dialects(clock=lambda: now[0])
    dialects.learn("m", PLAIN)
    now[0] += later
    assert (dialects.of("m") == PLAIN) is believed
    assert dialects.of("other") == Dialect()


def test_what_is_learnt_later_does_not_prolong_what_was_learnt_before() -> None:
    now = [1000.0]
    dialects = Dialects(clock=lambda: now[0])
    dialects.learn("m", PLAIN)
    now[0] += KEPT_SECONDS / 2
    dialects.learn("m", Dialect(way="plain", seed=False))
    assert dialects.of("m") == Dialect(way="plain", seed=False)
    now[0] += KEPT_SECONDS / 2
    assert dialects.of("m") == Dialect()

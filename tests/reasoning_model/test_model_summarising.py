from collections.abc import Callable

import pytest

from agent.errors import ModelError
from agent.reasoning.model import ModelReasoner
from agent.reasoning.rules.answering.thread_summary import BYTES
from agent.types import Summary
from tests.reasoning_model.making import turn
from tests.servers.openai import OpenAIServer

Make = Callable[..., ModelReasoner]
BEFORE = Summary(text="VPN → vpn.example", turns=3, until=1.0)
LEAVING = [turn("연차는 며칠인가요?", "연차 휴가는 1년에 15일입니다. [1]")]


async def test_the_summary_goes_on_from_the_one_before(server: OpenAIServer, make: Make) -> None:
    server.answer("VPN: vpn.example [1]\n\n  연차: 1년에  15일 ")
    assert await make(small_model="small").summarise(BEFORE, LEAVING) == "VPN: vpn.example\n연차: 1년에 15일"
    (request,) = server.chats
    assert request.quoted("summary") == [BEFORE.text]
    assert "15일" in request.quoted("conversation")[0]
    assert request.body["model"] == "small"


@pytest.mark.parametrize("said", ["연차: 1년에 25일", "VPN: http://evil.example/?q=15", "말 " * BYTES, " "])
async def test_what_nobody_said_or_is_too_long_is_of_no_use(server: OpenAIServer, make: Make, said: str) -> None:
    server.answer(said)
    with pytest.raises(ModelError):
        await make().summarise(BEFORE, LEAVING)

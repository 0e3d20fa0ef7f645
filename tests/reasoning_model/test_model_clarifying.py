from collections.abc import Callable

import pytest

from agent.errors import ModelError
from agent.reasoning.contract import Message
from agent.reasoning.model import ModelReasoner
from agent.types import Choice, Pending, Settled
from tests.reasoning_model.making import message
from tests.servers.openai import OpenAIServer

Make = Callable[..., ModelReasoner]

CHOICES = (Choice(label="VPN setup (Windows)", documents=("w",)), Choice(label="VPN setup (macOS)", documents=("m",)))
PENDING = Pending(
    question="How do I set up the VPN?", asked_back="Which one?", choices=CHOICES, slot="", asked_of="u", turn_id="t",
    message_id="m", asked_at=0.0,
)  # fmt: skip


async def settled(model: ModelReasoner, text: str, pending: Pending = PENDING) -> Settled:
    said: Message = message(text)
    return await model.settle(said, pending)


async def test_a_choice_in_other_words_is_a_choice(server: OpenAIServer, make: Make) -> None:
    server.answer({"meaning": "choice", "choice": 2})
    assert await settled(make(), "the one with the apple on it") == Settled(kind="choice", choice=1)
    (request,) = server.chats
    assert request.quoted("message") == ["the one with the apple on it"]
    assert request.quoted("asked back") == ["Which one?"]


async def test_a_detail_is_the_persons_own_words(server: OpenAIServer, make: Make) -> None:
    server.answer({"meaning": "detail", "choice": 0})
    assert await settled(make(), " the laptop of the night shift. ") == Settled(
        kind="detail", detail="the laptop of the night shift"
    )
    of_document = Pending(
        question="Draft a reply", asked_back="To whom?", choices=(), slot="", asked_of="u", turn_id="t", message_id="m",
        asked_at=0.0, wanted=("recipient",),
    )  # fmt: skip
    assert await settled(make(), "Kim, please", of_document) == Settled(kind="detail")


async def test_something_new_is_new(server: OpenAIServer, make: Make) -> None:
    server.answer({"meaning": "new", "choice": 2})
    assert await settled(make(), "we talked about lunch by the way") == Settled(kind="new")


@pytest.mark.parametrize("choice", [0, 3, -1])
async def test_a_choice_that_is_not_there_is_no_choice(server: OpenAIServer, make: Make, choice: int) -> None:
    server.answer({"meaning": "choice", "choice": choice})
    with pytest.raises(ModelError):
        await settled(make(), "that one")
    assert "must be from 1 to 2" in server.chats[1].text

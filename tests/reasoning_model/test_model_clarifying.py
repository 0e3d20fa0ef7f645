from collections.abc import Callable

import pytest

from agent.errors import ModelError
from agent.language import say
from agent.reasoning.contract import Message
from agent.reasoning.model import ModelReasoner
from agent.types import Choice, Intent, Language, Pending, Settled, Split, Standalone, Understood
from tests.reasoning_model.making import PACK, message
from tests.servers.openai import OpenAIServer

Make = Callable[..., ModelReasoner]

CHOICES = (Choice(label="VPN setup (Windows)", documents=("w",)), Choice(label="VPN setup (macOS)", documents=("m",)))
SPLIT = Split(question=say("which_one", "en"), choices=CHOICES)
PENDING = Pending(
    question="How do I set up the VPN?", asked_back="Which one?", choices=CHOICES, slot="", asked_of="u", turn_id="t",
    message_id="m", asked_at=0.0,
)  # fmt: skip


async def asked_back(
    model: ModelReasoner, question: str = "How do I set up the VPN?", language: Language = "en", split: Split = SPLIT
) -> Split | None:
    understood = Understood(
        question=question, language=language, intent=Intent(name="", confidence=0.5), route="research"
    )
    return await model.clarify(Standalone(text=question), understood, (), PACK, split=split)


def choosing(ask: str = "", chosen: int = 0, because: str = "") -> dict[str, object]:
    return {"chosen": chosen, "because": because, "ask": ask}


async def test_the_model_words_the_question_and_the_choices_stay(server: OpenAIServer, make: Make) -> None:
    server.answer(choosing("On which system do you set up the VPN?"))
    split = await asked_back(make(small_model="small"))
    assert split is not None
    assert split.question == "On which system do you set up the VPN?"
    assert split.choices == CHOICES
    (request,) = server.chats
    assert request.body["model"] == "small"
    assert request.quoted("choices") == ["1. VPN setup (Windows)\n2. VPN setup (macOS)"]


@pytest.mark.parametrize(
    "ask",
    [
        "",
        "Choose your system.",
        "어느 시스템인가요?",
        "Do you mean one of the 17 systems?",
        "Did you read http://evil.example/vpn?",
        f"Which {'very ' * 60}one?",
    ],
)
async def test_a_question_back_that_says_more_than_it_may_keeps_the_rules_words(
    server: OpenAIServer, make: Make, ask: str
) -> None:
    server.answer(choosing(ask))
    assert await asked_back(make()) == SPLIT


async def test_a_korean_question_is_asked_back_in_korean(server: OpenAIServer, make: Make) -> None:
    server.answer(choosing("어느 운영체제에서 쓰시나요?"))
    split = await asked_back(make(), "VPN은 어떻게 설정하나요?", "ko")
    assert split is not None and split.question == "어느 운영체제에서 쓰시나요?"
    assert "in Korean" in server.chats[0].text


@pytest.mark.parametrize(
    ("chosen", "because", "asks"),
    [
        (2, "my MacBook", False),
        (2, "the Windows machine", True),
        (2, "", True),
        (2, "on the", True),
        (3, "my MacBook", True),
    ],
)
async def test_a_question_has_chosen_only_where_its_own_words_do(
    server: OpenAIServer, make: Make, chosen: int, because: str, asks: bool
) -> None:
    server.answer(choosing("Which one?", chosen, because))
    split = await asked_back(make(), "How do I set up the VPN on the thing, my  macbook?")
    assert (split is not None) is asks


@pytest.mark.parametrize(
    "split", [Split(question="Since when?", slot="since", choices=CHOICES), Split(question="Which?")]
)
async def test_what_the_pack_asks_for_is_asked_in_its_words(server: OpenAIServer, make: Make, split: Split) -> None:
    assert await asked_back(make(), split=split) == split
    assert not server.requests


# --- what follows a question back


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

from collections.abc import Callable

import pytest

from agent.packs.pack import SlotSpec, Words
from agent.packs.template import FieldSpec
from agent.reasoning.model import ModelReasoner
from tests.servers.openai import OpenAIServer

Make = Callable[..., ModelReasoner]


def field(name: str, kind: str = "text", **more: object) -> FieldSpec:
    return FieldSpec(name=name, title=Words(en=name.title(), ko=name), type=kind, **more)


FIELDS: list[SlotSpec] = [field("recipient"), field("subject", ask=Words(en="About what?", ko="무엇에 대해?"))]


def values(**told: str) -> dict[str, object]:
    return {"values": [{"name": name, "value": value} for name, value in told.items()]}


async def test_a_value_is_what_was_written(server: OpenAIServer, make: Make) -> None:
    server.answer(values(recipient="Kim  Minsu", subject="the parking rules"))
    text = "Please write to kim minsu\nabout the parking rules."
    assert await make(small_model="small").extract_slots(text, FIELDS) == {
        "recipient": "Kim Minsu",
        "subject": "the parking rules",
    }
    (request,) = server.chats
    assert request.quoted("message") == [text]
    assert "- `subject`: Subject (About what?)" in request.text
    assert request.body["model"] == "small"


@pytest.mark.parametrize(
    "told", [{"recipient": "Lee"}, {"recipient": " "}, {"boss": "Kim Minsu"}, {"recipient": "x" * 201}]
)
async def test_what_was_not_written_is_not_taken(server: OpenAIServer, make: Make, told: dict[str, str]) -> None:
    server.answer(values(**told))
    assert await make().extract_slots(f"Please write to Kim Minsu {'x' * 300}", FIELDS) == {}


async def test_of_two_values_the_first_counts(server: OpenAIServer, make: Make) -> None:
    both = [{"name": "recipient", "value": name} for name in ("Kim", "Minsu")]
    server.answer({"values": both})
    assert await make().extract_slots("To Kim Minsu", FIELDS) == {"recipient": "Kim"}


async def test_numbers_dates_and_choices_are_the_rules_alone(server: OpenAIServer, make: Make) -> None:
    specs = [field("days", "number"), field("since", "date")]
    assert await make().extract_slots("5 days since 1 May", specs) == {}
    assert await make().extract_slots("  ", FIELDS) == {}
    assert not server.requests

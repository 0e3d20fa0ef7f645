"""Counting tokens, and prompts that fit their model."""

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.reasoning.model.tasks import composition
from agent.reasoning.model.tasks.untrusted_text import Quoting, cut
from agent.reasoning.model.transport.calls import Calls
from agent.reasoning.model.transport.endpoint import Endpoint
from agent.reasoning.model.transport.failures import NotAskedError
from agent.reasoning.model.transport.messages import count_messages, estimate, fitted
from agent.reasoning.model.transport.roles import Cast, Served
from agent.text import sentences
from tests.reasoning_model.making import block, both, brief, turn
from tests.servers.openai import OpenAIServer

KOREAN = "연차 휴가는 1년에 15일이며, 남은 휴가는 다음 해로 이월할 수 없습니다."
ENGLISH = "The library closes at six on weekdays. On Saturday it closes at noon."


# --- counting


@pytest.mark.parametrize(
    ("text", "true"),
    # Counted with o200k_base and cl100k_base; the larger of the two.
    [(ENGLISH, 15), (KOREAN, 41), ("def f(x):\n    return x + 1\n", 11), ("https://a.example/b?c=d&e=%20f", 12)],
)
def test_the_estimate_is_on_the_safe_side(text: str, true: int) -> None:
    assert true <= estimate(text) <= 3 * true


@settings(deadline=None)
@given(st.text(), st.text())
def test_a_longer_text_is_never_fewer_tokens(one: str, other: str) -> None:
    assert estimate(one) <= estimate(one + other) <= estimate(one) + estimate(other)


# --- cutting


@settings(deadline=None)
@given(st.lists(st.sampled_from([ENGLISH, KOREAN, "Short. ", "no end ", "\n\n"]), max_size=8), st.integers(1, 400))
def test_a_text_is_cut_at_the_end_of_a_sentence(parts: list[str], characters: int) -> None:
    text = " ".join(parts)
    found = cut(text, characters)
    assert text.startswith(found)
    assert len(found) <= characters
    ends = {end for _, end in sentences(text)}
    assert found == text or len(found) in ends or all(end > characters for end in ends)


# --- fitting


def test_the_last_passages_are_left_out_first() -> None:
    of = brief("When does it close?", *(f"{n} is here. {ENGLISH}" for n in range(1, 9)))
    messages = composition.request(of)
    whole = count_messages(messages)
    assert fitted(messages, whole) == messages
    shorter = fitted(messages, whole - 1)
    text = shorter[1]["content"]
    assert [f"passage {n}" in text for n in range(1, 9)] == [True] * 7 + [False]
    assert "question\nWhen does it close?" in text
    assert shorter[0] == messages[0]
    few = fitted(messages, whole - 300)
    assert whole - 400 < count_messages(few) <= whole - 300
    assert "1 is here" in few[1]["content"]


@settings(deadline=None)
@given(st.integers(0, 6000), st.lists(st.sampled_from([ENGLISH * 5, KOREAN * 9, "passage 2\n>>> " * 40]), max_size=6))
def test_what_is_sent_fits_or_only_the_least_is_left(tokens: int, texts: list[str]) -> None:
    quoting = Quoting()
    data = quoting.passages([block(n, text) for n, text in enumerate(texts, start=1)], characters=100_000)
    question = quoting.block("question", "When?")
    messages = quoting.request("judge", [data, question])
    sent = fitted(messages, tokens)
    assert question in sent[1]["content"]
    mark = question.split()[0].removeprefix("<<<")
    assert sent[1]["content"].count(f"<<<{mark} ") == sent[1]["content"].count(f"\n{mark}>>>")
    if count_messages(sent) > tokens and texts:
        assert sent[1]["content"].count(f"<<<{mark} passage") == 1


async def test_context_is_shared_between_prompt_and_answer(server: OpenAIServer, client: openai.AsyncOpenAI) -> None:
    server.answer("NO_ANSWER")
    model = Served(name="m", context_tokens=2048)
    door = Endpoint(Calls(client), both(model))
    of = brief("When does it close?", *[ENGLISH * 6] * 20)
    async for _ in door.stream("large", composition.request(of), tokens=5000):
        pass
    (request,) = server.chats
    assert request.body["max_tokens"] == 1024
    assert count_messages(request.body["messages"]) <= 1024
    assert request.quoted("passage 1")
    assert not request.quoted("passage 20")


async def test_a_prompt_that_cannot_be_made_to_fit_is_not_sent(
    server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    model = Served(name="m", context_tokens=1024)
    door = Endpoint(Calls(client), both(model))
    with pytest.raises(NotAskedError, match="context_tokens"):
        await door.text("large", [{"role": "user", "content": KOREAN * 100}], tokens=100)
    assert not server.requests


def test_turns_are_bounded_whatever_they_hold() -> None:
    said = Quoting().conversation([turn("q\n" * 9000, "a\u2028b" * 9000)] * 9, most=3, characters=100)
    assert len(said) < 1000


# --- who plays what


class Wish:
    def __init__(self, small: str = "", large: str = "", temperature: float | None = None) -> None:
        self.small, self.large, self.temperature = small, large, temperature


@pytest.mark.parametrize(
    ("small", "wishes", "found"),
    [
        ("", (), ("big", "big", 0.1)),
        ("little", (), ("big", "little", 0.1)),
        ("little", (Wish(large="pack"),), ("pack", "little", 0.1)),
        ("little", (Wish(small="pack"), Wish(small="chan")), ("big", "chan", 0.1)),
        ("", (Wish(large="pack"),), ("pack", "pack", 0.1)),
        ("", (Wish(large="pack", temperature=0.5), Wish(small="chan")), ("pack", "chan", 0.5)),
        ("", (Wish(temperature=0.5), Wish(temperature=0.0)), ("big", "big", 0.0)),
    ],
)
def test_a_channel_goes_before_the_pack_and_the_pack_before_the_settings(
    small: str, wishes: tuple[Wish, ...], found: tuple[str, str, float]
) -> None:
    cast = Cast(large="big", small=small, temperature=0.1, context_tokens=5000, contexts={"pack": 9000})
    played = cast.roles(*wishes)
    assert (played["large"].name, played["small"].name, played["large"].temperature) == found
    assert played["large"].context_tokens == (9000 if found[0] == "pack" else 5000)

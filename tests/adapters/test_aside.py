"""An answer for its asker alone: told once, whatever comes in between."""

import pytest

from adapters.aside import AsideReply
from adapters.contract import Failure
from agent.errors import UnreachableError
from agent.language import say
from agent.types import Clarification, ProducedFile, Response
from tests.fakes import incoming
from tests.fakes_deliveries import MemoryDeliveries


class Told:
    """What was told; `away` numbers are out of reach."""

    def __init__(self) -> None:
        self.posts: list[str] = []
        self.away: set[int] = set()

    async def tell(self, number: int, post: str) -> None:
        if number in self.away:
            raise UnreachableError("away")
        self.posts.append(post)


def response(answer: str, **more) -> Response:
    return Response(
        thread_id="t", turn_id="t", pack="p", mode="agent", language="en", route="", answer=answer,
        response_type="answer", **more,
    )  # fmt: skip


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def make(told):
    deliveries, message = MemoryDeliveries(), incoming("how many?")

    def make() -> AsideReply[str]:
        return AsideReply(
            message,
            deliveries,
            answer=lambda each: [*each.answer.split("|"), *each.warnings],
            notice=lambda text: [text],
            tell=told.tell,
        )

    return make


async def test_every_message_is_told_once_also_by_a_reply_that_is_made_again(make, told):
    told.away.add(1)
    with pytest.raises(UnreachableError):
        await make().finish(response("one|two"))
    told.away.clear()
    for _ in range(2):
        await make().finish(response("one|two"))
    assert told.posts == ["> how many?\n\none", "two"]


async def test_a_file_is_named_and_not_shown(make, told):
    file = ProducedFile(name="plan.csv", path="/nowhere", media_type="text/csv")
    reply = make()
    await reply.finish(response("one", files=(file,)))
    await reply.attach(file)
    assert len(told.posts) == 2 and "plan.csv" in told.posts[1]


async def test_a_failure_is_told(make, told):
    await make().fail(Failure(text="no answer", language="en"))
    assert told.posts == ["no answer"]


async def test_a_question_back_tells_what_may_be_meant_and_how_to_ask_again(make, told):
    asked = Clarification(question="Which one?", options=("Kettle", "Lantern"))
    await make().ask(asked)
    assert told.posts == [f"Which one?\n\n1. Kettle\n2. Lantern\n\n{say('ask_again_alone', 'en')}"]

"""A preview is what the adapter sends: sent by itself, Slack shows the same."""

from dataclasses import replace

import pytest

from adapters.contract import Failure
from adapters.preview import Shown
from adapters.slack.preview import preview
from agent.types import Clarification, Plan, StepStatus
from tests.adapters.slack.test_slack_native import DONE, RUNNING, WRITE, incoming, response, todo
from tests.servers.slack import SlackServer

TABLE = "Days. [1]\n\n| Country | Days |\n| - | -: |\n| Korea | 15 |\n\nAsk by May. [1]"


@pytest.fixture
def slack(slack: SlackServer) -> SlackServer:
    slack.native = True
    return slack


@pytest.fixture
def message(slack: SlackServer):
    return incoming(slack.add("C1", "U1", "a question")["ts"])


async def sent(slack: SlackServer, adapter, shown: Shown) -> list:
    """Send what is previewed below another question, and return the blocks that Slack then shows."""
    client, ts = adapter._client, slack.add("C1", "U1", "the same question")["ts"]
    for each in preview(shown):
        if "chunks" in each:
            begun = await client.chat_startStream(
                channel="C1", thread_ts=ts, recipient_user_id="U1", recipient_team_id="T1", chunks=each["chunks"]
            )
            await client.chat_stopStream(channel="C1", ts=begun["ts"], blocks=each.get("blocks"))
        else:
            await client.chat_postMessage(channel="C1", thread_ts=ts, **each)
    return [posted["blocks"] for posted in slack.bot_messages("C1") if posted["thread_ts"] == ts]


def shown_in(slack: SlackServer, message) -> list:
    return [each["blocks"] for each in slack.bot_messages("C1") if each["thread_ts"] == message.key.thread_id]


STEPS = (DONE, replace(WRITE, status=StepStatus.COMPLETED))
ANSWER = response("You have **25** days. [1]", plan=Plan(steps=STEPS))


@pytest.mark.parametrize(
    "outcome",
    [
        replace(ANSWER, answer="x" * 30_000),
        replace(ANSWER, answer=TABLE),
        replace(ANSWER, answer=TABLE.removeprefix("Days. [1]\n\n")),
        ANSWER,
        Clarification(question="Which office?", options=("Seoul", "Berlin")),
        Failure(text="Nothing came of it.", language="en"),
    ],
)
async def test_a_streamed_turn_is_previewed_as_it_ends(slack, adapter, message, deliveries, outcome) -> None:
    reply, listed = adapter.reply(message, deliveries), todo(*STEPS)
    await reply.show(listed)
    if isinstance(outcome, Failure):
        await reply.fail(outcome)
    elif isinstance(outcome, Clarification):
        await reply.ask(outcome)
    else:
        await reply.finish(outcome)
    real = shown_in(slack, message)
    assert real and await sent(slack, adapter, Shown(todo=listed, outcome=outcome)) == real
    tables = [block for blocks in real for block in blocks if block["type"] == "table"]
    assert len(tables) == ("Korea" in getattr(outcome, "answer", ""))


@pytest.mark.parametrize("answer", ["One. [1]", TABLE])
async def test_an_answer_that_is_posted_is_previewed_so(slack, adapter, message, deliveries, answer) -> None:
    await adapter.reply(message, deliveries).finish(response(answer))
    real = shown_in(slack, message)
    assert real and await sent(slack, adapter, Shown(outcome=response(answer))) == real


async def test_what_is_under_way_is_previewed_as_the_stream_has_it(slack, adapter, message, deliveries) -> None:
    reply, listed = adapter.reply(message, deliveries), todo(RUNNING, WRITE)
    assert preview(Shown()) == []
    await reply.show(listed)
    assert await sent(slack, adapter, Shown(todo=listed)) == shown_in(slack, message)
    await reply.stream("One. [1]")
    assert await sent(slack, adapter, Shown(todo=listed, draft="One. [1]")) == shown_in(slack, message)

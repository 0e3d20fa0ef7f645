"""A preview is what the adapter sends: the same content, components and flags as in the messages on Discord."""

from dataclasses import replace

import pytest

from adapters.contract import Failure, TodoList
from adapters.discord.components import CARD
from adapters.discord.preview import preview
from adapters.preview import Shown
from agent.types import Citation, Clarification, Step, StepStatus

STEP = Step(id="s", team="search", task="Search", status=StepStatus.COMPLETED, result="2 found", sources=("Leave",))
WORKING = TodoList(steps=(replace(STEP, status=StepStatus.IN_PROGRESS),), language="en", phase="searching")
DONE = TodoList(steps=(STEP,), language="en", status="done", elapsed_ms=2_400.0)
CITED = Citation(n=1, document_id="d", passage_id="d#0", title="Leave", quote="q", source="https://x.test/leave")


def real(discord, asked) -> list:
    """What stands on Discord, without what it adds to buttons by itself."""
    found = discord.from_bot(asked.key.channel_id if asked.private else asked.message_id)
    return [
        {
            "content": m["content"] or None,
            "components": bare(m.get("components") or []),
            "flags": m.get("flags", 0) & CARD,
        }
        for m in found
    ]


def bare(components: list) -> list:
    """Return components without the numbers that Discord gives them."""
    return [
        {key: bare(value) if key == "components" else value for key, value in each.items() if key != "id"}
        for each in components
    ]


@pytest.fixture
async def asked(discord, listening, intake):
    await discord.post(await discord.dm(discord.alice), discord.alice, "how many days?")
    await discord.until(lambda: intake.messages)
    return intake.messages[0]


@pytest.mark.parametrize("kind", ["answer", "long", "asks", "asks much", "fails"])
async def test_a_turn_is_previewed_as_it_stands_there(discord, listening, deliveries, asked, response, kind):
    reply = listening.reply(asked, deliveries)
    answers = {"answer": "You have **25** days. [1]", "long": "A sentence. [1] " * 300}
    options = ("Seoul", "Berlin") if kind == "asks" else tuple("ABCDEFG")
    outcome = (
        Clarification(question="Which?", options=options) if "asks" in kind else Failure(text="No.", language="en")
    )
    if kind in answers:
        outcome = response(answer=answers[kind], citations=(CITED,))
    await reply.show(WORKING)
    assert real(discord, asked) == preview(Shown(todo=WORKING))
    if kind in answers:
        await reply.stream("You have")
        assert real(discord, asked) == preview(Shown(todo=WORKING, draft="You have"))
    await reply.show(DONE)
    if isinstance(outcome, Failure):
        await reply.fail(outcome)
    elif isinstance(outcome, Clarification):
        await reply.ask(outcome)
    else:
        await reply.finish(outcome)
    shown = preview(Shown(todo=DONE, outcome=outcome))
    if isinstance(outcome, Clarification):  # whose buttons name the conversation besides
        shown, found = [each["content"] for each in shown], [each["content"] for each in real(discord, asked)]
        assert shown == found
    else:
        assert real(discord, asked) == shown

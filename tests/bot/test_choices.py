"""A question back is settled once: by its asker's words, or by a click, and never twice."""

import asyncio
import time
from dataclasses import replace

import pytest

from agent.events import FinalResponse
from agent.language import say
from agent.types import Author, Choice, Clarification, MessageKind, Pending
from tests.fakes import incoming, response

ASKED = Clarification(question="Which one?", options=("Staff", "Temps"))


@pytest.fixture
def asking(bench):
    """The first turn asks back; the question waits until its asker, or a click, settles it."""
    waiting: list[Pending] = []
    play = bench.agent.run

    async def run(request):
        async for event in play(request):
            if isinstance(event, FinalResponse) and request.text == "notice?":
                about = {"question": "notice?", "asked_back": "Which one?", "slot": "", "asked_at": time.time()}
                choices = tuple(Choice(label=label) for label in ASKED.options)
                ids = {"turn_id": request.turn_id, "message_id": request.message_id, "asked_of": request.asked_by}
                waiting[:] = [Pending(**about, **ids, choices=choices)]
                asked = response(request, "Which one?")
                event = FinalResponse(response=replace(asked, response_type="clarification", clarification=ASKED))
            elif isinstance(event, FinalResponse) and (request.clicked or request.asked_by == "U1"):
                waiting.clear()
            yield event

    async def pending(thread):
        return waiting[0] if waiting else None

    bench.agent.run, bench.agent.pending = run, pending
    return waiting


def said(text: str, *, by: str = "U1", kind: MessageKind = MessageKind.THREAD_REPLY, event_id: str = ""):
    return replace(incoming(text, message_id=f"{text} {by}", kind=kind, event_id=event_id), author=Author(id=by))


async def converse(bench, *messages) -> None:
    async with bench.working(), asyncio.timeout(60):
        for message in messages:
            await bench.conversation.accept(message)
            await bench.settled()


async def test_answered_in_words_a_later_click_does_not_count(bench, asking):
    question = incoming("notice?")
    await converse(bench, question, said("the staff one"))
    assert bench.adapter.of(question).closed == [ASKED] and not asking
    click = said("Temps", kind=MessageKind.BUTTON, event_id="click on Which one?")
    assert not await bench.conversation.accept(click)


async def test_somebody_else_s_question_leaves_it_open(bench, asking):
    question = incoming("notice?")
    await converse(bench, question, said("where is the canteen?", by="U2"))
    assert bench.adapter.of(question).closed == []
    click = said("Temps", kind=MessageKind.BUTTON, event_id="click on Which one?", by="U2")
    await converse(bench, click)
    assert bench.agent.asked[-1].clicked and bench.adapter.of(click).finished
    assert bench.adapter.of(question).closed == []  # the click has shown itself
    await converse(bench, said("the staff one"))
    assert bench.adapter.of(question).closed == []


async def test_delivered_again_after_a_crash_the_choices_are_closed_too(bench, asking):
    question, words = incoming("notice?"), said("the staff one")
    bench.adapter.of(words).trouble["finish"] = [RuntimeError("crash")]
    await converse(bench, question, words)
    assert bench.adapter.of(question).closed == [ASKED]


async def test_a_click_on_a_question_that_is_over_is_answered_to_who_clicked_alone(bench, asking):
    await converse(bench, incoming("notice?"))
    asking[:] = [replace(asking[0], asked_at=time.time() - 25 * 3600)]
    click = said("Temps", by="U2", kind=MessageKind.BUTTON)
    await converse(bench, click)
    assert bench.adapter.whispered == [("U2", say("question_over", "en"))]
    assert click.turn_id not in bench.adapter.replies or not bench.adapter.of(click).finished
    assert len(bench.agent.asked) == 1 and asking

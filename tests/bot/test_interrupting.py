"""Edits and deletions of questions that wait or run: the turn ends at once, nothing is lost, nothing is said twice."""

import asyncio
import sys
from dataclasses import replace

from agent.events import FinalResponse
from agent.language import say
from agent.types import MessageKind
from bot.turns.conversation import Conversation
from bot.turns.turn import Turns
from storage.database import Database
from storage.inbox import SqlInbox
from storage.schema import INBOX
from tests.fakes import incoming, response
from tests.fakes_channels import MemoryChannelModes


def edited(text: str, *, message_id: str = "m1", at: float = 2.0, **more):
    message = incoming(text, message_id=message_id, kind=MessageKind.EDIT, event_id=f"{message_id}:{at}", **more)
    return replace(message, edited=at)


def deleted(message_id: str = "m1", **more):
    return incoming("", message_id=message_id, kind=MessageKind.DELETE, event_id=f"{message_id}:delete", **more)


class Hanging:
    """Lets turns about some texts hang, until they are cut off."""

    def __init__(self, bench, *texts: str) -> None:
        self.begun, self.cut, self._texts = asyncio.Event(), [], texts
        bench.agent.before = self

    async def __call__(self, request):
        if request.text in self._texts:
            self.begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.cut.append(request.text)


async def test_an_edit_cuts_the_turn_off_and_its_new_words_are_answered_once(bench):
    hanging = Hanging(bench, "old")
    question, behind = incoming("old"), incoming("behind", message_id="m2")
    async with bench.working(), asyncio.timeout(60):
        await bench.conversation.accept(question)
        await hanging.begun.wait()
        await bench.conversation.accept(behind)
        await bench.conversation.accept(edited("new"))
        await bench.settled()
    reply = bench.adapter.of(question)
    assert hanging.cut == ["old"] and [r.text for r in bench.agent.asked] == ["old", "new", "behind"]
    assert [r.answer for r in reply.finished] == ["About new"] and not reply.failed  # no answer was updated
    assert bench.agent.overlaps == 0


async def test_an_edit_in_the_queue_is_asked_instead(bench):
    await bench.conversation.accept(incoming("old"))
    await bench.conversation.accept(edited("new"))
    async with bench.working(), asyncio.timeout(60):
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["new"]


async def test_an_edit_of_a_reply_stays_a_reply(bench):
    hanging = Hanging(bench, "same here")
    await bench.conversation.accept(incoming(message_id="m0"))
    async with bench.working(), asyncio.timeout(60):
        await bench.conversation.accept(incoming("same here", kind=MessageKind.THREAD_REPLY))
        await hanging.begun.wait()
        await bench.conversation.accept(edited("same for me"))
        await bench.settled()
    assert [(r.text, r.around is None) for r in bench.agent.asked][1:] == [("same here", False), ("same for me", False)]


async def test_what_an_attempt_that_was_cut_off_left_goes_when_the_new_words_want_no_answer(bench):
    hanging = Hanging(bench, "same here?")
    await bench.conversation.accept(incoming(message_id="m0"))
    message = incoming("same here?", kind=MessageKind.THREAD_REPLY)
    play = bench.agent.run

    async def run(request):
        async for event in play(request):
            silent = request.text == "same here" and isinstance(event, FinalResponse)
            yield FinalResponse(response=response(request, "")) if silent else event

    bench.agent.run = run
    async with bench.working(), asyncio.timeout(60):
        await bench.conversation.accept(message)
        await hanging.begun.wait()
        await bench.deliveries.begin(message.turn_id, "progress")
        await bench.conversation.accept(edited("same here"))
        await bench.settled()
    assert bench.adapter.erased == [message.turn_id] and not bench.adapter.of(message).finished


async def test_a_deletion_cuts_the_turn_off_without_a_word_and_goes_before_what_waits(bench):
    hanging = Hanging(bench, "first")
    question = incoming("first")
    async with bench.working(), asyncio.timeout(60):
        await bench.conversation.accept(question)
        await hanging.begun.wait()
        await bench.conversation.accept(incoming("second", message_id="m2"))
        await bench.conversation.accept(deleted())
        await bench.settled()
    reply = bench.adapter.of(question)
    assert hanging.cut == ["first"] and not reply.finished and not reply.failed
    assert bench.adapter.erased == [question.turn_id]
    assert bench.agent.forgotten == [(str(question.key), "m1")]  # the turn may have been cut off after its last step
    assert [r.text for r in bench.agent.asked] == ["first", "second"]


async def test_a_question_deleted_in_the_queue_is_never_asked(bench):
    await bench.conversation.accept(incoming("first"))
    await bench.conversation.accept(incoming("second", message_id="m2"))
    await bench.conversation.accept(deleted())
    async with bench.working(), asyncio.timeout(60):
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["second"]


async def test_the_intake_of_another_process_cuts_the_turn_off(bench, tmp_path):
    other = await Database.open(tmp_path / "inbox.db", INBOX, durable=True)
    intake = Conversation(SqlInbox(other), MemoryChannelModes())
    hanging = Hanging(bench, "old", "newer")
    async with bench.working(), asyncio.timeout(60):
        await intake.accept(incoming("old"))
        await hanging.begun.wait()
        hanging.begun.clear()
        await intake.accept(edited("newer"))
        await hanging.begun.wait()
        await intake.accept(deleted())
        await bench.settled()
    await other.close()
    assert hanging.cut == ["old", "newer"] and not bench.adapter.of(incoming()).finished


async def test_an_edit_that_comes_while_the_answer_is_delivered_follows_it_in_its_place(bench):
    delivering, go_on = asyncio.Event(), asyncio.Event()
    question = incoming("old")
    reply = bench.adapter.of(question)
    finish = reply.finish

    async def slowly(answer):
        delivering.set()
        await go_on.wait()
        await finish(answer)

    reply.finish = slowly
    async with bench.working(), asyncio.timeout(60):
        await bench.conversation.accept(question)
        await delivering.wait()
        await bench.conversation.accept(edited("new"))
        await bench.looked("interrupted")
        go_on.set()
        await bench.settled()
    first, second = (r.answer for r in reply.finished)
    assert first == "About old" and second.startswith("About new") and say("updated", "en") in second


async def test_killed_after_an_edit_or_a_deletion_came_the_next_worker_knows(bench):
    for message_id in ("m1", "m2"):
        await bench.conversation.accept(incoming("old", message_id=message_id, thread=message_id))
        assert await bench.inbox.claim("dead", lease=-1, platforms=["fake"]) is not None
    await bench.conversation.accept(edited("new", thread="m1"))
    await bench.conversation.accept(deleted("m2", thread="m2"))
    async with bench.working(), asyncio.timeout(60):
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["new"]
    assert [len(bench.adapter.of(incoming(message_id=id)).finished) for id in ("m1", "m2")] == [1, 0]


async def test_a_draft_under_way_is_through_before_the_new_words_are_asked(bench):
    hanging, settling, go_on = Hanging(bench, "old"), asyncio.Event(), asyncio.Event()

    async def settle(message):
        settling.set()
        await go_on.wait()

    bench.adapter.settle = settle
    async with bench.working(), asyncio.timeout(60):
        await bench.conversation.accept(incoming("old"))
        await hanging.begun.wait()
        await bench.conversation.accept(edited("new"))
        await settling.wait()
        await bench.looked("claim")
        assert [r.text for r in bench.agent.asked] == ["old"]
        go_on.set()
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["old", "new"]


async def test_a_reply_delivered_before_its_root_is_answered_after_it(bench):
    async with bench.working(), asyncio.timeout(60):
        await bench.conversation.accept(incoming("second?", message_id="m2", kind=MessageKind.THREAD_REPLY))
        assert not await bench.conversation.takes_part(incoming().key)
        await bench.conversation.accept(incoming("first"))
        await bench.settled()
    assert [(r.text, r.around is None) for r in bench.agent.asked] == [("first", True), ("second?", False)]


async def test_a_stop_seen_from_two_sides_at_once_is_told_once(bench, monkeypatch):
    """What cuts turns off looks just before the turn itself sees that it is to end, and goes on after it said so."""
    question, looked, answered = incoming("stop this"), asyncio.Event(), Turns.answered

    async def late(turns, message):
        if sys._getframe(1).f_code.co_name == "_stop_turns":
            looked.set()
            while not bench.adapter.of(question).failed:
                await asyncio.sleep(0)
        else:
            await looked.wait()
        return await answered(turns, message)

    monkeypatch.setattr(Turns, "answered", late)
    await bench.conversation.accept(question)
    await bench.inbox.stop(question.key)
    async with bench.working(), asyncio.timeout(60):
        await bench.settled()
    assert [f.text for f in bench.adapter.of(question).failed] == [say("turn_stopped", "en", turn_id="")]

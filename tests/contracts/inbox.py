"""What every inbox does (`storage.contracts.Inbox`). A subclass gives `inbox` and `clock`."""

import asyncio
import dataclasses

import pytest

from agent.types import Author, IncomingMessage, MessageKind, ThreadKey
from storage.arrivals import EARLY_SECONDS
from storage.contracts import Interrupt


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at = 1_000_000.0

    def __call__(self) -> float:
        return self.at


def message(event: str, thread: str = "T1", *, platform: str = "slack", text: str = "question") -> IncomingMessage:
    return IncomingMessage(
        key=ThreadKey(platform=platform, workspace_id="W", channel_id="C", thread_id=thread),
        event_id=event,
        message_id=event,
        author=Author(id="U1", name="Kim"),
        text=text,
        kind=MessageKind.MENTION,
        received_at=1.0,
        extra={"a": "b"},
    )


def edit(of: str, text: str, *, at: float = 2.0, thread: str = "T1") -> IncomingMessage:
    changed = dataclasses.replace(message(of, thread, text=text), kind=MessageKind.EDIT, edited=at)
    return dataclasses.replace(changed, event_id=f"{of}:edit:{at}")


def deletion(of: str, thread: str = "T1") -> IncomingMessage:
    gone = dataclasses.replace(message(of, thread, text=""), kind=MessageKind.DELETE)
    return dataclasses.replace(gone, event_id=f"{of}:delete")


def reply(event: str, text: str = "and then?") -> IncomingMessage:
    return dataclasses.replace(message(event, text=text), kind=MessageKind.THREAD_REPLY)


class InboxContract:
    async def claim(self, inbox, owner="w1", *, lease=30.0, platforms=("slack",), thread=None):
        return await inbox.claim(owner, lease=lease, platforms=platforms, thread=thread)

    async def test_a_message_comes_out_as_it_went_in(self, inbox, clock):
        sent = message("e1", text="휴가는 며칠? 🌴\n둘째 줄")
        assert await inbox.add(sent)
        row = await self.claim(inbox)
        assert row.message == sent and (row.attempts, row.deaths) == (0, 0)

    async def test_it_knows_what_somebody_still_waits_for(self, inbox, clock):
        theirs = dataclasses.replace(message("e3", "T3"), author=Author(id="U2"))
        for sent in (message("e1"), message("e2", "T2"), theirs, message("e4", "T4", platform="discord")):
            assert await inbox.add(sent)
        assert [key.thread_id for key in await inbox.open_of("slack", "W", "U1")] == ["T1", "T2"]
        row = await self.claim(inbox)
        assert [key.thread_id for key in await inbox.open_of("slack", "W", "U1")] == ["T1", "T2"]
        assert await inbox.finish(row)
        assert [key.thread_id for key in await inbox.open_of("slack", "W", "U1")] == ["T2"]
        assert await inbox.open_of("slack", "other", "U1") == []

    async def test_the_same_event_is_taken_once_even_long_after_its_answer(self, inbox, clock):
        assert await inbox.add(message("e1"))
        assert not await inbox.add(message("e1"))
        row = await self.claim(inbox)
        assert await inbox.finish(row)
        clock.at += 40 * 86_400
        await inbox.prune(older_than=clock.at - 86_400)
        assert not await inbox.add(message("e1"))

    async def test_many_at_once_are_each_claimed_once(self, inbox, clock):
        await asyncio.gather(*(inbox.add(message(f"e{n}", f"T{n}")) for n in range(30)))
        rows = await asyncio.gather(*(self.claim(inbox, f"w{n}") for n in range(30)))
        assert len({row.id for row in rows}) == 30
        assert await self.claim(inbox) is None

    async def test_one_thread_is_answered_in_order_and_one_at_a_time(self, inbox, clock):
        for event, thread in (("a1", "A"), ("a2", "A"), ("b1", "B")):
            await inbox.add(message(event, thread))
        first, other = await self.claim(inbox), await self.claim(inbox)
        assert (first.message.event_id, other.message.event_id) == ("a1", "b1")
        assert await self.claim(inbox) is None
        await inbox.finish(first)
        assert (await self.claim(inbox)).message.event_id == "a2"

    async def test_a_claim_that_is_not_renewed_comes_back(self, inbox, clock):
        await inbox.add(message("e1"))
        lost = await self.claim(inbox, "dead", lease=30)
        clock.at += 29
        assert await self.claim(inbox) is None
        assert await inbox.renew(lost, lease=30)
        clock.at += 29
        assert await self.claim(inbox) is None
        clock.at += 2
        again = await self.claim(inbox, "alive")
        assert (again.id, again.attempts, again.deaths) == (lost.id, 0, 1)  # no turn of it failed
        assert not await inbox.finish(lost) and not await inbox.renew(lost, lease=30)
        assert await inbox.finish(again)

    async def test_a_released_message_is_tried_again_when_due_and_holds_its_thread(self, inbox, clock):
        await inbox.add(message("e1"))
        await inbox.add(message("e2"))
        await inbox.release(await self.claim(inbox), error="ModelError", retry_in=10)
        assert await self.claim(inbox) is None  # e2 must not overtake e1
        clock.at += 11
        assert (await self.claim(inbox)).message.event_id == "e1"

    async def test_an_attempt_that_was_not_charged_does_not_count(self, inbox, clock):
        await inbox.add(message("e1"))
        await inbox.release(await self.claim(inbox), error="shut down", retry_in=0, charge=False)
        again = await self.claim(inbox)
        assert (again.attempts, again.deaths) == (0, 0)
        await inbox.release(again, error="ModelError", retry_in=0)
        assert (await self.claim(inbox)).attempts == 1

    async def test_a_message_that_kills_its_worker_again_and_again_stops_blocking_its_thread(self, inbox, clock):
        await inbox.add(message("poison"))
        await inbox.add(message("next"))
        for _ in range(20):
            row = await self.claim(inbox, lease=1)
            if row.message.event_id == "next":
                break
            clock.at += 2
        assert row.message.event_id == "next"
        assert (await inbox.counts())["dead"] == 1

    async def test_only_messages_of_the_named_platforms_or_thread_are_claimed(self, inbox, clock):
        await inbox.add(message("e1", platform="discord"))
        assert await self.claim(inbox, platforms=["slack"]) is None
        other = ThreadKey(platform="discord", workspace_id="W", channel_id="C", thread_id="T2")
        assert await self.claim(inbox, platforms=["discord"], thread=other) is None
        own = dataclasses.replace(other, thread_id="T1")
        assert await self.claim(inbox, platforms=["discord"], thread=own) is not None

    async def test_a_message_without_a_thread_moves_to_the_one_opened_for_it(self, inbox, clock):
        await inbox.add(message("command", ""))
        row = await self.claim(inbox)
        key = dataclasses.replace(row.message.key, thread_id="T9")
        row = await inbox.move(row, key)
        assert row.message.key == key
        await inbox.add(message("reply", "T9"))
        assert await self.claim(inbox) is None  # the follow-up waits for the command's turn
        await inbox.finish(row)
        assert (await self.claim(inbox)).message.event_id == "reply"

    async def test_two_messages_without_a_thread_do_not_wait_for_each_other(self, inbox, clock):
        await inbox.add(message("c1", ""))
        await inbox.add(message("c2", ""))
        assert await self.claim(inbox) is not None and await self.claim(inbox) is not None

    async def test_it_knows_the_threads_it_was_asked_in(self, inbox, clock):
        await inbox.add(message("e1", "T1"))
        await inbox.finish(await self.claim(inbox))
        await inbox.prune(older_than=clock.at + 1)
        assert await inbox.knows(message("x", "T1").key)
        assert not await inbox.knows(message("x", "T2").key)

    async def test_a_thread_all_of_whose_questions_are_deleted_is_people_s_own_again(self, inbox, clock):
        for event in ("e1", "e2"):
            await inbox.add(message(event))
            await inbox.finish(await self.claim(inbox))
        for event, left in (("e1", True), ("e2", False)):
            await inbox.add(deletion(event))
            await inbox.finish(await self.claim(inbox))
            assert await inbox.knows(message("x").key) is left
        await inbox.prune(older_than=clock.at + 1)
        assert not await inbox.knows(message("x").key)
        await inbox.add(message("e3"))
        assert await inbox.knows(message("x").key)

    async def test_so_is_one_whose_question_came_after_its_deletion(self, inbox, clock):
        await inbox.add(deletion("e1"))
        await inbox.add(message("e1"))
        clock.at += EARLY_SECONDS + 1
        await inbox.add(message("e2", "T2"))  # what only waited is forgotten by now
        assert not await inbox.knows(message("x").key)

    async def test_stop_marks_what_runs_and_what_waits_but_no_edit_or_deletion(self, inbox, clock):
        await inbox.add(message("e1"))
        await inbox.add(message("e2"))
        row = await self.claim(inbox)
        await inbox.add(deletion("old"))
        assert not await inbox.interrupted(row)
        assert await inbox.stop(row.message.key) == 2
        assert await inbox.interrupted(row) == {row.id: Interrupt.STOP}
        await inbox.finish(row)
        gone = await self.claim(inbox)  # before what waits: nobody needs to see the answer any longer
        assert gone.message.event_id == "old:delete" and not await inbox.interrupted(gone)
        assert await self.claim(inbox) is None
        await inbox.finish(gone)
        waiting = await self.claim(inbox)
        assert waiting.message.event_id == "e2" and await inbox.interrupted(waiting)
        await inbox.finish(waiting)
        assert await inbox.stop(row.message.key) == 0

    async def test_of_one_person_alone_what_they_asked_is_to_stop(self, inbox, clock):
        mine, other = message("e1"), dataclasses.replace(message("e2"), author=Author(id="U9"))
        await inbox.add(mine)
        await inbox.add(other)
        row = await self.claim(inbox)
        assert await inbox.stop(row.message.key, only=other.author) == 1 and not await inbox.interrupted(row)
        assert await inbox.stop(row.message.key, only=mine.author) == 1 and await inbox.interrupted(row)

    async def test_of_many_rows_it_names_those_that_are_to_stop(self, inbox, clock):
        for event in ("e1", "e2", "e3"):
            await inbox.add(message(event, event))
        rows = [await self.claim(inbox) for _ in range(3)]
        assert not await inbox.interrupted(*rows) and not await inbox.interrupted()
        for row in rows[1:]:
            await inbox.stop(row.message.key)
        assert set(await inbox.interrupted(*rows)) == {row.id for row in rows[1:]}
        assert set(await inbox.interrupted(*rows[:2])) == {rows[1].id}

    async def test_a_noted_event_is_known_and_never_claimed(self, inbox, clock):
        assert await inbox.note(message("e1"))
        assert not await inbox.note(message("e1")) and not await inbox.add(message("e1"))
        assert await self.claim(inbox) is None

    async def test_a_message_can_be_withdrawn_and_is_then_finished(self, inbox, clock):
        await inbox.add(message("e1"))
        await inbox.add(message("e2"))
        assert not await inbox.finished(message("e1"))
        await inbox.withdraw(message("e1"))
        assert await inbox.finished(message("e1")) and not await inbox.finished(message("e2"))
        assert (await self.claim(inbox)).message.event_id == "e2"

    async def test_text_that_no_encoding_can_hold_is_kept_as_far_as_it_goes(self, inbox, clock):
        assert await inbox.add(message("e\ud83d", text="half \ud83d a pair"))
        assert (await self.claim(inbox)).message.text == "half ? a pair"

    async def test_waiting_ends_with_the_next_message(self, inbox, clock):
        waiting = asyncio.create_task(inbox.wait(60))
        await asyncio.sleep(0)
        await inbox.add(message("e1"))
        async with asyncio.timeout(120):
            await waiting

    async def test_counts(self, inbox, clock):
        assert await inbox.counts() == {"todo": 0, "doing": 0, "done": 0, "dead": 0}
        for n in range(3):
            await inbox.add(message(f"e{n}", f"T{n}"))
        await inbox.finish(await self.claim(inbox))
        await self.claim(inbox)
        assert await inbox.counts() == {"todo": 1, "doing": 1, "done": 1, "dead": 0}

    async def test_a_held_message_is_claimed_when_it_is_let_go_or_when_nobody_comes_back(self, inbox, clock):
        for event in ("e1", "e2"):
            assert await inbox.add(message(event, event), hold=10.0)
        assert await self.claim(inbox) is None
        await inbox.let_go(message("e2", "e2"))
        assert (await self.claim(inbox)).message.event_id == "e2" and await self.claim(inbox) is None
        clock.at += 11
        row = await self.claim(inbox)
        assert row.message.event_id == "e1"
        await inbox.let_go(row.message)  # it runs already
        assert await self.claim(inbox) is None

    async def claims(self, inbox) -> list[IncomingMessage]:
        """Claim and finish all there is; returns it in order."""
        found = []
        while (row := await self.claim(inbox)) is not None:
            found.append(row.message)
            await inbox.finish(row)
        return found

    async def test_an_edit_takes_the_place_of_the_question_that_waits(self, inbox, clock):
        for event in ("e1", "e2"):
            await inbox.add(message(event, text=f"old {event}"))
        assert await inbox.add(edit("e1", "new")) and not await inbox.add(edit("e1", "new"))
        first, second = await self.claims(inbox)
        assert (first.text, first.kind, first.replaces) == ("new", MessageKind.EDIT, MessageKind.MENTION)
        assert (second.text, second.replaces) == ("old e2", None)

    async def test_an_edit_interrupts_the_turn_and_gives_the_message_back_with_its_new_words(self, inbox, clock):
        await inbox.add(message("e1"))
        await inbox.add(message("e2"))
        row = await self.claim(inbox)
        await inbox.add(edit("e1", "newer", at=3.0))
        await inbox.add(edit("e1", "new", at=2.0))  # delivered late: it says what no longer holds
        assert await inbox.interrupted(row) == {row.id: Interrupt.EDITED}
        assert await self.claim(inbox) is None  # it runs still
        assert await inbox.finish(row)  # also where it came to its end
        again = await self.claim(inbox)
        assert (again.id, again.message.text, again.attempts) == (row.id, "newer", 0)
        assert not await inbox.interrupted(again)
        await inbox.add(edit("e1", "newest", at=4.0))
        await inbox.release(again, error="ModelError", retry_in=100)
        assert (await self.claim(inbox)).message.text == "newest"

    async def test_an_edit_outlives_the_worker_that_it_interrupts(self, inbox, clock):
        await inbox.add(message("e1"))
        dead = await self.claim(inbox, "dead", lease=30)
        await inbox.add(edit("e1", "new"))
        clock.at += 31
        [again] = await self.claims(inbox)
        assert again.text == "new" and not await inbox.finish(dead)

    async def test_an_edit_of_an_answered_question_is_a_message_of_its_own(self, inbox, clock):
        await inbox.add(message("e1"))
        await self.claims(inbox)
        await inbox.add(edit("e1", "new"))
        await inbox.add(edit("e1", "newer", at=3.0))
        [again] = await self.claims(inbox)
        assert (again.text, again.kind, again.replaces) == ("newer", MessageKind.EDIT, None)

    async def test_an_edit_that_changes_no_word_is_not_answered(self, inbox, clock):
        await inbox.add(message("e1", text="as it was edited"))
        await self.claims(inbox)
        await inbox.add(edit("e1", "as it was edited"))
        assert not await self.claims(inbox)
        await inbox.add(edit("e1", "new", at=3.0))
        assert [again.text for again in await self.claims(inbox)] == ["new"]

    async def test_a_stop_ends_what_was_edited_before_it_was_answered(self, inbox, clock):
        await inbox.add(message("e1"))
        await inbox.stop(message("e1").key)
        await inbox.add(edit("e1", "new"))  # asked again
        row = await self.claim(inbox)
        assert not await inbox.interrupted(row)
        assert await inbox.stop(row.message.key) == 1
        assert await inbox.interrupted(row) == {row.id: Interrupt.STOP}

    async def test_a_deletion_takes_away_the_question_that_waits(self, inbox, clock):
        await inbox.add(message("e1"))
        await inbox.add(message("e2"))
        await inbox.add(deletion("e1"))
        assert [each.event_id for each in await self.claims(inbox)] == ["e1:delete", "e2"]

    async def test_a_deletion_interrupts_the_turn_and_comes_next(self, inbox, clock):
        await inbox.add(message("e1"))
        await inbox.add(message("e2"))
        row = await self.claim(inbox)
        await inbox.add(edit("e1", "new"))
        await inbox.add(deletion("e1"))
        assert await inbox.interrupted(row) == {row.id: Interrupt.DELETED}
        assert await inbox.stop(row.message.key) == 1  # e2
        assert await inbox.interrupted(row) == {row.id: Interrupt.DELETED}
        await inbox.release(row, error="shut down", retry_in=0, charge=False)
        assert [each.event_id for each in await self.claims(inbox)] == ["e1:delete", "e2"]

    async def test_a_deletion_outlives_the_worker_that_it_interrupts(self, inbox, clock):
        await inbox.add(message("e1"))
        await self.claim(inbox, "dead", lease=30)
        await inbox.add(deletion("e1"))
        clock.at += 31
        assert [each.event_id for each in await self.claims(inbox)] == ["e1:delete"]

    async def test_while_a_deletion_is_carried_out_its_thread_is_not_free(self, inbox, clock):
        await inbox.add(message("e1"))
        await inbox.add(deletion("old"))
        row = await self.claim(inbox)
        assert row.message.kind is MessageKind.DELETE and await self.claim(inbox) is None

    async def test_after_a_deletion_nothing_of_the_message_counts(self, inbox, clock):
        await inbox.add(message("root"))
        await inbox.add(deletion("e1"))
        await inbox.add(edit("e1", "new"))
        assert await inbox.add(message("e1")) and not await inbox.add(message("e1"))
        assert [each.event_id for each in await self.claims(inbox)] == ["e1:delete", "root"]

    async def test_an_edit_that_comes_before_its_message_is_what_is_asked(self, inbox, clock):
        await inbox.add(edit("e1", "new"))
        assert await self.claims(inbox) == []
        await inbox.add(message("e1", text="old"))
        [asked] = await self.claims(inbox)
        assert (asked.text, asked.kind) == ("new", MessageKind.MENTION)

    async def test_a_deletion_that_comes_before_its_message_is_kept(self, inbox, clock):
        await inbox.add(deletion("e1"))
        assert not await inbox.knows(message("e1").key)
        await inbox.add(message("e1"))
        assert await self.claims(inbox) == []

    async def test_a_reply_that_comes_before_the_question_waits_for_it(self, inbox, clock):
        await inbox.add(reply("r1", "old"))
        await inbox.add(reply("r2"))
        await inbox.add(reply("r3"))
        await inbox.add(edit("r1", "new"))
        await inbox.add(deletion("r2"))
        assert not await inbox.knows(message("r1").key) and await self.claims(inbox) == []
        assert not await inbox.add(reply("r2"))
        await inbox.add(message("root"))
        found = await self.claims(inbox)
        assert [each.text for each in found] == ["question", "new", "and then?"]
        assert found[1].replaces is MessageKind.THREAD_REPLY

    @pytest.mark.parametrize(
        ("before", "first", "behind"),
        [("99.000007", "100.000002", "100.00001"), ("99", "157637", "1000000000000000001")],
    )
    async def test_what_people_wrote_before_weft_was_asked_in_their_thread_is_none_of_it(
        self, inbox, clock, before, first, behind
    ):
        for line in (before, behind):
            await inbox.add(reply(line, line))
        await inbox.add(message(first, text=first))
        assert [each.text for each in await self.claims(inbox)] == [first, behind]

    async def test_what_nothing_comes_to_is_forgotten(self, inbox, clock):
        await inbox.add(reply("r1"))
        await inbox.add(edit("e1", "new"))
        clock.at += EARLY_SECONDS + 1
        await inbox.prune(older_than=0.0)
        await inbox.add(message("root"))
        await inbox.add(message("e1", text="old"))
        assert [each.text for each in await self.claims(inbox)] == ["question", "old"]

    async def test_of_peoples_talk_only_who_and_when_is_kept(self, inbox, clock):
        await inbox.add(message("e1", text="a secret between us"))
        assert await inbox.knows(message("e1").key)
        row = await self.claim(inbox)
        assert await inbox.finish(row, heard=False)
        assert not await inbox.knows(row.message.key)
        assert not await inbox.add(message("e1"))
        [line] = await inbox.lines(message("e2"))
        assert (line.author.id, line.author.name, line.at) == ("U1", "Kim", clock.at)

    async def test_the_lines_of_a_thread_are_those_before_a_message_the_last_ones_in_order(self, inbox, clock):
        for n in range(5):
            clock.at += 1
            await inbox.add(message(f"e{n}"))
        await inbox.add(message("x", thread="T2"))
        await inbox.add(dataclasses.replace(message("e1:edit"), kind=MessageKind.EDIT))
        assert [line.at for line in await inbox.lines(message("e3"))] == [clock.at - 4, clock.at - 3, clock.at - 2]
        assert [line.at for line in await inbox.lines(message("new"), most=2)] == [clock.at - 1, clock.at]

    async def test_the_words_of_a_thread_are_those_that_its_questions_have_now(self, inbox, clock):
        for event in ("e1", "e2", "talk"):
            await inbox.add(message(event, text=f"old {event}"))
            await inbox.finish(await self.claim(inbox), heard=event != "talk")
        await inbox.add(message("other", "T2"))
        await inbox.add(edit("e1", "new e1", at=3.0))
        await inbox.add(edit("e1", "newer e1", at=4.0))
        assert await inbox.words_in(message("x").key) == {
            message("e1").turn_id: "newer e1", message("e2").turn_id: "old e2"
        }  # fmt: skip
        assert list(await inbox.words_in(message("x").key)) == [message("e1").turn_id, message("e2").turn_id]

    async def test_a_message_is_found_by_its_turn_once_its_thread_is_open(self, inbox):
        asked = dataclasses.replace(message("e1"), key=dataclasses.replace(message("e1").key, thread_id=""))
        await inbox.add(asked)
        assert await inbox.thread_of(asked.turn_id) is None
        row = await self.claim(inbox)
        await inbox.move(row, message("e1", "T7").key)
        assert await inbox.thread_of(asked.turn_id) == message("e1", "T7").key
        assert await inbox.thread_of("t-of-nobody") is None

    async def test_what_was_written_in_a_channel_is_told_once_with_its_latest_words_and_without_what_is_deleted(
        self, inbox, clock
    ):
        await inbox.add(message("old"))
        clock.at += 100.0
        since = clock.at
        await inbox.add(message("e1"))
        await inbox.finish(await self.claim(inbox))
        await inbox.finish(await self.claim(inbox))
        await inbox.add(edit("e1", "new words"))
        await inbox.add(message("e2", "T2"))
        await inbox.add(message("e3", "T3"))
        await inbox.add(deletion("e3", "T3"))
        elsewhere = dataclasses.replace(message("e4").key, channel_id="C2")
        await inbox.add(dataclasses.replace(message("e4"), key=elsewhere))
        await inbox.add(dataclasses.replace(message("click"), kind=MessageKind.BUTTON))
        found = await inbox.accepted_in(message("any", "T9").key, since=since)
        assert [(each.message_id, each.text) for each in found] == [("e1", "new words"), ("e2", "question")]

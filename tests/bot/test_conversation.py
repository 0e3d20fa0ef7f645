"""From the intake to the answer: order, crashes, stops, failures, edits, deletions."""

import asyncio
import time
from dataclasses import replace

import pytest

from agent.errors import ClosedError, DeliveryError, StorageError, TokenError, TurnTimeoutError, UnreachableError
from agent.language import say
from agent.types import Author, MessageKind, ProducedFile, StepStatus
from bot.platform_state import Standing
from bot.turns import worker
from storage.arrivals import arrive
from tests.fakes import RecordingReply, incoming, rate_limited


async def test_a_message_is_answered_once_with_its_progress_before_the_answer(bench):
    message = incoming()
    assert await bench.conversation.accept(message)
    assert not await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    reply = bench.adapter.of(message)
    assert [r.answer for r in reply.finished] == ["About How many leave days?"]
    assert reply.log.index("show") < reply.log.index("finish")
    assert reply.shown[-1].status == "done" and reply.shown[-1].steps[0].status is StepStatus.COMPLETED
    assert (await bench.stored.get(message.turn_id)).response.answer == "About How many leave days?"


async def test_threads_run_side_by_side_and_each_in_order(bench):
    gate = asyncio.Event()
    bench.agent.before = lambda request: gate.wait()
    messages = [incoming(f"q{n}", message_id=f"m{n}", thread=f"T{n % 3}") for n in range(9)]
    for message in messages:
        await bench.conversation.accept(message)
    async with bench.working(concurrency=8):
        async with asyncio.timeout(60):
            while len(bench.agent.asked) < 3:
                await asyncio.sleep(0.01)
        assert {r.key.thread_id for r in bench.agent.asked} == {"T0", "T1", "T2"}
        gate.set()
        await bench.settled()
    assert bench.agent.overlaps == 0
    for thread in ("T0", "T1", "T2"):
        asked = [r.text for r in bench.agent.asked if r.key.thread_id == thread]
        assert asked == sorted(asked) and len(asked) == 3


async def test_who_waits_for_a_platform_takes_no_place_of_who_is_worked_on(bench, monkeypatch):
    monkeypatch.setattr(worker, "DELIVERIES", 2)
    posts = [incoming(f"q{n}", message_id=f"m{n}", thread=f"T{n}") for n in range(3)]
    taken = asyncio.Event()

    class Slow(RecordingReply):
        async def finish(self, response):
            self.log.append("finish begun")
            await taken.wait()
            await super().finish(response)

    for each in posts:
        bench.adapter.replies[each.turn_id] = Slow()
        await bench.conversation.accept(each)
    async with bench.working(concurrency=1), asyncio.timeout(60):
        while "finish begun" not in bench.adapter.of(posts[1]).log:
            await asyncio.sleep(0.01)
        await bench.looked("interrupted")
        assert [r.text for r in bench.agent.asked] == ["q0", "q1"]  # the third waits: two are under way
        assert not bench.adapter.of(posts[0]).finished
        taken.set()
        await bench.settled()
    assert [len(bench.adapter.of(each).finished) for each in posts] == [1, 1, 1]


def hanging(bench) -> asyncio.Event:
    """Let turns never end; returns what is set when one has begun."""
    started = asyncio.Event()

    async def hang(request):
        started.set()
        await asyncio.Event().wait()

    bench.agent.before = hang
    return started


async def test_a_turn_cut_off_by_a_shutdown_is_taken_up_by_the_next_worker(bench):
    started = hanging(bench)
    message = incoming()
    await bench.conversation.accept(message)
    async with bench.working():
        await started.wait()
    assert (await bench.inbox.counts())["todo"] == 1
    bench.agent.before = None
    async with bench.working():
        await bench.settled()
    assert len(bench.adapter.of(message).finished) == 1


async def test_a_turn_that_was_run_and_not_delivered_is_delivered_not_run_again(bench):
    message = incoming()
    bench.adapter.of(message).trouble["finish"] = [DeliveryError("connection lost")]
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert len(bench.agent.asked) == 1
    assert [r.answer for r in bench.adapter.of(message).finished] == ["About How many leave days?"]


async def test_trouble_with_progress_never_keeps_the_answer_back(bench):
    message = incoming()
    bench.adapter.of(message).trouble["show"] = [DeliveryError("down")] * 9
    await bench.conversation.accept(message)
    other = incoming(message_id="m2", thread="T2")
    bench.adapter.of(other).trouble["show"] = [rate_limited(3600)] * 9
    await bench.conversation.accept(other)
    async with bench.working():
        await bench.settled()
    assert len(bench.adapter.of(message).finished) == len(bench.adapter.of(other).finished) == 1


async def test_a_failing_turn_is_tried_again_and_then_told_without_its_words_in_the_log(bench, caplog):
    def explode(request):
        raise RuntimeError("secret words of the asker")

    bench.agent.before = explode
    message = incoming("secret words of the asker")
    await bench.conversation.accept(message)
    async with bench.working():
        counts = await bench.settled()
    reply = bench.adapter.of(message)
    assert len(bench.agent.asked) == worker.GIVE_UP_AFTER
    assert [f.text for f in reply.failed] == [say("turn_failed", "en", turn_id=message.turn_id)]
    assert counts["done"] == 1 and not reply.finished
    assert "RuntimeError at" in caplog.text and "secret words" not in caplog.text


async def test_a_message_that_takes_its_process_down_is_told_so_after_some_attempts(bench):
    message = incoming()
    await bench.conversation.accept(message)
    for _ in range(worker.DEADLY_AFTER + 1):  # claimed by processes that never came back
        assert await bench.inbox.claim("dead", lease=-1, platforms=["fake"]) is not None
    async with bench.working():
        await bench.settled()
    assert not bench.agent.asked
    assert len(bench.adapter.of(message).failed) == 1


async def test_what_processes_died_around_is_run_alone_and_answered(bench):
    messages = [incoming(message_id=f"m{n}", thread=f"T{n}") for n in range(4)]
    for message in messages[:3]:
        await bench.conversation.accept(message)
    for _ in range(worker.ALONE_AFTER + 1):  # three processes that held all of them
        for message in messages[:3]:
            assert await bench.inbox.claim("dead", lease=-1, platforms=["fake"], thread=message.key) is not None
    await bench.conversation.accept(messages[3])
    running, together = set(), []

    async def noted(request):
        running.add(request.key)
        together.append(len(running))
        await asyncio.sleep(0.02)
        running.discard(request.key)

    bench.agent.before = noted
    async with bench.working():
        await bench.settled()
    assert together == [1] * 4
    assert all(len(bench.adapter.of(message).finished) == 1 for message in messages)


async def test_a_thread_with_a_thousand_queued_messages_holds_nobody_up_and_loses_none(bench):
    queued = [incoming(f"question {n}", message_id=f"m{n}") for n in range(1_000)]
    await bench.queue.write(lambda c: [arrive(c, each, time.time()) for each in queued])
    other, order = incoming("from another thread", message_id="x", thread="T9"), []

    async def noted(request):
        order.append(request.text)

    bench.agent.before = noted
    await bench.conversation.accept(other)
    async with bench.working(concurrency=2), asyncio.timeout(300):
        while other.text not in order:
            await asyncio.sleep(0.01)
        waiting = (await bench.inbox.counts())["todo"]
        assert waiting > 900 and len(await bench.inbox.lines(queued[-1])) == 50
        while len(order) < 20:
            await asyncio.sleep(0.01)
    assert [text for text in order if text != other.text] == [each.text for each in queued[: len(order) - 1]]
    assert sum((await bench.inbox.counts()).values()) == 1_001
    assert [len(bench.adapter.of(each).finished) for each in queued[:10]] == [1] * 10


async def test_a_failed_turn_after_such_deaths_has_all_its_attempts(bench):
    message = incoming()
    await bench.conversation.accept(message)
    for _ in range(worker.ALONE_AFTER):
        assert await bench.inbox.claim("dead", lease=-1, platforms=["fake"]) is not None
    failures = iter([RuntimeError, RuntimeError])

    def explode(request):
        for error in failures:
            raise error

    bench.agent.before = explode
    async with bench.working():
        await bench.settled()
    assert len(bench.adapter.of(message).finished) == 1 and not bench.adapter.of(message).failed


async def test_a_turn_past_its_deadline_says_so(bench):
    def late(request):
        raise TurnTimeoutError

    bench.agent.before = late
    message = incoming()
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    reply = bench.adapter.of(message)
    assert [f.text for f in reply.failed] == [say("turn_timeout", "en")]
    assert reply.shown[-1].status == "failed"


@pytest.mark.parametrize("word", ["stop", "Stop.", "중지", "그만!"])
async def test_stop_ends_the_running_turn_and_drops_those_behind_it(bench, word):
    started = hanging(bench)
    first, second = incoming(), incoming(message_id="m2")
    await bench.conversation.accept(first)
    await bench.conversation.accept(second)
    async with bench.working():
        await started.wait()
        assert await bench.conversation.accept(incoming(word, message_id="m3"))
        await bench.settled()
    for message in (first, second):
        assert [f.text for f in bench.adapter.of(message).failed] == [say("turn_stopped", "en")]
        assert not bench.adapter.of(message).finished
    assert len(bench.agent.asked) == 1
    assert bench.adapter.of(first).shown[-1].status == "stopped"
    assert bench.adapter.of(first).shown[-1].steps[0].status is StepStatus.SKIPPED


async def test_who_takes_a_question_back_stops_their_own_and_nobody_elses(bench):
    started = hanging(bench)
    first, theirs = incoming(), replace(incoming(message_id="m2"), author=Author(id="U2"))
    await bench.conversation.accept(first)
    await bench.conversation.accept(theirs)
    async with bench.working():
        await started.wait()
        bench.agent.before = None
        assert await bench.conversation.accept(incoming("never mind, found it", message_id="m3"))
        await bench.settled()
    assert [f.text for f in bench.adapter.of(first).failed] == [say("turn_stopped", "en")]
    assert len(bench.adapter.of(theirs).finished) == 1 and not bench.adapter.of(theirs).failed
    assert [request.text for request in bench.agent.asked] == [first.text, theirs.text]


async def test_what_waited_is_told_once_that_it_was_stopped_however_long_telling_takes(bench):
    hanging, telling = asyncio.Event(), asyncio.Event()

    async def hang(request):
        hanging.set()
        await asyncio.Event().wait()

    bench.agent.before = hang
    behind = incoming(message_id="m2")
    reply = bench.adapter.of(behind)
    fail = reply.fail

    async def slowly(failure):
        await fail(failure)
        if not telling.is_set():
            telling.set()
            await bench.looked("interrupted")

    reply.fail = slowly
    await bench.conversation.accept(incoming())
    await bench.conversation.accept(behind)
    async with bench.working():
        await hanging.wait()
        await bench.conversation.accept(incoming("stop", message_id="m3"))
        await bench.settled()
    assert telling.is_set() and [f.text for f in reply.failed] == [say("turn_stopped", "en")]


async def test_stop_where_nothing_runs_is_a_message_like_any_other(bench):
    message = incoming("stop")
    assert await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert len(bench.adapter.of(message).finished) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", say("empty_question", "en")),
        (" \n ", say("empty_question", "en")),
        ("가" * 501, "501자"),
        ("x" * 501, "501"),
    ],
)
async def test_a_question_that_cannot_be_taken_is_told_why_in_the_thread(bench, text, words):
    message = incoming(text)
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert words in bench.adapter.of(message).failed[0].text and not bench.agent.asked


async def test_an_edit_runs_its_question_again_and_edits_the_answer(bench):
    message = incoming("old")
    await bench.conversation.accept(message)
    edit = replace(incoming("new", kind=MessageKind.EDIT), event_id="edit1")
    async with bench.working():
        await bench.settled()
        await bench.conversation.accept(edit)
        await bench.settled()
    assert edit.turn_id == message.turn_id
    answers = [r.answer for r in bench.adapter.of(message).finished]
    assert answers[0] == "About old" and answers[1].startswith("About new") and say("updated", "en") in answers[1]


async def test_an_edit_of_what_was_no_question_is_left_alone(bench):
    await bench.conversation.accept(incoming("chatter", kind=MessageKind.EDIT))
    async with bench.working():
        await bench.settled()
    assert not bench.agent.asked


async def test_a_deleted_question_takes_its_answer_with_it(bench):
    message = incoming()
    await bench.conversation.accept(message)
    await bench.conversation.accept(incoming("", kind=MessageKind.DELETE))
    async with bench.working():
        await bench.settled()
    assert bench.adapter.erased == [message.turn_id]
    assert bench.agent.forgotten == [(str(message.key), "m1")]
    assert await bench.stored.get(message.turn_id) is None


async def test_a_command_gets_its_thread_and_a_follow_up_there_waits_for_it(bench):
    gate = asyncio.Event()
    bench.agent.before = lambda request: gate.wait()
    command = incoming("first", thread="", kind=MessageKind.COMMAND)
    await bench.conversation.accept(command)
    async with bench.working():
        async with asyncio.timeout(60):
            while not bench.agent.asked:
                await asyncio.sleep(0.01)
        opened = bench.agent.asked[0].key
        assert opened.thread_id == "opened-m1" and await bench.conversation.takes_part(opened)
        await bench.conversation.accept(replace(incoming("second", message_id="m2"), key=opened))
        gate.set()
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["first", "second"] and bench.agent.overlaps == 0


async def test_a_place_that_is_gone_is_given_up_without_blocking_anybody(bench, caplog):
    message = incoming()
    bench.adapter.gone.add("m1")
    await bench.conversation.accept(message)
    async with bench.working():
        counts = await bench.settled()
    assert counts["done"] == 1 and not bench.agent.asked


async def test_a_lost_claim_cuts_the_turn_off(bench):
    started = hanging(bench)
    await bench.conversation.accept(incoming())
    async with bench.working(lease=0.03):
        await started.wait()
        # Another worker took the message over while this one was cut off from the database.
        await bench.queue.write(lambda c: c.execute("UPDATE inbox SET owner='other', lease_until=9e9").close())
        async with asyncio.timeout(60):
            while bench.agent.now_running:
                await asyncio.sleep(0.01)
    assert not bench.adapter.of(incoming()).finished
    assert (await bench.inbox.counts())["doing"] == 1  # the other worker's


async def test_one_look_serves_all_turns_and_stops_only_what_is_to_stop(bench, monkeypatch):
    gate, looks, interrupted = asyncio.Event(), [], bench.inbox.interrupted

    async def watched(*rows):
        looks.append(len(rows))
        return await interrupted(*rows)

    bench.agent.before = lambda request: gate.wait()
    messages = [incoming(message_id=f"m{n}", thread=f"T{n}") for n in range(5)]
    for message in messages:
        await bench.conversation.accept(message)
    async with bench.working(), asyncio.timeout(60):
        while len(bench.agent.now_running) < 5:
            await asyncio.sleep(0.01)
        monkeypatch.setattr(bench.inbox, "interrupted", watched)
        while len(looks) < 4:
            await asyncio.sleep(0.01)
        assert set(looks) == {5}
        assert await bench.conversation.accept(incoming("stop", message_id="m9", thread="T3"))
        while len(bench.agent.now_running) > 4:
            await asyncio.sleep(0.01)
        gate.set()
        await bench.settled()
    assert [len(bench.adapter.of(message).finished) for message in messages] == [1, 1, 1, 0, 1]
    assert len(bench.adapter.of(messages[3]).failed) == 1


async def test_a_turn_that_is_stopped_may_tidy_up(bench):
    started, tidied = asyncio.Event(), asyncio.Event()

    async def hang(request):
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await bench.looked("interrupted")
            tidied.set()

    bench.agent.before = hang
    await bench.conversation.accept(incoming())
    async with bench.working():
        await started.wait()
        await bench.conversation.accept(incoming("stop", message_id="m2"))
        await bench.settled()
    assert tidied.is_set()


async def test_turns_are_looked_after_again_after_all_were_done(bench):
    started = asyncio.Event()

    async def hang(request):
        started.set()
        await asyncio.Event().wait()

    async with bench.working(), asyncio.timeout(60):
        for n in range(3):
            bench.agent.before = None
            await bench.conversation.accept(incoming(message_id=f"a{n}"))
            await bench.settled()
            bench.agent.before = hang
            started.clear()
            await bench.conversation.accept(incoming(message_id=f"b{n}"))
            await started.wait()
            await bench.conversation.accept(incoming("stop", message_id=f"c{n}"))
            await bench.settled()


async def test_what_cannot_be_stored_is_not_accepted(bench):
    await bench.queue.close()
    with pytest.raises(StorageError):
        await bench.conversation.accept(incoming())


async def test_an_answer_waits_for_a_platform_that_is_down_for_longer_than_the_attempts_last(bench):
    message = incoming()
    bench.adapter.of(message).trouble["finish"] = [UnreachableError("down")] * (3 * worker.GIVE_UP_AFTER)
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert len(bench.agent.asked) == 1 and len(bench.adapter.of(message).finished) == 1


async def test_a_failure_waits_for_its_platform_too(bench):
    message = incoming("")
    bench.adapter.of(message).trouble["fail"] = [UnreachableError("down")] * 9
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert len(bench.adapter.of(message).failed) == 1


async def test_a_rate_limit_is_waited_out_as_told(bench, monkeypatch):
    message = incoming()
    bench.adapter.of(message).trouble["finish"] = [rate_limited(3600)]
    await bench.conversation.accept(message)
    async with bench.working():
        async with asyncio.timeout(60):
            while (await bench.inbox.counts())["doing"] or not bench.agent.asked:
                await asyncio.sleep(0.01)
        (due,) = await bench.queue.read(lambda c: c.execute("SELECT run_at FROM inbox").fetchone())
    assert due > time.time() + 3000 and not bench.adapter.of(message).finished


async def test_an_answer_that_no_platform_takes_for_a_day_is_given_up(bench, caplog):
    message = replace(incoming(), received_at=time.time() - worker.DELIVERY_PATIENCE - 1)
    bench.adapter.of(message).trouble["finish"] = [UnreachableError("down")] * 9
    await bench.conversation.accept(message)
    async with bench.working():
        counts = await bench.settled()
    assert counts["done"] == 1 and "given up" in caplog.text


async def test_stop_does_not_take_back_an_answer_that_is_being_delivered(bench):
    delivering, go_on = asyncio.Event(), asyncio.Event()
    message = incoming()
    reply = bench.adapter.of(message)
    finish = reply.finish

    async def slowly(response):
        delivering.set()
        await go_on.wait()
        await finish(response)

    reply.finish = slowly
    await bench.conversation.accept(message)
    async with bench.working():
        await delivering.wait()
        await bench.conversation.accept(incoming("stop", message_id="m2"))
        await bench.looked("interrupted")
        go_on.set()
        await bench.settled()
    assert len(reply.finished) == 1 and not reply.failed


async def test_a_stop_heard_twice_is_no_question(bench):
    started = hanging(bench)
    await bench.conversation.accept(incoming())
    async with bench.working():
        await started.wait()
        stop = incoming("stop", message_id="m2")
        assert await bench.conversation.accept(stop)
        await bench.settled()
        assert not await bench.conversation.accept(stop)
    assert len(bench.agent.asked) == 1


async def test_a_question_that_was_refused_can_be_mended_by_an_edit(bench):
    message = incoming("")
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
        await bench.deliveries.begin(message.turn_id, "answer:0")  # what an adapter notes as it answers
        await bench.conversation.accept(replace(incoming("real question", kind=MessageKind.EDIT), event_id="e"))
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["real question"]


async def test_a_list_left_open_by_a_crash_is_closed_with_the_answer(bench):
    message = incoming()
    await bench.conversation.accept(message)
    bench.adapter.of(message).trouble["finish"] = [DeliveryError("crash")]
    await bench.deliveries.begin(message.turn_id, "progress")
    async with bench.working():
        await bench.settled()
    assert bench.adapter.of(message).shown[-1].status == "done"


async def test_a_database_in_trouble_for_a_moment_does_not_end_the_worker(bench, monkeypatch, caplog):
    claim, troubles = bench.inbox.claim, [StorageError("inbox.db: disk is full")] * 2

    async def claiming(*args, **options):
        if troubles:
            raise troubles.pop()
        return await claim(*args, **options)

    monkeypatch.setattr(bench.inbox, "claim", claiming)
    message = incoming()
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert len(bench.adapter.of(message).finished) == 1 and "disk is full" in caplog.text


async def test_an_answer_that_its_platform_refuses_is_not_tried_for_ever(bench):
    message = incoming()
    bench.adapter.of(message).trouble["finish"] = [DeliveryError("too long")] * 99
    await bench.conversation.accept(message)
    async with bench.working():
        counts = await bench.settled()
    assert counts["done"] == 1 and len(bench.adapter.of(message).failed) == 1


async def test_the_conversation_is_pruned_after_every_turn_also_a_failed_one(bench):
    message = incoming()
    await bench.conversation.accept(message)
    bench.agent.before = lambda request: (_ for _ in ()).throw(TurnTimeoutError)
    async with bench.working():
        await bench.settled()
    assert bench.checkpoints.pruned == [str(message.key)]


async def test_restarts_in_the_middle_do_not_use_up_the_attempts(bench):
    started = hanging(bench)
    message = incoming()
    await bench.conversation.accept(message)
    for _ in range(2 * worker.GIVE_UP_AFTER):
        started.clear()
        async with bench.working():
            await started.wait()
    bench.agent.before = None
    async with bench.working():
        await bench.settled()
    assert len(bench.adapter.of(message).finished) == 1 and not bench.adapter.of(message).failed


async def test_what_runs_when_weft_is_told_to_stop_is_brought_to_its_end_and_nothing_else_begins(bench):
    started, go_on = asyncio.Event(), asyncio.Event()

    async def slow(request):
        started.set()
        await go_on.wait()

    bench.agent.before = slow
    first, second = incoming(), incoming(message_id="m2", thread="T2")
    await bench.conversation.accept(first)
    working = asyncio.create_task(bench.worker(grace=600.0).run())
    await started.wait()
    working.cancel()
    await bench.conversation.accept(second)
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.wait([working])
    assert len(bench.adapter.of(first).finished) == 1
    assert (await bench.inbox.counts())["todo"] == 1 and len(bench.agent.asked) == 1


async def test_told_twice_it_does_not_wait_and_the_turn_goes_back_uncharged(bench):
    started = hanging(bench)
    message = incoming()
    await bench.conversation.accept(message)
    working = asyncio.create_task(bench.worker(grace=600.0).run())
    await started.wait()
    working.cancel()
    await asyncio.sleep(0)
    working.cancel()
    await asyncio.wait([working])
    row = await bench.inbox.claim("next", lease=30, platforms=["fake"])
    assert (row.attempts, row.deaths) == (0, 0)


async def test_a_file_that_is_refused_leaves_the_answer_and_is_named(bench, tmp_path):
    file = ProducedFile(name="plan.docx", media_type="", path=str(tmp_path / "plan.docx"))
    bench.agent.files = (file,)
    message = incoming()
    reply = bench.adapter.of(message)
    reply.trouble["attach"] = [DeliveryError("the file is too large")]
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert reply.failed == [] and len(bench.agent.asked) == 1
    assert reply.finished[-1].answer == reply.finished[0].answer
    assert reply.finished[-1].warnings == (say("file_refused", "en", names="plan.docx"),)


async def test_a_file_waits_for_its_platform(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "DELIVERY_RETRY_SECONDS", 0.01)
    bench.agent.files = (ProducedFile(name="plan.docx", media_type="", path=str(tmp_path / "plan.docx")),)
    message = incoming()
    reply = bench.adapter.of(message)
    reply.trouble["attach"] = [TokenError("revoked"), UnreachableError("away")]
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert reply.log.count("attach") == 3 and reply.failed == [] and reply.finished[-1].warnings == ()


async def test_a_failure_that_has_no_place_is_told_alone(bench, monkeypatch):
    monkeypatch.setattr(worker, "GIVE_UP_AFTER", 1)

    def explode(request):
        raise RuntimeError("broken")

    bench.agent.before = explode
    message = incoming()
    bench.adapter.of(message).trouble["fail"] = [ClosedError("locked", reason="locked")]
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert bench.adapter.whispered == [("U1", say("closed_locked", "en"))]


async def test_an_answer_that_had_no_place_and_a_refused_token_stand_at_health(bench):
    standing, shut, waits = Standing(), incoming(), incoming(message_id="m2", event_id="e2")
    bench.adapter.of(shut).trouble["finish"] = [ClosedError("locked", reason="locked")]
    bench.adapter.of(waits).trouble["finish"] = [TokenError("revoked")]
    told = []
    troubled = standing.troubled

    def noted(platform, error):
        troubled(platform, error)
        told.append(standing.told())

    standing.troubled = noted
    await bench.conversation.accept(shut)
    await bench.conversation.accept(waits)
    async with bench.working(standing=standing):
        await bench.settled()
    assert {"fake": "refused"} in [each["platforms"] for each in told]
    assert standing.told() == {"status": "ok", "platforms": {"fake": "connected"}, "answers_closed": {"fake": 1}}
    assert standing.figures()["answers_closed_fake"] == 1.0


async def test_what_nobody_asked_weft_is_not_told_to_anybody(bench):
    message = incoming(kind=MessageKind.THREAD_REPLY)
    bench.adapter.of(message).trouble["finish"] = [ClosedError("locked", reason="locked")]
    await bench.conversation.accept(replace(incoming(message_id="m0"), kind=MessageKind.MENTION))
    await bench.conversation.accept(message)
    async with bench.working():
        await bench.settled()
    assert bench.adapter.whispered == []

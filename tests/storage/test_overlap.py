"""Messages on top of each other: lines that are one question, replacements, rates, and who is told that they wait."""

import dataclasses
import resource

import pytest

from agent.errors import StorageError
from agent.types import Author, MessageKind
from storage.contracts import Interrupt, Rates
from storage.dead_letters import DeadLetters
from storage.inbox import MOST_DEATHS, SqlInbox
from storage.overlap import LONGEST_BURST, LONGEST_DELAY
from storage.postgres.database import PostgresDatabase
from tests.contracts.inbox import Time, deletion, edit, message
from tests.databases import on_postgres

PAUSE = 4.0


@pytest.fixture
def clock():
    return Time()


@pytest.fixture
async def process(kind, tmp_path, clock, request):
    """Opens the inbox as one more process does; in a file, or on PostgreSQL."""
    if kind == "sqlite":
        yield lambda: SqlInbox.open(tmp_path / "inbox.db", now=clock)
        return
    async with on_postgres(request.getfixturevalue("postgres"), tmp_path) as database:

        async def opened() -> SqlInbox:
            return SqlInbox(await PostgresDatabase.open(database.url, folder=tmp_path), now=clock)

        yield opened


@pytest.fixture
async def inbox(process):
    opened = await process()
    yield opened
    await opened.close()


def line(number, text, *, by="U1", thread="T1", **more):
    """Return a message of a thread; its id tells the order, as those of the platforms do."""
    said = message(f"{number}", thread, text=text)
    return dataclasses.replace(said, author=Author(id=by), event_id=f"e{number}", **more)


def on_top(number, text, **more):
    return line(number, text, thread=f"{number}", **more)


async def burst(inbox, *lines):
    for each in lines:
        assert await inbox.add(each, burst=PAUSE)


async def claim(inbox, **more):
    return await inbox.claim(**{"owner": "w", "lease": 30.0, "platforms": ("slack",), **more})


class TestLines:
    async def test_lines_within_a_pause_are_one_question_and_settled_with_it(self, inbox, clock):
        await burst(inbox, line(1, "how many days"))
        clock.at += PAUSE - 1
        await burst(inbox, line(2, "of parental leave"))
        clock.at += PAUSE - 1
        assert await claim(inbox) is None  # somebody is still typing
        await burst(inbox, line(3, "do I get?"))
        clock.at += PAUSE
        row = await claim(inbox)
        assert row.message.text == "how many days\nof parental leave\ndo I get?" and row.message.message_id == "1"
        assert await inbox.finish(row)
        assert await inbox.counts() == {"todo": 0, "doing": 0, "done": 3, "dead": 0}
        assert not await inbox.add(line(2, "of parental leave"), burst=PAUSE)  # delivered again

    async def test_what_comes_after_the_pause_is_a_question_of_its_own(self, inbox, clock):
        await burst(inbox, line(1, "one"))
        clock.at += PAUSE + 0.1
        await burst(inbox, line(2, "two"))
        first = await claim(inbox)
        clock.at += PAUSE
        assert first.message.text == "one" and await claim(inbox) is None
        await inbox.finish(first)
        assert (await claim(inbox)).message.text == "two"

    async def test_lines_at_the_top_of_a_channel_are_one_question_there(self, inbox, clock):
        await burst(inbox, on_top(1, "hello"))
        unaddressed = on_top(2, "how many days?", kind=MessageKind.CHANNEL)
        assert await inbox.is_typing(unaddressed)
        assert await inbox.add(unaddressed, burst=PAUSE, joins_only=True)
        clock.at += PAUSE
        row = await claim(inbox)
        assert row.message.text == "hello\nhow many days?" and row.message.key.thread_id == "1"
        assert await inbox.thread_of(unaddressed.turn_id) == row.message.key
        assert not await inbox.is_typing(unaddressed)

    async def test_lines_of_others_and_to_others_are_none_of_it(self, inbox, clock):
        await burst(inbox, line(1, "mine"), line(2, "theirs", by="U2"), line(3, "elsewhere", thread="T2"))
        aside = line(4, "see this", kind=MessageKind.THREAD_REPLY, calls=("U9",))
        await burst(inbox, aside, line(5, "and mine"))
        assert not await inbox.add(on_top(6, "talk", kind=MessageKind.CHANNEL), burst=PAUSE, joins_only=True)
        clock.at += PAUSE
        said = []
        while (row := await claim(inbox)) is not None:
            said.append(row.message.text)
            await inbox.finish(row)
        assert said == ["mine\nand mine", "theirs", "elsewhere", "see this"]

    async def test_who_types_holds_up_nobody_else_in_the_thread(self, inbox):
        await burst(inbox, line(1, "I am still"))
        await inbox.add(line(2, "quick one", by="U2"))
        assert (await claim(inbox)).message.text == "quick one"

    async def test_who_never_stops_typing_is_answered_too(self, inbox, clock):
        for number in range(40):
            await burst(inbox, line(number, f"line {number}"))
            clock.at += PAUSE / 2
        row = await claim(inbox)
        assert 0 < row.message.text.count("\n") < 39 and clock.at - 1_000_000 > LONGEST_BURST

    async def test_a_line_that_calls_weft_makes_the_question_call_it(self, inbox, clock):
        await inbox.add(line(0, "earlier"))
        await inbox.finish(await claim(inbox))
        await burst(inbox, line(1, "hm, leave?", kind=MessageKind.THREAD_REPLY), line(2, "tell me"))
        clock.at += PAUSE
        assert (await claim(inbox)).message.kind is MessageKind.MENTION

    async def test_lines_that_come_out_of_order_are_read_in_order(self, inbox, clock):
        await burst(inbox, line(10, "second"), line(9, "first"), line(11, "third"))
        clock.at += PAUSE
        assert (await claim(inbox)).message.text == "first\nsecond\nthird"

    async def test_edits_and_deletions_change_what_waits(self, inbox, clock):
        await burst(inbox, line(1, "a"), line(2, "b"), line(3, "c"))
        assert await inbox.add(dataclasses.replace(edit("2", "B"), event_id="x1"))
        assert await inbox.add(dataclasses.replace(deletion("3"), event_id="x2"))
        clock.at += PAUSE
        row = await claim(inbox)
        assert row.message.text == "a\nB"
        await inbox.finish(row)
        assert await claim(inbox) is None

    async def test_the_edit_of_a_line_cuts_its_turn_off_and_the_whole_is_asked_again(self, inbox, clock):
        await burst(inbox, line(1, "a"), line(2, "b"))
        clock.at += PAUSE
        row = await claim(inbox)
        await inbox.add(dataclasses.replace(edit("2", "B"), event_id="x1"))
        assert await inbox.interrupted(row) == {row.id: Interrupt.EDITED}
        await inbox.finish(row)
        again = await claim(inbox)
        assert again.id == row.id and again.message.text == "a\nB" and again.message.turn_id == row.message.turn_id

    async def test_the_edit_of_a_line_that_was_answered_edits_the_question(self, inbox, clock):
        await burst(inbox, line(1, "a"), line(2, "b"), line(3, "c"))
        clock.at += PAUSE
        row = await claim(inbox)
        await inbox.finish(row)
        await inbox.add(dataclasses.replace(edit("2", "B"), event_id="x1"))
        changed = await claim(inbox)
        assert (changed.message.kind, changed.message.text) == (MessageKind.EDIT, "a\nB\nc")
        assert changed.message.turn_id == row.message.turn_id
        await inbox.finish(changed)
        await inbox.add(dataclasses.replace(edit("1", "A", at=3.0), event_id="x2"))
        changed = await claim(inbox)
        assert changed.message.text == "A\nB\nc"
        await inbox.finish(changed)
        await inbox.add(dataclasses.replace(deletion("3"), event_id="x3"))
        assert (await claim(inbox)).message.text == "A\nB"

    async def test_without_its_first_line_the_rest_is_asked_anew(self, inbox, clock):
        await burst(inbox, line(1, "a"), line(2, "b"), line(3, "c"))
        clock.at += PAUSE
        row = await claim(inbox)
        await inbox.add(dataclasses.replace(deletion("1"), event_id="x1"))
        assert await inbox.interrupted(row) == {row.id: Interrupt.DELETED}
        await inbox.finish(row)
        gone = await claim(inbox)
        assert gone.message.kind is MessageKind.DELETE
        await inbox.finish(gone)
        rest = await claim(inbox)
        assert rest.message.text == "b\nc" and rest.message.message_id == "2"

    async def test_where_only_the_deleted_line_called_weft_the_rest_is_forgotten(self, inbox, clock):
        await burst(inbox, on_top(1, "hello"), on_top(2, "a secret", kind=MessageKind.CHANNEL))
        await inbox.add(dataclasses.replace(deletion("1", "1"), event_id="x1"))
        clock.at += PAUSE
        assert (await claim(inbox)).message.kind is MessageKind.DELETE and await claim(inbox) is None
        rows = await inbox._database.read(lambda c: c.execute("SELECT payload FROM inbox").fetchall())
        assert "secret" not in str(rows)

    async def test_of_peoples_talk_no_line_is_kept(self, inbox, clock):
        first, second = (line(n, f"secret {n}", kind=MessageKind.THREAD_REPLY) for n in (1, 2))
        await inbox.add(line(0, "question"))
        await inbox.finish(await claim(inbox))
        await burst(inbox, first, second)
        clock.at += PAUSE
        await inbox.finish(await claim(inbox), heard=False)
        rows = await inbox._database.read(lambda c: c.execute("SELECT payload FROM inbox").fetchall())
        assert "secret" not in str(rows)

    async def test_it_survives_a_restart_and_a_worker_that_died(self, inbox, clock, process):
        await burst(inbox, line(1, "a"), line(2, "b"))
        clock.at += PAUSE
        assert (await claim(inbox, owner="dies")).message.text == "a\nb"
        other = await process()
        clock.at += 31.0
        row = await claim(other)
        assert row.message.text == "a\nb" and row.deaths == 1
        await other.close()

    async def test_two_processes_make_one_question(self, inbox, clock, process):
        other = await process()
        for number in range(20):
            await burst((inbox, other)[number % 2], line(number, f"{number}"))
        clock.at += PAUSE
        rows = [await claim(inbox), await claim(other)]
        await other.close()
        assert rows[0].message.text.split("\n") == [f"{number}" for number in range(20)] and rows[1] is None

    async def test_poison_in_a_line_is_one_dead_letter_that_can_be_tried_again_or_dropped(self, inbox, clock):
        await burst(inbox, line(1, "fine"), line(2, "poison"))
        await inbox.add(line(3, "behind", by="U2"))
        clock.at += PAUSE
        for _ in range(MOST_DEATHS + 1):
            assert (await claim(inbox, lease=1.0)).message.text == "fine\npoison"
            clock.at += 2.0
        behind = await claim(inbox)
        assert behind.message.text == "behind"
        await inbox.finish(behind)
        letters = DeadLetters(inbox._database)
        [letter] = await letters.list()
        assert letter.error == "deadly" and await letters.retry([letter.id]) == [letter.id]
        assert (await claim(inbox, lease=1.0)).message.text == "fine\npoison"
        for _ in range(MOST_DEATHS + 1):
            clock.at += 2.0
            await claim(inbox, lease=1.0)
        assert await letters.drop(None) == [letter.id]
        rows = await inbox._database.read(lambda c: c.execute("SELECT payload FROM inbox").fetchall())
        assert "poison" not in str(rows)

    async def test_two_hundred_lines_and_more_characters_than_are_read_are_one_question(self, inbox, clock):
        await burst(inbox, *(line(number, "x" * 60) for number in range(1000, 1200)))
        clock.at += PAUSE
        row = await claim(inbox)
        assert len(row.message.text) == 200 * 61 - 1 and row.message.text.count("\n") == 199
        await inbox.finish(row)
        assert await claim(inbox) is None


class TestReplacements:
    async def test_a_new_question_takes_the_place_of_what_its_author_asked_in_the_thread(self, inbox):
        for each in (line(1, "running"), line(2, "waiting"), line(3, "theirs", by="U2")):
            await inbox.add(each, replaces=True)
        running = await claim(inbox)
        assert await inbox.add(line(4, "new"), replaces=True)
        assert await inbox.interrupted(running) == {running.id: Interrupt.REPLACED}
        assert not await inbox.add(line(4, "new"), replaces=True)
        await inbox.finish(running)
        left = []
        while (row := await claim(inbox)) is not None:
            left.append((row.message.text, (await inbox.interrupted(row)).get(row.id)))
            await inbox.finish(row)
        assert left == [("waiting", Interrupt.REPLACED), ("theirs", None), ("new", None)]

    async def test_what_is_not_surely_said_to_weft_replaces_nothing(self, inbox):
        await inbox.add(line(1, "running"), replaces=True)
        running = await claim(inbox)
        await inbox.add(line(2, "thanks, waiting", kind=MessageKind.THREAD_REPLY), replaces=True)
        await inbox.add(line(3, "elsewhere", thread="T2"), replaces=True)
        assert await inbox.interrupted(running) == {}

    async def test_an_edit_does_not_bring_it_back(self, inbox):
        await inbox.add(line(1, "old"), replaces=True)
        running = await claim(inbox)
        await inbox.add(line(2, "new"), replaces=True)
        await inbox.add(dataclasses.replace(edit("1", "older"), event_id="x1"))
        assert await inbox.interrupted(running) == {running.id: Interrupt.REPLACED}


RATES = Rates(person=2, channel=3, seconds=60.0)


class TestRates:
    async def begun(self, inbox, clock, seconds):
        """Return when each question was taken, and who asked it, as long as the clock goes on."""
        found, until = [], clock.at + seconds
        while clock.at <= until:
            while (row := await claim(inbox)) is not None:
                refused = (await inbox.interrupted(row)).get(row.id)
                found.append((clock.at - 1_000_000.0, row.message.author.id, refused))
                await inbox.finish(row)
            clock.at += 1.0
        return found

    async def test_over_their_rate_people_wait_and_nothing_is_lost(self, inbox, clock):
        for number in range(5):
            assert await inbox.add(on_top(number, "q"), rates=Rates(person=2, seconds=60.0))
        assert [at for at, *_ in await self.begun(inbox, clock, 130)] == [0, 0, 60, 60, 120]

    async def test_no_window_of_time_holds_more_in_several_processes_and_after_a_restart(self, inbox, clock, process):
        other = await process()
        begun = []
        for number in range(12):
            await (inbox, other)[number % 2].add(on_top(number, "q", by=f"U{number % 3}"), rates=RATES)
            begun += await self.begun(other, clock, 0)
        await other.close()
        again = await process()
        begun += await self.begun(again, clock, 300)
        await again.close()
        assert len(begun) == 12
        for start, *_ in begun:
            window = [(at, who) for at, who, _ in begun if start <= at < start + 59]  # seen on whole seconds
            assert len(window) <= RATES.channel
            assert all(sum(who == each for _, who in window) <= RATES.person for each in ("U0", "U1", "U2"))

    async def test_who_is_over_it_holds_up_nobody_else_in_the_thread(self, inbox):
        rates = Rates(person=1)
        for each in (line(1, "first"), line(2, "too soon"), line(3, "theirs", by="U2")):
            await inbox.add(each, rates=rates)
        said = []
        while (row := await claim(inbox)) is not None:
            said.append(row.message.text)
            await inbox.finish(row)
        assert said == ["first", "theirs"]

    async def test_what_would_have_to_wait_too_long_is_refused_and_told_and_takes_no_place(self, inbox, clock):
        rates = Rates(person=1, seconds=300.0)
        for number in range(4):
            await inbox.add(on_top(number, "q"), rates=rates)
        refused = [each for each in await self.begun(inbox, clock, 0) if each[2]]
        assert [why for *_, why in refused] == [Interrupt.REFUSED]
        clock.at += 2 * LONGEST_DELAY
        assert await inbox.add(on_top(9, "later"), rates=rates)
        begun = await self.begun(inbox, clock, 1)
        assert [why for *_, why in begun] == [None, None, None]

    async def test_an_edit_is_never_refused_and_an_answer_stays(self, inbox, clock):
        rates = Rates(person=1, seconds=3000.0)
        await inbox.add(on_top(1, "q"), rates=rates)
        await inbox.finish(await claim(inbox))
        await inbox.add(dataclasses.replace(edit("1", "Q", thread="1"), event_id="x1"), rates=rates)
        assert await claim(inbox) is None
        clock.at += LONGEST_DELAY
        row = await claim(inbox)
        assert row.message.kind is MessageKind.EDIT and not await inbox.interrupted(row)

    async def test_lines_deletions_and_clicks_count_for_nothing(self, inbox, clock):
        rates = Rates(person=1)
        for number in range(3):
            await inbox.add(line(number, "q"), burst=PAUSE, rates=rates)
        await inbox.add(dataclasses.replace(line(7, ""), kind=MessageKind.BUTTON), rates=rates)
        await inbox.add(dataclasses.replace(deletion("99"), event_id="x"), rates=rates)
        clock.at += PAUSE
        kinds = []
        while (row := await claim(inbox)) is not None:
            kinds.append(row.message.kind)
            await inbox.finish(row)
        assert kinds.count(MessageKind.MENTION) == 1 and MessageKind.BUTTON in kinds

    async def test_a_clock_set_back_keeps_nobody_waiting_for_days(self, inbox, clock):
        rates = Rates(person=1)
        await inbox.add(on_top(1, "q"), rates=rates)
        clock.at -= 86_400.0
        await inbox.add(on_top(2, "q"), rates=rates)
        assert len(await self.begun(inbox, clock, 1)) == 2


class TestWhoWaits:
    async def told(self, inbox, *, release=True):
        found = []
        while (waiting := await inbox.next_waiting(("slack",), after=10.0, every=10.0)) is not None:
            found.append((waiting.message.message_id, waiting.before, round(waiting.seconds)))
            if release:
                await inbox.told(waiting)
        return found

    async def test_who_waits_is_told_how_many_are_before_them_once_for_each_number(self, inbox, clock):
        for number in range(1, 4):
            await inbox.add(line(number, "q", by=f"U{number}"))
        running = await claim(inbox, lease=300.0)
        clock.at += 9.0
        assert await self.told(inbox) == []
        clock.at += 2.0
        assert await self.told(inbox) == [("2", 1, 0), ("3", 2, 0)]
        clock.at += 11.0
        assert await self.told(inbox) == []
        await inbox.finish(running)
        await claim(inbox, lease=300.0)
        assert await self.told(inbox) == [("3", 1, 0)]

    async def test_questions_of_other_threads_count_where_all_places_are_taken(self, inbox, clock):
        for number in range(1, 4):
            await inbox.add(line(number, "q", thread=f"T{number}"))
        await inbox.add(line(4, "behind the first of its thread", thread="T1"))
        await claim(inbox, lease=300.0)
        clock.at += 11.0
        assert sorted(await self.told(inbox)) == [("3", 1, 0), ("4", 3, 0)]

    async def test_two_processes_tell_it_once_and_nobody_claims_what_is_being_told(self, inbox, clock, process):
        other = await process()
        for number in (1, 2):
            await inbox.add(line(number, "q"))
        running = await claim(inbox, lease=300.0)
        clock.at += 11.0
        waiting = await inbox.next_waiting(("slack",), after=10.0, every=10.0)
        assert await other.next_waiting(("slack",), after=10.0, every=10.0) is None
        await inbox.finish(running)
        assert await claim(other) is None
        await inbox.told(waiting)
        assert (await claim(other)).message.message_id == "2"
        await other.close()

    async def test_a_process_that_dies_while_it_tells_holds_the_message_for_seconds_only(self, inbox, clock):
        for number in (1, 2):
            await inbox.add(line(number, "q"))
        running = await claim(inbox, lease=300.0)
        clock.at += 11.0
        assert await self.told(inbox, release=False)
        await inbox.finish(running)
        clock.at += 11.0
        assert (await claim(inbox)).message.message_id == "2"

    async def test_who_is_over_their_rate_is_told_at_once_when_they_are_taken(self, inbox, clock):
        for number in range(3):
            await inbox.add(on_top(number, "q"), rates=Rates(person=1))
        assert await self.told(inbox) == [("1", 0, 60), ("2", 0, 120)]
        clock.at += 30.0
        assert await self.told(inbox) == []

    async def test_nobody_is_told_anything_who_did_not_call_weft(self, inbox, clock):
        await inbox.add(line(1, "q"))
        await claim(inbox, lease=300.0)
        for number in (2, 3):
            await inbox.add(line(number, "talk", kind=MessageKind.THREAD_REPLY))
        clock.at += 11.0
        assert await self.told(inbox) == []

    async def test_a_thread_with_a_thousand_messages_is_answered_in_order_and_tells_only_those_that_come_next(
        self, inbox, clock
    ):
        for number in range(1000):
            await inbox.add(line(number, "q", by=f"U{number % 7}"))
        await inbox.add(line(5000, "elsewhere", thread="T2"))
        first = await claim(inbox, lease=3000.0)
        assert (await claim(inbox, lease=3000.0)).message.text == "elsewhere"
        clock.at += 11.0
        assert await self.told(inbox) == [(f"{number}", number, 0) for number in range(1, 6)]
        await inbox.finish(first)
        for number in range(1, 60):
            row = await claim(inbox)
            assert row.message.message_id == f"{number}"
            await inbox.finish(row)


@pytest.mark.parametrize("kind", ["sqlite"])
async def test_a_full_disk_loses_no_line_and_says_so(inbox, clock):
    """The limit is the kernel's own: every file of this process is full for as long as it holds."""
    await burst(inbox, line(1, "a"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        with pytest.raises(StorageError):
            await inbox.add(line(2, "b"), burst=PAUSE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert await inbox.add(line(2, "b"), burst=PAUSE)  # the platform delivers it again
    clock.at += PAUSE
    row = await claim(inbox)
    assert row.message.text == "a\nb"

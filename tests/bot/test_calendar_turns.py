"""Standing questions and watched answers as people meet them: real inbox, worker and turns on a real data folder."""

import hashlib
from dataclasses import replace
from datetime import datetime
from functools import partial

import pytest

from adapters.aside import ASIDE
from agent.errors import ClosedError, GoneError
from agent.language import say
from agent.types import Author, ChannelMode, Citation, MessageKind, Response
from agent.values.timetable import zone_of
from bot.calendar import calendar as calendar_module
from bot.calendar.calendar import Calendar
from bot.calendar.clock import Clock
from bot.calendar.comparison import what_changed
from bot.calendar.events import announcement
from bot.calendar.orders import MOST, CalendarRules
from bot.turns.hearing import place_of
from storage.access import SqlAccess
from storage.catalogue import versions
from storage.contracts import ScheduleKind
from storage.documents import SqlLibrary
from storage.ingest.run import ingest
from storage.profiles import SqlProfiles
from storage.schedules import SqlSchedules
from tests.contracts.inbox import Time
from tests.fakes import RecordingAdapter, incoming
from tests.fakes_channels import MemoryChannelModes

FRIDAY = datetime.fromisoformat("2026-11-20T12:00+09:00").timestamp()
MONDAY = datetime.fromisoformat("2026-11-23T09:00+09:00").timestamp()
WEEK = 7 * 86_400.0


class Platform(RecordingAdapter):
    """A platform that knows zones, managers and guests, and whose channels may be gone."""

    zone, managers, strangers, closed = "Asia/Seoul", (), False, None

    async def zone_of(self, message):
        return self.zone

    async def may_manage(self, message):
        return message.author.id in self.managers

    async def surveyed(self, message):
        return replace(message, guests=message.guests or self.strangers)

    async def open_thread(self, message, deliveries):
        if self.closed is not None and message.kind is MessageKind.SCHEDULED:
            raise self.closed
        return await super().open_thread(message, deliveries)


@pytest.fixture
async def weft(bench):
    bench.adapter, bench.time = Platform(), Time()
    bench.time.at = FRIDAY
    bench.modes = MemoryChannelModes()
    bench.schedules, bench.library = SqlSchedules(bench.database), SqlLibrary(bench.database)
    bench.calendar = Calendar(
        schedules=bench.schedules, turns=bench.stored, library=bench.library, database=bench.database,
        rules=CalendarRules(channel_zones={"fake:W:C9": "Europe/Berlin"}), modes=bench.modes, now=bench.time,
    )  # fmt: skip
    bench.clock = Clock(
        schedules=bench.schedules, inbox=bench.inbox, modes=bench.modes,
        versions=partial(versions, bench.database), now=bench.time,
    )  # fmt: skip
    return bench


async def says(weft, text: str, *, who: str = "U1", **given) -> str:
    """Return what Weft says to a message."""
    number = given.pop("number", hashlib.sha256(f"{text}{who}{given}".encode()).hexdigest()[:8])
    message = replace(incoming(text, message_id=f"m{number}", **given), author=Author(id=who))
    assert await weft.conversation.accept(message)
    async with weft.working():
        await weft.settled()
    return weft.adapter.of(message).finished[-1].answer


async def at(weft, moment: float) -> list[Response]:
    """Let the clock come to a moment, and return what was answered because of it."""
    weft.time.at = moment
    before = set(weft.adapter.replies)
    await weft.clock.ask()
    await weft.clock.look()
    async with weft.working():
        await weft.settled()
    return [reply.finished[-1] for turn, reply in weft.adapter.replies.items() if turn not in before and reply.finished]


async def test_somebody_sets_a_question_which_is_asked_in_a_thread_of_its_own(weft):
    told = await says(weft, "every Monday at 9 ask who is on call here")
    assert "every Monday at 09:00 (Asia/Seoul)" in told and "2026-11-23 09:00" in told and "who is on call" in told
    (answer,) = await at(weft, MONDAY + 3)
    assert answer.answer == "About who is on call"
    request = weft.agent.asked[-1]
    assert request.key.channel_id == "C" and request.key.thread_id.startswith("opened-plan-1-")
    # what a follow-up there goes by
    assert await weft.conversation.takes_part(request.key)


async def test_the_answer_is_for_the_channel_and_nobody_s_memory_is_used(weft):
    await says(weft, "every Monday at 9 ask who is on call", who="U7")
    await at(weft, MONDAY)
    request = weft.agent.asked[-1]
    assert request.audience.principals == {"*", "channel:fake:W:C", "workspace:fake:W"}
    assert not request.personal and not request.private
    weft.adapter.strangers = True  # the channel is shared with another company since
    await at(weft, MONDAY + WEEK)
    assert weft.agent.asked[-1].audience.principals == {"*", "channel:fake:W:C", "group:guests"}


async def test_in_a_direct_message_it_is_answered_for_that_person(weft):
    await says(weft, "매주 월요일 9시에 당직이 누구인지 물어봐", who="U7", private=True, kind=MessageKind.DIRECT)
    await at(weft, MONDAY)
    request = weft.agent.asked[-1]
    assert "user:fake:W:U7" in request.audience.principals and request.personal and request.private


async def test_what_is_new_since_the_last_answer_is_said(weft):
    await says(weft, "every Monday at 9 ask who is on call")
    texts = iter(["Kim [1].", "Kim [1].", "Lee [1]."])
    cite = partial(Citation, n=1, document_id="rota", passage_id="rota#0", collection="docs", title="Rota")
    played = weft.agent.run

    async def run(request):
        async for event in played(request):
            if hasattr(event, "response"):
                text = next(texts)
                cited = (cite(quote=f"This week it is {text[:3]}."),)
                event = replace(event, response=replace(event.response, answer=text, citations=cited))
            yield event

    weft.agent.run = run
    began = today()
    first, second, third = [(await at(weft, MONDAY + n * WEEK))[0].answer for n in range(3)]
    assert first == "Kim [1]."
    assert second in {"Kim [1].\n\n" + say("since_same", "en", day=day) for day in (began, today())}
    assert third.startswith("Lee [1].\n\n") and "- new: “This week it is Lee.” (Rota)" in third


def today() -> str:
    return datetime.now(zone_of("Asia/Seoul")).strftime("%Y-%m-%d")


def answer(text="20 days [1].", kind="answer", *quotes: str, documents=("leave",), **given) -> Response:
    cited = tuple(
        Citation(n=1, document_id=name, passage_id=f"{name}#0", collection="docs", title=name.title(), quote=quote)
        for name in documents
        for quote in quotes
    )
    return Response(
        thread_id="t", turn_id="t1", pack="p", mode="agent", language="en", route="research", answer=text,
        response_type=kind, citations=cited, **given,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        (answer("20 days [1]."), answer("20 days [2]."), "the same"),
        (answer("none", "not_found"), answer("none", "not_found"), "the same"),
        (answer("none", "not_found"), answer("20 days", "answer"), "found nothing"),
        (answer("20 days", "passages"), answer("none", "not_found"), "still found"),
        (answer("a", "answer", "20 days"), answer("b", "answer", "20 days"), "only the words"),
        (answer("a", "answer", "20 days"), answer("b", "answer", "22 days"), "new: “22 days” (Leave)"),
        (answer("a", "answer", "x", documents=("rota",)), answer("b", "answer", "x"), "no longer: Rota"),
        (answer("a", "answer"), answer("b", "error"), ""),
    ],
)
def test_how_two_answers_are_compared(before, now, words):
    note = what_changed(before, now, "en", "2026-11-16")
    assert words in note if words else note == ""
    if words:
        assert "2026-11-16" in note and "2026-11-16" in what_changed(before, now, "ko", "2026-11-16")


def test_what_a_document_says_stays_a_line_of_words():
    note = what_changed(answer("a"), answer("b", "answer", "# *one*\n\n`two`\x07 " + "x" * 500), "en", "d")
    (line,) = note.splitlines()[1:]
    assert "`" not in line and "*" not in line and "\x07" not in line and len(line) < 250


@pytest.mark.parametrize(
    ("text", "told", "days"),
    [
        ("every first Monday of the month at 9 ask who is on call", "on the first Monday of every month", (17, 28, 28)),
        ("매월 마지막 금요일 9시에 누가 당직인지 물어봐 줘", "매월 마지막 금요일 09:00", (7, 28, 35)),
        ("격주 화요일 9시에 누가 당직인지 물어봐 줘", "2주마다 화요일 09:00", (4, 14, 14)),
        ("on the last day of every month at 9: who is on call?", "on the last day of every month", (10, 31, 31)),
    ],
)
async def test_plans_of_months_and_of_every_second_week_are_set_and_kept(weft, text, told, days):
    """Said on a Friday noon, the 20th of November; `days` from there to the first time, and to each one after it."""
    said = await says(weft, text)
    moment = FRIDAY - 3 * 3600
    assert told in said
    for number, pause in enumerate(days):
        moment += pause * 86_400
        day = datetime.fromtimestamp(moment, zone_of("Asia/Seoul")).strftime("%Y-%m-%d 09:00")
        assert number or day in said
        assert await at(weft, moment - 60) == []
        assert len(await at(weft, moment + 3)) == 1


async def test_an_edit_of_every_second_week_goes_on_with_the_weeks_that_were_told(weft):
    message = incoming("every other Tuesday at 9 ask who is on call")
    await weft.calendar.carried_out(message, weft.adapter)
    weft.time.at = FRIDAY + 6 * 86_400  # the first Tuesday is over
    edit = replace(message, kind=MessageKind.EDIT, text="every other Tuesday at 10 ask who is on call")
    assert "2026-12-08 10:00" in await weft.calendar.carried_out(edit, weft.adapter)
    (only,) = await weft.schedules.all()
    assert "2026-12-08" in str(datetime.fromtimestamp(only.plan.after(weft.time.at, only.zone, since=only.created)))


async def test_too_often_is_refused_politely_in_both_languages(weft):
    assert "at most every 60 minutes" in await says(weft, "every second ask the time")
    assert "60분" in await says(weft, "10분마다 시간을 물어봐")
    assert await weft.schedules.all() == []


async def test_a_channel_has_room_for_so_many(weft):
    for number in range(MOST):
        await says(weft, "every day at 9 ask who is in", number=number)
    assert f"{MOST} entries" in await says(weft, "every day at 9 ask who is in", number=99)
    assert len(await weft.schedules.all()) == MOST


@pytest.mark.parametrize(
    ("channel", "told", "zone"),
    [("C9", "Asia/Seoul", "Europe/Berlin"), ("C", "Asia/Seoul", "Asia/Seoul"), ("C", "", "UTC"), ("C", "Mars", "UTC")],
)
async def test_the_zone_is_the_channel_s_then_that_of_who_asks_then_the_usual(weft, channel, told, zone):
    weft.adapter.zone = told
    message = incoming("every Monday at 9 ask who is on call")
    message = replace(message, key=replace(message.key, channel_id=channel))
    await weft.calendar.carried_out(message, weft.adapter)
    assert (await weft.schedules.all())[0].zone == zone


async def test_a_message_that_is_run_again_or_edited_sets_one_question_and_deleted_it_sets_none(weft):
    message = incoming("every Monday at 9 ask who is on call")
    for _ in range(2):
        await weft.calendar.carried_out(message, weft.adapter)
    edit = replace(message, kind=MessageKind.EDIT, text="every Tuesday at 10 ask who is on call")
    await weft.calendar.carried_out(edit, weft.adapter)
    (only,) = await weft.schedules.all()
    assert str(only.plan) == "0 10 * * 2"
    assert await weft.calendar.carried_out(replace(edit, text="who is on call?"), weft.adapter) is None
    assert await weft.schedules.all() == []
    await says(weft, "every Monday at 9 ask who is on call", number=5)
    gone = incoming("", message_id="m5", kind=MessageKind.DELETE, event_id="gone")
    await weft.conversation.accept(gone)
    async with weft.working():
        await weft.settled()
    assert await weft.schedules.all() == []


async def test_it_is_listed_paused_resumed_and_removed_in_chat(weft):
    assert await says(weft, "what standing questions are there?") == say("schedule_none", "en")
    await says(weft, "every Monday at 9 ask who is on call")
    await says(weft, "매일 9시에 누가 휴가인지 물어봐")
    listed = await says(weft, "list schedules")
    assert "1: every Monday at 09:00 (Asia/Seoul): “who is on call”. Next on 2026-11-23 09:00." in listed
    assert "2번: 매일 09:00" in await says(weft, "예약 목록")
    assert "1 is paused" in await says(weft, "pause standing question 1")
    assert "Paused." in await says(weft, "list schedules", number="again")
    assert "1 goes on" in await says(weft, "resume standing question 1")
    assert "1: every" in (await says(weft, "stop asking that"))  # which one?
    assert "1 is removed" in await says(weft, "stop asking that every Monday")
    assert "2번을 삭제" in await says(weft, "예약 2 삭제해줘")
    assert await weft.schedules.all() == []
    assert "no number 2" in await says(weft, "remove standing question 2")


async def test_in_its_thread_that_is_the_question_that_was_asked_there(weft):
    for text in ("every Monday at 9 ask who is on call", "every Monday at 9 ask who is ill"):
        await says(weft, text)
    await at(weft, MONDAY)
    thread = next(request.key.thread_id for request in weft.agent.asked if request.text == "who is ill")
    told = await says(weft, "stop asking that", thread=thread, kind=MessageKind.THREAD_REPLY)
    assert "who is ill" in told and [each.text for each in await weft.schedules.all()] == ["who is on call"]


async def test_what_the_clock_does_not_do_is_said_to_who_calls_weft(weft):
    assert await says(weft, "remind me to hand in the keys") == say("schedule_unread", "en")
    assert await weft.schedules.all() == []
    between = incoming("remind me to hand in the keys", kind=MessageKind.THREAD_REPLY)
    assert await weft.calendar.carried_out(between, weft.adapter) is None


async def test_in_the_thread_in_which_a_question_was_set_that_is_this_one(weft):
    for text, thread in (("every Monday at 9 ask who is on call", "T7"), ("every Monday at 9 ask who is ill", "T8")):
        await says(weft, text, thread=thread)
    told = await says(weft, "stop asking that", thread="T7", kind=MessageKind.THREAD_REPLY)
    assert "who is on call" in told and [each.text for each in await weft.schedules.all()] == ["who is ill"]


async def test_only_who_set_it_and_who_manages_the_channel_may_end_it(weft):
    await says(weft, "every Monday at 9 ask who is on call", who="U1")
    assert await says(weft, "remove standing question 1", who="U2") == say("schedule_refused", "en")
    elsewhere = replace(incoming("remove standing question 1"), author=Author(id="U2"), private=True)
    elsewhere = replace(elsewhere, key=replace(elsewhere.key, channel_id="D2"), kind=MessageKind.DIRECT)
    assert "no number 1" in await weft.calendar.carried_out(elsewhere, weft.adapter)
    aside = replace(incoming("remove standing question 1", private=True), author=Author(id="U2"), extra={ASIDE: "yes"})
    assert await weft.calendar.carried_out(aside, weft.adapter) == say("schedule_refused", "en")
    mine = replace(elsewhere, author=Author(id="U1"), text="list schedules")
    assert "(in another place)" in await weft.calendar.carried_out(mine, weft.adapter)
    weft.adapter.managers = ("U3",)
    assert "removed" in await says(weft, "remove standing question 1", who="U3")


@pytest.mark.parametrize(
    "given",
    [{"kind": MessageKind.CHANNEL}, {"kind": MessageKind.THREAD_REPLY, "calls": ("U5",)}, {"text": "who is on call?"}],
)
async def test_what_is_not_said_to_weft_sets_nothing(weft, given):
    message = replace(incoming("every Monday at 9 ask who is on call"), **given)
    assert await weft.calendar.carried_out(message, weft.adapter) is None and await weft.schedules.all() == []


async def test_where_nothing_can_be_told_later_nothing_is_set(weft):
    weft.adapter.capabilities = replace(weft.adapter.capabilities, later=False)
    assert await says(weft, "every Monday at 9 ask who is on call") == say("schedule_not_here", "en")


@pytest.mark.parametrize("text", ["every Monday at 9 ask who is on call", "tell me when this changes"])
async def test_what_is_answered_to_one_alone_in_a_channel_is_never_told_to_that_channel_later(weft, text):
    aside = replace(incoming(text, kind=MessageKind.COMMAND, private=True), extra={ASIDE: "yes"})
    assert await weft.calendar.carried_out(aside, weft.adapter) == say("schedule_not_here", "en")
    assert await weft.schedules.all() == []


async def test_where_only_mentions_are_answered_a_reply_that_calls_nobody_changes_nothing(weft):
    await says(weft, "every Monday at 9 ask who is on call")
    reply = incoming("stop asking that", kind=MessageKind.THREAD_REPLY)
    await weft.modes.set(place_of(reply.key), ChannelMode.MENTIONS)
    assert await weft.calendar.carried_out(reply, weft.adapter) is None
    assert "removed" in await weft.calendar.carried_out(replace(reply, kind=MessageKind.MENTION), weft.adapter)


@pytest.mark.parametrize("error", [GoneError("channel_not_found"), ClosedError("is_archived", reason="archived")])
async def test_a_question_whose_channel_is_gone_is_paused_and_its_owner_told(weft, error, caplog):
    await says(weft, "every Monday at 9 ask who is on call")
    weft.adapter.closed = error
    for week in range(calendar_module.GIVE_UP_AFTER):
        assert weft.adapter.whispered == []
        assert await at(weft, MONDAY + week * WEEK) == []
    ((who, told),) = weft.adapter.whispered
    (entry,) = await weft.schedules.all()
    assert who == "U1" and "who is on call" in told and entry.paused and entry.problem == str(error)
    assert await at(weft, MONDAY + 9 * WEEK) == [] and len(weft.adapter.whispered) == 1
    assert "who is on call" not in caplog.text
    weft.adapter.closed = None
    await says(weft, "resume standing question 1")
    assert len(await at(weft, MONDAY + 10 * WEEK)) == 1


async def test_one_success_begins_the_count_of_failures_anew(weft):
    await says(weft, "every Monday at 9 ask who is on call")
    for week, error in enumerate([GoneError(), GoneError(), None, GoneError(), GoneError()]):
        weft.adapter.closed = error
        await at(weft, MONDAY + week * WEEK)
    (entry,) = await weft.schedules.all()
    assert not entry.paused and entry.failures == 2


async def test_who_is_forgotten_has_no_standing_questions_any_more(weft, tmp_path):
    await says(weft, "every Monday at 9 ask who is on call", who="U1")
    await says(weft, "every Monday at 9 ask who is on call", who="U2")
    people = await SqlProfiles.open(tmp_path / "people.db", beside=[weft.schedules.forget])
    assert await people.forget("fake:W:U1") == 1
    await people.close()
    assert [each.owner.id for each in await weft.schedules.all()] == ["U2"]


async def test_a_text_is_posted_where_it_is_to_be_once(weft):
    key = incoming(thread="").key
    notice = announcement(key, "The **backup** runs at noon.", event="backup-1", language="en", now=FRIDAY)
    for _ in range(2):
        await weft.inbox.add(notice)
    async with weft.working():
        await weft.settled()
    assert [each.answer for each in weft.adapter.of(notice).finished] == ["The **backup** runs at noon."]
    assert weft.agent.asked == []


# --- watched answers


async def answered_from(weft, folder) -> None:
    """Let a thread have an answer that cites two documents."""
    await ingest([folder], library=weft.library, collection="docs")
    (document,) = [each for each in await weft.library.fingerprints("docs") if "leave" in each]
    (other,) = [each for each in await weft.library.fingerprints("docs") if "rota" in each]
    quotes = {document: "There are 20 days of leave.", other: "Kim is on call."}
    played = weft.agent.run

    async def run(request):
        async for event in played(request):
            if hasattr(event, "response"):
                cited = tuple(
                    Citation(n=n, document_id=name, passage_id=f"{name}#0", collection="docs", title=title, quote=quote)
                    for n, ((name, quote), title) in enumerate(zip(quotes.items(), ("Leave", "Rota"), strict=True), 1)
                )
                named = replace(event.response, citations=cited, standalone_query="how much leave is there?")
                event = replace(event, response=named)
            yield event

    weft.agent.run = run
    await says(weft, "how much leave is there?")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "handbook"
    made.mkdir()
    (made / "leave.md").write_text("# Leave\n\nThere are 20 days of leave. Ask your lead.\n")
    (made / "rota.md").write_text("# Rota\n\nKim is on call.\n")
    return made


async def test_a_thread_is_told_once_when_a_document_behind_its_answer_changes(weft, folder):
    await answered_from(weft, folder)
    assert "Leave, Rota" in await says(weft, "tell me when this changes", kind=MessageKind.THREAD_REPLY)
    assert await at(weft, FRIDAY + 60) == []
    (folder / "leave.md").write_text("# Leave\n\nThere are 25 days of leave. Ask your lead.\n")
    await ingest([folder], library=weft.library, collection="docs")
    (told,) = await at(weft, FRIDAY + 120)
    assert "“how much leave is there?”" in told.answer
    assert "“There are 20 days of leave.” is no longer there" in told.answer
    assert "“There are 25 days of leave.”" in told.answer and "Rota" not in told.answer
    assert told.thread_id.endswith(":T1")
    await ingest([folder], library=weft.library, collection="docs")
    assert await at(weft, FRIDAY + 180) == []
    (folder / "rota.md").write_text("# Rota\n\nKim is on call. Lee helps out.\n")
    await ingest([folder], library=weft.library, collection="docs")
    (told,) = await at(weft, FRIDAY + 240)
    assert "Rota: changed, but what the answer quotes is still there." in told.answer
    (folder / "rota.md").unlink()
    await ingest([folder], library=weft.library, collection="docs")
    (told,) = await at(weft, FRIDAY + 300)
    assert "Rota: can no longer be read here." in told.answer
    assert await says(weft, "stop watching", kind=MessageKind.THREAD_REPLY) == say("watch_removed", "en")
    (folder / "leave.md").unlink()
    await ingest([folder], library=weft.library, collection="docs")
    assert await at(weft, FRIDAY + 360) == []


async def test_the_word_about_a_change_tells_nothing_that_the_thread_may_not_read(weft, folder):
    await answered_from(weft, folder)
    await says(weft, "바뀌면 알려줘", kind=MessageKind.THREAD_REPLY)
    (folder / "leave.md").write_text("# Leave\n\nThere are 99 days of leave for the board.\n")
    await ingest([folder], library=weft.library, collection="docs")
    await SqlAccess(weft.database).change_readers("docs", lambda _: frozenset({"user:fake:W:U9"}))
    (told,) = await at(weft, FRIDAY + 60)
    assert "99" not in told.answer and "더 이상 여기에서 읽을 수 없습니다" in told.answer


async def test_asked_twice_it_is_watched_once_and_without_an_answer_not_at_all(weft, folder):
    assert await says(weft, "tell me when this changes", kind=MessageKind.MENTION) == say("watch_nothing", "en")
    await answered_from(weft, folder)
    for number in range(2):
        await says(weft, "tell me when this changes", number=number, kind=MessageKind.THREAD_REPLY)
    assert [each.kind for each in await weft.schedules.all()] == [ScheduleKind.ANSWER]
    assert "how much leave is there?" in await says(weft, "list schedules")
    assert await says(weft, "stop watching", thread="T9", number=7) == say("watch_none", "en")
    stranger = await says(weft, "stop watching", who="U2", kind=MessageKind.THREAD_REPLY)
    assert stranger == say("schedule_refused", "en")


@pytest.mark.parametrize(
    "documents",
    [
        "all",
        [1, {"collection": "docs"}],
        [{"collection": "docs", "document": "gone", "quotes": 3}, {"collection": 1, "document": 2, "quotes": [3]}],
    ],
)
async def test_what_a_watched_answer_keeps_may_be_damaged_without_stopping_the_others(weft, folder, documents):
    await answered_from(weft, folder)
    for number in range(2):
        await says(weft, "tell me when this changes", number=number, kind=MessageKind.THREAD_REPLY)
    (entry,) = await weft.schedules.all()
    await weft.schedules.put(replace(entry, id=0, origin="other", details={**entry.details, "documents": documents}))
    (folder / "rota.md").unlink()
    await ingest([folder], library=weft.library, collection="docs")
    told = [each.answer for each in await at(weft, FRIDAY + 60)]
    assert any("Rota: can no longer be read here." in each for each in told)

"""What every calendar does (`storage.contracts.Schedules`). A subclass gives `schedules`."""

from dataclasses import replace

from agent.types import Author, ThreadKey
from agent.values.timetable import Timetable
from storage.contracts import Schedule, ScheduleKind

KEY = ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id="")


def standing(text: str = "who is on call?", *, origin: str = "", user: str = "U1", plan: str = "0 9 * * 1") -> Schedule:
    return Schedule(
        kind=ScheduleKind.QUESTION, key=KEY, owner=Author(id=user, name="Ana"), plan=Timetable.parse(plan),
        zone="Asia/Seoul", text=text, language="ko", origin=origin, created=1_000.0, since=1_000.0,
        details={"한": [1, "two"]},
    )  # fmt: skip


class SchedulesContract:
    async def test_an_entry_comes_back_as_it_was_put(self, schedules):
        put = await schedules.put(standing())
        assert put.id and await schedules.get(put.id) == put and await schedules.all() == [put]
        assert await schedules.get(put.id + 1) is None and put.user == "slack:T1:U1"

    async def test_a_turn_that_is_run_again_sets_its_entry_again(self, schedules):
        first = await schedules.put(standing(origin="t1"))
        again = await schedules.put(replace(standing("something else", origin="t1"), created=2_000.0))
        (only,) = await schedules.all()
        assert again.id == first.id == only.id and only.text == "something else" and only.created == 1_000.0
        await schedules.put(standing())
        await schedules.put(standing())
        assert len(await schedules.all()) == 3
        assert await schedules.drop("t1") and not await schedules.drop("t1")

    async def test_a_number_is_never_given_again(self, schedules):
        first = await schedules.put(standing())
        assert await schedules.remove(first.id) and not await schedules.remove(first.id)
        assert (await schedules.put(standing())).id > first.id

    async def test_what_is_seen_to_is_noted(self, schedules):
        put = await schedules.put(standing())
        await schedules.fired(put.id, since=5_000.0)
        assert (await schedules.get(put.id)).since == 5_000.0

    async def test_failures_one_after_the_other_pause_it(self, schedules):
        put = await schedules.put(standing())
        assert not (await schedules.failed(put.id, "gone", most=2)).paused
        await schedules.went_well(put.id)
        assert not (await schedules.failed(put.id, "gone", most=2)).paused
        after = await schedules.failed(put.id, "archived", most=2)
        assert after.paused and (after.failures, after.problem) == (2, "archived")
        await schedules.pause(put.id, paused=False, now=9_000.0)
        on = await schedules.get(put.id)
        assert (on.paused, on.failures, on.problem, on.since) == (False, 0, "", 9_000.0)
        assert await schedules.failed(999, "gone", most=2) is None

    async def test_the_last_two_answers_are_known_and_one_that_is_given_again_is_one(self, schedules):
        put = await schedules.put(standing())
        for turn in ("t1", "t2", "t2"):
            await schedules.went_well(put.id, turn_id=turn)
        got = await schedules.get(put.id)
        assert (got.answered, got.answered_before, got.details) == ("t2", "t1", put.details)
        await schedules.went_well(put.id, details={"a": "b"})
        assert (await schedules.get(put.id)).details == {"a": "b"}

    async def test_somebody_is_forgotten_and_others_are_not(self, schedules):
        await schedules.put(standing())
        await schedules.put(standing(user=""))
        other = await schedules.put(standing(user="U2"))
        assert await schedules.forget("slack:T1:U1") == 1 and await schedules.forget("") == 0
        assert len(await schedules.all()) == 2 and await schedules.get(other.id) == other

    async def test_what_failed_and_lies_still_is_pruned_and_what_somebody_paused_is_not(self, schedules):
        failed, paused = await schedules.put(standing()), await schedules.put(standing())
        await schedules.failed(failed.id, "gone", most=1)
        await schedules.pause(paused.id, paused=True, now=0.0)
        assert await schedules.prune(older_than=1_000.0) == 0
        assert await schedules.prune(older_than=1_001.0) == 1
        assert [each.id for each in await schedules.all()] == [paused.id]

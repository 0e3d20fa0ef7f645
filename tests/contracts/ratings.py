"""What all ratings do (`storage.contracts.Ratings`). A subclass gives `ratings`, and `answer(turn, thread)`."""

from dataclasses import replace

from agent.types import REASON_CHARACTERS, Rating, Reason, ReasonKind

YES = Rating(user="U1", helpful=True, at=10.0)
NO = Rating(user="U1", helpful=False, at=11.0)
BACK = Rating(user="U1", helpful=None, at=12.0)
OTHER = Rating(user="U2", helpful=True, at=5.0)


class RatingsContract:
    async def test_each_person_has_one_and_the_latest_holds(self, ratings):
        for rating in (YES, NO, OTHER):
            await ratings.put("t1", rating)
        assert await ratings.of("t1") == [OTHER, NO]
        assert await ratings.of("t2") == []

    async def test_what_comes_late_changes_nothing(self, ratings):
        await ratings.put("t1", NO)
        await ratings.put("t1", YES)
        assert await ratings.of("t1") == [NO]

    async def test_what_was_taken_back_does_not_come_again(self, ratings):
        for rating in (YES, BACK, NO):
            await ratings.put("t1", rating)
        assert await ratings.of("t1") == []

    async def test_the_same_twice_is_one(self, ratings):
        await ratings.put("t1", YES)
        await ratings.put("t1", YES)
        assert await ratings.of("t1") == [YES]

    async def test_a_reason_comes_after_the_thumb_and_stays_when_that_is_said_again(self, ratings):
        why = Reason(kind=ReasonKind.OUTDATED, text="It is 30 since March.")
        await ratings.put("t1", NO)
        await ratings.put("t1", replace(NO, at=12.0, reason=why))
        await ratings.put("t1", replace(NO, at=13.0))
        assert await ratings.of("t1") == [replace(NO, at=13.0, reason=why)]
        await ratings.put("t1", replace(YES, at=14.0))
        await ratings.put("t1", replace(NO, at=15.0))
        assert await ratings.of("t1") == [replace(NO, at=15.0)]

    async def test_a_thumb_up_has_no_reason_and_a_long_one_is_cut(self, ratings):
        await ratings.put("t1", replace(YES, reason=Reason(kind=ReasonKind.WRONG)))
        await ratings.put("t2", replace(NO, reason=Reason(kind=ReasonKind.OTHER, text=" " + "x" * 5000)))
        assert [each.reason for each in await ratings.of("t1")] == [None]
        [cut] = await ratings.of("t2")
        assert cut.reason is not None and cut.reason.text == "x" * REASON_CHARACTERS

    async def test_what_somebody_gave_is_forgotten_on_their_platform_and_nobody_elses_is(self, ratings, answer):
        await answer("t1", "slack:T1:C1:1.1")
        await answer("t2", "discord:G1:C1:1")
        for turn in ("t1", "t2"):
            await ratings.put(turn, replace(NO, reason=Reason(kind=ReasonKind.WRONG, text="secret")))
            await ratings.put(turn, OTHER)
        assert await ratings.forget("slack:T2:U1") == 1
        assert await ratings.of("t1") == [OTHER] and len(await ratings.of("t2")) == 2
        assert await ratings.forget("slack:T1:U1") == 0

"""What all ratings do (`storage.contracts.Ratings`). A subclass gives `ratings`."""

from agent.types import Rating

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

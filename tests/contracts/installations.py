"""What a store of installations does (`adapters.slack.installations.InstallationStore`). A subclass gives `store`."""


class InstallationsContract:
    async def test_what_was_put_is_there_until_it_is_removed(self, store):
        assert await store.get("", "T1") is None and not await store.remove("", "T1")
        await store.put("", "T1", "one")
        await store.put("E1", "", "두")
        await store.put("", "T1", "another")
        assert await store.get("", "T1") == "another" and await store.get("E1", "") == "두"
        assert await store.get("E1", "T1") is None and await store.get("", "") is None
        assert list(await store.all()) == [("", "T1"), ("E1", "")]
        assert await store.remove("", "T1") and not await store.remove("", "T1")
        assert await store.get("", "T1") is None and await store.get("E1", "") == "두"

    async def test_a_mark_is_taken_once(self, store):
        await store.put_state("one", until=100.0)
        await store.put_state("두", until=50.5)
        assert await store.take_state("one") == 100.0 and await store.take_state("one") is None
        assert await store.take_state("두") == 50.5 and await store.take_state("other") is None

    async def test_marks_that_ended_long_ago_are_forgotten(self, store):
        await store.put_state("old", until=100.0)
        await store.put_state("late", until=3_000.0)
        await store.put_state("new", until=4_000.0)
        assert await store.take_state("old") is None and await store.take_state("late") == 3_000.0

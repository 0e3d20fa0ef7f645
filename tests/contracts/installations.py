"""What every store of installations does (`adapters.slack.installations.Installations`). A subclass gives `store`."""


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

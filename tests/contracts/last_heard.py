"""What every store of last messages does (`storage.contracts.LastHeard`). A subclass gives `heard` and `clock`."""

from agent.types import ThreadKey


def place(channel: str = "C1", thread: str = "", workspace: str = "G1", platform: str = "discord") -> ThreadKey:
    return ThreadKey(platform=platform, workspace_id=workspace, channel_id=channel, thread_id=thread)


class LastHeardContract:
    async def test_nothing_was_heard_at_first(self, heard):
        assert await heard.of("discord") == {}

    async def test_each_place_has_its_own_message(self, heard):
        await heard.put({place(): "10", place(thread="T1"): "11", place(workspace="G2"): "12", place(channel=""): "13"})
        assert await heard.of("discord") == {
            place(): "10", place(thread="T1"): "11", place(workspace="G2"): "12", place(channel=""): "13",
        }  # fmt: skip

    async def test_what_is_put_last_holds_and_the_others_stay(self, heard):
        await heard.put({place(): "10", place("C2"): "11"})
        await heard.put({place(): "12"})
        assert await heard.of("discord") == {place(): "12", place("C2"): "11"}

    async def test_platforms_are_told_apart(self, heard):
        await heard.put({place(): "10", place(platform="slack"): "11"})
        assert await heard.of("discord") == {place(): "10"}

    async def test_places_of_long_ago_are_forgotten_but_never_a_workspace(self, heard, clock):
        await heard.put({place(): "10", place(channel=""): "10"})
        clock.now += 100.0
        await heard.put({place("C2"): "11"})
        assert await heard.prune(older_than=clock.now - 50.0) == 1
        assert await heard.of("discord") == {place("C2"): "11", place(channel=""): "10"}

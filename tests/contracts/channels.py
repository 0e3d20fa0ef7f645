"""What all channel modes do (`storage.contracts.ChannelModes`). A subclass gives `modes`."""

from agent.types import ChannelMode, Overlap
from storage.contracts import Place

WHOLE = Place(platform="slack", workspace="T1")
CHANNEL = Place(platform="slack", workspace="T1", channel="C1")
OTHER = Place(platform="slack", workspace="T1", channel="C2")


class ChannelModesContract:
    async def test_a_channel_goes_by_its_own_mode_then_by_its_workspace(self, modes):
        assert await modes.mode_of(CHANNEL) is ChannelMode.THREAD
        await modes.set(WHOLE, ChannelMode.MENTIONS)
        await modes.set(CHANNEL, ChannelMode.ALL)
        assert await modes.mode_of(CHANNEL) is ChannelMode.ALL
        assert await modes.mode_of(OTHER) is ChannelMode.MENTIONS

    async def test_what_is_set_last_holds(self, modes):
        await modes.set(CHANNEL, ChannelMode.ALL)
        await modes.set(CHANNEL, ChannelMode.OFF)
        assert await modes.mode_of(CHANNEL) is ChannelMode.OFF
        assert await modes.all() == [(CHANNEL, ChannelMode.OFF)]

    async def test_nothing_of_its_own_is_that_of_the_workspace_again(self, modes):
        await modes.set(WHOLE, ChannelMode.OFF)
        await modes.set(CHANNEL, ChannelMode.ALL)
        await modes.set(CHANNEL, None)
        assert await modes.mode_of(CHANNEL) is ChannelMode.OFF
        await modes.set(WHOLE, None)
        await modes.set(WHOLE, None)
        assert await modes.mode_of(CHANNEL) is ChannelMode.THREAD and await modes.all() == []

    async def test_places_are_told_apart_by_all_of_their_names(self, modes):
        await modes.set(CHANNEL, ChannelMode.OFF)
        for place in (
            Place(platform="discord", workspace="T1", channel="C1"),
            Place(platform="slack", workspace="T2", channel="C1"),
        ):
            assert await modes.mode_of(place) is ChannelMode.THREAD

    async def test_everything_is_told_in_order(self, modes):
        for place in (OTHER, WHOLE, CHANNEL):
            await modes.set(place, ChannelMode.MENTIONS)
        assert [place for place, _ in await modes.all()] == [WHOLE, CHANNEL, OTHER]

    async def test_both_are_told_at_once(self, modes):
        assert await modes.conduct_of(CHANNEL) == (ChannelMode.THREAD, Overlap.QUEUE)
        await modes.set(WHOLE, ChannelMode.ALL)
        await modes.set_overlap(CHANNEL, Overlap.REPLACE)
        assert await modes.conduct_of(CHANNEL) == (ChannelMode.ALL, Overlap.REPLACE)
        assert await modes.conduct_of(OTHER) == (ChannelMode.ALL, Overlap.QUEUE)

    async def test_overlaps_are_set_beside_the_modes_and_go_by_the_workspace_too(self, modes):
        assert await modes.overlap_of(CHANNEL) is Overlap.QUEUE
        await modes.set_overlap(WHOLE, Overlap.BURST)
        await modes.set_overlap(CHANNEL, Overlap.REPLACE)
        assert await modes.overlap_of(CHANNEL) is Overlap.REPLACE
        assert await modes.overlap_of(OTHER) is Overlap.BURST
        assert await modes.overlaps() == [(WHOLE, Overlap.BURST), (CHANNEL, Overlap.REPLACE)]
        assert await modes.all() == [] and await modes.mode_of(CHANNEL) is ChannelMode.THREAD
        await modes.set_overlap(CHANNEL, None)
        assert await modes.overlap_of(CHANNEL) is Overlap.BURST


class ChannelPacksContract:
    async def test_a_channel_goes_by_its_own_pack_then_by_its_workspace(self, packs):
        assert await packs.pack_of(CHANNEL) == ""
        await packs.set(WHOLE, "medical")
        await packs.set(CHANNEL, "tax_audit")
        assert (await packs.pack_of(CHANNEL), await packs.pack_of(OTHER)) == ("tax_audit", "medical")
        await packs.set(CHANNEL, None)
        assert await packs.pack_of(CHANNEL) == "medical"

    async def test_what_is_set_last_holds_and_is_told_in_order(self, packs):
        for place, name in ((OTHER, "a"), (CHANNEL, "a"), (WHOLE, "c"), (CHANNEL, "b")):
            await packs.set(place, name)
        assert list(await packs.all()) == [(WHOLE, "c"), (CHANNEL, "b"), (OTHER, "a")]

"""What everything that knows what was posted does (`adapters.contract.Deliveries`). A subclass gives `deliveries`."""

from agent.types import Delivery, DeliveryRef

HERE = DeliveryRef(channel_id="C1", message_id="1.1")
THERE = DeliveryRef(channel_id="C1", message_id="2.2")


class DeliveriesContract:
    async def test_what_was_begun_is_known_to_be_nowhere_yet(self, deliveries):
        assert await deliveries.get("t1", "answer:0") is None
        await deliveries.begin("t1", "answer:0")
        assert await deliveries.get("t1", "answer:0") == Delivery(ref=None)

    async def test_what_was_posted_stands_and_is_not_begun_again(self, deliveries):
        await deliveries.begin("t1", "answer:0")
        await deliveries.record("t1", "answer:0", HERE, "한")
        await deliveries.begin("t1", "answer:0")
        assert await deliveries.get("t1", "answer:0") == Delivery(ref=HERE, digest="한")
        await deliveries.record("t1", "answer:0", THERE, "two")
        assert await deliveries.get("t1", "answer:0") == Delivery(ref=THERE, digest="two")

    async def test_the_slots_of_a_turn_come_as_they_were_begun(self, deliveries):
        for slot in ("list", "answer:1", "answer:0"):
            await deliveries.begin("t1", slot)
        await deliveries.begin("t2", "list")
        await deliveries.record("t1", "answer:0", HERE, "")
        await deliveries.record("t1", "list", THERE, "")
        assert [slot for slot, _ in await deliveries.slots("t1")] == ["list", "answer:1", "answer:0"]
        assert dict(await deliveries.slots("t1"))["answer:1"] == Delivery(ref=None)

    async def test_what_is_gone_is_forgotten_and_nothing_else(self, deliveries):
        for slot in ("answer:0", "answer:1"):
            await deliveries.record("t1", slot, HERE, "")
        await deliveries.forget("t1", "answer:0")
        await deliveries.forget("t2", "answer:1")
        assert [slot for slot, _ in await deliveries.slots("t1")] == ["answer:1"]

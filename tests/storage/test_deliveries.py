"""What was posted for which turn: the contract, for the databases and for the fake, and the way back to the turn."""

import pytest

from agent.types import DeliveryRef
from storage.deliveries import SqlDeliveries
from tests.contracts.deliveries import DeliveriesContract
from tests.fakes_deliveries import MemoryDeliveries


class TestStoredDeliveries(DeliveriesContract):
    @pytest.fixture
    def deliveries(self, database):
        return SqlDeliveries(database)


class TestMemoryDeliveries(DeliveriesContract):
    @pytest.fixture
    def deliveries(self):
        return MemoryDeliveries()


async def test_a_message_is_known_by_its_turn_but_not_the_one_that_only_quotes_the_question(database):
    deliveries = SqlDeliveries(database)
    for slot, channel, message in (("answer:0", "C", "1"), ("thread", "C", "2"), ("anchor", "C", "3")):
        await deliveries.begin("t1", slot)
        await deliveries.record("t1", slot, DeliveryRef(channel_id=channel, message_id=message), "")
    found = [await deliveries.turn_of(DeliveryRef(channel_id="C", message_id=id)) for id in ("1", "2", "3", "4")]
    assert found == ["t1", "t1", None, None]
    assert await deliveries.turn_of(DeliveryRef(channel_id="D", message_id="1")) is None

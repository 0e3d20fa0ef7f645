"""What was posted for which turn, in memory; and a way to crash in the worst moment."""

from collections.abc import Sequence

from agent.errors import StorageError
from agent.types import Delivery, DeliveryRef


class MemoryDeliveries:
    """The `Deliveries` of one process; `fail_next_record` loses one confirmation, as a crash would."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], Delivery] = {}
        self.fail_next_record = False

    async def get(self, turn_id: str, slot: str) -> Delivery | None:
        return self.known.get((turn_id, slot))

    async def begin(self, turn_id: str, slot: str) -> None:
        self.known.setdefault((turn_id, slot), Delivery(ref=None))

    async def record(self, turn_id: str, slot: str, ref: DeliveryRef, digest: str) -> None:
        if self.fail_next_record:
            self.fail_next_record = False
            raise StorageError("the confirmation was lost")
        self.known[turn_id, slot] = Delivery(ref=ref, digest=digest)

    async def slots(self, turn_id: str) -> Sequence[tuple[str, Delivery]]:
        return [(slot, delivery) for (turn, slot), delivery in self.known.items() if turn == turn_id]

    async def turn_of(self, posted: DeliveryRef) -> str | None:
        return next((turn for (turn, _), delivery in self.known.items() if delivery.ref == posted), None)

    async def forget(self, turn_id: str, slot: str) -> None:
        self.known.pop((turn_id, slot), None)

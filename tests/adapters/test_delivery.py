import pytest

from adapters.delivery import digest_of, post_once
from agent.errors import GoneError, StorageError
from agent.types import DeliveryRef
from tests.fakes_deliveries import MemoryDeliveries


class Platform:
    """Messages by id, and what was done to them."""

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}
        self.did: list[str] = []

    async def post(self, deliveries: MemoryDeliveries, content: str) -> DeliveryRef:
        async def send() -> DeliveryRef:
            self.did.append("send")
            self.shown[name := f"m{len(self.did)}"] = content
            return DeliveryRef(channel_id="c", message_id=name)

        async def edit(ref: DeliveryRef) -> None:
            self.did.append("edit")
            if ref.message_id not in self.shown:
                raise GoneError
            self.shown[ref.message_id] = content

        async def find() -> DeliveryRef | None:
            self.did.append("find")
            return next((DeliveryRef(channel_id="c", message_id=name) for name in self.shown), None)

        return await post_once(deliveries, "t1", "answer:0", digest_of(content), send=send, edit=edit, find=find)


async def test_the_same_content_is_posted_once() -> None:
    platform, deliveries = Platform(), MemoryDeliveries()
    first = await platform.post(deliveries, "hello")
    assert await platform.post(deliveries, "hello") == first
    assert platform.did == ["send"]


async def test_other_content_edits_the_message() -> None:
    platform, deliveries = Platform(), MemoryDeliveries()
    await platform.post(deliveries, "hello")
    await platform.post(deliveries, "hello again")
    await platform.post(deliveries, "hello again")
    assert platform.did == ["send", "edit"]
    assert list(platform.shown.values()) == ["hello again"]


async def test_a_deleted_message_is_sent_anew() -> None:
    platform, deliveries = Platform(), MemoryDeliveries()
    await platform.post(deliveries, "hello")
    platform.shown.clear()
    await platform.post(deliveries, "hello again")
    await platform.post(deliveries, "hello again")
    assert platform.did == ["send", "edit", "send"]
    assert list(platform.shown.values()) == ["hello again"]


async def test_a_crash_after_sending_finds_the_message() -> None:
    platform, deliveries = Platform(), MemoryDeliveries()
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await platform.post(deliveries, "hello")
    await platform.post(deliveries, "hello, complete")
    assert platform.did == ["send", "find", "edit"]
    assert list(platform.shown.values()) == ["hello, complete"]
    assert (await deliveries.get("t1", "answer:0")).digest == digest_of("hello, complete")


async def test_a_crash_before_sending_sends() -> None:
    platform, deliveries = Platform(), MemoryDeliveries()
    await deliveries.begin("t1", "answer:0")
    await platform.post(deliveries, "hello")
    assert platform.did == ["find", "send"]

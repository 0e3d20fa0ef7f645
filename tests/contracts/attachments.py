"""How every adapter fetches a file that came with a message (`adapters.contract.Adapter.fetch`).

A test class inherits `FetchContract` and gives the fixtures `adapter`, `offer` (`await offer(data, name)` returns a
message and its attachment) and `withdraw` (`await withdraw(attachment)` takes the file away).
"""

import pytest

from agent.errors import AttachmentError

DATA = bytes(range(256)) * 40


class FetchContract:
    async def test_the_bytes_come_as_they_are(self, adapter, offer):
        for data, name in ((DATA, "data.bin"), ("휴가,일수\n".encode(), "휴가 표.csv"), (b"", "empty.txt")):
            message, attachment = await offer(data, name)
            assert await adapter.fetch(message, attachment, most=len(data) + 1) == data
            assert await adapter.fetch(message, attachment, most=len(data)) == data

    async def test_a_file_beyond_the_limit_is_refused(self, adapter, offer):
        message, attachment = await offer(DATA, "data.bin")
        with pytest.raises(AttachmentError) as caught:
            await adapter.fetch(message, attachment, most=len(DATA) - 1)
        assert caught.value.reason == "too_large"

    async def test_a_deleted_file_is_said_to_be_gone(self, adapter, offer, withdraw):
        message, attachment = await offer(DATA, "data.bin")
        await withdraw(attachment)
        with pytest.raises(AttachmentError) as caught:
            await adapter.fetch(message, attachment, most=100_000)
        assert caught.value.reason == "gone"

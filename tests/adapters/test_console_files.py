"""Files named on the command line."""

import asyncio
import os
from pathlib import Path

import pytest

from adapters.console import ConsoleAdapter
from agent.errors import AttachmentError, UsageError
from bot.operator.asking import Asker, attached
from tests.contracts.attachments import FetchContract


class TestConsoleFetch(FetchContract):
    @pytest.fixture
    def adapter(self):
        return ConsoleAdapter(quiet=True)

    @pytest.fixture
    def offer(self, tmp_path):
        async def offer(data: bytes, name: str):
            path = tmp_path / name
            path.write_bytes(data)
            message = Asker().message("What is it?", "", attached([path]))
            (attachment,) = message.attachments
            assert attachment.size == len(data) and attachment.name == name
            return message, attachment

        return offer

    @pytest.fixture
    def withdraw(self):
        async def withdraw(attachment):
            await asyncio.to_thread(Path(attachment.url).unlink)

        return withdraw


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"nothing\.csv"):
        attached([tmp_path / "nothing.csv"])
    with pytest.raises(UsageError):
        attached([tmp_path])


async def test_a_folder_in_its_place_is_no_stack_trace(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a")
    message = Asker().message("?", "", attached([path]))
    os.replace(path, tmp_path / "b.csv")
    path.mkdir()
    with pytest.raises(AttachmentError) as caught:
        await ConsoleAdapter().fetch(message, message.attachments[0], most=10)
    assert caught.value.reason == "closed"

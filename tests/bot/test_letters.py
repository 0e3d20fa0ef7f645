"""`weft inbox`: messages that were given up, through the command."""

import asyncio
import json

import pytest
from click.testing import CliRunner

from agent.types import Author, IncomingMessage, MessageKind, ThreadKey
from bot.cli import main
from storage.inbox import MOST_DEATHS, SqlInbox


def message(number: int) -> IncomingMessage:
    key = ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id=f"{number}.0")
    return IncomingMessage(
        key=key, event_id=f"e{number}", message_id=f"{number}.0", author=Author(id="U1"), text="SECRET-WORDS",
        kind=MessageKind.MENTION, received_at=0.0,
    )  # fmt: skip


@pytest.fixture
def data(tmp_path):
    """Two messages that took down whoever ran them, and one that waits."""

    async def fill() -> None:
        inbox = await SqlInbox.open(tmp_path / "inbox.db")
        for number in (1, 2):
            await inbox.add(message(number))
            for _ in range(MOST_DEATHS + 2):
                await inbox.claim("dead", lease=-1, platforms=["slack"], thread=message(number).key)
        await inbox.add(message(3))
        assert (await inbox.counts())["dead"] == 2
        await inbox.close()

    asyncio.run(fill())
    return tmp_path


def weft(data, *words: str):
    return CliRunner().invoke(main, ["inbox", *words, "--data", str(data)])


def listed(data, *words: str):
    return json.loads(weft(data, "list", "--json", *words).stdout)["messages"]


def test_what_was_given_up_is_listed_without_its_words(data):
    plain = weft(data, "list")
    assert plain.exit_code == 0 and "deadly" in plain.output and "SECRET" not in plain.output
    assert [(each["status"], each["thread"]) for each in listed(data)] == [
        ("dead", "slack:T1:C1:1.0"), ("dead", "slack:T1:C1:2.0")
    ]  # fmt: skip
    assert [each["status"] for each in listed(data, "--all")] == ["dead", "dead", "todo"]


def test_another_try_begins_anew_and_the_rest_can_be_forgotten(data):
    first, second = (each["id"] for each in listed(data))
    assert weft(data, "retry", str(first)).output == "1 message will be answered\n"
    again = next(each for each in listed(data, "--all") if each["id"] == first)
    assert (again["status"], again["attempts"], again["deaths"]) == ("todo", 0, 0)
    assert weft(data, "drop", "--all").output == "1 message forgotten\n"
    assert second not in [each["id"] for each in listed(data, "--all")]
    assert weft(data, "list").output == "no message was given up\n"


def test_what_was_not_given_up_is_left_alone_and_told(data):
    waiting = next(each["id"] for each in listed(data, "--all") if each["status"] == "todo")
    result = weft(data, "drop", str(waiting))
    assert result.exit_code == 1 and f"not given up: {waiting}" in result.output
    assert weft(data, "retry").exit_code == 2 and weft(data, "retry", "1", "--all").exit_code == 2
    assert weft(data / "nowhere", "list").exit_code == 2

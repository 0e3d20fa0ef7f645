"""An answer that waits for the token of its workspace: a day, by the clock of the worker."""

import asyncio
import time

from bot.turns import worker
from storage.database import Database
from storage.inbox import SqlInbox
from storage.schema import INBOX
from tests.adapters.slack.test_slack_stream_turn import Bench, bench
from tests.servers.slack import SlackServer

__all__ = ["bench"]

HOURS = 23
"""After each of which it is refused, but for the last; a day has one more."""


class Clock:
    def __init__(self) -> None:
        self.passed = 0.0

    def __call__(self) -> float:
        return time.time() + self.passed


async def test_an_answer_waits_a_day_for_a_token_and_arrives_once(
    bench, slack: SlackServer, make_adapter, tmp_path, monkeypatch, caplog
) -> None:
    monkeypatch.setattr(worker, "DELIVERY_RETRY_SECONDS", 3600.0)
    now = Clock()
    queue = await Database.open(tmp_path / "day.db", INBOX, durable=True)
    patient = Bench(slack, make_adapter, SqlInbox(queue, now=now, poll=0.005), bench.database)

    async def refused(times: int) -> None:
        """Wait until an attempt more was refused, and its message lies in the inbox again."""
        async with asyncio.timeout(60):
            while _waits(caplog) < times or (await patient.inbox.counts())["doing"]:
                await asyncio.sleep(0.005)

    async with patient.working("One. [1]", now=now):
        token, slack.bot_token = slack.bot_token, "xoxb-nobody-s"
        await patient.ask()
        for hour in range(1, HOURS + 1):
            await refused(hour)
            assert not patient.shown() and (await patient.inbox.counts())["todo"] == 1
            if hour == HOURS:
                slack.bot_token = token
            now.passed += 3601
        await patient.settled()
    await queue.close()
    assert patient.shown() == ["One. [1]"]
    assert "answer_given_up" not in [getattr(record, "action", "") for record in caplog.records]


def _waits(caplog) -> int:
    return len([record for record in caplog.records if getattr(record, "action", "") == "answer_waits"])

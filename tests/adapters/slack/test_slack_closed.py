"""Where Weft may not write in Slack: its asker is told over what is left, the log and the inbox for the operator."""

import sqlite3

import pytest

from agent.errors import WeftError
from agent.language import say
from agent.run import Agent
from bot.turns import worker
from tests.adapters.slack.test_slack_conduct import ASKED, room  # noqa: F401 - a fixture
from tests.servers.slack import SlackServer

DAYS = "25"


def told_directly(slack: SlackServer, user: str = "U1") -> str:
    return "\n".join(m["text"] for m in slack.bot_messages(slack.directs.get(user, "")))


def errors(room) -> list[str]:  # noqa: F811
    folder = room.engine.settings.data
    with sqlite3.connect(f"file:{folder / 'inbox.db'}?mode=ro", uri=True) as inbox:
        return [error for (error,) in inbox.execute("SELECT error FROM inbox WHERE error<>''")]


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("restricted_action_read_only_channel", "closed_rights"),
        ("restricted_action_thread_locked", "closed_locked"),
    ],
)
async def test_who_asked_is_shown_the_answer_where_nobody_else_sees_it(room, slack, caplog, code, key):  # noqa: F811
    slack.closed["C1"] = code
    ts = await room.ask()
    [shown] = slack.ephemerals
    assert shown["user"] == "U1" and shown["thread_ts"] == ts
    assert (
        shown["text"].startswith(say(key, "en")) and "days" in shown["text"] and say("sources", "en") in shown["text"]
    )
    assert slack.bot_messages("C1") == [] and not slack.directs
    assert len([record for record in caplog.records if getattr(record, "action", "") == "place_closed"]) == 1
    assert errors(room)[0].startswith("closed:")


@pytest.mark.parametrize(("code", "key"), [("is_archived", "closed_archived"), ("", "not_in_channel")])
async def test_where_not_even_that_is_possible_it_comes_directly(room, slack, code, key):  # noqa: F811
    if code:
        slack.closed["C1"] = code
    else:
        slack.channels["C1"] = False
    await room.ask()
    assert told_directly(slack).startswith(say(key, "en")) and "days" in told_directly(slack)
    assert " › " in told_directly(slack).partition(say("sources", "en"))[2]  # where in the document it stands
    assert slack.ephemerals == []


async def test_a_command_is_answered_with_its_own_response(room, slack):  # noqa: F811
    slack.channels["C2"] = False
    await slack.command(room.endpoint, ASKED, channel="C2")
    await room.settled()
    [told] = slack.responses
    assert told["text"].startswith(say("not_in_channel", "en")) and told["response_type"] == "ephemeral"
    assert "days" in told["text"] and say("sources", "en") in told["text"]
    assert not slack.directs and slack.ephemerals == []


async def test_a_command_that_comes_to_nothing_there_is_told_why_all_the_same(room, slack, monkeypatch):  # noqa: F811
    async def fails(agent, request):
        raise WeftError("the disk is full")
        yield

    monkeypatch.setattr(Agent, "run", fails)
    slack.channels["C2"] = False
    await slack.command(room.endpoint, ASKED, channel="C2")
    await room.settled()
    assert [told["text"] for told in slack.responses] == [say("not_in_channel", "en")]


async def test_who_takes_nothing_at_all_leaves_a_line_in_the_log(room, slack, caplog):  # noqa: F811
    slack.closed["C1"] = "is_archived"
    slack.closed["D9U1"] = "messages_tab_disabled"
    await room.ask()
    assert [r for r in caplog.records if getattr(r, "action", "") == "closed_untold"]
    slack.closed.clear()
    ts = await room.ask()
    assert room.said(ts)  # and the next one is answered


@pytest.mark.parametrize("code", ["account_inactive", "token_revoked", "token_expired", "invalid_auth"])
async def test_an_answer_waits_for_another_token(room, slack, monkeypatch, caplog, code):  # noqa: F811
    monkeypatch.setattr(worker, "DELIVERY_RETRY_SECONDS", 0.01)
    slack.fail("chat.postMessage", status=200, error=code, times=5)
    ts = await room.ask()
    assert any("days" in text for text in room.said(ts))
    assert len([r for r in caplog.records if getattr(r, "action", "") == "answer_waits"]) >= 1
    assert say("turn_failed", "en", turn_id="")[:20] not in str(slack.messages("C1"))

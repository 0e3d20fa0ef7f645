"""Signed payloads that are not formed as Slack documents them: acknowledged, named in the log once, never a 500."""

import asyncio
import copy
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from adapters.slack import shape
from tests.servers.slack import SlackServer

ODD: tuple[Any, ...] = (None, 3, 1.5, True, "odd", [], ["odd"], [None], {}, {"odd": []})


def malformed(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if getattr(record, "action", "") == "slack_malformed"]


@pytest.mark.parametrize("body", ["[1, 2]", "{", "payload={", "payload=[]", '"text"', "[" * 100_000])
async def test_what_is_no_object_is_acknowledged_once_it_is_signed(
    slack: SlackServer, endpoint: str, caplog: pytest.LogCaptureFixture, body: str
) -> None:
    assert (await slack.post(endpoint, body)).status == 200
    assert (await slack.post(endpoint, body, signature="wrong")).status == 401
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"event": None}, "event"),
        ({"event": "SECRET-WORDS"}, "event"),
        ({"authorizations": "SECRET-WORDS"}, "authorizations"),
        ({"authorizations": ["SECRET-WORDS"]}, "authorizations.0"),
        ({"team_id": ["SECRET-WORDS"]}, "team_id"),
    ],
)
async def test_an_odd_event_is_acknowledged_and_its_field_named(
    slack: SlackServer, endpoint: str, intake, caplog: pytest.LogCaptureFixture, change, named
) -> None:
    message = slack.add("C1", "U1", f"<@{slack.bot_user}> When?")
    body = {"type": "event_callback", "team_id": "T1", "event": slack.event_of("C1", message), **change}
    assert (await slack.post(endpoint, json.dumps(body))).status == 200
    assert not intake.messages
    [line] = malformed(caplog)
    assert named in line.getMessage() or "no form" in line.getMessage()
    assert "SECRET-WORDS" not in caplog.text


@pytest.mark.parametrize("files", [7, "x", [None], ["x"], [{"id": 7}], [{"size": "big"}], {"id": "F1"}])
async def test_odd_files_are_no_reason_to_come_again(
    slack: SlackServer, endpoint: str, intake, caplog: pytest.LogCaptureFixture, files
) -> None:
    message = slack.add("C1", "U1", f"<@{slack.bot_user}> When?")
    assert (await slack.event(endpoint, {**slack.event_of("C1", message), "files": files})).status == 200
    assert not intake.messages
    assert "files" in malformed(caplog)[0].getMessage()


def bent(value: Any) -> Iterator[Any]:
    """Give a payload with each of its parts, one at a time, replaced by something odd, or gone."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(parts):
        for odd in ODD:
            changed = copy.copy(value)
            changed[key] = odd
            yield changed
        if isinstance(value, dict):
            yield {name: each for name, each in value.items() if name != key}
        for inner in bent(part):
            changed = copy.copy(value)
            changed[key] = inner
            yield changed


def payloads(slack: SlackServer) -> dict[str, dict[str, Any]]:
    said = {**slack.add("C1", "U1", f"<@{slack.bot_user}> When?"), "thread_ts": "1.0"}
    said["files"] = [{"id": "F1", "name": "a.pdf", "size": 3, "mimetype": "application/pdf", "url_private": "http://x"}]
    said["attachments"] = [{"is_msg_unfurl": True, "author_id": "U2", "text": "shared", "ts": "1.0"}]
    event = {**slack.event_of("C1", said), "files": said["files"], "attachments": said["attachments"]}
    whole = {"type": "event_callback", "team_id": "T1", "is_ext_shared_channel": False, "event_id": "Ev1"}
    whole["authorizations"] = [{"team_id": "T1", "user_id": slack.bot_user, "is_enterprise_install": False}]
    edit = {"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "3.0", "channel_type": "channel"}
    edit |= {"message": {**said, "edited": {"user": "U1", "ts": "2.0"}}, "previous_message": {**said, "text": "other"}}
    gone = {"type": "message", "subtype": "message_deleted", "channel": "C1", "deleted_ts": said["ts"], "ts": "3.0"}
    gone |= {"previous_message": said}
    click = {
        "type": "block_actions",
        "team": {"id": "T1"},
        "user": {"id": "U1", "name": "kim"},
        "channel": {"id": "C1"},
    }
    click |= {"message": said, "container": {"channel_id": "C1", "message_ts": said["ts"]}, "response_url": ""}
    click |= {"actions": [{"type": "button", "action_id": "weft_choice_1", "block_id": "b", "value": "one"}]}
    return {
        "message": {**whole, "event": event},
        "edit": {**whole, "event": edit},
        "deletion": {**whole, "event": gone},
        "click": click,
    }


@pytest.mark.parametrize("kind", ["message", "edit", "deletion", "click"])
async def test_no_wrong_type_anywhere_makes_it_come_again(
    slack: SlackServer, endpoint: str, intake, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    sound = payloads(slack)[kind]
    assert not shape.fault(sound)
    gate = asyncio.Semaphore(8)

    async def status(body: dict[str, Any]) -> int:
        content, media_type = json.dumps(body), "application/json"
        if kind == "click":
            content, media_type = "payload=" + content, "application/x-www-form-urlencoded"
        async with gate:
            return (await slack.post(endpoint, content, media_type)).status

    bodies = list(bent(sound))
    statuses = await asyncio.gather(*(status(body) for body in bodies))
    wrong = [(status, body) for status, body in zip(statuses, bodies, strict=True) if status != 200]
    assert not wrong, wrong[0]
    assert len(bodies) > 150
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert all(isinstance(message.text, str) and "{" not in message.text for message in intake.messages)


async def test_a_command_that_names_nobody_is_acknowledged(slack: SlackServer, endpoint: str, intake, caplog) -> None:
    form = "command=%2Fask&text=When%3F&channel_id=C1&team_id=T1"
    assert (await slack.post(endpoint, form, "application/x-www-form-urlencoded")).status == 200
    assert not intake.messages
    assert "trigger_id" in malformed(caplog)[0].getMessage()

"""Thumbs under Weft's messages in Slack, over HTTP."""

import pytest

from agent.types import DeliveryRef, Rating
from tests.servers.slack import SlackServer


def reaction(slack: SlackServer, name: str, ts: str, **more) -> dict:
    item = {"type": "message", "channel": "C1", "ts": ts}
    return {
        "type": "reaction_added", "user": "U2", "reaction": name, "item": item, "item_user": slack.bot_user,
        "event_ts": "1700000000.5", **more,
    }  # fmt: skip


async def test_thumbs_are_kept_with_who_gave_them_and_taken_back(slack: SlackServer, endpoint: str, intake) -> None:
    answer = slack.add("C1", slack.bot_user, "26 days")["ts"]
    for name, more in (("+1", {}), ("-1::skin-tone-4", {}), ("thumbsup", {"type": "reaction_removed"})):
        assert (await slack.event(endpoint, reaction(slack, name, answer, **more))).status == 200
    posted = DeliveryRef(channel_id="C1", message_id=answer)
    assert intake.ratings == [
        (posted, Rating(user="U2", helpful=helpful, at=1700000000.5)) for helpful in (True, False, None)
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"reaction": "eyes"}, {"item_user": "U3"}, {"user": "UBOT"}, {"item": {"type": "file", "file": "F1"}},
        {"item": None}, {"user": None}, {"reaction": None}, {"event_ts": "x", "reaction": "wave"},
    ],
)  # fmt: skip
async def test_what_says_nothing_of_an_answer_is_left_alone(slack: SlackServer, endpoint: str, intake, more) -> None:
    answer = slack.add("C1", slack.bot_user, "26 days")["ts"]
    if more.get("user") == "UBOT":
        more = {"user": slack.bot_user}
    assert (await slack.event(endpoint, reaction(slack, "+1", answer) | more)).status == 200
    assert intake.ratings == []

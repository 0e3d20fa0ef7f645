"""A question handed over to people, on Slack: its cards, and what a press on one of their buttons says."""

import logging
import time
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.handing import HAND, TURN, Card
from adapters.slack.api import slack_errors
from adapters.slack.mrkdwn import from_markdown
from adapters.slack.parse import PLATFORM, Identity, Json, key_of
from adapters.slack.render import Post
from agent.errors import DeliveryError, RateLimitedError, UnreachableError
from agent.types import Author, IncomingMessage, MessageKind

log = logging.getLogger(__name__)

BUTTON = "weft_person_"
"""Begins the ids of the buttons; the step ends them."""


def post_of(card: Card, turn_id: str) -> Post:
    """Return a card as a message. Its text is Weft's own: only the group is pinged."""
    ping = f"<!subteam^{card.group}> " if card.group.isalnum() else ""
    text = ping + from_markdown(card.text)
    blocks: list[dict[str, Any]] = [{"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}]
    if card.step is not None:
        label = {"type": "plain_text", "text": card.label, "emoji": False}
        press = {"type": "button", "action_id": BUTTON + card.step, "text": label, "value": turn_id}
        blocks.append({"type": "actions", "elements": [press]})
    return Post(text=text, blocks=tuple(blocks))


def press_of(payload: Json, me: Identity) -> IncomingMessage | None:
    """Return what a press on one of the buttons says; None for a click on anything else."""
    actions = payload.get("actions") or ()
    action = next((each for each in actions if str(each.get("action_id", "")).startswith(BUTTON)), None)
    container, user, said = payload.get("container") or {}, payload.get("user") or {}, payload.get("message") or {}
    channel = str((payload.get("channel") or {}).get("id") or container.get("channel_id") or "")
    if action is None or not channel or not user.get("id") or not action.get("value"):
        return None
    turn, who, step = str(action["value"])[:100], str(user["id"]), str(action["action_id"]).removeprefix(BUTTON)
    at = str(action.get("action_ts") or f"{time.time():.6f}")
    event = f"{PLATFORM}:{me.team_id}:{turn}:person_{step}"
    return IncomingMessage(
        key=key_of(me, channel, str(said.get("thread_ts") or container.get("thread_ts") or channel)),
        event_id=event if step == "ask" else f"{event}:{who}:{at}",
        message_id=at,
        author=Author(id=who, name=str(user.get("name") or user.get("username") or "")),
        text="",
        kind=MessageKind.BUTTON,
        received_at=time.time(),
        private=channel.startswith("D"),
        extra={HAND: step, TURN: turn, "response_url": str(payload.get("response_url") or "")},
    )


async def is_in_group(client: AsyncWebClient, user: str, group: str) -> bool:
    """Tell whether somebody is in a group of the workspace. Raises DeliveryError while Slack is away."""
    try:
        with slack_errors("usergroups.users.list"):
            return user in ((await client.usergroups_users_list(usergroup=group)).get("users") or ())
    except (RateLimitedError, UnreachableError):
        raise
    except DeliveryError as error:  # an app that was installed without usergroups:read
        log.warning("Slack does not tell who is in a group: %s", error, extra={"action": "slack_group_unknown"})
        return False

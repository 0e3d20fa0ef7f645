"""Who may manage a channel: the admins and owners of the workspace, and whoever made the channel."""

import logging

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.api import slack_errors
from agent.errors import DeliveryError, RateLimitedError, UnreachableError
from agent.types import IncomingMessage

log = logging.getLogger(__name__)

_RIGHTS = ("is_admin", "is_owner", "is_primary_owner")


async def manages(client: AsyncWebClient, message: IncomingMessage) -> bool:
    """Tell whether the author of a message may manage its channel. Raises DeliveryError while Slack is away."""
    with slack_errors("users.info"):
        person = (await client.users_info(user=message.author.id)).get("user") or {}
    if person.get("team_id", message.key.workspace_id) == message.key.workspace_id and any(map(person.get, _RIGHTS)):
        return True
    try:
        with slack_errors("conversations.info"):
            channel = (await client.conversations_info(channel=message.key.channel_id)).get("channel") or {}
    except (RateLimitedError, UnreachableError):
        raise
    except DeliveryError as error:  # an app that was installed without channels:read
        log.warning("Slack does not tell who made a channel: %s", error, extra={"action": "slack_creator_unknown"})
        return False
    return bool(channel.get("creator")) and channel["creator"] == message.author.id

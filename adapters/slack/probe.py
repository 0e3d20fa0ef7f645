"""What Slack says of the app, asked without changing anything: for `weft doctor`."""

from dataclasses import dataclass
from pathlib import Path

import aiohttp
import yaml
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.api import make_client, slack_errors
from agent.errors import DeliveryError, RateLimitedError, UnreachableError

MANIFEST = Path(__file__).with_name("manifest.yaml")


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Who the bot token is, and what it may do."""

    user: str
    workspace: str
    missing: tuple[str, ...] | None
    """Scopes of the manifest that the installed app has not; None where Slack does not tell its scopes."""
    knows_people: bool
    """Whether Slack tells what kind of account somebody has: else everybody counts as a guest."""


async def bot(token: str, base_url: str, *, seconds: float) -> Found:
    """Ask who the bot token is. Raises DeliveryError."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=seconds)) as session:
        client = make_client(token, base_url)
        client.session = session
        with slack_errors("auth.test"):
            answer = await client.auth_test()
        knows_people = await _knows_people(client, str(answer.get("user_id", "")))
    told = {name.lower(): value for name, value in (answer.headers or {}).items()}.get("x-oauth-scopes")
    granted = None if told is None else {scope.strip() for scope in str(told).split(",")}
    return Found(
        user=str(answer.get("user", "")),
        workspace=str(answer.get("team", "")),
        missing=None if granted is None else tuple(scope for scope in wanted_scopes() if scope not in granted),
        knows_people=knows_people,
    )


async def _knows_people(client: AsyncWebClient, user: str) -> bool:
    """Tell whether Slack says who somebody is, asked about the bot itself. Raises UnreachableError."""
    try:
        with slack_errors("users.info"):
            await client.users_info(user=user)
    except (RateLimitedError, UnreachableError):
        raise
    except DeliveryError:
        return False
    return True


async def socket_mode(app_token: str, base_url: str, *, seconds: float) -> None:
    """Ask for an address of Socket Mode, and do not use it. Raises DeliveryError."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=seconds)) as session:
        client = make_client(app_token, base_url)
        client.session = session
        with slack_errors("apps.connections.open"):
            await client.apps_connections_open(app_token=app_token)


def wanted_scopes() -> tuple[str, ...]:
    """Return the bot's scopes as the manifest has them."""
    manifest = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    return tuple(manifest["oauth_config"]["scopes"]["bot"])

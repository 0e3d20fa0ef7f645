"""The platforms that have what they need: one that refuses its token does not end the others."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from adapters.contract import Adapter, Intake
from agent.errors import DeliveryError, SettingsError
from agent.task_group import end
from bot.app import Engine
from bot.desk import Desk
from bot.platform_state import Standing
from bot.settings import Settings
from bot.stores import open_board, open_installations

if TYPE_CHECKING:
    from adapters.playground.adapter import PlaygroundAdapter
    from adapters.slack.adapter import SlackAdapter
    from adapters.slack.workspaces import SlackWorkspaces

logger = logging.getLogger(__name__)
Role = Literal["web", "worker", "discord", "clock"]
RECONNECT_SECONDS = 30.0
"""Until a platform that could not be reached is tried again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Platforms:
    """The platforms that have what they need, and how they are."""

    playground: "PlaygroundAdapter"
    slack: "SlackAdapter | SlackWorkspaces | None"
    discord: Adapter | None
    standing: Standing

    @property
    def all(self) -> list[Adapter]:
        """Return every one of them."""
        return [each for each in (self.playground, self.slack, self.discord) if each is not None]

    def without(self, adapter: Adapter) -> "Platforms":
        """Return the others."""
        slack = None if adapter is self.slack else self.slack
        return replace(self, slack=slack, discord=None if adapter is self.discord else self.discord)


@asynccontextmanager
async def open_platforms(engine: Engine, roles: Sequence[Role]) -> AsyncIterator[Platforms]:
    """Build the adapters that these roles need and that have a token.

    One whose token is refused is left out; what was asked there waits. Raises SettingsError for settings that cannot
    be right, and where no platform is left that people chat on: then somebody is just setting it up.
    """
    from adapters.playground.adapter import PlaygroundAdapter

    settings = engine.settings
    async with AsyncExitStack() as stack:
        board = await stack.enter_async_context(open_board(settings))
        platforms = Platforms(
            playground=PlaygroundAdapter(
                board, upload_bytes=settings.attachment_bytes, uploads_most=settings.attachments_most
            ),
            slack=await _slack(settings, engine.desk, stack) if "web" in roles or "worker" in roles else None,
            discord=_discord(engine) if "discord" in roles or "worker" in roles else None,
            standing=Standing(),
        )
        wrong: list[tuple[Adapter, SettingsError]] = []
        for adapter in platforms.all:
            stack.push_async_callback(adapter.close)
            try:
                await adapter.connect()
            except SettingsError as error:
                wrong.append((adapter, error))
                platforms = platforms.without(adapter)
            except DeliveryError as error:
                away(platforms.standing, adapter, error)
                trying = asyncio.create_task(_connect(adapter, platforms.standing))
                stack.push_async_callback(end, trying)
            else:
                platforms.standing.well(adapter.name)
        if wrong and platforms.slack is None and platforms.discord is None:
            raise wrong[0][1]
        for adapter, why in wrong:
            refused(platforms.standing, adapter, why)
        yield platforms


async def keep_listening(adapter: Adapter, intake: Intake, standing: Standing, *, alone: bool = False) -> None:
    """Listen until cancelled, over outages too. Raises SettingsError for a refused token where `alone`."""
    while True:
        try:
            await adapter.listen(intake)
        except SettingsError as error:
            if alone:
                raise
            refused(standing, adapter, error)
            await asyncio.Event().wait()
        except DeliveryError as error:
            away(standing, adapter, error)
            await asyncio.sleep(RECONNECT_SECONDS)
        else:
            return


def is_alone(roles: Sequence[Role]) -> bool:
    """Tell whether a process with these roles has nothing to do without its platform."""
    return list(roles) == ["discord"]


def refused(standing: Standing, adapter: Adapter, error: SettingsError) -> None:
    """Note that a platform does not take its token."""
    standing.troubled(adapter.name, error)
    facts = {"action": "platform_refused", "platform": adapter.name}
    logger.error("%s What was asked there waits for a day; the rest goes on.", error, extra=facts)


def away(standing: Standing, adapter: Adapter, error: DeliveryError) -> None:
    """Note that a platform cannot be reached."""
    standing.troubled(adapter.name, error)
    facts = {"action": "platform_away", "platform": adapter.name}
    logger.warning("%s It is tried again in %.0f s.", error, RECONNECT_SECONDS, extra=facts)


async def _connect(adapter: Adapter, standing: Standing) -> None:
    """Try until the platform is there, or refuses the token."""
    while True:
        await asyncio.sleep(RECONNECT_SECONDS)
        try:
            await adapter.connect()
        except SettingsError as error:
            return refused(standing, adapter, error)
        except DeliveryError as error:
            away(standing, adapter, error)
        else:
            return standing.well(adapter.name)


async def _slack(settings: Settings, desk: Desk, stack: AsyncExitStack) -> "SlackAdapter | SlackWorkspaces | None":
    if settings.slack_client_id or settings.slack_client_secret.get_secret_value():
        return await _slack_workspaces(settings, desk, stack)
    token = settings.slack_bot_token.get_secret_value()
    app_token, secret = settings.slack_app_token.get_secret_value(), settings.slack_signing_secret.get_secret_value()
    if not token:
        if app_token or secret:
            raise SettingsError("Slack needs SLACK_BOT_TOKEN too: copy it from the app's page OAuth & Permissions")
        return None
    if not (app_token or secret):
        raise SettingsError(
            "Slack needs SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP events) besides SLACK_BOT_TOKEN"
        )
    from adapters.slack.adapter import SlackAdapter

    return SlackAdapter(
        bot_token=token,
        signing_secret=secret,
        app_token=app_token,
        api_base_url=settings.slack_api_base_url,
        desk=desk,
    )


async def _slack_workspaces(settings: Settings, desk: Desk, stack: AsyncExitStack) -> "SlackWorkspaces":
    secrets = [settings.slack_client_secret.get_secret_value(), settings.slack_signing_secret.get_secret_value()]
    if not (settings.slack_client_id and all(secrets)):
        raise SettingsError(
            "Slack for many workspaces needs SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_SIGNING_SECRET: "
            "copy them from the app's page Basic Information"
        )
    if settings.slack_bot_token.get_secret_value() or settings.slack_app_token.get_secret_value():
        raise SettingsError(
            "SLACK_CLIENT_ID is for many workspaces, SLACK_BOT_TOKEN and SLACK_APP_TOKEN are for one: leave out either"
        )
    from adapters.slack.workspaces import SlackWorkspaces

    return SlackWorkspaces(
        installations=await stack.enter_async_context(open_installations(settings)),
        client_id=settings.slack_client_id,
        client_secret=secrets[0],
        signing_secret=secrets[1],
        api_base_url=settings.slack_api_base_url,
        desk=desk,
    )


def _discord(engine: Engine) -> Adapter | None:
    settings = engine.settings
    token = settings.discord_token.get_secret_value()
    if not token:
        return None
    from adapters.discord.adapter import DiscordAdapter

    return DiscordAdapter(
        token=token,
        api_base_url=settings.discord_api_base_url,
        gateway_url=settings.discord_gateway_url,
        message_content=settings.discord_message_content,
        catch_up_hours=settings.discord_catch_up_hours,
        desk=engine.desk,
        shards=settings.discord_shards,
    )

"""Where Weft is installed, for Bolt: its installation store on a port of ours, with tokens that are renewed in time.

https://docs.slack.dev/tools/bolt-python/concepts/authenticating-oauth, https://docs.slack.dev/authentication/using-token-rotation.
"""

import json
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from slack_sdk.errors import SlackTokenRotationError
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.installation_store.models.bot import Bot
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.oauth.token_rotation.async_rotator import AsyncTokenRotator

from adapters.slack.api import bolt_logger

log = logging.getLogger(__name__)

_OF_ORG = "org"
"""In the place of an installation: the workspace goes by that of its org."""
RENEW_MINUTES = 120
"""Before the end of a token's life, of twelve hours, it is renewed."""
STATE_SECONDS = 600.0
"""How long an installation may take, from the first page to Slack's answer."""


class Installations(Protocol):
    """Installations as texts, which hold tokens: nobody but Weft may read them. An empty team is a whole org."""

    async def put(self, enterprise: str, team: str, data: str) -> None:
        """Keep an installation in place of the one before."""
        ...

    async def get(self, enterprise: str, team: str) -> str | None:
        """Return an installation, of exactly this workspace or org."""
        ...

    async def remove(self, enterprise: str, team: str) -> bool:
        """Forget an installation; False where there is none."""
        ...

    async def all(self) -> Sequence[tuple[str, str]]:
        """Return the enterprise and the team of each."""
        ...


class StateStore(Protocol):
    """The marks of installations under way, for every process that serves them."""

    async def put_state(self, state: str, *, until: float) -> None:
        """Keep a mark until then, in seconds since the epoch."""
        ...

    async def take_state(self, state: str) -> float | None:
        """Return until when a mark is good, and forget it; None where it is not kept (any more)."""
        ...


class InstallationStore(Installations, StateStore, Protocol):
    """All that is kept of where Weft is installed, and is being installed."""


class BoltInstallations(AsyncInstallationStore):
    """Bolt's store; only bots are installed, so there is one installation a workspace or org."""

    def __init__(self, installations: Installations) -> None:
        self._kept = installations

    @property
    def logger(self) -> logging.Logger:
        """The logger that Bolt writes to."""
        return bolt_logger()

    async def async_save(self, installation: Installation) -> None:
        """Keep an installation."""
        team = "" if installation.is_enterprise_install else installation.team_id or ""
        data = json.dumps(installation.to_dict_for_copying(), default=str)
        await self._kept.put(installation.enterprise_id or "", team, data)
        log.info("Weft was installed in %s.", team or installation.enterprise_id, extra={"action": "slack_installed"})

    async def async_save_bot(self, bot: Bot) -> None:
        """Keep what was renewed of an installation."""
        found = await self.async_find_installation(
            enterprise_id=bot.enterprise_id, team_id=bot.team_id, is_enterprise_install=bot.is_enterprise_install
        )
        if found is not None:
            found.bot_token, found.bot_refresh_token = bot.bot_token, bot.bot_refresh_token
            found.bot_token_expires_at = bot.bot_token_expires_at
            team = "" if found.is_enterprise_install else found.team_id or ""
            await self._kept.put(found.enterprise_id or "", team, json.dumps(found.to_dict_for_copying(), default=str))

    async def async_find_installation(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None = None,
        is_enterprise_install: bool | None = False,
    ) -> Installation | None:
        """Return the installation of a workspace, else that of its org."""
        enterprise, team = enterprise_id or "", team_id or ""
        data = await self._kept.get(enterprise, team) if team and not is_enterprise_install else None
        if (data is None or data == _OF_ORG) and enterprise:
            data = await self._kept.get(enterprise, "")
            if data is not None and team:  # from now on its org is known from the workspace alone
                await self._kept.put(enterprise, team, _OF_ORG)
        data = None if data == _OF_ORG else data
        return Installation(**json.loads(data)) if data is not None else None

    async def async_find_bot(
        self, *, enterprise_id: str | None, team_id: str | None, is_enterprise_install: bool | None = False
    ) -> Bot | None:
        """Return the bot of that installation."""
        found = await self.async_find_installation(
            enterprise_id=enterprise_id, team_id=team_id, is_enterprise_install=is_enterprise_install
        )
        return found.to_bot() if found is not None else None

    async def async_delete_bot(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        """Forget an installation."""
        await self._kept.remove(enterprise_id or "", team_id or "")

    async def async_delete_installation(
        self, *, enterprise_id: str | None, team_id: str | None, user_id: str | None = None
    ) -> None:
        """Forget an installation; people's own tokens are never asked for."""
        await self.async_delete_bot(enterprise_id=enterprise_id, team_id=team_id)


class States(AsyncOAuthStateStore):
    """Bolt's store of the marks of installations under way, each good once and for ten minutes, in any process."""

    def __init__(self, states: StateStore, clock: Callable[[], float] = time.time) -> None:
        self._states = states
        self._clock = clock

    @property
    def logger(self) -> logging.Logger:
        """The logger that Bolt writes to."""
        return bolt_logger()

    async def async_issue(self, *args: Any, **kwargs: Any) -> str:
        """Return a new mark. Raises StorageError."""
        state = secrets.token_urlsafe(24)
        await self._states.put_state(state, until=self._clock() + STATE_SECONDS)
        return state

    async def async_consume(self, state: str) -> bool:
        """Tell whether a mark is good, and use it up. Raises StorageError."""
        until = await self._states.take_state(state)
        return until is not None and until > self._clock()


async def renewed(store: BoltInstallations, bot: Bot, rotator: AsyncTokenRotator) -> Bot:
    """Return a bot whose token holds for two hours more: renewed, and kept, where it does not.

    Where Slack refuses, another process may have been faster: what is kept counts.
    """
    try:
        fresh = await rotator.perform_bot_token_rotation(bot=bot, minutes_before_expiration=RENEW_MINUTES)
    except SlackTokenRotationError:
        log.warning("A token of Slack's could not be renewed.", extra={"action": "slack_token_not_renewed"})
        kept = await store.async_find_bot(
            enterprise_id=bot.enterprise_id, team_id=bot.team_id, is_enterprise_install=bot.is_enterprise_install
        )
        return kept or bot
    if fresh is None:
        return bot
    await store.async_save_bot(fresh)
    log.info("A token of Slack's was renewed.", extra={"action": "slack_token_renewed"})
    return fresh

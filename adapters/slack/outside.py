"""Whose workspace an event is of, and whether guests wrote it or read along: people from outside, and guest accounts.

The fields: https://docs.slack.dev/apis/events-api (`team_id`, `authorizations`, `is_ext_shared_channel`) and
https://docs.slack.dev/apis/slack-connect (`user_team`, `source_team`). In a channel that is shared, `team_id` may be
the workspace of who wrote; the one that the app is installed in stands in `authorizations`.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.api import slack_errors
from adapters.slack.parse import Identity, said_in
from agent.errors import DeliveryError
from agent.types import IncomingMessage

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

_NAMES = frozenset(("authorizations", "team", "team_id", "context_team_id", "enterprise", "enterprise_id"))

_AGE = 60.0
"""Seconds that what is known of a channel or person holds. Of a person no event tells more than the workspace."""
_WAIT = 1.0
"""Seconds that Slack is asked: it wants its acknowledgement within three."""
_KEPT = 5_000


def is_ours(body: Json, me: Identity) -> bool:
    """Tell whether an event, command or click is of the workspace, or organization, that Weft is installed in.

    One that names none is: it came signed, or over the app's own socket.
    """
    if not body.keys() & _NAMES:
        return True
    installed = body.get("authorizations")
    if isinstance(installed, list) and installed:
        return any(_is_installation(each, me) for each in installed if isinstance(each, Mapping))
    team = installed_in(body)
    if team == me.team_id:
        return True
    org = body.get("enterprise")
    enterprise = org.get("id") if isinstance(org, Mapping) else body.get("enterprise_id")
    return _is_installation({**body, "team_id": team, "enterprise_id": enterprise}, me)


def installed_in(body: Json) -> str:
    """Return the workspace that a command or click says it is of; of a form that a stranger sends, where Weft is."""
    view, team = body.get("view"), body.get("team")
    home = view.get("app_installed_team_id") if isinstance(view, Mapping) else None
    named = team.get("id") if isinstance(team, Mapping) else body.get("context_team_id") or body.get("team_id")
    return str(home or named or "")


def _is_installation(installed: Json, me: Identity) -> bool:
    if installed.get("team_id") == me.team_id:
        return True
    everywhere = installed.get("is_enterprise_install") in (True, "true")
    return everywhere and bool(me.enterprise_id) and installed.get("enterprise_id") == me.enterprise_id


def team_named(body: Json) -> str:
    """Return the workspace that an event says it is of, for the log."""
    team = body.get("team")
    return str((team.get("id") if isinstance(team, Mapping) else body.get("team_id")) or "")[:20]


def from_outside(body: Json, me: Identity) -> bool:
    """Tell whether an event says that who wrote a message, or clicked, is of another workspace.

    An organization's own id, which Slack writes for some of its people, does not say that they are from outside.
    """
    said, user = said_in(body.get("event") or {}), body.get("user")
    named = [body.get("team_id"), *(said.get(field) for field in ("user_team", "team", "source_team"))]
    named.append(user.get("team_id") if isinstance(user, Mapping) else None)
    return any(team and team not in (me.team_id, me.enterprise_id) for team in named)


class Outside:
    """Knows the channels that people from outside are in, and the people who are guests."""

    def __init__(self, client: AsyncWebClient, *, looked_up: Callable[[str, Json], None]) -> None:
        """`looked_up` is told all that Slack says of a person who had to be asked about."""
        self._client = client
        self._looked_up = looked_up
        self._known: dict[str, tuple[float, bool]] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    async def marked(self, message: IncomingMessage, body: Json, me: Identity) -> IncomingMessage:
        """Return a message that tells whether its author is a guest, and whether any guest wrote it or reads along."""
        channel, who, shared = message.key.channel_id, message.author.id, body.get("is_ext_shared_channel")
        if isinstance(shared, bool):
            self._keep(channel, shared)
        outsider = from_outside(body, me) or (message.private and shared is True)
        asked = (self._is_guest(who, me, outsider), self._reads_along(channel, message.private))
        author, others = await asyncio.gather(*asked)
        return replace(message, guests=author or others, author_is_guest=author)

    async def reads(self, message: IncomingMessage, me: Identity) -> bool:
        """Tell whether a guest reads what Weft says by itself: in a channel, or alone."""
        if message.private:
            return await self._is_guest(message.author.id, me, outsider=False)
        return await self._reads_along(message.key.channel_id, private=False)

    async def _is_guest(self, who: str, me: Identity, outsider: bool) -> bool:
        return outsider or await self._told(who, self._person(who, me))

    async def _reads_along(self, channel: str, private: bool) -> bool:
        return not private and await self._told(channel, self._channel(channel))

    async def _told(self, id: str, about: Coroutine[Any, Any, bool]) -> bool:
        """Tell whether a channel or person is of outside; where Slack does not say so in time, they are."""
        if self._known.get(id, (0.0, True))[0] <= time.monotonic() and id not in self._asking:
            self._asking[id] = asyncio.create_task(self._ask(id, about))
            self._asking[id].add_done_callback(lambda _: self._asking.pop(id, None))
        else:
            about.close()
        if id in self._asking:
            await asyncio.wait([self._asking[id]], timeout=_WAIT)
        until, outside = self._known.get(id, (0.0, True))
        return outside or until <= time.monotonic()

    async def close(self) -> None:
        """Give up what is still being asked."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    async def _ask(self, id: str, about: Coroutine[Any, Any, bool]) -> None:
        try:
            self._keep(id, await about)
        except DeliveryError as error:
            log.warning(
                "Slack does not tell who is from outside; whoever asks counts as a guest: %s",
                error,
                extra={"action": "slack_guests_unknown"},
            )

    async def _channel(self, channel: str) -> bool:
        with slack_errors("conversations.info"):
            about = (await self._client.conversations_info(channel=channel)).get("channel") or {}
        return bool(about.get("is_ext_shared"))

    async def _person(self, user: str, me: Identity) -> bool:
        """Ask whether somebody is a guest: an account of the workspace for some channels only, or of another one."""
        with slack_errors("users.info"):
            about = (await self._client.users_info(user=user)).get("user") or {}
        self._looked_up(user, about)
        if any(about.get(name) for name in ("is_restricted", "is_ultra_restricted", "is_stranger")):
            return True
        return about.get("team_id", me.team_id) not in (me.team_id, me.enterprise_id)

    def _keep(self, id: str, outside: bool) -> None:
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[id] = (time.monotonic() + _AGE, outside)

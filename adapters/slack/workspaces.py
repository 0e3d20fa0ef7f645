"""Slack for many workspaces and whole orgs: a `SlackAdapter` for each, made when it is needed.

Installed by OAuth at `/slack/install`; heard over HTTP. A workspace that is not there, or not any more, is one whose
token is refused: what waits for it waits for another installation, for a day.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from slack_bolt import BoltResponse
from slack_bolt.adapter.starlette.async_handler import to_async_bolt_request, to_starlette_response
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.oauth.installation_store.models.bot import Bot
from slack_sdk.oauth.token_rotation.async_rotator import AsyncTokenRotator
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from adapters.contract import Capabilities, Deliveries, Excerpt, Intake, Reply
from adapters.desk import Desk
from adapters.handing import Card
from adapters.sharing import Remainder
from adapters.slack.adapter import SlackAdapter
from adapters.slack.api import make_client, open_session, quiet_logger
from adapters.slack.installations import BoltInstallations, InstallationStore, States, renewed
from adapters.slack.late_reply import LateReply
from adapters.slack.listen import body_of, is_signed, refused
from adapters.slack.outside import installed_in
from adapters.slack.parse import PLATFORM
from adapters.slack.probe import wanted_scopes
from agent.errors import DeliveryError, StorageError, TokenError, UnreadableError
from agent.language import say
from agent.language.registry import languages
from agent.types import Attachment, IncomingMessage, Pointer, ThreadKey

log = logging.getLogger(__name__)

LOOK_AGAIN = 60.0
"""Seconds that a token is used until what is kept of it is looked at again: it may have been renewed, or be gone."""


class SlackWorkspaces:
    """The `Adapter` of every workspace in which Weft was installed."""

    name = PLATFORM
    capabilities: Capabilities = SlackAdapter.capabilities

    def __init__(
        self,
        *,
        installations: InstallationStore,
        client_id: str,
        client_secret: str,
        signing_secret: str,
        api_base_url: str = "https://slack.com/api/",
        authorize_url: str = "",
        desk: Desk | None = None,
        retry_pause: float = 0.5,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._store = BoltInstallations(installations)
        self._kept = installations
        self._signing_secret = signing_secret
        self._base_url = api_base_url
        self._desk = desk
        self._retry_pause = retry_pause
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._client = make_client("", api_base_url)
        self._rotator = AsyncTokenRotator(client_id=client_id, client_secret=client_secret, client=self._client)
        settings = AsyncOAuthSettings(
            client_id=client_id,
            client_secret=client_secret,
            scopes=wanted_scopes(),
            installation_store=self._store,
            installation_store_bot_only=True,
            state_store=States(installations),
            authorization_url=authorize_url or None,
            logger=quiet_logger(),
        )
        self._flow = AsyncOAuthFlow(client=self._client, logger=quiet_logger(), settings=settings)
        self._open: dict[str, tuple[SlackAdapter, str, float]] = {}
        """By workspace: its adapter, the token that it has, and when that was looked at."""
        self._opening = asyncio.Lock()
        self._intake: Intake | None = None

    # --- where it is installed

    async def of(self, team: str, enterprise: str = "") -> SlackAdapter:
        """Return the adapter of a workspace. Raises TokenError where Weft is not installed there."""
        async with self._opening:
            known = self._open.get(team)
            if known is not None and self._clock() - known[2] < LOOK_AGAIN:
                return known[0]
            bot = await self._bot(team, enterprise)
            if bot is None or not bot.bot_token:
                await self._drop(team)
                raise TokenError(f"Weft is not installed in the workspace {team[:20]} (any more).")
            if known is None or known[1] != bot.bot_token:
                await self._drop(team)
                adapter = SlackAdapter(
                    bot_token=bot.bot_token,
                    signing_secret=self._signing_secret,
                    api_base_url=self._base_url,
                    retry_pause=self._retry_pause,
                    desk=self._desk,
                    team=team if bot.is_enterprise_install else "",
                )
                if self._intake is not None:
                    adapter.bind(self._intake)
            else:
                adapter = known[0]
            self._open[team] = adapter, bot.bot_token, self._clock()
            return adapter

    async def _bot(self, team: str, enterprise: str) -> Bot | None:
        """Return the installation of a workspace, its token renewed in time.

        What waits for a workspace names no org: that is known from what came of it before.
        """
        orgs = [enterprise] if enterprise else [org for org, known in await self._kept.all() if known == team]
        for org in dict.fromkeys((*orgs, "")):
            bot = await self._store.async_find_bot(enterprise_id=org, team_id=team)
            if bot is not None:
                if self._client.session is None:
                    self._client.session = open_session()
                return await renewed(self._store, bot, self._rotator)
        return None

    async def _drop(self, team: str) -> None:
        known = self._open.pop(team, None)
        if known is not None:
            await known[0].close()

    async def _uninstalled(self, body: Mapping[str, Any]) -> None:
        team, org = str(body.get("team_id") or ""), str(body.get("enterprise_id") or "")
        everywhere = any(each.get("is_enterprise_install") for each in body.get("authorizations") or ())
        for enterprise in dict.fromkeys((org, "")):
            await self._kept.remove(enterprise, "" if everywhere and enterprise else team)
        await self._drop(team)
        log.warning(
            "Weft was uninstalled from the workspace %s: what waits there waits for a day.",
            team[:20],
            extra={"action": "slack_uninstalled"},
        )

    # --- HTTP

    def routes(self) -> list[Route]:
        """Return the addresses to serve."""
        return [
            Route("/slack/events", self._handle, methods=["POST"]),
            Route("/slack/install", self._install, methods=["GET"]),
            Route("/slack/oauth_redirect", self._installed, methods=["GET"]),
        ]

    async def _install(self, request: Request) -> Response:
        return await self._stored(self._flow.handle_installation(to_async_bolt_request(request, b"")))

    async def _installed(self, request: Request) -> Response:
        if self._client.session is None:
            self._client.session = open_session()
        return await self._stored(self._flow.handle_callback(to_async_bolt_request(request, b"")))

    async def _stored(self, page: Awaitable[BoltResponse]) -> Response:
        """Return a page of the installation, which cannot go on while nothing can be stored."""
        try:
            return to_starlette_response(await page)
        except StorageError as error:
            log.error("An installation cannot be stored: %s", error, extra={"action": "slack_not_stored"})
            told = dict.fromkeys(say("slack_not_installed", language) for language in languages())
            return PlainTextResponse("".join(f"{each}\n" for each in told), status_code=503)

    async def _handle(self, request: Request) -> Response:
        """Hand a signed request to the workspace that it is of."""
        body = await body_of(request)
        if body is None:
            return refused(413, "too large")
        if not is_signed(request, body, self._signing_secret):
            return refused(401, "wrongly signed, old or without a time")
        payload = _payload(request, body)
        if payload.get("type") == "url_verification":
            return Response(str(payload.get("challenge") or ""), media_type="text/plain")
        team, enterprise = _place(payload)
        kind = (payload.get("event") or {}).get("type")
        if kind == "app_uninstalled" or (
            kind == "tokens_revoked" and (payload["event"].get("tokens") or {}).get("bot")
        ):
            await self._uninstalled(payload)
            return Response(status_code=200)
        try:
            adapter = await self.of(team, enterprise)
        except TokenError as error:
            log.warning(
                "What comes from %s is not answered: %s", team[:20], error, extra={"action": "slack_other_team"}
            )
            return Response(status_code=200)
        except StorageError as error:
            log.error("Where Weft is installed cannot be read: %s", error, extra={"action": "slack_not_stored"})
            return Response(status_code=500)
        return await adapter.answer(request, body)

    # --- the adapter

    async def connect(self) -> None:
        """Do nothing: whether a token is good shows where it is used."""

    def bind(self, intake: Intake) -> None:
        """Say where messages go."""
        self._intake = intake
        for adapter, *_ in self._open.values():
            adapter.bind(intake)

    async def listen(self, intake: Intake) -> None:
        """Hand in what comes over HTTP, until cancelled."""
        self.bind(intake)
        await asyncio.Event().wait()

    async def open_thread(self, message: IncomingMessage, deliveries: Deliveries) -> ThreadKey:
        """Return the key of the thread that answers this message."""
        return await (await self._adapter(message)).open_thread(message, deliveries)

    def reply(self, message: IncomingMessage, deliveries: Deliveries) -> Reply:
        """Return the way to answer this message."""

        async def real() -> Reply:
            return (await self._adapter(message)).reply(message, deliveries)

        return LateReply(real)

    async def settle(self, message: IncomingMessage) -> None:
        """Wait until no draft of this turn is under way."""
        await (await self._adapter(message)).settle(message)

    async def erase(self, message: IncomingMessage, deliveries: Deliveries) -> None:
        """Delete what was posted for the turn of this message."""
        await (await self._adapter(message)).erase(message, deliveries)

    async def fetch(self, message: IncomingMessage, attachment: Attachment, *, most: int) -> bytes:
        """Return a file that came with this message."""
        adapter = await self._adapter(message)
        await adapter.connect()
        return await adapter.fetch(message, attachment, most=most)

    async def may_manage(self, message: IncomingMessage) -> bool:
        """Tell whether the author of a message may manage its channel."""
        return await (await self._adapter(message)).may_manage(message)

    async def zone_of(self, message: IncomingMessage) -> str:
        """Return the zone that the author of a message has set in Slack."""
        return await (await self._adapter(message)).zone_of(message)

    async def surveyed(self, message: IncomingMessage) -> IncomingMessage:
        """Return a message that tells whether guests read along by now."""
        return await (await self._adapter(message)).surveyed(message)

    async def around(self, message: IncomingMessage, *, most: int, patient: bool = True) -> Excerpt:
        """Return what was written before a message where it stands."""
        return await (await self._readable(message)).around(message, most=most, patient=patient)

    async def pointed_at(self, message: IncomingMessage, pointer: Pointer, *, most: int) -> Excerpt:
        """Return the message that another one points at."""
        return await (await self._readable(message)).pointed_at(message, pointer, most=most)

    async def whisper(self, message: IncomingMessage, text: str) -> None:
        """Tell the author of a message something."""
        await (await self._adapter(message)).whisper(message, text)

    async def offer(self, message: IncomingMessage, remainder: Remainder, deliveries: Deliveries) -> None:
        """Show an asker alone what only they may read."""
        await (await self._adapter(message)).offer(message, remainder, deliveries)

    async def close_offer(self, press: IncomingMessage, remainder: Remainder) -> None:
        """Take the button off what was shared."""
        await (await self._adapter(press)).close_offer(press, remainder)

    async def show_card(self, question: IncomingMessage, slot: str, card: Card, deliveries: Deliveries) -> None:
        """Show in the thread of a question that it may be put to people, or is."""
        await (await self._adapter(question)).show_card(question, slot, card, deliveries)

    async def is_in_group(self, press: IncomingMessage, group: str) -> bool:
        """Tell whether the author of a press is in a group of their workspace."""
        return await (await self._adapter(press)).is_in_group(press, group)

    async def close(self) -> None:
        """Let go of connections."""
        for team in list(self._open):
            await self._drop(team)
        if self._client.session is not None:
            await self._client.session.close()

    async def _adapter(self, message: IncomingMessage) -> SlackAdapter:
        adapter = await self.of(message.key.workspace_id)
        await adapter.connected()
        return adapter

    async def _readable(self, message: IncomingMessage) -> SlackAdapter:
        try:
            return await self._adapter(message)
        except DeliveryError as error:
            raise UnreadableError(str(error)) from error


def _payload(request: Request, body: bytes) -> dict[str, Any]:
    """Return what a request says; nothing for what is formed otherwise, which its listener tells."""
    try:
        if "json" in request.headers.get("content-type", ""):
            found = json.loads(body)
        else:
            form = dict(parse_qsl(body.decode(), keep_blank_values=True))
            found = json.loads(form["payload"]) if "payload" in form and "command" not in form else form
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _place(payload: Mapping[str, Any]) -> tuple[str, str]:
    """Return the workspace and the org that a request is of: those that Weft is installed in, where it tells them."""
    installed = payload.get("authorizations")
    first = installed[0] if isinstance(installed, list) and installed and isinstance(installed[0], dict) else {}
    org = payload.get("enterprise")
    enterprise = org.get("id") if isinstance(org, dict) else payload.get("enterprise_id")
    return str(first.get("team_id") or installed_in(payload)), str(first.get("enterprise_id") or enterprise or "")

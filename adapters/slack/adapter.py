"""Slack as a platform: see `adapters.contract.Adapter`."""

import asyncio
import logging
from dataclasses import replace
from typing import Any

import aiohttp
from starlette.requests import Request
from starlette.responses import Response as StarletteResponse
from starlette.routing import Route

from adapters.aside import ASIDE, AsideReply
from adapters.contract import LIST_AFTER, Capabilities, Deliveries, Excerpt, Intake, Reply
from adapters.desk import Desk
from adapters.drafts import Drafts
from adapters.handing import Card
from adapters.sharing import Remainder
from adapters.slack import handing, render
from adapters.slack.api import BlocksRefusedError, make_client, open_session, patiently, quiet_logger, slack_errors
from adapters.slack.files import SlackFiles
from adapters.slack.history import History
from adapters.slack.listen import Listener, routes_of
from adapters.slack.managing import manages
from adapters.slack.messages import Messages
from adapters.slack.names import Names
from adapters.slack.outside import Outside
from adapters.slack.pace import Pace
from adapters.slack.parse import PLATFORM, Identity, place_of, since
from adapters.slack.render import Post
from adapters.slack.reply import SlackReply
from adapters.slack.socket_mode import SocketHandler
from adapters.slack.surfaces import Surfaces
from agent.errors import AttachmentError, DeliveryError, GoneError, SettingsError, TokenError, UnreadableError
from agent.language import say
from agent.text import language_of
from agent.types import Attachment, DeliveryRef, IncomingMessage, MessageKind, Pointer, ThreadKey

log = logging.getLogger(__name__)


class SlackAdapter:
    """The `Adapter` of Slack, for one workspace.

    With `signing_secret` it hears over HTTP: serve `routes()` and call `bind(intake)`. With `app_token`
    it hears over Socket Mode while `listen(intake)` runs. Both at once are fine.
    """

    name = PLATFORM
    # 12,000 characters are what a markdown block holds; chat.update is a method of 50 calls a minute
    capabilities = Capabilities(text_limit=12_000, edit_interval=1.2, buttons=True, ephemeral=True, streaming=True)

    def __init__(
        self,
        *,
        bot_token: str,
        signing_secret: str = "",
        app_token: str = "",
        api_base_url: str = "https://slack.com/api/",
        retry_pause: float = 0.5,
        ping_interval: float = 10.0,
        list_after: float = LIST_AFTER,
        desk: Desk | None = None,
        team: str = "",
    ) -> None:
        """`team`: the workspace, where the token is of a whole org."""
        self.capabilities = replace(self.capabilities, list_after=list_after)
        self._app_token = app_token
        self._team = team
        self._signing_secret = signing_secret
        self._base_url = api_base_url
        self._ping_interval = ping_interval
        self._retry_pause = retry_pause
        self._client = make_client(bot_token, api_base_url)
        self._session: aiohttp.ClientSession | None = None
        self._me: Identity | None = None
        self._connecting = asyncio.Lock()
        self._names = Names(self._client)
        self._outside = Outside(self._client, looked_up=self._names.learn)
        pace = Pace(retry_pause=retry_pause)
        self._history = History(self._client, self._names, pace)
        self._messages = Messages(self._client, pace)
        self._drafts = Drafts()
        self._files = SlackFiles(self._client, base_url=api_base_url, retry_pause=retry_pause)
        self._messages.opens_sources = desk is not None
        self._surfaces = Surfaces(
            client=self._client,
            sessions=self._messages.sessions,
            names=self._names,
            desk=desk,
            adapter=self,
            identity=self._identity,
            intake=lambda: self._listener.bound(),
            marked=self._outside.marked,
            told=self._tell_clicker,
        )
        self._listener = Listener(
            signing_secret=signing_secret,
            base_url=api_base_url,
            identity=self._identity,
            names=self._names.of,
            marked=self._outside.marked,
            picked=self._show_choice,
            too_late=self._tell_too_late,
            told=self._tell_clicker,
            register=self._surfaces.register,
        )

    async def connect(self) -> None:
        """Check the token. Raises SettingsError when Slack refuses it, DeliveryError when Slack is out of reach."""
        try:
            await patiently(self._identity, pause=self._retry_pause)
        except TokenError as error:
            raise SettingsError(
                "Slack refuses SLACK_BOT_TOKEN. Copy the Bot User OAuth Token (xoxb-...) "
                "from your app's page “OAuth & Permissions” and start again."
            ) from error

    async def connected(self) -> None:
        """Know who Weft is here. Raises DeliveryError, TokenError among them."""
        await self._identity()

    async def answer(self, request: Request, body: bytes) -> StarletteResponse:
        """Answer an HTTP request of Slack of which the body has been read."""
        return await self._listener.answer(request, body)

    def routes(self) -> list[Route]:
        """Return the addresses to serve; none without a signing secret, since anybody could post there."""
        return routes_of(self._listener) if self._signing_secret else []

    def bind(self, intake: Intake) -> None:
        """Say where messages go that come over HTTP."""
        self._listener.bind(intake)

    async def listen(self, intake: Intake) -> None:
        """Hand in what is heard until cancelled: over Socket Mode, and over HTTP where `routes()` are served."""
        self.bind(intake)
        await self.connect()
        if not self._app_token:
            await asyncio.Event().wait()
        url = await self._socket_address()
        handler = SocketHandler(
            self._listener.app,
            self._app_token,
            logger=quiet_logger(),
            web_client=self._client,
            ping_interval=self._ping_interval,
        )
        handler.client.proxy = self._client.proxy
        handler.client.wss_uri = url
        try:
            await handler.connect_async()  # type: ignore[no-untyped-call]
            log.info("Slack is heard over Socket Mode.", extra={"action": "slack_listening"})
            await asyncio.Event().wait()
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]

    async def open_thread(self, message: IncomingMessage, deliveries: Deliveries) -> ThreadKey:
        """Return the thread of a message; for a command, or what the clock asks, one is made below what quotes it."""
        begins = message.kind in (MessageKind.COMMAND, MessageKind.SCHEDULED) and not message.key.thread_id
        asked_aside = message.kind is MessageKind.SHORTCUT and not message.private  # nobody saw the question
        if not asked_aside and not begins:
            return message.key
        ref = await self._messages.deliver(
            deliveries, message.turn_id, "anchor", message.key, render.anchor(message), since=since(message)
        )
        key = message.key
        if asked_aside:
            return key
        return ThreadKey(
            platform=key.platform,
            workspace_id=key.workspace_id,
            channel_id=ref.channel_id,
            thread_id=ref.message_id,
        )

    def reply(self, message: IncomingMessage, deliveries: Deliveries) -> Reply:
        """Return the way to answer this message."""
        if ASIDE in message.extra:
            return AsideReply(
                message,
                deliveries,
                answer=lambda response: render.answer(response, plain=False),
                notice=lambda text: render.notice(text, plain=False),
                tell=lambda number, post: self._tell_alone(message, post),
            )
        return SlackReply(self._messages, self._drafts, message, deliveries)

    async def settle(self, message: IncomingMessage) -> None:
        """Wait until no draft of this turn is under way."""
        await self._drafts.through(message.turn_id)

    async def erase(self, message: IncomingMessage, deliveries: Deliveries) -> None:
        """Delete what was posted for the turn of this message."""
        await self.settle(message)
        place = place_of(message)
        await self._messages.erase(deliveries, message.turn_id, place, since=since(message))
        await self._messages.sessions.end(place)

    async def fetch(self, message: IncomingMessage, attachment: Attachment, *, most: int) -> bytes:
        """Return a file that came with this message. Raises AttachmentError."""
        if self._session is None:
            raise AttachmentError("The Slack adapter is not connected.")
        return await self._files.fetch(self._session, attachment, most=most)

    async def may_manage(self, message: IncomingMessage) -> bool:
        """Tell whether the author of a message may manage its channel: the workspace's admins, and who made it."""
        return await manages(self._client, message)

    async def zone_of(self, message: IncomingMessage) -> str:
        """Return the zone that the author of a message has set in Slack; empty where it is not known."""
        return await self._names.zone_of(message.author.id)

    async def surveyed(self, message: IncomingMessage) -> IncomingMessage:
        """Return a message that tells whether strangers are in its channel, or its one reader is a guest."""
        guests = await self._outside.reads(message, await self._identity())
        return replace(message, guests=message.guests or guests)

    async def around(self, message: IncomingMessage, *, most: int, patient: bool = True) -> Excerpt:
        """Return what was written before a message where it stands. Raises UnreadableError."""
        return await self._history.around(message, await self._known_identity(), most=most, patient=patient)

    async def pointed_at(self, message: IncomingMessage, pointer: Pointer, *, most: int) -> Excerpt:
        """Return the message that another one points at. Raises UnreadableError."""
        return await self._history.pointed_at(message, pointer, await self._known_identity(), most=most)

    async def _known_identity(self) -> Identity:
        try:
            return await self._identity()
        except DeliveryError as error:
            raise UnreadableError(str(error)) from error

    async def whisper(self, message: IncomingMessage, text: str) -> None:
        """Tell the author of a message something: as the answer to the command, in the thread, or else directly."""
        posts = render.notice(text, plain=False)
        while posts and await self._respond(message.extra.get("response_url", ""), posts[0]):
            posts = posts[1:]
        await self._messages.asides.whisper(message.key, message.author.id, posts)

    async def offer(self, message: IncomingMessage, remainder: Remainder, deliveries: Deliveries) -> None:
        """Show an asker alone what only they may read: in its thread, or else directly."""
        try:
            await self._offer(message, remainder, plain=False)
        except BlocksRefusedError:  # without blocks there is no button
            await self._offer(message, remainder, plain=True)

    async def _offer(self, message: IncomingMessage, remainder: Remainder, *, plain: bool) -> None:
        asides, who = self._messages.asides, message.author.id
        try:
            await asides.in_thread(message.key, who, render.remainder(remainder, plain=plain))
        except GoneError:
            await asides.directly(who, render.remainder(remainder, plain=plain, link=message.permalink))

    async def close_offer(self, press: IncomingMessage, remainder: Remainder) -> None:
        """Take the button off what was shared, in the half hour in which Slack lets that be done."""
        post = render.remainder(remainder, plain=False, button=False)[-1]
        await self._respond(press.extra.get("response_url", ""), post, replace_original=True)

    async def show_card(self, question: IncomingMessage, slot: str, card: Card, deliveries: Deliveries) -> None:
        """Show in the thread of a question that it may be put to people, or is."""
        post = handing.post_of(card, question.turn_id)
        await self._messages.deliver(deliveries, question.turn_id, slot, question.key, post, since=since(question))

    async def is_in_group(self, press: IncomingMessage, group: str) -> bool:
        """Tell whether the author of a press is in a group of the workspace."""
        return await handing.is_in_group(self._client, press.author.id, group)

    async def _tell_alone(self, message: IncomingMessage, post: Post) -> None:
        """Show one message of an answer to its asker alone: as a response to the command, in the channel, or directly.

        Slack takes five responses within half an hour.
        """
        if await self._respond(message.extra.get("response_url", ""), post):
            return
        where, who = replace(message.key, thread_id=""), message.author.id
        try:
            await self._messages.asides.whisper(where, who, [post])
        except BlocksRefusedError:
            await self._messages.asides.whisper(where, who, [Post(text=post.text)])

    async def close(self) -> None:
        """Let go of connections."""
        await self._listener.settle()
        await self._surfaces.settle()
        await self._drafts.close()
        await self._names.close()
        await self._outside.close()
        if self._session is not None:
            await self._session.close()

    async def _show_choice(self, click: dict[str, Any]) -> None:
        """Take the buttons off a question back, and show what was picked by whom."""
        message, action = click.get("message") or {}, click["actions"][0]
        post = render.chosen(
            message.get("blocks") or (), str(message.get("text", "")), str(action["value"]), str(click["user"]["id"])
        )
        ref = DeliveryRef(channel_id=str(click["channel"]["id"]), message_id=str(message.get("ts", "")))
        try:
            await self._messages.settle(ref, post)
        except DeliveryError as error:  # the answer comes all the same
            log.warning("A choice could not be shown as picked: %s", error, extra={"action": "slack_choice_not_shown"})

    async def _tell_too_late(self, click: dict[str, Any]) -> None:
        """Tell who clicked, and nobody else, that the question back has its answer."""
        text = str((click.get("message") or {}).get("text", ""))
        await self._tell_clicker(click, say("choice_settled", language_of(text)))

    async def _tell_clicker(self, click: dict[str, Any], text: str) -> None:
        await self._respond(str(click.get("response_url") or ""), Post(text=text))

    async def _identity(self) -> Identity:
        if self._me is None:
            async with self._connecting:
                if self._me is None:
                    self._me = await self._who_am_i()
                    self._messages.known_as(self._me.user_id)
        return self._me

    async def _who_am_i(self) -> Identity:
        if self._session is None:
            self._session = self._client.session = open_session()
        with slack_errors("auth.test"):
            found = await self._client.auth_test()
        who, where = (" ".join(str(found.get(name) or "?").split())[:100] for name in ("user", "team"))
        log.info("Slack: connected as %s in the workspace %s.", who, where, extra={"action": "slack_connected"})
        return Identity(
            team_id=self._team or str(found["team_id"]),
            user_id=str(found["user_id"]),
            bot_id=str(found.get("bot_id") or ""),
            enterprise_id=str(found.get("enterprise_id") or ""),
            url="" if self._team else str(found.get("url") or ""),
        )

    async def _socket_address(self) -> str:
        async def ask() -> str:
            with slack_errors("apps.connections.open"):
                return str((await self._client.apps_connections_open(app_token=self._app_token))["url"])

        try:
            return await patiently(ask, pause=self._retry_pause)
        except TokenError as error:
            raise SettingsError(
                "Slack refuses SLACK_APP_TOKEN. Make an app-level token (xapp-...) with the scope "
                "connections:write on your app's page “Basic Information” and start again."
            ) from error

    async def _respond(self, address: str, post: Post, *, replace_original: bool = False) -> bool:
        """Answer an interaction so that only its author sees it, beside what is there; False where that cannot be."""
        if not address or self._session is None:
            return False
        body: dict[str, Any] = {"response_type": "ephemeral", "replace_original": replace_original, "text": post.text}
        if post.blocks:
            body["blocks"] = list(post.blocks)
        try:
            async with self._session.post(address, json=body, proxy=self._client.proxy) as response:
                response.raise_for_status()
        except (aiohttp.ClientError, TimeoutError) as error:
            log.warning(
                "Who gave a command or clicked could not be told something (%s).",
                type(error).__name__,
                extra={"action": "slack_not_told"},
            )
            return False
        return True

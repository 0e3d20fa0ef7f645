"""What Slack tells Weft, over HTTP or Socket Mode: stored in the inbox first, acknowledged after."""

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl
from weakref import WeakValueDictionary

from slack_bolt import BoltResponse
from slack_bolt.adapter.starlette.async_handler import to_async_bolt_request, to_starlette_response
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from adapters.aside import ASIDE
from adapters.contract import Intake
from adapters.slack import handing, shape
from adapters.slack.api import bolt_logger
from adapters.slack.mrkdwn import mentioned
from adapters.slack.outside import is_ours, team_named
from adapters.slack.parse import (
    Identity,
    choice_of,
    command_of,
    in_conversation,
    may_be_early,
    message_of,
    people_in,
    rating_of,
    share_of,
    with_names,
)
from adapters.slack.render import CHOICE, SHARE_BUTTON
from adapters.slack.showing import Showing
from agent.errors import StorageError
from agent.language import say
from agent.text import asked_in, says_anything
from agent.types import IncomingMessage, MessageKind

log = logging.getLogger(__name__)

_BODY_LIMIT = 2_000_000  # bytes; Slack's own requests stay far below
_TEAMS_TOLD = 100  # other workspaces, each of which the log names once
_ANYTHING = re.compile("")
_CHOICE = re.compile(f"^{CHOICE}")

NamesOf = Callable[[tuple[str, ...]], Awaitable[dict[str, str]]]
Marked = Callable[[IncomingMessage, dict[str, Any], Identity], Awaitable[IncomingMessage]]
"""Tells in a message whether people from outside read along, from what came with it."""
Picked = Callable[[dict[str, Any]], Coroutine[Any, Any, None]]
"""Shows what became of a click on a question back, from its payload."""
Told = Callable[[dict[str, Any], str], Coroutine[Any, Any, None]]
"""Tells who clicked something that nobody else sees, from the click's payload and a text."""


class Listener:
    """Bolt's app with our listeners on it. A listener that fails makes Slack deliver again."""

    def __init__(
        self,
        *,
        signing_secret: str,
        base_url: str,
        identity: Callable[[], Awaitable[Identity]],
        names: NamesOf,
        marked: Marked,
        picked: Picked,
        too_late: Picked,
        told: Told,
        register: Callable[[AsyncApp], None] = lambda app: None,
    ) -> None:
        self._identity = identity
        self._names = names
        self._marked = marked
        self._picked = picked
        self._too_late = too_late
        self._told = told
        self._showing = Showing()
        self._refused: set[str] = set()
        """Other workspaces whose events came."""
        self._intake: Intake | None = None
        self._verifier = SignatureVerifier(signing_secret) if signing_secret else None

        async def authorize() -> AuthorizeResult:  # bolt's own asks Slack, and acknowledges when that fails
            me = await identity()
            return AuthorizeResult(enterprise_id=None, team_id=me.team_id, bot_user_id=me.user_id, bot_id=me.bot_id)

        self._lanes: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.app = AsyncApp(
            name="weft",
            logger=bolt_logger(),
            signing_secret=signing_secret,
            client=AsyncWebClient(base_url=base_url, logger=bolt_logger(), retry_handlers=[]),
            authorize=authorize,
            process_before_response=True,  # bolt acknowledges only after the listener has come back
            ignoring_self_events_enabled=False,  # `message_of` knows all that must be ignored
        )
        self.app.middleware(self._only_ours)
        self.app.event("message")(self._on_message)
        self.app.event("app_mention")(self._on_message)
        self.app.event("reaction_added")(self._on_reaction)
        self.app.event("reaction_removed")(self._on_reaction)
        register(self.app)  # bolt asks its listeners in order, and these take what is left
        self.app.event("app_uninstalled")(_on_uninstalled)
        self.app.event("tokens_revoked")(_on_uninstalled)
        self.app.command(_ANYTHING)(self._on_command)
        self.app.event(_ANYTHING)(_ignore)
        self.app.action(_CHOICE)(self._on_choice)
        self.app.action(SHARE_BUTTON)(self._on_share)
        self.app.action(re.compile(f"^{handing.BUTTON}"))(self._on_person)
        self.app.action(_ANYTHING)(_ignore)
        self.app.shortcut(_ANYTHING)(_ignore)
        self.app.view(_ANYTHING)(_ignore)
        self.app.error(_on_error)

    def bind(self, intake: Intake) -> None:
        """Say where messages go. Until then every request is answered 500, so that Slack comes back."""
        self._intake = intake

    async def handle(self, request: Request) -> Response:
        """Answer one HTTP request of Slack."""
        body = await body_of(request)
        return await self.answer(request, body) if body is not None else refused(413, "too large")

    async def answer(self, request: Request, body: bytes) -> Response:
        """Answer a request of which the body has been read."""
        timestamp = request.headers.get("x-slack-request-timestamp", "")
        if not _is_timely(timestamp):
            return refused(401, "old or without a time")
        signature = request.headers.get("x-slack-signature", "")
        if self._verifier is None or not self._verifier.is_valid(body, timestamp, signature):
            return refused(401, "wrongly signed")
        parsed, wrong = _parsed(request, body)
        if parsed is not None and parsed.body.get("type") == "app_rate_limited":
            log.warning(
                "Slack leaves events out, since more came in an hour than it sends to an app: ask again what was "
                "asked meanwhile and not answered.",
                extra={"action": "slack_events_left_out"},
            )
            return Response(status_code=200)
        if parsed is None or wrong:
            shape.tell(wrong)
            return Response(status_code=200)
        answer = await self.app.async_dispatch(parsed)
        if answer.status == 404:  # nobody listens for it, nor will when it comes again
            shape.tell("type")
            return Response(status_code=200)
        return to_starlette_response(answer)

    async def _only_ours(
        self, body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]
    ) -> BoltResponse:  # bolt hands in arguments by these names
        """Let through what is of the own workspace; the rest is acknowledged, so that it does not come again."""
        if is_ours(body, await self._identity()):
            return await next()
        team = team_named(body)
        if team not in self._refused and len(self._refused) < _TEAMS_TOLD:
            self._refused.add(team)
            log.warning(
                "What comes from the workspace %s is not answered: Weft is not installed there.",
                team or "(not named)",
                extra={"action": "slack_other_team"},
            )
        return BoltResponse(status=200, body="")

    async def _on_message(self, event: dict[str, Any], body: dict[str, Any]) -> None:
        me = await self._identity()
        async with self._in_order(str(event.get("channel", ""))):
            message = message_of(event, me)
            if message is None:
                return
            message = await self._ours(await self._joined(message), event, body, me)
            if message is None:
                return
            message = await self._marked(message, body, me)
            people = people_in(event, me)
            if people:
                message = with_names(message, event, me, await self._names(people))
            new = await self.bound().accept(message)
        log.info(
            "A message arrived." if new else "A message arrived again.",
            extra={"action": "slack_accepted" if new else "slack_redelivered", "kind": message.kind.value},
        )

    async def _joined(self, message: IncomingMessage) -> IncomingMessage:
        """Return what is said below one of the direct messages as part of their conversation, where it is of that."""
        key = message.key
        if not message.private or key.thread_id in ("", key.channel_id):
            return message
        known = await self.bound().thread_of(key, key.thread_id)
        return in_conversation(message, known) if known is not None and known.thread_id == key.channel_id else message

    async def _ours(
        self, message: IncomingMessage, event: dict[str, Any], body: dict[str, Any], me: Identity
    ) -> IncomingMessage | None:
        """Return the message if it concerns Weft: called by name, in private, or in a thread that Weft is in."""
        if message.kind in (MessageKind.THREAD_REPLY, MessageKind.CHANNEL):
            heard = await self.bound().hears(message.key, message.author.id)
            if heard is not None:
                return message if heard is MessageKind.THREAD_REPLY else replace(message, kind=heard)
        elif message.kind not in (MessageKind.EDIT, MessageKind.DELETE) or await self.bound().takes_part(message.key):
            return message
        now = (event.get("message") or {}).get("text", "")
        if message.kind is MessageKind.EDIT and me.user_id in mentioned(str(now)):
            question = message.event_id.partition(":edit:")[0]  # called only now: the edit is the question
            return replace(message, kind=MessageKind.MENTION, event_id=question)
        if message.kind is not MessageKind.CHANNEL and may_be_early(event, message, me, now=time.time()):
            early = await self._marked(message, body, me)
            await self.bound().accept(early)  # kept until what it follows comes, or forgotten
        return None

    async def _on_command(self, ack: Callable[..., Awaitable[BoltResponse]], body: dict[str, Any]) -> None:
        text = str(body.get("text", "")).strip()
        language = asked_in(text, str(body.get("locale", "")))
        try:
            me = await self._identity()
            command = command_of(body, me)
            if not says_anything(command.text):  # nobody else need see that nothing was asked
                await ack(say("command_hint", language, command=body.get("command", "/ask")))
                return
            command = await self._marked(command, body, me)
            if (ASIDE in command.extra or not command.private) and await self.bound().is_off(command.key):
                await ack(say("off_here", language))
                return
            await self.bound().accept(command)
        except StorageError as error:  # Slack does not deliver a command again, so the asker must know
            log.error("A command could not be stored: %s", error, extra={"action": "slack_not_stored"})
            await ack(say("not_taken", language))
            return
        log.info("A command arrived.", extra={"action": "slack_accepted", "kind": "command"})
        await ack()

    async def _on_choice(self, ack: Callable[..., Awaitable[BoltResponse]], body: dict[str, Any]) -> None:
        me = await self._identity()
        message = choice_of(body, me)
        if message is not None:
            message = await self._marked(await self._joined(message), body, me)
            counts = await self.bound().accept(message)
            log.info("A choice arrived.", extra={"action": "slack_accepted", "kind": message.kind.value, "new": counts})
            # Slack waits three seconds for the acknowledgement; what became of the click may show later.
            self._showing.begin(self._picked(body) if counts else self._too_late(body))
        await ack()

    async def _on_reaction(self, event: dict[str, Any]) -> None:
        """Keep a thumb under one of Weft's messages as what somebody thinks of the answer."""
        found = rating_of(event, await self._identity())
        if found is not None and await self.bound().rate(*found):
            log.info("An answer was rated.", extra={"action": "slack_rated"})

    async def _on_share(self, ack: Callable[..., Awaitable[BoltResponse]], body: dict[str, Any]) -> None:
        me = await self._identity()
        press = share_of(body, me)
        if press is not None:
            names = await self._names((press.author.id,))
            press = replace(press, author=replace(press.author, name=names.get(press.author.id, press.author.name)))
            off = not press.private and await self.bound().is_off(press.key)
            if off or not await self.bound().accept(await self._marked(press, body, me)):
                words = say("off_here" if off else "share_again", asked_in("", press.locale))
                self._showing.begin(self._told(body, words))
            log.info("A press on a remainder arrived.", extra={"action": "slack_accepted", "kind": press.kind.value})
        await ack()

    async def _on_person(self, ack: Callable[..., Awaitable[BoltResponse]], body: dict[str, Any]) -> None:
        me = await self._identity()
        press = handing.press_of(body, me)
        if press is not None:
            new = await self.bound().accept(await self._marked(await self._joined(press), body, me))
            log.info("A press for people arrived.", extra={"action": "slack_accepted", "kind": "button", "new": new})
        await ack()

    async def settle(self) -> None:
        """Wait for what is still being shown."""
        await self._showing.settle()

    @asynccontextmanager
    async def _in_order(self, channel: str) -> AsyncIterator[None]:
        """Let what was said in one channel through one by one, as it came: looking up a name takes time."""
        lane = self._lanes.setdefault(channel, asyncio.Lock())
        async with lane:
            yield

    def bound(self) -> Intake:
        """Return where messages go. Raises StorageError before `bind`."""
        if self._intake is None:
            raise StorageError("Slack is heard before there is an inbox.")
        return self._intake


def routes_of(listener: Listener) -> list[Route]:
    """Return the one address that Slack's events, commands and buttons are sent to."""
    return [Route("/slack/events", listener.handle, methods=["POST"])]


async def _ignore(ack: Callable[..., Awaitable[BoltResponse]]) -> None:
    await ack()


async def _on_uninstalled(event: dict[str, Any]) -> None:
    """Tell the operator; what waits is kept, as long as the token may come back."""
    if event.get("type") == "app_uninstalled" or (event.get("tokens") or {}).get("bot"):
        log.error(
            "Weft was uninstalled from the workspace, or its token was revoked: install it again, and set the new "
            "SLACK_BOT_TOKEN. What was asked waits for a day.",
            extra={"action": "slack_uninstalled"},
        )


async def _on_error(error: Exception) -> BoltResponse:
    log.error(
        "What Slack sent could not be stored (%s); it will come again.",
        type(error).__name__,
        extra={"action": "slack_not_stored"},
    )
    return BoltResponse(status=500, body="")


def _parsed(request: Request, body: bytes) -> tuple[AsyncBoltRequest | None, str]:
    """Return a signed request as bolt takes it, and what is wrong with it."""
    try:
        parsed = to_async_bolt_request(request, body)
        if not parsed.body:  # bolt takes a command whose text holds the word “payload” for a button
            parsed.body = dict(parse_qsl(body.decode(), keep_blank_values=True))
        return parsed, shape.fault(parsed.body)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None, "no form and no JSON object"


async def body_of(request: Request) -> bytes | None:
    """Return what was sent, or None when it is larger than anything Slack sends."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _BODY_LIMIT:
            return None
    return bytes(body)


def _is_timely(timestamp: str) -> bool:
    return timestamp.isascii() and timestamp.isdigit() and abs(time.time() - int(timestamp[:12])) <= 300


def is_signed(request: Request, body: bytes, signing_secret: str) -> bool:
    """Tell whether Slack sent a request, and lately."""
    timestamp = request.headers.get("x-slack-request-timestamp", "")
    signature = request.headers.get("x-slack-signature", "")
    return _is_timely(timestamp) and SignatureVerifier(signing_secret).is_valid(body, timestamp, signature)


def refused(status: int, what: str) -> Response:
    """Refuse a request; the log tells why, and quotes nothing."""
    log.warning("A request to Slack's address was refused: %s.", what, extra={"action": "slack_refused"})
    return Response(status_code=status)

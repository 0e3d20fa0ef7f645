"""What people do in Slack besides writing: `/weft`, the app's home, modals, shortcuts, the agent view, Stop.

All of it is shown to one person alone, and made from what the desk tells for that person at this moment.
"""

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from adapters.contract import Adapter, Intake
from adapters.desk import Desk, Order, order_named
from adapters.slack import views
from adapters.slack.api import slack_errors
from adapters.slack.mrkdwn import from_markdown
from adapters.slack.names import Names
from adapters.slack.parse import PLATFORM, Identity, feedback_of
from adapters.slack.render import FEEDBACK, SOURCE
from adapters.slack.sessions import Sessions
from adapters.slack.showing import Showing
from agent.errors import DeliveryError, StorageError
from agent.language import say
from agent.text import asked_in
from agent.types import Author, DeliveryRef, IncomingMessage, Language, MessageKind, Pointer, Rating, ThreadKey

log = logging.getLogger(__name__)

Json = Mapping[str, Any]
Ack = Callable[..., Awaitable[BoltResponse]]
Marked = Callable[[IncomingMessage, dict[str, Any], Identity], Awaitable[IncomingMessage]]

COMMAND = "/weft"
ASK_ABOUT = "weft_ask_about"
"""The id of the message shortcut."""
_FORGET = re.compile(f"^({views.FORGET_ALL}$|{views.FORGET_FACT}|{views.FORGET_QUESTION})")
_SOURCE = re.compile(f"^{SOURCE}")


class Surfaces:
    """Listeners of bolt; `register` puts them before those that take whatever is left."""

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        sessions: Sessions,
        names: Names,
        desk: Desk | None,
        adapter: Adapter,
        identity: Callable[[], Awaitable[Identity]],
        intake: Callable[[], Intake],
        marked: Marked,
        told: Callable[[dict[str, Any], str], Coroutine[Any, Any, None]],
    ) -> None:
        self._client = client
        self._sessions = sessions
        self._names = names
        self._desk = desk
        self._adapter = adapter
        self._identity = identity
        self._intake = intake
        self._marked = marked
        self._told = told
        self._showing = Showing()
        self._greeted: set[tuple[str, str]] = set()
        """Workspaces and channels in which Weft introduced itself: Slack may tell of an invitation again."""

    def register(self, app: AsyncApp) -> None:
        """Listen. Without a desk there is nothing to look up: then only Stop and the thumbs are heard."""
        app.event("agent_session_stopped")(self._on_stop)
        app.action(FEEDBACK)(self._on_feedback)
        app.view(views.REASON)(self._on_reason)
        app.shortcut(ASK_ABOUT)(self._on_shortcut)
        app.view(views.ASK)(self._on_asked)
        if self._desk is None:
            return
        app.command(COMMAND)(self._on_command)
        app.event("app_home_opened")(self._on_home)
        app.event("assistant_thread_started")(self._on_thread_started)
        app.event("member_joined_channel")(self._on_joined)
        app.action(views.OPEN_SETTINGS)(self._on_open_settings)
        app.action(_FORGET)(self._on_forget)
        app.action(_SOURCE)(self._on_source)
        app.view(views.SETTINGS)(self._on_settings)

    # --- /weft

    async def _on_command(self, ack: Ack, body: dict[str, Any]) -> None:
        desk, word = self._at_desk(), str(body.get("text", ""))
        asker = await self._asker(body, str(body["user_id"]), str(body["channel_id"]), word)
        language = asked_in(word, asker.locale)
        order = order_named(word)
        if order is Order.SETTINGS:
            self._showing.begin(self._open_settings(asker, body, language))
            await ack()
            return
        try:
            text = await desk.carry_out(order or Order.HELP, asker)
        except StorageError as error:
            log.error("A command could not be carried out: %s", error, extra={"action": "slack_command_failed"})
            text = say("not_taken", language)
        if order is None:
            text = f"{say('desk_unknown', language, word=word.strip()[:100])} {text}"
        await ack(from_markdown(text))

    async def _open_settings(self, asker: IncomingMessage, body: dict[str, Any], language: Language) -> None:
        desk = self._at_desk()
        remembered = await desk.remembered(asker, most=1)
        about = {"channel": asker.key.channel_id, "language": language}
        view = views.settings(language, remembered.preferences, await desk.mode(asker), about)
        await self._open(body, view, language)

    async def _on_settings(self, ack: Ack, body: dict[str, Any]) -> None:
        desk, view = self._at_desk(), body["view"]
        about = views.about_in(view)
        asker = await self._asker(body, str(body["user"]["id"]), about.get("channel", ""), "")
        asker = replace(asker, locale=about.get("language", asker.locale))
        wanted = views.mode_in(view)
        if wanted is not None and wanted is not await desk.mode(asker):
            told = await desk.set_mode(asker, wanted, self._adapter)
            if await desk.mode(asker) is not wanted:
                await ack(response_action="errors", errors={"mode": told})
                return
        await desk.prefer(asker, views.preferences_in(view))
        await ack()

    # --- the app's home and the agent view

    async def _on_home(self, event: dict[str, Any], body: dict[str, Any]) -> None:
        user, channel = str(event.get("user") or ""), str(event.get("channel") or "")
        if event.get("tab") == "messages":
            await self._suggest(user, channel)
        elif user:
            self._showing.begin(self._publish(await self._asker(body, user, "", "")))

    async def _on_thread_started(self, event: dict[str, Any]) -> None:
        thread = event.get("assistant_thread") or {}
        await self._suggest(
            str(thread.get("user_id") or ""), str(thread.get("channel_id") or ""), str(thread.get("thread_ts") or "")
        )

    async def _suggest(self, user: str, channel: str, thread: str = "") -> None:
        language = asked_in("", await self._names.locale_of(user))
        if channel:
            prompts = self._at_desk().prompts(language)
            title = say("try_asking", language)
            self._showing.begin(self._sessions.suggest(channel, prompts, title=title, thread=thread))

    async def _publish(self, asker: IncomingMessage) -> None:
        desk, language = self._at_desk(), asked_in("", asker.locale)
        view = views.home(
            language,
            title=desk.title(language),
            description=desk.description(language),
            shelves=await desk.sources(asker),
            remembered=await desk.remembered(asker),
            prompts=desk.prompts(language),
        )
        await self._tried("views.publish", lambda: self._client.views_publish(user_id=asker.author.id, view=view))

    async def _on_forget(self, ack: Ack, body: dict[str, Any]) -> None:
        desk, action = self._at_desk(), body["actions"][0]
        asker = await self._asker(body, str(body["user"]["id"]), "", "")
        name, value = str(action["action_id"]), str(action.get("value") or "")
        if name.startswith(views.FORGET_FACT):
            await desk.forget_fact(asker, value)
        elif name.startswith(views.FORGET_QUESTION):
            await desk.forget_question(asker, value)
        else:
            await desk.forget(asker)
        await ack()
        self._showing.begin(self._publish(asker))

    async def _on_open_settings(self, ack: Ack, body: dict[str, Any]) -> None:
        asker = await self._asker(body, str(body["user"]["id"]), "", "")
        await ack()
        self._showing.begin(self._open_settings(asker, body, asked_in("", asker.locale)))

    async def _on_joined(self, event: dict[str, Any]) -> None:
        """Introduce Weft where it was invited; said once, in the channel, without calling anybody."""
        me, channel = await self._identity(), str(event.get("channel") or "")
        if event.get("user") != me.user_id or not channel or not event.get("inviter"):
            return
        if (me.team_id, channel) in self._greeted:
            return
        self._greeted.add((me.team_id, channel))
        language = asked_in("", await self._names.locale_of(str(event["inviter"])))
        text = say("welcome", language, topic=self._at_desk().title(language))
        self._showing.begin(
            self._tried(
                "chat.postMessage",
                lambda: self._client.chat_postMessage(channel=channel, text=from_markdown(text), unfurl_links=False),
            )
        )

    # --- Stop

    async def _on_stop(self, event: dict[str, Any]) -> None:
        """Stop what runs in a thread. The session does not leave its state by itself."""
        me, channel = await self._identity(), str(event.get("channel") or "")
        thread, user = str(event.get("thread_ts") or ""), str(event.get("user") or "")
        if not channel:
            return
        wanted = [thread, *([channel] if channel.startswith("D") else [])]
        for each in filter(None, wanted):
            key = ThreadKey(platform=PLATFORM, workspace_id=me.team_id, channel_id=channel, thread_id=each)
            stop = IncomingMessage(
                key=key,
                event_id=f"{PLATFORM}:{me.team_id}:{channel}:{each}:stop:{event.get('event_ts', '')}",
                message_id=f"{event.get('event_ts', '')}:stop",
                author=Author(id=user),
                text="",
                kind=MessageKind.STOP,
                received_at=time.time(),
                private=channel.startswith("D"),
            )
            stopped = await self._intake().accept(stop)
            log.info("Stop was pressed.", extra={"action": "slack_stopped", "new": stopped})
            if each == thread:
                self._showing.begin(self._sessions.end(key, always=True))

    # --- a message that is asked about

    async def _on_shortcut(self, ack: Ack, body: dict[str, Any]) -> None:
        message, channel = body.get("message") or {}, str((body.get("channel") or {}).get("id") or "")
        await ack()
        language = asked_in("", await self._names.locale_of(str(body["user"]["id"])))
        about = {
            "channel": channel,
            "ts": str(message.get("ts") or ""),
            "thread": str(message.get("thread_ts") or ""),
            "language": language,
            "response_url": str(body.get("response_url") or ""),
        }
        if channel and about["ts"]:
            self._showing.begin(self._open(body, views.ask(language, about), language))

    async def _on_asked(self, ack: Ack, body: dict[str, Any]) -> None:
        """Take a question about a message: answered in the thread of that message, below what was asked."""
        me, view = await self._identity(), body["view"]
        about, words = views.about_in(view), views.chosen(view, "question", "q")
        channel, ts, user = about.get("channel", ""), about.get("ts", ""), str(body["user"]["id"])
        if not channel or not ts:
            await ack()
            return
        thread = about.get("thread") or ts
        direct = channel.startswith("D")
        language = about.get("language", "")
        modal = str(view.get("id") or body.get("trigger_id") or "")
        question = IncomingMessage(
            key=ThreadKey(platform=PLATFORM, workspace_id=me.team_id, channel_id=channel, thread_id=thread),
            event_id=f"{PLATFORM}:{me.team_id}:shortcut:{modal}",  # of a modal submitted twice the first counts
            message_id=f"shortcut:{modal}",
            author=Author(id=user, name=str(body["user"].get("name") or "")),
            text=words or say("ask_about_this", asked_in("", language)),
            kind=MessageKind.SHORTCUT,
            received_at=time.time(),
            private=direct,
            locale=language,
            points_at=(Pointer(kind="link", channel_id=channel, message_id=ts, thread_id=about.get("thread", "")),),
            extra={"response_url": about.get("response_url", "")},
        )
        try:
            question = await self._marked(question, body, me)
            if not direct and await self._intake().is_off(question.key):
                await ack(response_action="errors", errors={"question": say("off_here", asked_in("", language))})
                return
            await self._intake().accept(question)
        except StorageError as error:
            log.error("A question could not be stored: %s", error, extra={"action": "slack_not_stored"})
            await ack(response_action="errors", errors={"question": say("not_taken", asked_in("", language))})
            return
        log.info("A question about a message arrived.", extra={"action": "slack_accepted", "kind": "shortcut"})
        await ack()

    # --- sources and thumbs

    async def _on_source(self, ack: Ack, body: dict[str, Any]) -> None:
        """Open a passage for who pressed, if they may read it now, whoever asked."""
        user, channel = str(body["user"]["id"]), str((body.get("channel") or {}).get("id") or "")
        asker = await self._asker(body, user, channel, "")
        reference = str(body["actions"][0].get("value") or "")
        await ack()
        found = await self._at_desk().passage(asker, reference)
        language = asked_in(str((body.get("message") or {}).get("text") or ""), asker.locale)
        self._showing.begin(self._open(body, views.passage(found, language), language))

    async def _on_feedback(self, ack: Ack, body: dict[str, Any]) -> None:
        """Keep what somebody thinks of an answer, and ask for the reason of a thumb down."""
        found = feedback_of(body)
        if found is not None:
            ref, rating = found
            counts = await self._intake().rate(ref, rating)
            log.info("An answer was rated.", extra={"action": "slack_rated", "new": counts})
            language = asked_in(str((body.get("message") or {}).get("text", "")), "")
            if counts and rating.helpful is False:
                about = {"channel": ref.channel_id, "ts": ref.message_id, "language": language}
                self._showing.begin(self._open(body, views.reason(language, about), language))
            else:
                self._showing.begin(self._told(body, say("thanks_rated" if counts else "question_over", language)))
        await ack()

    async def _on_reason(self, ack: Ack, body: dict[str, Any]) -> None:
        about, why = views.about_in(body["view"]), views.reason_in(body["view"])
        if why is not None and about.get("channel") and about.get("ts"):
            ref = DeliveryRef(channel_id=about["channel"], message_id=about["ts"])
            rating = Rating(user=str(body["user"]["id"]), helpful=False, at=time.time(), reason=why)
            counts = await self._intake().rate(ref, rating)
            log.info("A reason was given.", extra={"action": "slack_reason", "new": counts})
        await ack()

    async def settle(self) -> None:
        """Wait for what is still being shown."""
        await self._showing.settle()

    # --- who it is

    async def _asker(self, body: dict[str, Any], user: str, channel: str, text: str) -> IncomingMessage:
        """Return somebody who looks something up, with place, language and standing."""
        me = await self._identity()
        private = not channel or channel.startswith("D")
        asker = IncomingMessage(
            key=ThreadKey(platform=PLATFORM, workspace_id=me.team_id, channel_id=channel, thread_id=""),
            event_id="",
            message_id="",
            author=Author(id=user),
            text=text,
            kind=MessageKind.COMMAND,
            received_at=time.time(),
            private=private,
        )
        # Each may take a second, and Slack wants its acknowledgement within three.
        asked = (self._names.locale_of(user), self._marked(asker, {**body, "event": {}}, me))
        locale, asker = await asyncio.gather(*asked)
        return replace(asker, locale=locale)

    async def _open(self, body: dict[str, Any], view: views.View, language: Language) -> None:
        """Open a modal for who asked for it by this interaction; where Slack does not, they are told to try again."""
        trigger = str(body.get("trigger_id", ""))
        if not await self._tried("views.open", lambda: self._client.views_open(trigger_id=trigger, view=view)):
            await self._told(body, say("form_late", language))

    async def _tried(self, method: str, call: Callable[[], Awaitable[object]]) -> bool:
        """Call; False, and a line in the log, for what cannot be shown now."""
        try:
            async with asyncio.timeout(10):
                with slack_errors(method):
                    await call()
        except (DeliveryError, TimeoutError) as error:
            log.warning("Something could not be shown: %s", error, extra={"action": "slack_not_shown"})
            return False
        return True

    def _at_desk(self) -> Desk:
        if self._desk is None:
            raise StorageError("Slack is served without a desk.")
        return self._desk

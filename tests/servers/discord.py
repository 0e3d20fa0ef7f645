"""A Discord on loopback: enough of its REST API and gateway to drive the real client against.

async with DiscordServer() as discord:
    adapter = DiscordAdapter(token=discord.token, api_base_url=discord.api_url, gateway_url=discord.gateway_url)
    ...
    question = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> hello")
    await discord.until(lambda: discord.messages(question))
"""

import asyncio
import itertools
import json
import math
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from aiohttp import BodyPartReader, web

from tests.servers.discord_components import (
    BUTTON,
    SELECT,
    V2,
    Malformed,
    check_command,
    check_modal,
    checked,
    parts_of,
)
from tests.servers.discord_gateway import Gateway, Json
from tests.servers.limits import Bucket
from tests.servers.loopback import Loopback

DISCORD_EPOCH_MS = 1_420_070_400_000
TEXT, DM, VOICE, PUBLIC_THREAD, PRIVATE_THREAD, FORUM = 0, 1, 2, 11, 12, 15
VIEW_CHANNEL, SEND_MESSAGES, READ_MESSAGE_HISTORY, SEND_IN_THREADS = 1 << 10, 1 << 11, 1 << 16, 1 << 38
MANAGE_CHANNELS, MANAGE_THREADS = 1 << 4, 1 << 34
LOADING, EPHEMERAL = 1 << 7, 1 << 6
CALLBACK_SECONDS, TOKEN_SECONDS = 3.0, 900.0
"""Seconds within which an interaction must be answered, and for which its token is good, by `DiscordServer.clock`."""
_ANSWERS = {2: (4, 5, 9), 3: (4, 5, 6, 7, 9), 4: (8,), 5: (4, 5, 6, 7)}
"""By the type of an interaction, the types of callbacks that it may be answered with."""

MESSAGES = {
    10003: "Unknown Channel",
    10007: "Unknown Member",
    10008: "Unknown Message",
    10015: "Unknown Webhook",
    10062: "Unknown interaction",
    40060: "Interaction has already been acknowledged.",
    50001: "Missing Access",
    50006: "Cannot send an empty message",
    50013: "Missing Permissions",
    50024: "Cannot execute action on this channel type",
    50035: "Invalid Form Body",
    50083: "Thread is archived",
    40005: "Request entity too large",
    160002: "Cannot reply without permission to read message history",
    200000: "Message was blocked by automatic moderation",
    160004: "A thread has already been created for this message",
    160005: "Thread is locked",
}


class Refused(Exception):
    def __init__(self, status: int, code: int) -> None:
        self.status, self.code = status, code


@dataclass
class Fault:
    """What happens to the next `times` requests that match, instead of (or after) their effect."""

    method: str
    path: re.Pattern[str]
    times: int
    status: int = 0
    code: int = 0
    retry_after: float = 0.0
    drop: bool = False
    after: bool = False
    """The request takes effect; only its answer is lost."""
    hold: asyncio.Event | None = None


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Json
    content_type: str
    at: float


class DiscordServer:
    """One guild with text channels, a voice channel and a forum, people, and direct messages."""

    def __init__(self, *, token: str = "test-token", heartbeat_ms: int = 41_250) -> None:
        self.token = token
        self._last_id = 0
        self._counter = itertools.count()
        self.ago = 0.0
        """Seconds by which what is written now is older than it is."""
        self.guild_id, self.general, self.random, self.forum, self.voice = (self.snowflake() for _ in range(5))
        self.alice, self.bob, self.bot, self.robot, self.role = (self.snowflake() for _ in range(5))
        self.users: dict[str, Json] = {
            self.alice: self._user(self.alice, "alice"),
            self.bob: self._user(self.bob, "bob"),
            self.bot: self._user(self.bot, "weft", bot=True),
            self.robot: self._user(self.robot, "robot", bot=True),
        }
        self.channels: dict[str, Json] = {}
        for id, name, type in (
            (self.general, "general", TEXT),
            (self.random, "random", TEXT),
            (self.forum, "help", FORUM),
            (self.voice, "lounge", VOICE),
        ):
            voice = {"bitrate": 64_000, "user_limit": 0} if type == VOICE else {}
            self.channels[id] = self._channel(id, type, name=name, guild_id=self.guild_id, **voice)
        self._messages: dict[str, dict[str, Json]] = {}
        self._notices: dict[str, Json] = {}
        """By thread: what it begins with, and what nobody wrote."""
        self._nonces: dict[tuple[str, str], str] = {}
        self.application_flags = 1 << 19
        """Of the application: the message content intent, for one in few servers."""
        self.permissions = 309_237_746_688
        """The bot's in the guild."""
        self.shards = 1
        """How many connections are recommended."""
        self.refuses_components = False
        self.lost_rights = 0
        """Permissions that somebody takes from the bot; what needs them is refused from then on."""
        self.no_history: set[str] = set()
        """Channels whose history the bot may not read: it cannot reply to a message there."""
        self.commands: list[Json] = []
        self.clock = 0.0
        """Seconds, which only a test moves."""
        self.interactions: dict[str, Json] = {}
        """By token; `state` is new, deferred or done."""
        self.roles: dict[str, set[str]] = {}
        """People by the role that they have."""
        self.managers: set[str] = set()
        """Who may manage channels, as an interaction tells it."""
        self.callback_seconds = 0.1
        """How long Discord takes to carry out the answer to an interaction; until then nobody knows its webhook."""
        self.late_webhook = 1
        """How many requests of each interaction still find its webhook unknown after that."""
        self.files: dict[str, bytes] = {}
        """Uploaded bytes by attachment id."""
        self.downloads: list[tuple[str, str]] = []
        """What was asked of the CDN, with its query, and what was shown as `Authorization`."""
        self.file_faults: list[web.Response] = []
        """Answers that come in the place of files."""
        self.signed = "ex=1"
        """What an address of the CDN must end in to be good."""
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.unreadable: set[str] = set()
        """Channels whose history the bot may not read."""
        self.left: set[str] = set()
        """People who are not in the guild."""
        self.thread_members: dict[str, set[str]] = {}
        """Of private threads."""
        self.history_seconds = 0.0
        """How long reading messages takes."""
        self.hides_content = False
        """Whether the bot has no message content intent: then also REST blanks what is not said to it."""
        self.limits: dict[str, str] = {}
        """Headers in which every answer tells how many requests are left."""
        self.rates: dict[str, tuple[int, float]] = {}
        """By method and pattern of the path (`POST /channels/\\d+/messages$`): calls at once, and a second; by path."""
        self.buckets: dict[tuple[str, str], Bucket] = {}
        """What was taken of them, by rate and path."""
        self.delay = 0.0
        """Seconds that every request takes."""
        self.typed: list[str] = []
        """Channels in which the bot was shown to be typing."""
        self._changed = asyncio.Event()
        self.gateway = Gateway(token=token, bot=self.users[self.bot], guild=self._guild())
        self.gateway.heartbeat_ms = heartbeat_ms
        self.api_url = self.gateway_url = ""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=30_000_000)
        app.router.add_get("/gateway", self.gateway.serve)
        app.router.add_get("/gateway/", self.gateway.serve)
        app.router.add_route("*", "/api/v10/{path:.*}", self._serve)
        app.router.add_get("/attachments/{id}/{name}", self._download)
        self._loopback = Loopback(app, shutdown_timeout=0.1, access_log=None)
        port = await self._loopback.start()
        self.api_url = f"http://127.0.0.1:{port}/api/v10"
        self.gateway_url = self.gateway.url = f"ws://127.0.0.1:{port}/gateway"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.gateway.drop(code=1001)
        await self._loopback.stop()

    # --- what people do

    async def post(
        self,
        channel_id: str,
        author_id: str,
        content: str,
        *,
        reply_to: str = "",
        ping: bool = True,
        attachments: Sequence[Json] = (),
        **more: Any,
    ) -> str:
        """Write a message as somebody; returns its id. `more` overrides fields (webhook_id, type)."""
        message = self._new_message(channel_id, author_id, content, attachments=list(attachments), **more)
        if reply_to:
            place = next(place for place, messages in self._messages.items() if reply_to in messages)
            message["type"] = 19
            message["message_reference"] = {"channel_id": place, "message_id": reply_to}
            message["referenced_message"] = dict(self._messages[place][reply_to])
            if ping:
                message["mentions"].append(self._messages[place][reply_to]["author"])
        await self._publish("MESSAGE_CREATE", message)
        return str(message["id"])

    async def forward(self, channel_id: str, author_id: str, source: str, message_id: str) -> str:
        """Forward a message as somebody; returns the id of the message that holds it, which has no words of its own.

        Discord keeps who wrote it to itself. What was itself forwarded comes along one level deep.
        """
        original = self._messages[source][message_id]
        kept = ("type", "content", "embeds", "attachments", "timestamp", "edited_timestamp", "flags", "mentions",
                "mention_roles", "message_snapshots")  # fmt: skip
        snapshot = {"message": {key: original[key] for key in kept if key in original}}
        reference = {"type": 1, "channel_id": source, "message_id": message_id, "guild_id": self.guild_id}
        message = self._new_message(
            channel_id, author_id, "", message_snapshots=[snapshot], message_reference=reference, flags=1 << 14
        )
        await self._publish("MESSAGE_CREATE", message)
        return str(message["id"])

    async def private_thread(self, channel_id: str, name: str, members: Sequence[str]) -> str:
        """Open a thread that only its members see."""
        id = await self.thread(channel_id, name)
        self.channels[id]["type"] = PRIVATE_THREAD
        self.thread_members[id] = set(members)
        return id

    def close_to(self, channel_id: str, *ids: str) -> None:
        """Shut people or roles out of a channel."""
        channel = self.channels[channel_id]
        for id in ids:
            kind = 1 if id in self.users else 0
            overwrite = {"id": id, "type": kind, "allow": "0", "deny": str(VIEW_CHANNEL)}
            channel["permission_overwrites"].append(overwrite)

    async def edit(self, channel_id: str, message_id: str, content: str, *, touch: bool = False) -> None:
        """Edit as its author; the same content is a preview that Discord adds, or (`touch`) a removed file."""
        message = self._message(channel_id, message_id)
        if content != message["content"] or touch:
            message["edited_timestamp"] = _iso()
        message.update(content=content, mentions=self._mentions(content))
        await self._publish("MESSAGE_UPDATE", message)

    async def delete(self, channel_id: str, message_id: str) -> None:
        message = self._messages[channel_id].pop(message_id)
        gone = {"id": message_id, "channel_id": channel_id}
        await self._publish(
            "MESSAGE_DELETE", gone | ({"guild_id": message["guild_id"]} if "guild_id" in message else {})
        )

    async def react(self, channel_id: str, message_id: str, user_id: str, emoji: str, *, remove: bool = False) -> None:
        """Put a reaction under a message as somebody, or take it away."""
        message = self._message(channel_id, message_id)
        event: Json = {"user_id": user_id, "channel_id": channel_id, "message_id": message_id, "type": 0}
        event |= {"emoji": {"id": None, "name": emoji}, "burst": False}
        event |= {"guild_id": message["guild_id"]} if "guild_id" in message else {}
        if remove:
            await self._publish("MESSAGE_REACTION_REMOVE", event)
        else:
            await self._publish("MESSAGE_REACTION_ADD", event | {"message_author_id": message["author"]["id"]})

    async def dm(self, user_id: str) -> str:
        """Return the channel of direct messages between somebody and the bot."""
        for channel in self.channels.values():
            if channel["type"] == DM and channel["recipients"][0]["id"] == user_id:
                return str(channel["id"])
        id = self.snowflake()
        self.channels[id] = {
            "id": id,
            "type": DM,
            "recipients": [self.users[user_id]],
            "last_message_id": None,
            "flags": 0,
        }
        return id

    async def thread(self, channel_id: str, name: str = "thread", *, id: str = "", owner: str = "", **more: Any) -> str:
        """Open a thread as somebody; returns its id."""
        id, owner = id or self.snowflake(), owner or self.alice
        where = {"guild_id": self.guild_id, "parent_id": channel_id, "owner_id": owner}
        self.channels[id] = thread = self._channel(id, PUBLIC_THREAD, name=name, **where, **more)
        thread |= {"message_count": 0, "member_count": 1, "thread_metadata": _metadata()}
        self.gateway.guild["threads"].append(thread)
        await self.gateway.dispatch("THREAD_CREATE", {**thread, "newly_created": True})
        self._note_change()
        return id

    async def join(self, *, permissions: int, writable: bool = True, id: str = "") -> tuple[str, str]:
        """Add the bot to another server; returns the ids of the server and of its text channel."""
        guild, channel = id or self.snowflake(), self.snowflake()
        self.channels[channel] = self._channel(channel, TEXT, name="hall", guild_id=guild)
        if not writable:
            self.channels[channel]["permission_overwrites"].append(
                {"id": guild, "type": 0, "allow": "0", "deny": str(SEND_MESSAGES)}
            )
        everybody = {**_role(guild, "@everyone"), "permissions": str(permissions)}
        created = {**self._guild(), "id": guild, "name": "New", "owner_id": self.bob, "roles": [everybody]}
        created |= {"channels": [self.channels[channel]], "system_channel_id": channel, "threads": []}
        created["members"] = [self._member(self.bot) | {"user": self.users[self.bot]}]
        await self.gateway.dispatch("GUILD_CREATE", created)
        return guild, channel

    def tag_forum(self, *names: str) -> list[str]:
        """Give the forum these tags; returns their ids."""
        tags = [{"id": self.snowflake(), "name": name, "moderated": False} for name in names]
        self.channels[self.forum]["available_tags"] = [{**tag, "emoji_id": None, "emoji_name": None} for tag in tags]
        return [tag["id"] for tag in tags]

    async def forum_post(self, author_id: str, title: str, content: str, *, tags: Sequence[str] = ()) -> str:
        id = self.snowflake()
        await self.thread(self.forum, title, id=id, owner=author_id, applied_tags=list(tags))
        message = self._new_message(id, author_id, content, id=id)
        await self._publish("MESSAGE_CREATE", message)
        return id

    async def archive(self, thread_id: str, *, locked: bool = False) -> None:
        thread = self.channels[thread_id]
        thread["thread_metadata"] |= {"archived": True, "locked": locked}
        self.gateway.guild["threads"].remove(thread)
        await self.gateway.dispatch("THREAD_UPDATE", thread)

    async def slash(
        self,
        channel_id: str,
        author_id: str,
        question: str,
        *,
        locale: str = "en-US",
        private: bool | None = None,
        file: Json | None = None,
        **more: Any,
    ) -> Json:
        """Use /ask as somebody; returns the interaction, whose `state` becomes deferred, then done."""
        data: Json = {"id": "1", "name": "ask", "type": 1}
        data["options"] = [{"name": "question", "type": 3, "value": question}]
        if private is not None:
            data["options"].append({"name": "private", "type": 5, "value": private})
        if file is not None:
            data["options"].append({"name": "file", "type": 11, "value": file["id"]})
            data["resolved"] = {"attachments": {file["id"]: file}}
        return await self._interact(2, channel_id, author_id, data, locale=locale, **more)

    async def weft(self, channel_id: str, author_id: str, word: str, *, locale: str = "en-US", **more: Any) -> Json:
        """Use a subcommand of /weft as somebody."""
        data = {"id": "2", "name": "weft", "type": 1, "options": [{"name": word, "type": 1, "options": []}]}
        return await self._interact(2, channel_id, author_id, data, locale=locale, **more)

    async def set_channel(self, channel_id: str, author_id: str, *, permissions: int, **given: str) -> Json:
        """Use /weft-channel as somebody with these permissions there."""
        options = [{"name": name, "type": 3, "value": value} for name, value in given.items()]
        data = {"id": "3", "name": "weft-channel", "type": 1, "options": options}
        return await self._interact(2, channel_id, author_id, data, permissions=permissions)

    async def write_pack(self, channel_id: str, author_id: str, words: str, *, locale: str = "en-US") -> Json:
        """Write the pack of /weft-channel as far as these words; returns the interaction, with the choices."""
        written = {"name": "pack", "type": 3, "value": words, "focused": True}
        data = {"id": "3", "name": "weft-channel", "type": 1, "options": [written]}
        return await self._interact(4, channel_id, author_id, data, locale=locale)

    async def ask_about(self, channel_id: str, message_id: str, author_id: str, **more: Any) -> Json:
        """Open the menu of a message as somebody, and choose Weft; its words come along, whatever the intents."""
        found = {message_id: self._message(channel_id, message_id)}
        data = {"id": "4", "name": "Ask Weft about this", "type": 3, "target_id": message_id}
        data |= {"resolved": {"messages": found}}
        return await self._interact(2, channel_id, author_id, data, **more)

    async def write_option(self, channel_id: str, author_id: str, words: str, *, locale: str = "en-US") -> Json:
        """Write the question of /ask as far as these words; returns the interaction, whose `data` has the choices."""
        written = {"name": "question", "type": 3, "value": words, "focused": True}
        data = {"id": "1", "name": "ask", "type": 1, "options": [written]}
        return await self._interact(4, channel_id, author_id, data, locale=locale)

    async def submit(self, opened: Json, author_id: str, values: Json, *, locale: str = "en-US") -> Json:
        """Submit the form that an interaction opened, with these values by custom id."""
        form = opened["data"]
        given = []
        for label in form["components"]:
            part = label["component"]
            value = values.get(part["custom_id"], [] if part["type"] == SELECT else "")
            kept = {"values": value} if part["type"] == SELECT else {"value": value}
            given.append({"type": 18, "component": {"type": part["type"], "custom_id": part["custom_id"], **kept}})
        data = {"custom_id": form["custom_id"], "components": given}
        return await self._interact(5, opened["channel_id"], author_id, data, locale=locale)

    async def _interact(
        self,
        type: int,
        channel_id: str,
        author_id: str,
        data: Json,
        *,
        locale: str = "en-US",
        message: Json | None = None,
        outside: str = "",
        permissions: int = 0,
    ) -> Json:
        """Send an interaction. `outside`: a server that Weft is not in, where somebody has it for themselves."""
        channel = self.channels[channel_id]
        id = self.snowflake()
        interaction: Json = {"id": id, "token": f"interaction-token-{id}", "state": "new", "channel_id": channel_id}
        interaction |= {"author_id": author_id, "message_id": message["id"] if message else "", "followups": []}
        interaction |= {"at": self.clock, "type": type, "outside": bool(outside)}
        self.interactions[interaction["token"]] = interaction
        guild = outside or channel.get("guild_id", "")
        owners = {"1": author_id} if outside else {"0": guild or "0"}
        event: Json = {
            "id": id, "application_id": self.bot, "type": type, "token": interaction["token"], "version": 1,
            "channel": channel, "channel_id": channel_id, "locale": locale, "entitlements": [],
            "attachment_size_limit": 10_485_760, "data": data, "authorizing_integration_owners": owners,
            "context": 0 if guild else 1,
        }  # fmt: skip
        if message is not None:
            event["message"] = message
        if guild:
            event |= {"guild_id": guild, "guild": {"id": guild, "features": [], "locale": "en-US"}}
            may = str(permissions | (MANAGE_CHANNELS if author_id in self.managers else 0))
            member = self._member(author_id, roles=[role for role, held in self.roles.items() if author_id in held])
            event["member"] = member | {"user": self.users[author_id], "permissions": may}
        else:
            event["user"] = self.users[author_id]
        await self.gateway.dispatch("INTERACTION_CREATE", event)
        return interaction

    def give_role(self, role: str, *people: str) -> None:
        """Make a role of the server, before anybody connects, and give it to people."""
        self.roles[role] = set(people)
        self.gateway.guild["roles"].append(_role(role, f"role {role}"))

    async def click(
        self, message: Json, number: int, author_id: str, *, locale: str = "en-US", stands: Json | None = None
    ) -> Json:
        """Press the nth button of a message that is no link, counting from 0; returns the interaction.

        `stands`: the message as it stands by now, where somebody presses a button that was taken away meanwhile.
        """
        button = [part for part in parts_of(message, BUTTON) if "custom_id" in part][number]
        data = {"custom_id": button["custom_id"], "component_type": 2}
        return await self._component(stands or message, author_id, data, locale)

    async def pick(self, message: Json, number: int, author_id: str, *, locale: str = "en-US") -> Json:
        """Pick the nth option of a message's menu, counting from 0; returns the interaction."""
        [menu] = parts_of(message, SELECT)
        data = {"custom_id": menu["custom_id"], "component_type": 3, "values": [menu["options"][number]["value"]]}
        return await self._component(message, author_id, data, locale)

    async def _component(self, message: Json, author_id: str, data: Json, locale: str) -> Json:
        return await self._interact(3, message["channel_id"], author_id, data, locale=locale, message=message)

    def expire(self, interaction: Json) -> None:
        """Make the token of an interaction as invalid as it is after 15 minutes."""
        interaction["at"] = self.clock - TOKEN_SECONDS

    # --- what tests look at

    def messages(self, channel_id: str) -> list[Json]:
        """Return the messages of a place, oldest first."""
        return list(self._messages.get(channel_id, {}).values())

    def from_bot(self, channel_id: str) -> list[Json]:
        return [message for message in self.messages(channel_id) if message["author"]["id"] == self.bot]

    def sent(self, method: str, path: str) -> list[Request]:
        """Return the requests whose path (below the version) matches from its beginning."""
        return [request for request in self.requests if request.method == method and re.match(path, request.path)]

    async def until(self, condition: Callable[[], Any], *, timeout: float = 120.0) -> Any:
        """Wait until the condition holds, looked at after every change, and return its value."""
        async with asyncio.timeout(timeout):
            while not (value := condition()):
                self._changed.clear()
                try:  # the condition may rest on more than this server
                    await asyncio.wait_for(self._changed.wait(), 0.02)
                except TimeoutError:
                    continue
            return value

    def fault(self, method: str, path: str, *, times: int = 1, **what: Any) -> Fault:
        """Let matching requests fail: see `Fault`."""
        fault = Fault(method=method, path=re.compile(path), times=times, **what)
        self.faults.append(fault)
        return fault

    def forget_nonces(self) -> None:
        """Behave as some minutes later."""
        self._nonces.clear()

    def snowflake(self) -> str:
        at = int((time.time() - self.ago) * 1000)
        if self.ago:
            return str(((at - DISCORD_EPOCH_MS) << 22) + next(self._counter))
        self._last_id = max(self._last_id + 1, (at - DISCORD_EPOCH_MS) << 22)
        return str(self._last_id)

    # --- REST

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        path = "/" + request.match_info["path"]
        body, files = await self._read(request)
        self.requests.append(Request(request.method, path, body, request.headers.get("Content-Type", ""), time.time()))
        await asyncio.sleep(self.delay)
        bucket, wait = self._limited(f"{request.method} {path}")
        if bucket is not None and wait > 0:
            return _limited(bucket, wait)
        fault = self._next_fault(request.method, path)
        if fault is not None and fault.hold is not None:
            await fault.hold.wait()
        elif fault is not None and not fault.after:
            return self._break(request, fault)
        status: int
        answer: Any
        try:
            status, answer = await self._route(request, path, body, files)
        except Malformed as malformed:
            status, answer = 400, {"message": f"Invalid Form Body: {malformed}", "code": 50035}
        except Refused as refused:
            status = refused.status
            answer = {"message": MESSAGES.get(refused.code, "Refused"), "code": refused.code}
        self._note_change()
        if fault is not None and fault.after:
            return self._break(request, fault)
        return _json(status, answer, self.limits | (_told(bucket) if bucket is not None else {}))

    def _limited(self, request: str) -> tuple[Bucket | None, float]:
        for pattern, rate in self.rates.items():
            if re.match(pattern, request):
                # of a message only the channel counts
                place = re.sub(r"(/messages/)\d+", r"\1:id", request)
                bucket = self.buckets.setdefault((pattern, place), Bucket(*rate))
                return bucket, bucket.take()
        return None, 0.0

    def _next_fault(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.method == method and fault.path.match(path):
                fault.times -= 1
                if fault.times <= 0:
                    self.faults.remove(fault)
                return fault
        return None

    def _break(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        if fault.drop:
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if fault.status == 429 and not fault.code:
            headers = {"Via": "1.1 google", "Retry-After": str(fault.retry_after), "X-RateLimit-Scope": "user"}
            body = {"message": "You are being rate limited.", "retry_after": fault.retry_after, "global": False}
            return _json(429, body, headers)
        return _json(fault.status, {"message": MESSAGES.get(fault.code, "Refused"), "code": fault.code})

    async def _read(self, request: web.Request) -> tuple[Any, list[Json]]:
        if not request.content_type.startswith("multipart/"):
            data = await request.read()
            return (json.loads(data) if data else {}), []
        body: Json = {}
        files: list[Json] = []
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            if part.name == "payload_json":
                body = json.loads(await part.text())
            else:
                files.append({"filename": part.filename, "data": bytes(await part.read())})
        return body, files

    async def _route(self, request: web.Request, path: str, body: Any, files: list[Json]) -> tuple[int, Any]:
        """Find the handler of a request; the token is checked unless the path itself holds one."""
        by_token = path.startswith(("/interactions/", "/webhooks/"))
        if not by_token and request.headers.get("Authorization") != f"Bot {self.token}":
            raise Refused(401, 0)
        if request.method in ("POST", "PUT", "PATCH") and not files and request.content_length:
            assert request.headers["Content-Type"] == "application/json", request.headers["Content-Type"]
        for method, pattern, handler in _ROUTES:
            match = re.fullmatch(pattern, path)
            if match and method == request.method:
                return await handler(self, body, files, request.query, *match.groups())
        raise Refused(404, 0)

    async def _me(self, *_: Any) -> tuple[int, Any]:
        return 200, {**self.users[self.bot], "verified": True, "mfa_enabled": False}

    async def _application(self, *_: Any) -> tuple[int, Any]:
        return 200, {
            "id": self.bot,
            "name": "weft",
            "icon": None,
            "description": "",
            "bot_public": False,
            "bot_require_code_grant": False,
            "verify_key": "",
            "owner": self.users[self.alice],
            "flags": self.application_flags,
        }

    async def _guilds(self, *_: Any) -> tuple[int, Any]:
        return 200, [{"id": self.guild_id, "name": "Guild", "owner": False, "permissions": str(self.permissions)}]

    async def _bot_gateway(self, *_: Any) -> tuple[int, Any]:
        limit = {"total": 1000, "remaining": 999, "reset_after": 1, "max_concurrency": 1}
        return 200, {"url": self.gateway_url, "shards": self.shards, "session_start_limit": limit}

    async def _get_commands(self, _body: Any, _files: Any, query: Any, *_: str) -> tuple[int, Any]:
        hidden = () if query.get("with_localizations") else ("description_localizations", "name_localizations")
        return 200, [{key: value for key, value in command.items() if key not in hidden} for command in self.commands]

    async def _put_commands(self, body: Any, *_: Any) -> tuple[int, Any]:
        for command in body:
            check_command(command)
        self.commands = [
            {"id": self.snowflake(), "application_id": self.bot, "version": "1", "nsfw": False, **command}
            for command in body
        ]
        return 200, self.commands

    async def _open_dm(self, body: Json, *_: Any) -> tuple[int, Any]:
        return 200, self.channels[await self.dm(str(body["recipient_id"]))]

    async def _type(self, _body: Any, _files: Any, _query: Any, channel_id: str) -> tuple[int, Any]:
        self._place(channel_id)
        self.typed.append(channel_id)
        return 204, None

    async def _get_channel(self, _body: Any, _files: Any, _query: Any, channel_id: str) -> tuple[int, Any]:
        return 200, self._place(channel_id)

    async def _patch_channel(self, body: Json, _files: Any, _query: Any, channel_id: str) -> tuple[int, Any]:
        metadata = self._place(channel_id)["thread_metadata"]
        if metadata["locked"]:
            raise Refused(403, 50013)
        if "applied_tags" in body:
            self._check_right(self.channels[channel_id], MANAGE_THREADS)
            if len(body["applied_tags"]) > 5:
                raise Refused(400, 50035)
            self.channels[channel_id]["applied_tags"] = body["applied_tags"]
        metadata |= {key: body[key] for key in ("archived",) if key in body}
        await self.gateway.dispatch("THREAD_UPDATE", self.channels[channel_id])
        return 200, self.channels[channel_id]

    async def _history(self, _body: Any, _files: Any, query: Any, channel_id: str) -> tuple[int, Any]:
        await self._read_history(channel_id)
        notices = [self._notices[channel_id]] if channel_id in self._notices else []
        found = [m for m in (*notices, *self.messages(channel_id)) if int(m["id"]) > int(query.get("after", 0))]
        found = [m for m in found if int(m["id"]) < int(query.get("before", 1 << 63))]
        limit = int(query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise Refused(400, 50035)
        chosen = found[:limit] if "after" in query else found[-limit:]
        return 200, [self._shown(message) for message in chosen[::-1]]

    async def _read_history(self, channel_id: str) -> None:
        self._place(channel_id)
        await asyncio.sleep(self.history_seconds)
        if channel_id in self.unreadable:
            raise Refused(403, 50001)

    def _shown(self, message: Json) -> Json:
        """Return a message as the bot may see it over REST."""
        own = message["author"]["id"] == self.bot or any(user["id"] == self.bot for user in message["mentions"])
        if not self.hides_content or own or "guild_id" not in message:
            return message
        return {**message, "content": "", "embeds": [], "attachments": [], "components": []}

    async def _get_guild(self, *_: Any) -> tuple[int, Any]:
        return 200, self.gateway.guild

    async def _get_member(self, _body: Any, _files: Any, _query: Any, _guild: str, user: str) -> tuple[int, Any]:
        if user not in self.users or user in self.left:
            raise Refused(404, 10007)
        return 200, self._member(user) | {"user": self.users[user]}

    async def _get_thread_member(self, _body: Any, _files: Any, _query: Any, id: str, user: str) -> tuple[int, Any]:
        if user not in self.thread_members.get(id, ()):
            raise Refused(404, 10007)
        return 200, {"id": id, "user_id": user, "join_timestamp": _iso(), "flags": 0}

    async def _create(self, body: Json, files: list[Json], _query: Any, channel_id: str) -> tuple[int, Any]:
        channel = self._place(channel_id)
        if channel["type"] == FORUM:
            raise Refused(400, 50008)
        metadata = channel.get("thread_metadata", {})
        if metadata.get("locked"):
            raise Refused(400, 160005)
        flags = int(body.get("flags", 0))
        if self.refuses_components and body.get("components"):
            raise Refused(400, 50035)
        self._check_content(body, empty=bool(files) or bool(flags & V2))
        components = checked(body.get("components") or [], flags=flags, content=body.get("content") or "")
        self._check_right(channel, SEND_IN_THREADS if "thread_metadata" in channel else SEND_MESSAGES)
        nonce = str(body.get("nonce") or "")
        if len(nonce) > 25:
            raise Refused(400, 50035)
        if body.get("enforce_nonce") and (channel_id, nonce) in self._nonces:
            return 200, {**self._message(channel_id, self._nonces[channel_id, nonce]), "nonce": nonce}
        if "message_reference" in body and channel_id in self.no_history:
            raise Refused(400, 160002)
        message = self._new_message(channel_id, self.bot, body.get("content") or "", flags=body.get("flags", 0))
        message["attachments"] = self._attach(files)
        message["components"] = components
        if "message_reference" in body:
            message |= {"type": 19, "message_reference": body["message_reference"], "referenced_message": None}
        self._nonces[channel_id, nonce] = message["id"]
        if metadata.get("archived"):
            metadata["archived"] = False
        await self._publish("MESSAGE_CREATE", {**message, "nonce": nonce})
        return 200, {**message, "nonce": nonce}  # only the sender hears of the nonce; it is not stored

    async def _get_message(self, _body: Any, _files: Any, _query: Any, channel_id: str, id: str) -> tuple[int, Any]:
        await self._read_history(channel_id)
        return 200, self._shown(self._message(channel_id, id))

    async def _edit(self, body: Json, files: list[Json], _query: Any, channel_id: str, id: str) -> tuple[int, Any]:
        message = self._message(channel_id, id)
        if message["author"]["id"] != self.bot:
            raise Refused(403, 50005)
        if self.channels[channel_id].get("thread_metadata", {}).get("archived"):
            raise Refused(400, 50083)
        self._check_content(body, empty=True)
        flags = message["flags"] | int(body.get("flags", 0)) & V2
        content = (body["content"] or "").strip() if "content" in body else message["content"]
        components = body.get("components", message.get("components")) or []
        shown = checked(components, flags=flags, content=content)
        message |= {"flags": flags, "content": content}
        if "attachments" in body:
            message["attachments"] = self._attach(files)
        if "components" in body:
            message["components"] = shown
        message["edited_timestamp"] = _iso()
        await self._publish("MESSAGE_UPDATE", message)
        return 200, message

    async def _delete(self, _body: Any, _files: Any, _query: Any, channel_id: str, id: str) -> tuple[int, Any]:
        self._message(channel_id, id)
        await self.delete(channel_id, id)
        return 204, None

    async def _start_thread(self, body: Json, _files: Any, _query: Any, channel_id: str, id: str) -> tuple[int, Any]:
        self._message(channel_id, id)
        if self.channels[channel_id]["type"] == VOICE:
            raise Refused(400, 50024)
        if id in self.channels:
            raise Refused(400, 160004)
        if not 1 <= len(body["name"].encode("utf-16-le")) // 2 <= 100:
            raise Refused(400, 50035)
        await self.thread(channel_id, body["name"], id=id, owner=self.bot)
        self._begin(id, channel_id)
        return 201, self.channels[id]

    def _begin(self, thread_id: str, channel_id: str) -> None:
        """Put the notice into a thread that refers to the message it was made from."""
        starter = self._messages[channel_id][thread_id]
        reference = {"channel_id": channel_id, "message_id": thread_id}
        self._notices[thread_id] = {
            **starter, "id": self.snowflake(), "type": 21, "channel_id": thread_id, "content": "",
            "message_reference": reference, "referenced_message": starter,
        }  # fmt: skip

    async def _callback(self, body: Json, _files: Any, _query: Any, id: str, token: str) -> tuple[int, Any]:
        interaction = self.interactions.get(token)
        if interaction is None or self.clock - interaction["at"] >= CALLBACK_SECONDS:
            raise Refused(404, 10062)
        if interaction["state"] != "new":
            raise Refused(400, 40060)
        await asyncio.sleep(self.callback_seconds)
        data = body.get("data") or {}
        if body["type"] not in _ANSWERS[interaction["type"]]:
            raise Refused(400, 50035)
        if body["type"] == 9:
            check_modal(data)
        interaction |= {"state": "deferred" if body["type"] == 5 else "done", "data": data, "answered_at": time.time()}
        loading = body["type"] == 5
        if body["type"] in (8, 9):
            if len(data.get("choices", ())) > 25 or any(len(str(c["value"])) > 100 for c in data.get("choices", ())):
                raise Refused(400, 50035)
            return 200, {"interaction": {"id": id, "type": interaction["type"]}, "resource": {"type": body["type"]}}
        if body["type"] == 6:  # acknowledge the click, and nothing more
            return 200, {"interaction": {"id": id, "type": 3}, "resource": {"type": 6}}
        if body["type"] == 7:  # edit the message that the button stands on
            message = self._message(interaction["channel_id"], interaction["message_id"])
            shown = checked(data.get("components") or [], flags=message["flags"], content=data["content"])
            message |= {"content": data["content"], "components": shown}
            await self._publish("MESSAGE_UPDATE", message)
            return 200, {"interaction": {"id": id, "type": 3}, "resource": {"type": 7, "message": message}}
        answer: Json = {"id": id, "type": 2, "response_message_loading": loading}
        if not data.get("flags", 0) & EPHEMERAL:
            flags = LOADING if loading else 0
            message = self._new_message(
                interaction["channel_id"], self.bot, data.get("content", ""), type=20, flags=flags
            )
            interaction["message_id"] = message["id"]
            await self._publish("MESSAGE_CREATE", message)
            return 200, {"interaction": answer, "resource": {"type": body["type"], "message": message}}
        if loading:  # a message that only who gave the command sees
            flags = EPHEMERAL | LOADING
            interaction["message_id"] = self._new_message(interaction["channel_id"], self.bot, "", flags=flags)["id"]
        return 200, {"interaction": answer | {"response_message_ephemeral": True}, "resource": {"type": body["type"]}}

    def _by_token(self, token: str) -> Json:
        interaction = self.interactions.get(token)
        if interaction is None or self.clock - interaction["at"] >= TOKEN_SECONDS:
            raise Refused(401, 50027)
        interaction["asked"] = interaction.get("asked", 0) + 1
        if interaction["state"] == "new" or interaction["asked"] <= self.late_webhook:
            raise Refused(404, 10015)
        return interaction

    async def _edit_original(self, body: Json, _files: Any, _query: Any, _app: str, token: str) -> tuple[int, Any]:
        interaction = self._by_token(token)
        message = self._message(interaction["channel_id"], interaction["message_id"])
        self._check_content(body, empty=False)
        ephemeral = message["flags"] & EPHEMERAL
        message |= {"content": body["content"].strip(), "flags": ephemeral}
        interaction["state"] = "done"
        if not ephemeral:
            await self._publish("MESSAGE_UPDATE", message)
        return 200, message

    async def _followup(self, body: Json, _files: Any, _query: Any, _app: str, token: str) -> tuple[int, Any]:
        interaction = self._by_token(token)
        if interaction["outside"] and len(interaction["followups"]) >= 5:
            raise Refused(400, 40094)
        self._check_content(body, empty=False)
        message = self._new_message(interaction["channel_id"], self.bot, body["content"], flags=body.get("flags", 0))
        content = body.get("content") or ""
        message["components"] = checked(body.get("components") or [], flags=body.get("flags", 0), content=content)
        interaction["followups"].append(message)
        return 200, message

    # --- what is where

    def _place(self, channel_id: str) -> Json:
        if channel_id not in self.channels:
            raise Refused(404, 10003)
        return self.channels[channel_id]

    def _check_right(self, channel: Json, right: int) -> None:
        """Refuse what the bot has lost the permission for."""
        if "guild_id" in channel and self.lost_rights & right:
            raise Refused(403, 50013)

    def _message(self, channel_id: str, message_id: str) -> Json:
        self._place(channel_id)
        if message_id not in self._messages.get(channel_id, {}):
            raise Refused(404, 10008)
        return self._messages[channel_id][message_id]

    def _check_content(self, body: Json, *, empty: bool) -> None:
        content = body.get("content") or ""
        if len(content.encode("utf-16-le")) // 2 > 2000:  # nobody says whether an emoji counts once or twice
            raise Refused(400, 50035)
        if not empty and not content.strip():
            raise Refused(400, 50006)

    def _new_message(self, channel_id: str, author_id: str, content: str, **more: Any) -> Json:
        channel = self._place(channel_id)
        message: Json = {
            "id": self.snowflake(),
            "type": 0,
            "channel_id": channel_id,
            "author": self.users[author_id],
            "content": content.strip(),
            "timestamp": _iso(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": self._mentions(content),
            "mention_roles": re.findall(r"<@&(\d+)>", content),
            "attachments": [],
            "embeds": [],
            "pinned": False,
            "flags": 0,
            **more,
        }
        if "guild_id" in channel:
            message |= {"guild_id": channel["guild_id"], "member": self._member(author_id)}
        self._messages.setdefault(channel_id, {})[message["id"]] = message
        if not message["flags"] & EPHEMERAL:
            channel["last_message_id"] = message["id"]
        return message

    def _mentions(self, content: str) -> list[Json]:
        ids = dict.fromkeys(re.findall(r"<@!?(\d+)>", content))
        return [{**self.users[id], "member": self._member(id)} for id in ids if id in self.users]

    def _attach(self, files: list[Json]) -> list[Json]:
        attachments = []
        for file in files:
            id = self.snowflake()
            self.files[id] = file["data"]
            url = f"{self.api_url}/files/{id}"
            attachments.append(
                {"id": id, "filename": file["filename"], "size": len(file["data"]), "url": url, "proxy_url": url}
            )
        return attachments

    def attach(self, data: bytes, name: str, media_type: str = "") -> Json:
        """Return a file as a message tells of it."""
        id = self.snowflake()
        self.files[id] = data
        root = self.api_url.removesuffix("/api/v10")
        url = f"{root}/attachments/{id}/{name.rsplit('/', 1)[-1] or 'file'}?{self.signed}"
        return {
            "id": id,
            "filename": name,
            "size": len(data),
            "content_type": media_type,
            "url": url,
            "proxy_url": url,
        }

    async def _download(self, request: web.Request) -> web.StreamResponse:
        self.downloads.append((request.path_qs, request.headers.get("Authorization", "")))
        if self.file_faults:
            return self.file_faults.pop(0)
        data = self.files.get(request.match_info["id"])
        if data is None or request.query_string != self.signed:
            return web.Response(status=404, text="This content is no longer available.")
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(data)
        return response

    async def _publish(self, event: str, message: Json) -> None:
        self._note_change()
        await self.gateway.dispatch(event, message)

    def _note_change(self) -> None:
        self._changed.set()

    def _guild(self) -> Json:
        return {
            "id": self.guild_id,
            "name": "Guild",
            "owner_id": self.alice,
            "member_count": len(self.users),
            "preferred_locale": "en-US",
            "features": [],
            "emojis": [],
            "stickers": [],
            "roles": [
                {**_role(self.guild_id, "@everyone"), "permissions": str(VIEW_CHANNEL | READ_MESSAGE_HISTORY)},
                {**_role(self.role, "weft"), "managed": True, "tags": {"bot_id": self.bot}},
            ],
            "channels": [channel for channel in self.channels.values() if "guild_id" in channel],
            "threads": [],
            "members": [self._member(self.bot, roles=[self.role]) | {"user": self.users[self.bot]}],
            "voice_states": [],
            "presences": [],
        }

    def _member(self, user_id: str, *, roles: Sequence[str] = ()) -> Json:
        return {"roles": list(roles), "joined_at": _iso(), "deaf": False, "mute": False, "flags": 0, "nick": None}

    @staticmethod
    def _user(id: str, name: str, *, bot: bool = False) -> Json:
        return {"id": id, "username": name, "global_name": None, "discriminator": "0", "avatar": None, "bot": bot}

    @staticmethod
    def _channel(id: str, type: int, **more: Any) -> Json:
        channel = {"id": id, "type": type, "position": 0, "permission_overwrites": [], "nsfw": False, "flags": 0}
        return channel | {"last_message_id": None, "topic": None, "rate_limit_per_user": 0, **more}


def _json(status: int, answer: Any, headers: dict[str, str] | None = None) -> web.Response:
    # discord.py reads JSON only from exactly this content type, without a charset
    if answer is None:
        return web.Response(status=status, headers=headers)
    body = json.dumps(answer).encode()
    return web.Response(status=status, body=body, content_type="application/json", headers=headers)


def _told(bucket: Bucket) -> dict[str, str]:
    reset = bucket.reset_after
    return {
        "X-RateLimit-Limit": str(bucket.burst),
        "X-RateLimit-Remaining": str(int(bucket.left)),
        "X-RateLimit-Reset": str(time.time() + reset),
        "X-RateLimit-Reset-After": str(reset),
        "X-RateLimit-Bucket": f"b{id(bucket)}",
    }


def _limited(bucket: Bucket, wait: float) -> web.Response:
    headers = {"Via": "1.1 google", "Retry-After": str(math.ceil(wait)), "X-RateLimit-Scope": "user", **_told(bucket)}
    body = {"message": "You are being rate limited.", "retry_after": wait, "global": False}
    return _json(429, body, headers)


def _iso() -> str:
    return datetime.now(UTC).isoformat()


def _metadata() -> Json:
    return {"archived": False, "locked": False, "auto_archive_duration": 1440, "archive_timestamp": _iso()}


def _role(id: str, name: str) -> Json:
    role = {"id": id, "name": name, "color": 0, "hoist": False, "position": 0, "permissions": "0"}
    return role | {"managed": False, "mentionable": False, "flags": 0}


Handler = Callable[..., Awaitable[tuple[int, Any]]]
_CHANNEL, _MESSAGE = r"/channels/(\d+)", r"/channels/(\d+)/messages/(\d+)"
_ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", r"/users/@me", DiscordServer._me),
    ("GET", r"/users/@me/guilds", DiscordServer._guilds),
    ("GET", r"/oauth2/applications/@me", DiscordServer._application),
    ("GET", r"/gateway/bot", DiscordServer._bot_gateway),
    ("GET", r"/applications/\d+/commands", DiscordServer._get_commands),
    ("PUT", r"/applications/\d+/commands", DiscordServer._put_commands),
    ("POST", r"/users/@me/channels", DiscordServer._open_dm),
    ("GET", r"/guilds/\d+", DiscordServer._get_guild),
    ("GET", r"/guilds/(\d+)/members/(\d+)", DiscordServer._get_member),
    ("GET", rf"{_CHANNEL}/thread-members/(\d+)", DiscordServer._get_thread_member),
    ("GET", _CHANNEL, DiscordServer._get_channel),
    ("PATCH", _CHANNEL, DiscordServer._patch_channel),
    ("POST", rf"{_CHANNEL}/typing", DiscordServer._type),
    ("GET", rf"{_CHANNEL}/messages", DiscordServer._history),
    ("POST", rf"{_CHANNEL}/messages", DiscordServer._create),
    ("GET", _MESSAGE, DiscordServer._get_message),
    ("PATCH", _MESSAGE, DiscordServer._edit),
    ("DELETE", _MESSAGE, DiscordServer._delete),
    ("POST", rf"{_MESSAGE}/threads", DiscordServer._start_thread),
    ("POST", r"/interactions/(\d+)/([^/]+)/callback", DiscordServer._callback),
    ("PATCH", r"/webhooks/(\d+)/([^/]+)/messages/(?:@|%40)original", DiscordServer._edit_original),
    ("POST", r"/webhooks/(\d+)/([^/]+)", DiscordServer._followup),
)

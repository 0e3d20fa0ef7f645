"""Slack on loopback: its Web API with its limits and errors, Socket Mode, and people who write.

    async with SlackServer() as slack:
        adapter = SlackAdapter(bot_token=slack.bot_token, signing_secret=slack.signing_secret, api_base_url=slack.url)
        ...
        sent = await slack.mention(endpoint, "How many days of leave do I have?")     # over HTTP
        sent = await slack.mention(None, "How many days of leave do I have?")         # over Socket Mode
        answers = await slack.until(lambda: slack.bot_messages("C1", sent.ts))
        slack.fail("chat.postMessage", status=429, retry_after=1)

What people do is in `tests/servers/slack_people.py`; a message is the dict that Slack would return.
"""

import asyncio
import base64
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import aiohttp
from aiohttp import web

from tests.servers.limits import Bucket
from tests.servers.loopback import Loopback
from tests.servers.slack_blocks import fault as block_fault
from tests.servers.slack_blocks import too_long, view_fault
from tests.servers.slack_people import People
from tests.servers.slack_streams import ApiError, Streams

T = TypeVar("T")
Message = dict[str, Any]


@dataclass
class Call:
    """One call of the Web API, also one that failed."""

    method: str
    args: dict[str, Any]
    at: float = field(default_factory=time.monotonic)


@dataclass
class Fault:
    """What goes wrong with the next calls of a method (`*`: of any)."""

    method: str
    times: int = 1
    status: int = 429
    error: str = ""
    """Empty: what goes with the status."""
    retry_after: int | None = None
    drop: bool = False
    done: bool = False
    """True: the call does its work, only its answer is lost."""
    hold: asyncio.Event | None = None
    """Nothing goes wrong, but the call is carried out only once this is set, also when the client has left."""


class SlackServer(People, Streams):
    """One workspace with one app; `bot_user` is the app's own user."""

    def __init__(
        self,
        *,
        bot_token: str = "xoxb-test",
        app_token: str = "xapp-test",
        signing_secret: str = "test-signing-secret",
        team: str = "T1",
        port: int = 0,
    ) -> None:
        Streams.__init__(self)
        self.bot_token, self.app_token, self.signing_secret = bot_token, app_token, signing_secret
        self.team, self.bot_user, self.bot_id = team, "U0WEFT", "B0WEFT"
        self.users = {"U1": "Alice", "U2": "Bob", self.bot_user: "Weft"}
        self.channels = {"C1": True, "C2": True, "D1": True}
        """Channel ids, and whether the app is a member."""
        self.closed: dict[str, str] = {}
        """Channels in which nothing may be posted, and what Slack says then."""
        self.ephemerals: list[dict[str, Any]] = []
        """What only one person was shown."""
        self.directs: dict[str, str] = {}
        """Direct messages that the app has opened, by person."""
        self.usergroups: dict[str, set[str]] = {}
        """Ids of people by the group that they are in; told where the scope for it is granted."""
        self.scopes = ""
        """What Slack tells of the scopes that were granted, with commas between them."""
        self.calls: list[Call] = []
        self.admins: set[str] = set()
        self.creators: dict[str, str] = {}
        self.responses: list[dict[str, Any]] = []
        """What was posted to response URLs."""
        self.files: dict[str, dict[str, Any]] = {}
        self.may_read_files: bool | str = True
        """Whether the app has the scope files:read; `page`: it has not, and a login page comes with status 200."""
        self.downloads: list[str] = []
        """What was shown as `Authorization` for each file."""
        self.file_faults: list[web.Response] = []
        """Answers that come in the place of files."""
        self.sockets: list[web.WebSocketResponse] = []
        self.connections = 0
        """How many sockets were opened so far."""
        self.acks: list[dict[str, Any]] = []
        self.page_size = 1_000
        """Messages that one call returns at most; 15 for an app that is sold outside Slack's marketplace."""
        self.members: dict[str, set[str]] = {}
        """By channel; everybody is in a channel that is not here."""
        self.private: set[str] = set()
        self.shared_outside: set[str] = set()
        """Channels that are shared with another company."""
        self.teams: dict[str, str] = {}
        """The workspaces of people from outside."""
        self.zones: dict[str, str] = {}
        """The time zones that people have set."""
        self.guests: dict[str, str] = {}
        """Guest accounts, and what Slack calls that in their profiles: `is_restricted`, `is_ultra_restricted`."""
        self.missing_scopes: set[str] = set()
        """Methods that the token has no scope for."""
        self.quota: dict[str, int] = {}
        """How many calls of a method are taken yet; then it answers 429."""
        self.limits: dict[str, tuple[int, float]] = {}
        """By method, how many calls are taken at once and how many a second; of posts in each channel."""
        self.buckets: dict[tuple[str, str], Bucket] = {}
        """What was taken of them, by method and channel."""
        self.statuses: list[dict[str, Any]] = []
        """What was shown behind the app's name."""
        self.delay = 0.0
        """Seconds that every call takes."""
        self.holds: dict[str, asyncio.Event] = {}
        """Methods that answer only once their event is set."""
        self.installs: dict[str, dict[str, Any]] = {}
        """Further tokens that are good, and what `auth.test` says to them."""
        self.grants: dict[str, dict[str, Any]] = {}
        """What a code of an installation, or a refresh token, is exchanged for, once."""
        self.agent = True
        """Whether the app is declared an agent."""
        self.sessions: list[dict[str, Any]] = []
        self.prompts: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        """Modals that were opened, in order."""
        self.homes: dict[str, dict[str, Any]] = {}
        """What each person's home tab shows."""
        self.triggers: set[str] = set()
        """Ids that a modal may be opened with, once."""
        self.locales: dict[str, str] = {}
        self._store: dict[str, dict[str, Message]] = defaultdict(dict)
        self._threads: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._faults: list[Fault] = []
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._last_ts = 0
        self._changed = asyncio.Event()
        self._port = port

    # --- life

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_route("*", "/api/{method}", self._api)
        app.router.add_get("/socket", self._socket)
        app.router.add_post("/upload/{id}", self._upload)
        app.router.add_get("/files-pri/{id}/{name}", self._download)
        app.router.add_post("/respond/{id}", self._respond)
        self._loopback = Loopback(app, access_log=None, shutdown_timeout=0.1)
        self.root = f"http://127.0.0.1:{await self._loopback.start(self._port)}"
        self.url = f"{self.root}/api/"
        self.http = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=200))
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.http.close()
        for socket in self.sockets:
            await socket.close()
        await self._loopback.stop()

    # --- what a test looks at

    def messages(self, channel: str, thread: str | None = None) -> list[Message]:
        """All messages of a channel, or of one thread with the message it hangs below."""
        if thread is None:
            return list(self._store[channel].values())
        return [self._store[channel][ts] for ts in self._threads[channel, thread] if ts in self._store[channel]]

    def bot_messages(self, channel: str, thread: str | None = None) -> list[Message]:
        """The app's own messages, in order."""
        return [m for m in self.messages(channel, thread) if m.get("user") == self.bot_user]

    def called(self, method: str) -> list[Call]:
        """All calls of a method, in order."""
        return [call for call in self.calls if call.method == method]

    async def until(self, look: Callable[[], T], timeout: float = 120.0) -> T:
        """Wait until `look` gives something true, looking again after every change, and return it."""
        async with asyncio.timeout(timeout):
            while not (found := look()):
                self._changed.clear()
                try:  # what is waited for may rest on more than this server
                    await asyncio.wait_for(self._changed.wait(), 0.02)
                except TimeoutError:
                    continue
        return found

    def fail(self, method: str, **fault: Any) -> None:
        """Let the next calls of a method fail, see `Fault`."""
        self._faults.append(Fault(method, **fault))

    # --- Web API

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        args = await _arguments(request)
        self.calls.append(Call(method, args))
        if method in self.quota:
            self.quota[method] -= 1
            if self.quota[method] < 0:
                return self._broken(request, Fault(method, retry_after=60))
        await asyncio.sleep(self.delay)
        if (wait := self._limited(method, str(args.get("channel", "")))) > 0:
            return self._broken(request, Fault(method, status=429, retry_after=math.ceil(wait)))
        if method in self.holds:
            self.tick()
            await self.holds[method].wait()
        fault = next((f for f in self._faults if f.method in (method, "*")), None)
        if fault is not None:
            fault.times -= 1
            if fault.times <= 0:
                self._faults.remove(fault)
            if fault.hold is not None:
                self.tick()
                await fault.hold.wait()
            elif not fault.done:
                return self._broken(request, fault)
        try:
            body: dict[str, Any] = {"ok": True, **self._dispatch(method, args, request)}
        except ApiError as error:
            body = {"ok": False, "error": str(error)}
        self.tick()
        if fault is not None and fault.hold is None:
            return self._broken(request, fault)
        return web.json_response(body, headers={"x-oauth-scopes": self.scopes} if self.scopes else {})

    def _limited(self, method: str, channel: str) -> float:
        if method not in self.limits:
            return 0.0
        key = method, channel if method == "chat.postMessage" else ""
        return self.buckets.setdefault(key, Bucket(*self.limits[method])).take()

    def _broken(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        self.tick()
        if fault.drop:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)
        if fault.status == 404:
            return web.Response(status=404, text="<html>no such page</html>", content_type="text/html")
        headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
        error = fault.error or ("ratelimited" if fault.status == 429 else "internal_error")
        return web.json_response({"ok": False, "error": error}, status=fault.status, headers=headers)

    def _dispatch(self, method: str, args: dict[str, Any], request: web.Request) -> dict[str, Any]:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or args.get("token", "")
        if token.startswith("Basic "):  # how an app, and no bot, says who it is
            args["client_id"], _, args["client_secret"] = base64.b64decode(token[6:]).decode().partition(":")
        self._as = token
        good = {self.app_token} if method == "apps.connections.open" else {self.bot_token, *self.installs}
        if token not in good and method != "oauth.v2.access":
            raise ApiError("invalid_auth" if token else "not_authed")
        if method in self.missing_scopes:
            raise ApiError("missing_scope")
        handler = getattr(self, "_" + method.replace(".", "_"), None)
        if handler is None:
            raise ApiError("unknown_method")
        result: dict[str, Any] = handler(args)
        return result

    def _auth_test(self, args: dict[str, Any]) -> dict[str, Any]:
        return {
            "url": "https://test.slack.com/",
            "team": "Test",
            "team_id": self.team,
            "user": "weft",
            "user_id": self.bot_user,
            "bot_id": self.bot_id,
            **self.installs.get(self._as, {}),
        }

    def _oauth_v2_access(self, args: dict[str, Any]) -> dict[str, Any]:
        if not args.get("client_id") or args.get("client_secret") != "client-secret":
            raise ApiError("bad_client_secret")
        refresh = args.get("grant_type") == "refresh_token"
        grant = self.grants.pop(str(args.get("refresh_token" if refresh else "code") or ""), None)
        if grant is None:
            raise ApiError("invalid_refresh_token" if refresh else "invalid_code")
        team = grant.get("team") or {}
        self.installs[grant["access_token"]] = {"team_id": team.get("id") or "E1", "team": team.get("name", "Org")}
        return {"token_type": "bot", "bot_user_id": self.bot_user, "app_id": "A1", "authed_user": {"id": "U1"}, **grant}

    def _assistant_threads_setStatus(self, args: dict[str, Any]) -> dict[str, Any]:
        if not args.get("thread_ts"):
            raise ApiError("invalid_arguments")
        self.statuses.append(args)
        return {}

    def _assistant_threads_setSuggestedPrompts(self, args: dict[str, Any]) -> dict[str, Any]:
        self._readable({"channel": args.get("channel_id")})
        prompts = args.get("prompts")
        if not isinstance(prompts, list) or not 0 < len(prompts) <= 4:
            raise ApiError("invalid_arguments")
        if any(set(each) != {"title", "message"} or not all(each.values()) for each in prompts):
            raise ApiError("invalid_arguments")
        self.prompts.append(args)
        return {}

    def _agents_sessions_setStatus(self, args: dict[str, Any]) -> dict[str, Any]:
        if not self.agent:
            raise ApiError("app_not_agent")
        self._readable({"channel": args.get("channel_id")})
        if args.get("status") not in ("active", "processing", "suspended", "closed") or not args.get("thread_ts"):
            raise ApiError("invalid_arguments")
        if len(args.get("title", "")) > 200:
            raise ApiError("invalid_arguments")
        self.sessions.append(args)
        return {"session": {}}

    def _views_open(self, args: dict[str, Any]) -> dict[str, Any]:
        trigger = str(args.get("trigger_id", ""))
        if trigger not in self.triggers:
            raise ApiError("expired_trigger_id" if trigger else "invalid_arguments")
        self.triggers.remove(trigger)
        if view_fault(args["view"]) or args["view"]["type"] != "modal":
            raise ApiError("invalid_arguments")
        view = {"id": f"V{len(self.views) + 1}", **args["view"]}
        self.views.append(view)
        return {"view": view}

    def _views_publish(self, args: dict[str, Any]) -> dict[str, Any]:
        if args.get("user_id") not in self.users:
            raise ApiError("user_not_found")
        if view_fault(args["view"]) or args["view"]["type"] != "home":
            raise ApiError("invalid_arguments")
        self.homes[args["user_id"]] = args["view"]
        return {"view": args["view"]}

    def _chat_postEphemeral(self, args: dict[str, Any]) -> dict[str, Any]:
        channel = self._readable(args)
        if not self.channels[channel] or self.closed.get(channel) == "is_archived":
            raise ApiError(self.closed.get(channel, "not_in_channel"))
        _check_content(args, text_limit=None)
        self.ephemerals.append(args)
        return {"message_ts": self.next_ts()}

    def _chat_postMessage(self, args: dict[str, Any]) -> dict[str, Any]:
        if args.get("channel") in self.users:  # the direct messages with a person
            args = {**args, "channel": self.directs.setdefault(args["channel"], f"D9{args['channel']}")}
            self.channels[args["channel"]] = True
        channel = self._writable(args)
        _check_content(args, text_limit=None)
        thread = args.get("thread_ts")
        if thread and not self.messages(channel, thread):
            raise ApiError("thread_not_found")
        message = self.add(
            channel,
            self.bot_user,
            str(args.get("text", ""))[:40_000],
            thread,
            bot_id=self.bot_id,
            **{key: args[key] for key in ("blocks", "metadata") if args.get(key)},
        )
        return {"channel": channel, "ts": message["ts"], "message": message}

    def _chat_update(self, args: dict[str, Any]) -> dict[str, Any]:
        message = self._own(args, "cant_update_message")
        if self._is_streamed(message):
            raise ApiError("streaming_state_conflict")
        _check_content(args, text_limit=4_000)
        message.update({key: args[key] for key in ("text", "blocks", "metadata") if key in args})
        message["edited"] = {"user": self.bot_user, "ts": self.next_ts()}
        return {"channel": args["channel"], "ts": message["ts"], "text": message["text"]}

    def _chat_delete(self, args: dict[str, Any]) -> dict[str, Any]:
        message = self._own(args, "cant_delete_message")
        if self._is_streamed(message):
            raise ApiError("streaming_state_conflict")
        del self._store[args["channel"]][message["ts"]]
        return {"channel": args["channel"], "ts": message["ts"]}

    def _conversations_replies(self, args: dict[str, Any]) -> dict[str, Any]:
        channel, thread = self._joined(args), str(args.get("ts", ""))
        if not self.messages(channel, thread):  # a deleted message with replies leaves a tombstone, and its thread
            raise ApiError("thread_not_found")
        thread = self._store[channel].get(thread, {}).get("thread_ts", thread)
        found = [m for m in self.messages(channel, thread) if m["ts"] == thread or _within(m, args)]
        return self._page(found, args)

    def _conversations_history(self, args: dict[str, Any]) -> dict[str, Any]:
        channel = self._writable(args)
        found = [m for m in self.messages(channel) if _within(m, args)]
        return self._page([m for m in reversed(found) if m.get("thread_ts") in (None, m["ts"])], args)

    def _page(self, found: list[Message], args: dict[str, Any]) -> dict[str, Any]:
        hidden = () if str(args.get("include_all_metadata")) in ("1", "True", "true") else ("metadata",)
        found, more = _pages(found, args, self.page_size)
        page = [{k: v for k, v in m.items() if k not in hidden} for m in found]
        return {"messages": page, "has_more": bool(more), "response_metadata": {"next_cursor": more}}

    def _users_info(self, args: dict[str, Any]) -> dict[str, Any]:
        name = self.users.get(str(args.get("user")))
        if name is None:
            raise ApiError("user_not_found")
        rights: dict[str, Any] = {"is_admin": True} if args["user"] in self.admins else {}
        rights |= {self.guests[args["user"]]: True} if args["user"] in self.guests else {}
        rights |= {"tz": self.zones[args["user"]]} if args["user"] in self.zones else {}
        rights["team_id"] = self.teams.get(args["user"], self.team)
        if str(args.get("include_locale")) in ("1", "True", "true"):
            rights["locale"] = self.locales.get(args["user"], "en-US")
        return {"user": {"id": args["user"], "name": name.lower(), "profile": {"display_name": name}, **rights}}

    def _conversations_info(self, args: dict[str, Any]) -> dict[str, Any]:
        channel = self._readable(args)
        kind = {"is_channel": not channel.startswith("D"), "is_private": channel in self.private}
        kind["is_ext_shared"] = channel in self.shared_outside
        return {"channel": {"id": channel, "creator": self.creators.get(channel, "U0"), **kind}}

    def _usergroups_users_list(self, args: dict[str, Any]) -> dict[str, Any]:
        if "usergroups:read" not in self.scopes.split(","):
            raise ApiError("missing_scope")
        return {"users": sorted(self.usergroups.get(str(args.get("usergroup")), ()))}

    def _conversations_members(self, args: dict[str, Any]) -> dict[str, Any]:
        members = sorted(self.members.get(self._readable(args), set(self.users)))
        page, more = _pages(members, args, 1_000)
        return {"members": page, "response_metadata": {"next_cursor": more}}

    def _users_list(self, args: dict[str, Any]) -> dict[str, Any]:
        people = [
            {"id": id, "name": name.lower(), "profile": {"display_name": name}} for id, name in self.users.items()
        ]
        page, more = _pages(people, args, 1_000)
        return {"members": page, "response_metadata": {"next_cursor": more}}

    def _apps_connections_open(self, args: dict[str, Any]) -> dict[str, Any]:
        return {"url": f"{self.root.replace('http', 'ws', 1)}/socket?ticket={len(self.calls)}"}

    def _files_getUploadURLExternal(self, args: dict[str, Any]) -> dict[str, Any]:
        file = f"F{len(self.files) + 1}"
        self.files[file] = {"id": file, "name": args["filename"], "alt": args.get("alt_txt"), "content": b""}
        return {"file_id": file, "upload_url": f"{self.root}/upload/{file}"}

    def _files_completeUploadExternal(self, args: dict[str, Any]) -> dict[str, Any]:
        wanted = args["files"] if isinstance(args["files"], list) else json.loads(args["files"])
        files = [{"id": f["id"], "name": self.files[f["id"]]["name"], "title": f.get("title")} for f in wanted]
        channel = self._writable({"channel": args["channel_id"]})
        self.add(channel, self.bot_user, "", args.get("thread_ts"), bot_id=self.bot_id, files=files)
        return {"files": files}

    def _files_info(self, args: dict[str, Any]) -> dict[str, Any]:
        file = self.files.get(str(args["file"]))
        if file is None:
            raise ApiError("file_not_found")
        return {"file": {key: value for key, value in file.items() if key != "content"}}

    def _files_delete(self, args: dict[str, Any]) -> dict[str, Any]:
        if self.files.pop(str(args["file"]), None) is None:
            raise ApiError("file_not_found")
        for messages in self._store.values():
            for ts, message in list(messages.items()):
                if any(file["id"] == args["file"] for file in message.get("files", ())):
                    del messages[ts]
        return {}

    def _readable(self, args: dict[str, Any]) -> str:
        channel = str(args.get("channel", ""))
        if channel not in self.channels or (channel in self.private and not self.channels[channel]):
            raise ApiError("channel_not_found")
        return channel

    def _joined(self, args: dict[str, Any]) -> str:
        channel = self._readable(args)
        if not self.channels[channel]:
            raise ApiError("not_in_channel")
        return channel

    def _writable(self, args: dict[str, Any]) -> str:
        channel = self._joined(args)
        if channel in self.closed:
            raise ApiError(self.closed[channel])
        return channel

    def _own(self, args: dict[str, Any], refusal: str) -> Message:
        message = self._store[self._readable(args)].get(str(args.get("ts")))
        if message is None:
            raise ApiError("message_not_found")
        if message.get("user") != self.bot_user:
            raise ApiError(refusal)
        return message

    # --- what people's part needs

    def add(self, channel: str, user: str, text: str, thread: str | None = None, **more: Any) -> Message:
        """Put a message into a channel."""
        team = self.teams.get(user, self.team)
        message: Message = {"type": "message", "user": user, "team": team, "text": text, "ts": self.next_ts()}
        if team != self.team:
            message |= {"user_team": team, "source_team": team}
        message |= more
        if thread:
            message["thread_ts"] = thread
        self._store[channel][message["ts"]] = message
        self._threads[channel, thread or message["ts"]].append(message["ts"])
        self.tick()
        return message

    def remove(self, channel: str, ts: str) -> Message | None:
        """Take a message out of a channel."""
        self.tick()
        return self._store[channel].pop(ts, None)

    def next_ts(self) -> str:
        """Return a time stamp that is later than every one before."""
        self._last_ts = max(self._last_ts + 1, int(time.time() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def tick(self) -> None:
        """Wake those who wait for something to happen."""
        self._changed.set()

    # --- Socket Mode, files, response URLs

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": len(self.sockets) + 1})
        self.sockets.append(socket)
        self.connections += 1
        self.tick()
        try:
            async for frame in socket:
                if frame.type is aiohttp.WSMsgType.TEXT:
                    ack = json.loads(frame.data)
                    self.acks.append(ack)
                    waiting = self._waiting.pop(ack.get("envelope_id", ""), None)
                    if waiting is not None and not waiting.done():
                        waiting.set_result(ack)
                    self.tick()
        finally:
            self.sockets.remove(socket)
            self.tick()
        return socket

    async def push(self, payload: dict[str, Any], kind: str = "events_api", *, timeout: float = 60.0) -> Any:
        """Send an envelope down the latest socket; return its ack, or None when none came in time."""
        await self.until(lambda: self.sockets)
        envelope = f"E{len(self.acks)}-{self.next_ts()}"
        waiting = self._waiting[envelope] = asyncio.get_running_loop().create_future()
        await self.sockets[-1].send_json(
            {"envelope_id": envelope, "type": kind, "payload": payload, "accepts_response_payload": True}
        )
        try:
            return await asyncio.wait_for(waiting, timeout)
        except TimeoutError:
            return None

    async def refresh_sockets(self) -> None:
        """Ask every socket to come again, as Slack does every few hours."""
        for socket in list(self.sockets):
            await socket.send_json({"type": "disconnect", "reason": "refresh_requested"})

    async def close_sockets(self) -> None:
        """Close every socket."""
        for socket in list(self.sockets):
            await socket.close()

    async def _upload(self, request: web.Request) -> web.Response:
        self.files[request.match_info["id"]]["content"] = await request.read()
        return web.Response(text="OK")

    def attach(self, data: bytes, name: str, media_type: str = "", **more: Any) -> dict[str, Any]:
        """Return a file as the events of its message tell of it."""
        identity = f"F{len(self.files) + 1}"
        address = f"{self.root}/files-pri/{self.team}-{identity}/{name.rsplit('/', 1)[-1] or 'file'}"
        told = {
            "id": identity,
            "name": name,
            "mimetype": media_type,
            "size": len(data),
            "url_private_download": address,
        }
        self.files[identity] = {**told, "content": data, **more}
        return {**told, **more}

    async def _download(self, request: web.Request) -> web.StreamResponse:
        shown = request.headers.get("Authorization", "")
        self.downloads.append(shown)
        if self.file_faults:
            return self.file_faults.pop(0)
        file = self.files.get(request.match_info["id"].partition("-")[2])
        if shown != f"Bearer {self.bot_token}" or self.may_read_files is not True:
            if self.may_read_files == "page":
                return web.Response(text="<!DOCTYPE html><html><title>Sign in</title>", content_type="text/html")
            return web.Response(status=302, headers={"Location": f"{self.root}/login"})
        if file is None:
            return web.Response(status=404, text="<html>no such file</html>", content_type="text/html")
        response = web.StreamResponse(headers={"Content-Disposition": "attachment"})
        response.content_type = file["mimetype"] or "application/octet-stream"
        if file.get("announced", True):
            response.content_length = len(file["content"])
        await response.prepare(request)
        await response.write(file["content"])
        return response

    async def _respond(self, request: web.Request) -> web.Response:
        self.responses.append({"id": request.match_info["id"], **await request.json()})
        self.tick()
        return web.Response(text="ok")


def _within(message: Message, args: dict[str, Any]) -> bool:
    at, oldest, latest = (float(each or 0) for each in (message["ts"], args.get("oldest"), args.get("latest")))
    if str(args.get("inclusive")) in ("1", "True", "true") and at in (oldest, latest):
        return True
    return at > oldest and (not latest or at < latest)


def _pages(found: list[Any], args: dict[str, Any], most: int) -> tuple[list[Any], str]:
    """Return a page, and the cursor of the next one. Cursors are opaque: a client that counts gets nowhere."""
    start = int((args.get("cursor") or "next:0").removeprefix("next:"))
    limit = min(int(args.get("limit") or 100), most)
    return found[start : start + limit], f"next:{start + limit}" if start + limit < len(found) else ""


async def _arguments(request: web.Request) -> dict[str, Any]:
    """Return the arguments of a call, from query, form or JSON, as Slack takes them."""
    args: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        args |= json.loads(await request.text() or "{}")
    elif request.can_read_body:
        args |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    for name in ("blocks", "metadata", "chunks", "view", "prompts"):
        if isinstance(args.get(name), str):
            args[name] = json.loads(args[name])
    return args


def _check_content(args: dict[str, Any], *, text_limit: int | None) -> None:
    text, blocks = args.get("text") or "", args.get("blocks") or []
    if not text and not blocks:
        raise ApiError("no_text")
    if text_limit is not None and len(text) > text_limit:
        raise ApiError("msg_too_long")
    if block_fault(blocks):
        raise ApiError("invalid_blocks")
    if too_long(blocks):
        raise ApiError("msg_blocks_too_long")

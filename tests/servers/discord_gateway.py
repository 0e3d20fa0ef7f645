"""The gateway half of the loopback Discord: HELLO, IDENTIFY, RESUME, heartbeats, and events by intent."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT = 1 << 9, 1 << 12, 1 << 15
GUILD_REACTIONS, DIRECT_REACTIONS = 1 << 10, 1 << 13

Json = dict[str, Any]


@dataclass
class Session:
    """What one IDENTIFY began: it outlives its socket, so that RESUME can replay what was missed."""

    id: str
    intents: int
    events: list[Json] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None
    shard: list[int] | None = None

    def hears(self, guild_id: str | None) -> bool:
        """Tell whether events of a server come here; direct messages (None) come to the first shard."""
        if self.shard is None:
            return True
        number, total = self.shard
        return (int(guild_id) >> 22) % total == number if guild_id else number == 0


class Gateway:
    def __init__(self, *, token: str, bot: Json, guild: Json) -> None:
        self.token, self.bot, self.guild = token, bot, guild
        self.url = ""
        self.heartbeat_ms = 41_250
        self.down = False
        self.admits = asyncio.Event()
        """While it is not set, who identifies waits."""
        self.admits.set()
        self.greets = asyncio.Event()
        """While it is not set, who connects is told nothing."""
        self.greets.set()
        self.ungreeted = 0
        """How many connected meanwhile."""
        self.mute_shards: set[int] = set()
        """Shards that never get a READY."""
        self.refuse_intents = 0
        """Intents that are not switched on in the portal: close 4014."""
        self.sessions: list[Session] = []
        self.received: list[Json] = []
        """Everything that clients sent, the oldest first."""

    @property
    def open_sessions(self) -> list[Session]:
        return [session for session in self.sessions if session.socket is not None]

    def count(self, op: int) -> int:
        """How many messages of this opcode clients sent: 2 IDENTIFY, 6 RESUME, 1 heartbeat."""
        return sum(message["op"] == op for message in self.received)

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        if self.down:
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.ungreeted += not self.greets.is_set()
        await self.greets.wait()
        await socket.send_str(json.dumps({"op": 10, "d": {"heartbeat_interval": self.heartbeat_ms}}))
        session: Session | None = None
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            message = json.loads(frame.data)
            self.received.append(message)
            if message["op"] == 1:
                await socket.send_str(json.dumps({"op": 11, "d": None}))
            elif message["op"] == 2:
                session = await self._identify(socket, message["d"])
            elif message["op"] == 6:
                session = await self._resume(socket, message["d"])
        if session is not None and session.socket is socket:
            session.socket = None
        return socket

    async def _identify(self, socket: web.WebSocketResponse, wanted: Json) -> Session | None:
        if wanted["token"] != self.token:
            await socket.close(code=4004, message=b"Authentication failed.")
            return None
        if wanted["intents"] & self.refuse_intents:
            await socket.close(code=4014, message=b"Disallowed intent(s).")
            return None
        await self.admits.wait()
        shard = wanted.get("shard")
        if shard is not None and shard[0] in self.mute_shards:
            return None
        session = Session(id=f"session-{self.count(2)}", intents=wanted["intents"], socket=socket, shard=shard)
        mine = session.hears(self.guild["id"])
        await self._send(
            session,
            "READY",
            {
                "v": 10,
                "user": self.bot,
                "guilds": [{"id": self.guild["id"], "unavailable": True}] if mine else [],
                "session_id": session.id,
                "resume_gateway_url": self.url,
                "application": {"id": self.bot["id"], "flags": 0},
                **({"shard": shard} if shard is not None else {}),
            },
        )
        if mine:
            await self._send(session, "GUILD_CREATE", {**self.guild, "unavailable": False})
        self.sessions.append(session)
        return session

    async def _resume(self, socket: web.WebSocketResponse, wanted: Json) -> Session | None:
        session = next((session for session in self.sessions if session.id == wanted["session_id"]), None)
        if session is None or wanted["token"] != self.token:
            await socket.send_str(json.dumps({"op": 9, "d": False}))
            return None
        session.socket = socket
        for event in session.events[int(wanted["seq"] or 0) :]:
            await socket.send_str(json.dumps(event))
        await self._send(session, "RESUMED", {})
        return session

    async def _send(self, session: Session, name: str, data: Mapping[str, Any]) -> None:
        event = {"op": 0, "s": len(session.events) + 1, "t": name, "d": dict(data)}
        session.events.append(event)
        if session.socket is not None and not session.socket.closed:
            await session.socket.send_str(json.dumps(event))

    async def dispatch(self, name: str, data: Mapping[str, Any]) -> None:
        """Send an event to every session whose intents ask for it."""
        for session in self.sessions:
            if not session.hears(data["id"] if name in ("GUILD_CREATE", "GUILD_DELETE") else data.get("guild_id")):
                continue
            if name.startswith("MESSAGE_"):
                reaction = name.startswith("MESSAGE_REACTION_")
                guild, direct = (GUILD_REACTIONS, DIRECT_REACTIONS) if reaction else (GUILD_MESSAGES, DIRECT_MESSAGES)
                needed = guild if "guild_id" in data else direct
                if not session.intents & needed:
                    continue
            await self._send(session, name, self._for(session, name, data))

    def _for(self, session: Session, name: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Blank the content of messages that are not addressed to a bot without the content intent."""
        if name not in ("MESSAGE_CREATE", "MESSAGE_UPDATE") or session.intents & MESSAGE_CONTENT:
            return data
        own = data["author"]["id"] == self.bot["id"]
        addressed = any(user["id"] == self.bot["id"] for user in data["mentions"])
        if own or addressed or "guild_id" not in data:
            return data
        return {**data, "content": "", "attachments": [], "embeds": []}

    # --- what goes wrong

    async def drop(self, code: int = 4000) -> None:
        """Close every socket; its session can be resumed."""
        for session in self.open_sessions:
            assert session.socket is not None
            socket, session.socket = session.socket, None
            await socket.close(code=code)

    async def time_out(self) -> None:
        """End every session as one that was silent for too long: close 4009, and a RESUME of it is refused."""
        sessions, self.sessions = self.open_sessions, []
        for session in sessions:
            assert session.socket is not None
            await session.socket.close(code=4009, message=b"Session timed out.")

    async def ask_to_reconnect(self) -> None:
        for session in self.open_sessions:
            assert session.socket is not None
            await session.socket.send_str(json.dumps({"op": 7, "d": None}))

    async def invalidate(self) -> None:
        """Forget every session: a RESUME of it gets INVALID_SESSION."""
        sessions, self.sessions = self.open_sessions, []
        for session in sessions:
            assert session.socket is not None
            await session.socket.send_str(json.dumps({"op": 9, "d": False}))

"""Several connections to Discord's gateway in one process, each for its share of the servers."""

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import discord
from discord.state import AutoShardedConnectionState

from adapters.discord.gateway import Gateway
from agent.errors import SettingsError

logger = logging.getLogger(__name__)

MOST = 1_000
"""Shards that a setting may name."""
SHARD_PATIENCE = 90.0
"""Seconds after which a shard that is not ready is told."""
_AGAIN = 1.0
"""Seconds after which somebody who was told to end is told again."""


@dataclass(frozen=True, slots=True)
class Shards:
    """Which connections this process holds, of how many; `total` None: as many as Discord recommends."""

    total: int | None = None
    here: tuple[int, ...] = ()
    """Empty: all of them."""

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read `4`, `0-1/4` or `auto`; None for nothing, which is one connection. Raises SettingsError."""
        text = text.strip().lower()
        if not text or text == "1":
            return None
        if text == "auto":
            return cls()
        found = re.fullmatch(r"(?:(\d{1,4})(?:-(\d{1,4}))?/)?(\d{1,4})", text)
        if found is not None:
            total, first = int(found[3]), int(found[1] or 0)
            last = int(found[2] or found[1] or int(found[3]) - 1)
            if 1 <= total <= MOST and first <= last < total:
                return cls(total, tuple(range(first, last + 1)) if found[1] else ())
        raise SettingsError(
            f"WEFT_DISCORD_SHARDS is {text!r}: write how many connections this process holds (4), which of them it "
            f"holds (0-1/4), or auto"
        )


class _ShardsApart(AutoShardedConnectionState[Any]):
    """discord.py's state, in which a session of one shard ends no other's wait to be ready.

    Its own way gathers these waits, and cancels all of them whenever a shard begins anew: `shard_ready` of the others
    is then never told (discord.py 2.7.1, `state.py`, `_delay_ready` and `parse_ready`).
    """

    async def _delay_ready(self) -> None:
        await asyncio.wait(self._ready_tasks.values())
        self._ready_task = None
        self._ready_tasks = {}
        self.call_handlers("ready")
        self.dispatch("ready")


class ShardedGateway(Gateway, discord.AutoShardedClient):
    """The client with several connections. One that does not get ready does not hold up the others."""

    def __init__(self, *, shards: Shards, **options: Any) -> None:
        super().__init__(shard_count=shards.total, shard_ids=list(shards.here) or None, **options)
        self._ready_shards: set[int] = set()

    @property
    def ever_connected(self) -> bool:
        """True once there was a socket."""
        return bool(self.shards)

    async def connect(self, *, reconnect: bool = True) -> None:
        """Stay connected until cancelled.

        discord.py keeps a cancellation to itself while a connection is made anew, and stays (2.7.1, `shard.py`,
        `reidentify` and `reconnect`): it is told until it ends.
        """
        staying = asyncio.create_task(super().connect(reconnect=reconnect))
        try:
            await asyncio.wait({staying})
        finally:
            while not staying.done():
                staying.cancel()
                await asyncio.wait({staying}, timeout=_AGAIN)
        await staying

    async def close(self) -> None:
        """Let go of everything, also of what waits for the servers of sessions that have just begun."""
        waiting: dict[int, asyncio.Task[None]] = self._connection._ready_tasks
        for task in waiting.values():
            task.cancel()
        await super().close()

    async def hang_up(self) -> None:
        """Close every connection."""
        for shard in self.shards.values():
            await shard.disconnect()

    async def on_connect(self) -> None:
        """Do nothing: each connection has a session of its own."""

    async def on_shard_connect(self, shard_id: int) -> None:
        """Note that a session of one shard begins: what was said in its servers is to be read."""
        self.attendance.session_began(self.guilds, lambda guild: self._shard_of(guild) == shard_id)

    async def on_shard_ready(self, shard_id: int) -> None:
        """Read what was missed in the servers of a shard; direct messages are those of the first."""
        self._ready_shards.add(shard_id)
        await self.attendance.catch_up(
            [g for g in self.guilds if self._shard_of(g.id) == shard_id], directs=shard_id == 0
        )

    async def on_ready(self) -> None:
        """Tell how far Weft is heard."""
        self.tell_ready()

    async def look_after(self) -> None:
        """Tell which connections are not ready though they had their time, once."""
        await asyncio.sleep(SHARD_PATIENCE)
        wanted: Sequence[int] = self.shard_ids or range(self.shard_count or 0)
        late = [str(id) for id in wanted if id not in self._ready_shards]
        if late:
            facts = {"action": "discord_shards_late", "shards": ",".join(late)}
            about = "Discord's shards %s of %s are not ready: their servers are not heard until they are."
            logger.warning(about, ", ".join(late), self.shard_count, extra=facts)

    def _get_state(self, **options: Any) -> AutoShardedConnectionState[Any]:
        return _ShardsApart(
            dispatch=self.dispatch, handlers=self._handlers, hooks=self._hooks, http=self.http, **options
        )

    def _shard_of(self, guild_id: int) -> int:
        return (guild_id >> 22) % (self.shard_count or 1)

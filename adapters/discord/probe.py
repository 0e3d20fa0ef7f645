"""What Discord says of the application, asked without changing anything: for `weft doctor`."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import discord
from discord.http import Route

from adapters.discord import command
from adapters.discord.errors import translated

WANTED = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    attach_files=True,
    read_message_history=True,
)
"""What Weft needs in a server."""
_NAMES = {
    "view_channel": "View Channels",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "create_public_threads": "Create Public Threads",
    "attach_files": "Attach Files",
    "read_message_history": "Read Message History",
}
_CONTENT = (1 << 18) | (1 << 19)
"""The application's flags for the message content intent, of a verified and of a small one."""
_PAGE = 200  # servers that Discord lists at once


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Who the token is, and what it may do."""

    user: str
    application_id: str
    reads_content: bool
    """Whether the message content intent is switched on."""
    servers: Mapping[str, tuple[str, ...]]
    """By name and id, the permissions that Weft lacks there; a channel may take away more."""
    registered: bool
    """Whether `/ask` is there as it should be."""

    @property
    def invitation(self) -> str:
        """The address at which somebody who manages a server gives Weft what it needs there."""
        return invitation(self.application_id)


async def probe(token: str, base_url: str, *, seconds: float) -> Found:
    """Ask who the token is and what it may do. Raises DeliveryError, SettingsError for a wrong token."""
    Route.BASE = base_url.rstrip("/") or "https://discord.com/api/v10"
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    client = discord.Client(intents=discord.Intents(guilds=True), max_ratelimit_timeout=30.0)
    try:
        with translated():
            async with asyncio.timeout(seconds):
                await client.login(token)
                ask = client.http.request
                application: Any = await ask(Route("GET", "/oauth2/applications/@me"))
                servers: list[Any] = await ask(Route("GET", "/users/@me/guilds"), params={"limit": _PAGE})
                registered = await command.is_registered(client)
    finally:
        await client.close()
        await asyncio.sleep(0)  # the transports close in the next round of the loop
    return Found(
        user=str(client.user),
        application_id=str(application["id"]),
        reads_content=bool(int(application.get("flags", 0)) & _CONTENT),
        servers={f"{server['name']} ({server['id']})": lacking(int(server["permissions"])) for server in servers},
        registered=registered,
    )


def invitation(application_id: str) -> str:
    """Return the address at which somebody who manages a server gives Weft what it needs there."""
    scope = "scope=bot+applications.commands"
    query = f"client_id={application_id}&{scope}&permissions={WANTED.value}"
    return f"https://discord.com/oauth2/authorize?{query}"


def lacking(value: int) -> tuple[str, ...]:
    """Return the names of the permissions that are wanted and not among these."""
    has = discord.Permissions(value)
    return () if has.administrator else tuple(name for each, name in _NAMES.items() if not getattr(has, each))

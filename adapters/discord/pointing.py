"""What a Discord message points at, and the words of messages that were read: no network."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import discord

from agent.types import Author, Pointer, Said

Json = Mapping[str, Any]

POINTERS = 3
"""Of one message that are followed."""
STARTER = 21
"""The type of the notice with which a thread begins that was made from a message; it refers to that one."""
_WRITTEN = (0, 19, 20, 23)
"""Types of what somebody wrote: a message, a reply, what a command or a context menu answered."""
_DEEP = 5
"""Forwarded messages within forwarded messages that are opened."""
_LINK = re.compile(r"https://(?:(?:ptb|canary)\.)?discord(?:app)?\.com/channels/(\d{1,20}|@me)/(\d{1,20})/(\d{1,20})")


def pointers_of(message: discord.Message, me: int) -> tuple[Pointer, ...]:
    """Return the message that one replies to, what it holds as forwarded, and what its text links to, each once.

    A reply to Weft itself points at nothing: it goes on.
    """
    found: list[Pointer] = []
    reference = message.reference
    if reference is not None and reference.type is discord.MessageReferenceType.forward:
        here = str(message.channel.id)
        found.append(Pointer(kind="forward", channel_id=here, message_id=str(message.id)))
    elif reference is not None and reference.message_id is not None and not _is_mine(reference, me):
        found.append(Pointer(kind="reply", channel_id=str(reference.channel_id), message_id=str(reference.message_id)))
    return tuple(dict.fromkeys([*found, *linked(message.content)]))[:POINTERS]


def linked(text: str) -> list[Pointer]:
    """Return the messages that a text links to."""
    return [
        Pointer(kind="link", workspace_id=guild, channel_id=channel, message_id=message)
        for guild, channel, message in _LINK.findall(text)
    ]


def _is_mine(reference: discord.MessageReference, me: int) -> bool:
    found = reference.resolved
    return isinstance(found, discord.Message) and found.author.id == me


def is_written(message: Json) -> bool:
    """Tell whether somebody wrote a message, be it a person or a bot."""
    return message.get("type") in _WRITTEN


def names_in(message: Json) -> dict[int, str]:
    """Return what the people are called that a message mentions."""
    return {int(user["id"]): name_of(user) for user in message.get("mentions") or ()}


def name_of(user: Json) -> str:
    """Return what somebody is called."""
    return str(user.get("global_name") or user.get("username") or "")


def words_of(message: Json) -> str:
    """Return the words of a message; of a bot's that has none those of its embeds."""
    if message.get("content"):
        return str(message["content"])
    embeds = message.get("embeds") or () if (message.get("author") or {}).get("bot") else ()
    parts = [str(embed.get(name) or "") for embed in embeds for name in ("title", "description")]
    return "\n".join(part for part in parts if part)


def forwarded_in(message: Json, depth: int = 0) -> Iterator[Json]:
    """Yield the messages that a message holds as forwarded, and those that these hold, as Discord's snapshots."""
    for each in message.get("message_snapshots") or ():
        snapshot = each.get("message") or {}
        yield snapshot
        if depth < _DEEP:
            yield from forwarded_in(snapshot, depth + 1)


def seconds(timestamp: Any) -> float:
    """Return a time of Discord's in seconds since the epoch; 0 for none."""
    try:
        return datetime.fromisoformat(str(timestamp)).timestamp()
    except ValueError:
        return 0.0


def said(message: Json, text: str, *, place: str, link: str) -> Said:
    """Return a message that was read, with its words as Markdown."""
    author = message.get("author") or {}
    return Said(
        id=str(message.get("id", "")),
        place=place,
        author=Author(id=str(author.get("id", "")), name=name_of(author)),
        at=seconds(message.get("timestamp")),
        text=text,
        link=link,
        by_bot=bool(author.get("bot")),
    )

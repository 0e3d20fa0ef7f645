"""Who may see a channel, worked out from what Discord's API tells: a process that only answers has no cache of it.

The order is Discord's own: roles, then the overwrites of everybody, of roles, of the member
(docs.discord.com, topics/permissions).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]

ADMINISTRATOR, VIEW_CHANNEL, READ_MESSAGE_HISTORY, MANAGE_THREADS = 1 << 3, 1 << 10, 1 << 16, 1 << 34
READS = VIEW_CHANNEL | READ_MESSAGE_HISTORY
_ALL = (1 << 60) - 1


def permissions(guild: Json, channel: Json, member: Json) -> int:
    """Return what a member may do in a channel (of a thread: its parent), as Discord's bits."""
    user = str((member.get("user") or {}).get("id", ""))
    if user and user == str(guild.get("owner_id")):
        return _ALL
    everybody, held = str(guild["id"]), {str(role) for role in member.get("roles") or ()}
    allowed = 0
    for role in guild.get("roles") or ():
        if str(role["id"]) in held | {everybody}:
            allowed |= int(role["permissions"])
    if allowed & ADMINISTRATOR:
        return _ALL
    overwrites = {str(each["id"]): each for each in channel.get("permission_overwrites") or ()}
    for ids in ([everybody], held - {everybody}, [user]):
        allowed = _overwritten(allowed, [overwrites[id] for id in ids if id in overwrites])
    return allowed


def is_open(guild: Json, channel: Json) -> bool:
    """Tell whether every member of the server may read a channel: nobody is shut out by an overwrite."""
    nobody: Json = {"roles": [], "user": {"id": ""}}
    denied = any(int(each["deny"]) & READS for each in channel.get("permission_overwrites") or ())
    return not denied and reads(permissions(guild, channel, nobody))


def reads(allowed: int) -> bool:
    """Tell whether these permissions let somebody read what was written before."""
    return allowed & READS == READS


def _overwritten(allowed: int, overwrites: Sequence[Json] | Collection[Json]) -> int:
    deny = allow = 0
    for each in overwrites:
        deny |= int(each["deny"])
        allow |= int(each["allow"])
    return allowed & ~deny | allow

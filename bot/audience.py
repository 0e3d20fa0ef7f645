"""Who will read an answer."""

from collections.abc import Collection
from dataclasses import replace
from typing import Protocol

from agent.types import Audience, IncomingMessage

OPERATOR = Audience(principals=frozenset(), operator=True)
"""Whoever sits at the console of the machine may read all."""

PLAYGROUND = Audience(principals=frozenset({"*", "workspace:playground:local", "user:playground:local:you"}))
"""Whoever has the playground open."""

GUESTS = "guests"
"""The group of those who do not belong to their workspace: channels shared with strangers, people from outside."""

_NO_WORKSPACE = "@"
"""Begins the name of a workspace that is none, such as that of Discord's direct messages."""


class Memberships(Protocol):
    """What is known of groups; asked anew for every message."""

    async def groups_of(self, principals: Collection[str]) -> frozenset[str]:
        """Return the names of the groups that any of these principals is in."""
        ...

    async def named_as(self, platform: str, user: str) -> frozenset[str]:
        """Return the principals by which readers and groups name this user, in whichever workspace."""
        ...


async def audience_of(message: IncomingMessage, memberships: Memberships) -> Audience:
    """Return the principals that every reader of the answer holds.

    In a private place that is the asker alone; in a channel, only what all its members hold: a
    channel that is in a group says that everybody in it belongs to that group. Where the platform
    says that there are people from outside, it is as if they were in the group of guests.
    """
    key = message.key
    if key.platform == "console" and message.private and not message.author.id:
        return OPERATOR
    platform, workspace = stands_for(key.platform, key.workspace_id)
    within_one = not workspace.startswith(_NO_WORKSPACE)
    if message.private:
        own = {f"user:{platform}:{workspace}:{message.author.id}"}
        if not within_one and message.author.id:
            own |= await memberships.named_as(platform, message.author.id)
    else:
        own = {f"channel:{platform}:{workspace}:{key.channel_id}"}
    groups = await memberships.groups_of(own)
    if message.guests:
        groups |= {GUESTS}
    principals = {"*", *own, *(f"group:{name}" for name in groups)}
    if within_one and GUESTS not in groups:
        principals.add(f"workspace:{platform}:{workspace}")
    return Audience(principals=frozenset(principals))


def alone(message: IncomingMessage) -> IncomingMessage:
    """Return a message as if its author alone read the answer; whoever is not known to be no guest is one."""
    guest = message.author_is_guest
    return replace(message, private=True, guests=message.guests if guest is None else guest)


def stands_for(platform: str, workspace: str) -> tuple[str, str]:
    """Return the platform and workspace that a message counts for.

    The console asks as somebody of another platform when its workspace names one: `slack:T1`.
    """
    if platform == "console" and ":" in workspace:
        platform, _, workspace = workspace.partition(":")
    return platform, workspace

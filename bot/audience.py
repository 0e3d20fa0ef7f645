"""Who will read an answer."""

from agent.types import Audience, IncomingMessage

OPERATOR = Audience(principals=frozenset(), operator=True)
"""Whoever sits at the console of the machine may read all."""

PLAYGROUND = Audience(principals=frozenset({"*", "workspace:playground:local"}))
"""Whoever has the playground open."""


def audience_of(message: IncomingMessage) -> Audience:
    """Return the principals that every reader of the answer holds.

    In a private place that is the asker alone; in a channel, only what all its members hold.
    """
    key = message.key
    if key.platform == "console" and not message.author.id:
        return OPERATOR
    principals = {"*", f"workspace:{key.platform}:{key.workspace_id}"}
    if message.private:
        principals.add(f"user:{key.platform}:{key.workspace_id}:{message.author.id}")
    if key.channel_id:
        principals.add(f"channel:{key.platform}:{key.workspace_id}:{key.channel_id}")
    return Audience(principals=frozenset(principals))

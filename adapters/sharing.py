"""What only its asker may read: shown to them alone beside what all see, with a button that shares it."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from adapters.contract import Deliveries
from agent.types import IncomingMessage, Response

SHARE = "share"
"""In `IncomingMessage.extra` of a press on "Share here": the token of what it shares."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Remainder:
    """An answer from all that its asker may read, of which the others see a part or nothing."""

    response: Response
    heading: str
    """What stands above it: how many sources only the asker may see."""
    token: str
    """At most 40 characters, which a press on its button hands back; the last part is the language to answer it in."""
    closed: bool = False
    """Whether guests read along where it was asked: then it has no button."""


@runtime_checkable
class Sharing(Protocol):
    """A platform that can show one person more than the others; asked for with `isinstance`. Raises DeliveryError."""

    async def offer(self, message: IncomingMessage, remainder: Remainder, deliveries: Deliveries) -> None:
        """Show the author of a message a remainder that nobody else sees; with "Share here", unless it is closed.

        In its thread, or else directly. A press comes back as a message of kind BUTTON with `SHARE` in its `extra`;
        of several presses by one person the first counts.
        """
        ...

    async def close_offer(self, press: IncomingMessage, remainder: Remainder) -> None:
        """Take the button off a remainder that is shared, as far as the platform still lets that be done."""
        ...

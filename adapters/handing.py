"""A question handed over to people: the offer below an answer, the word to them, and their answer that is kept.

Both stand in the thread as messages of their own, each in its slot: what is shown twice is there once.
"""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from adapters.contract import Deliveries
from agent.types import IncomingMessage

Step = Literal["offer", "ask", "keep"]
"""What a button does: put the question to people, or keep what they answered. `offer` is no button's: a thumb down."""
HAND = "hand"
"""In `IncomingMessage.extra` of a press on such a button: the `Step`."""
TURN = "hand_turn"
"""Beside it: the turn of the question."""
IN_GROUP = "hand_group"
"""Beside it, where the platform says so with the press: the ids of the groups that its author is in, spaces between."""
OFFER, CALL = "person_offer", "person_call"
"""Slots of a turn: the offer, and the word to people, which also tells what was kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """One of these messages."""

    text: str
    """Markdown of Weft's own words; nothing in it pings anybody."""
    group: str = ""
    """The id of the group that is pinged before the text, when it is posted."""
    step: Step | None = None
    """What its button does; None: there is none."""
    label: str = ""
    """Of the button."""


@runtime_checkable
class Handing(Protocol):
    """A platform on which questions can be handed over; asked for with `isinstance`. Raises DeliveryError.

    A press comes back as a message of kind BUTTON with `HAND` and `TURN` in its `extra`, private where not all of its
    channel read the thread: of all presses on "ask" below one answer the first counts; each on "keep" does.
    """

    async def show_card(self, question: IncomingMessage, slot: str, card: Card, deliveries: Deliveries) -> None:
        """Show a card in the thread of a question, or change the one that is shown in this slot."""
        ...

    async def is_in_group(self, press: IncomingMessage, group: str) -> bool:
        """Tell whether the author of a press belongs to a group."""
        ...

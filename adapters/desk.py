"""What people may look up and change about Weft by themselves, on every platform: what `/weft` and an app's home show.

The application answers (`bot.desk`). Who asks is an `IncomingMessage` in each call: its author, its place, and
whether its author is a guest (`author_is_guest`). All that comes back is for the eyes of that person alone, and holds
nothing that they may not read at this moment.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from adapters.contract import Adapter
from agent.language.lexicon import mapping
from agent.text import normalise
from agent.types import ChannelMode, IncomingMessage, Language, Memory, Passage, Preferences


class Order(StrEnum):
    """What can be asked of the desk in a word."""

    HELP = "help"
    SOURCES = "sources"
    PACKS = "packs"
    SETTINGS = "settings"
    MEMORY = "memory"
    QUESTIONS = "questions"
    FORGET = "forget"
    STOP = "stop"


@dataclass(frozen=True, kw_only=True, slots=True)
class Shelf:
    """A collection that somebody may read."""

    name: str
    documents: int
    passages: int
    sample: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """Something that somebody told of themselves."""

    name: str
    """What `Desk.forget_fact` takes."""
    title: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Remembered:
    """What is kept of one person; `enabled` is False where the pack remembers nothing of anybody."""

    enabled: bool = True
    facts: tuple[Fact, ...] = ()
    preferences: Preferences = field(default_factory=Preferences)
    questions: tuple[Memory, ...] = ()
    """Their latest questions, newest first; answers only of what they may still read, else empty."""


class Desk(Protocol):
    """Whoever asks is served; only who manages a channel may set its mode."""

    def title(self, language: Language) -> str:
        """Return what Weft knows about, in a few words."""
        ...

    def description(self, language: Language) -> str:
        """Return what Weft does for this team, in a sentence."""
        ...

    def prompts(self, language: Language) -> Sequence[str]:
        """Return questions to begin with; none where the team's own documents stand in the place of samples."""
        ...

    async def carry_out(self, order: Order, asker: IncomingMessage) -> str:
        """Do what a word asks for, and return what to tell its asker, Markdown. Raises StorageError."""
        ...

    async def sources(self, asker: IncomingMessage) -> Sequence[Shelf]:
        """Return the collections that somebody may read when they are alone with Weft, by name."""
        ...

    async def remembered(self, asker: IncomingMessage, *, most: int = 10) -> Remembered:
        """Return what is kept of somebody, with at most so many questions."""
        ...

    async def prefer(self, asker: IncomingMessage, preferences: Preferences) -> None:
        """Set how somebody wants to be answered."""
        ...

    async def forget(self, asker: IncomingMessage) -> int:
        """Forget everything about somebody; returns how many things that were."""
        ...

    async def forget_fact(self, asker: IncomingMessage, name: str) -> None:
        """Forget one thing that somebody told."""
        ...

    async def forget_question(self, asker: IncomingMessage, turn_id: str) -> bool:
        """Forget one question of somebody; False where it is none of theirs."""
        ...

    async def stop(self, asker: IncomingMessage) -> int:
        """Stop what somebody has asked in this channel, in private everywhere; returns in how many threads."""
        ...

    async def mode(self, asker: IncomingMessage) -> ChannelMode | None:
        """Return the mode of the channel; None in private."""
        ...

    async def set_mode(self, asker: IncomingMessage, mode: ChannelMode, platform: Adapter) -> str:
        """Set the mode of the channel, and return what to say: that it is set, or may not be. Raises DeliveryError."""
        ...

    def packs(self, language: Language) -> Sequence[tuple[str, str]]:
        """Return the name and the title of each pack that a channel may be given; none where there is one for all."""
        ...

    async def set_pack(self, asker: IncomingMessage, name: str, platform: Adapter) -> str:
        """Set the pack of the channel, and return what to say: that it is set, or may not be. Raises DeliveryError."""
        ...

    async def passage(self, asker: IncomingMessage, reference: str) -> Passage | None:
        """Return a passage by `Passage.reference`; None where somebody may not, or no longer, read it."""
        ...


def order_named(text: str) -> Order | None:
    """Return the order that a word names, in any language; an empty text asks for help, another one for nothing."""
    word = normalise(text).strip(" .!?/").casefold()
    word = mapping("conduct.desk_orders").get(word, word)
    return Order.HELP if not word else next((order for order in Order if order.value == word), None)

"""What one run of the graph is given. Never stored, so it is the place for who asks and who reads."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent.events import Event
from agent.packs.pack import Limits, Pack
from agent.pointed_messages import Pointed, Talk
from agent.ports import Answers, Concepts, Files, Profiles, StepTimes, WebSearch
from agent.reasoning.contract import Reasoner
from agent.retrieval.search import KnowledgeBase
from agent.text import language_of_locale
from agent.types import Around, AttachedFile, Audience, Language, Mode, ThreadKey

RESERVE = 10.0
"""Seconds of a turn that are kept for checking and delivering what there is."""
KEPT_TURNS = 5
"""How many turns a conversation keeps word for word: what a turn writes must not grow with the thread (1.2 times what
the fifth turn writes). Older ones are summarised; all of them are in the turns table."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRequest:
    """One question to be answered in its conversation."""

    turn_id: str
    key: ThreadKey
    message_id: str
    asked_by: str
    text: str
    audience: Audience
    locale: str = ""
    mode: Mode = "agent"
    pack: str = ""
    """The pack that is in force; empty: the usual one."""
    private: bool = False
    """Whether only the asker reads along."""
    personal: bool = True
    """Whether it is asked for somebody: else nothing is remembered of who asks, and nothing looked up."""
    around: Around | None = None
    """Of a message that calls nobody; None: it is said to Weft."""
    clicked: bool = False
    """Whether the text is a choice that somebody picked by a button."""
    attached: tuple[AttachedFile, ...] = ()
    """The latest files of the thread, those of this message first."""
    pointed: Pointed | None = None
    """The messages that it points at; None: it points at none, or they were not looked for."""
    talk: Talk | None = None
    """Of a message in a thread that others read too: for what was told there, where that is wanted."""

    @property
    def user(self) -> str:
        """Whose memory it is: unique among all platforms."""
        return f"{self.key.platform}:{self.key.workspace_id}:{self.asked_by}"

    @property
    def default_language(self) -> Language:
        """The language for a text that has none of its own."""
        return language_of_locale(self.locale)


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """Who asks what, and everything the nodes need to answer."""

    request: TurnRequest
    pack: Pack
    reasoner: Reasoner
    knowledge: KnowledgeBase
    profiles: Profiles | None = None
    """What is remembered of people; None: nothing is."""
    web: WebSearch | None = None
    """None: the web is not asked."""
    concepts: Concepts | None = None
    """Who reads the names of a terminology; None: slots are told by the pack's own names and patterns."""
    files: Files | None = None
    """Where documents and charts are kept; None: none are made."""
    answers: Answers | None = None
    """What came of the turns before, to tell how they were found; None: that is not kept."""
    step_times: StepTimes | None = None
    """What the time of a plan is estimated from."""
    without_model: Reasoner | None = None
    """Where there is a model: who writes when what it wrote stands nowhere in the documents."""
    notices: Callable[[], Sequence[str]] = tuple
    """What the reasoner had to give up on the way, in words for the asker."""
    tell: Callable[[Event], None] = field(default=lambda _: None)
    """Shows what happens, as it happens."""
    now: Callable[[], float] = field(default=time.time)
    """Seconds since the epoch."""
    started: float = field(default_factory=time.monotonic)
    """When the turn began, on the clock of `time.monotonic`."""

    def left(self) -> float:
        """Return the seconds that are left of the turn, without those that are kept for ending it; at least 0."""
        return left_of_turn(self.pack, self.started)

    @property
    def reserve(self) -> float:
        """Return the seconds that are kept for ending the turn."""
        return _reserve(self.pack.limits)

    @property
    def memory(self) -> Profiles | None:
        """What is remembered of people, where the pack remembers anything."""
        return None if self.pack.flags.memory_mode == "none" or not self.request.personal else self.profiles


def left_of_turn(pack: Pack, started: float) -> float:
    """Return the seconds that a turn which began then has left, without those that are kept for ending it."""
    return max(0.0, usable_seconds(pack.limits) - (time.monotonic() - started))


def usable_seconds(limits: Limits) -> float:
    """Return the seconds of a turn without those that are kept for ending it."""
    return limits.deadline_seconds - _reserve(limits)


def _reserve(limits: Limits) -> float:
    return min(RESERVE, limits.deadline_seconds / 4)

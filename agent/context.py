"""What one run of the graph is given. Never stored, so it is the place for who asks and who reads."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent.packs.pack import Pack
from agent.ports import Profiles
from agent.reasoning.contract import Reasoner
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, Language, Mode, ThreadKey

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
    private: bool = False
    """Whether only the asker reads along."""
    addressed: bool = True
    """False for a message in a thread that calls nobody: it is answered only when it asks something."""

    @property
    def user(self) -> str:
        """Whose memory it is: unique among all platforms."""
        return f"{self.key.platform}:{self.key.workspace_id}:{self.asked_by}"

    @property
    def default_language(self) -> Language:
        """The language for a text that has none of its own."""
        return "ko" if self.locale.lower().startswith("ko") else "en"


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """Who asks what, and everything the nodes need to answer."""

    request: TurnRequest
    pack: Pack
    reasoner: Reasoner
    knowledge: KnowledgeBase
    profiles: Profiles | None = None
    """What is remembered of people; None: nothing is."""
    without_model: Reasoner | None = None
    """Where there is a model: who writes when what it wrote stands nowhere in the documents."""
    notices: Callable[[], Sequence[str]] = tuple
    """What the reasoner had to give up on the way, in words for the asker."""
    now: Callable[[], float] = field(default=time.time)
    """Seconds since the epoch."""

    @property
    def memory(self) -> Profiles | None:
        """What is remembered of people, where the pack remembers anything."""
        return None if self.pack.flags.memory_mode == "none" else self.profiles

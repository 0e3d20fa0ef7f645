"""What a reasoner is given: a message in its conversation, or what an answer is to be written from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.cases import Lookup
from agent.packs.pack import Pack
from agent.types import Aim, Block, FollowUp, Language, Profile, Remedy, Summary, TurnRecord, WeightedTerm

NOBODY = Profile()
"""Somebody of whom nothing is known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """What was said, and where in the conversation: `turns` are the earlier ones, oldest first."""

    text: str
    pack: Pack
    turns: Sequence[TurnRecord] = ()
    author: str = ""
    """Who said it, as `asked_by` of the turns names them."""
    locale: str = ""
    summary: Summary | None = None
    """Of the turns before these."""
    profile: Profile = NOBODY
    """Of the author."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Brief:
    """What an answer is to be written from, and nothing else.

    `blocks` are data: text in them that gives orders is quoted, never obeyed.
    """

    question: str
    """The standalone question."""
    language: Language
    pack: Pack
    blocks: Sequence[Block]
    rarity: Mapping[str, float] = field(default_factory=dict)
    """How rare each term of the question is among the documents, by index term; of others the blocks tell."""
    several: bool = False
    """Whether the message wants more than this question: what it has no answer for is named beside the rest."""
    read_as: Mapping[str, str] = field(default_factory=dict)
    """Misspelt words of the question, and what the documents have in their place."""
    inherited: Sequence[WeightedTerm] = ()
    """What the question takes from its thread, below its own weight."""
    of_asker: Sequence[WeightedTerm] = ()
    """What the asker told of themselves, as terms: they bear on what is told beside the best."""
    turns: Sequence[TurnRecord] = ()
    suggestions: Sequence[Remedy] = ()
    """What an earlier check asked to do better."""
    told: Sequence[str] = ()
    """Answers to the question that are not wanted again: at most what comes closest is left."""
    doubted: bool = False
    """Whether a model has found no answer in the blocks: they hold at most what comes closest."""
    least: float = 0.0
    """From which likelihood on anything is told, where more is asked than usual."""
    profile: Profile = NOBODY
    """Of the asker: their preferences, and what they told of themselves."""
    aim: Aim | None = None
    """What is wanted of messages that were pointed at: they are the blocks, or `question` is what one of them says."""
    lookup: Lookup | None = None
    """The cases that the answer lists, each statement one of the blocks."""
    whole: bool = False
    """Whether the blocks are documents from end to end, each in its order, of which a summary is wanted."""
    followup: FollowUp | None = None
    """What is wanted of the last of `turns`, whose evidence the blocks then are."""

    @property
    def quotable(self) -> tuple[Block, ...]:
        """What is quoted from without a model."""
        return tuple(block for block in self.blocks if not block.further)


def answered(turns: Sequence[TurnRecord]) -> TurnRecord | None:
    """Return the turn that a follow-up is about: the last answer from documents, not another form of it."""
    told = [turn for turn in turns if turn.evidence]
    return next(reversed(answers_of(turns) or told), None)


def answers_of(turns: Sequence[TurnRecord]) -> list[TurnRecord]:
    """Return the turns that answered from documents, without other forms of these answers."""
    return [turn for turn in turns if turn.evidence and turn.route not in ("followup", "explain")]


def found_nothing(turns: Sequence[TurnRecord]) -> TurnRecord | None:
    """Return the last turn, where documents were searched in vain; that its way was told since then changes nothing."""
    asked = (turn for turn in reversed(turns) if turn.evidence or turn.route not in ("followup", "explain"))
    last = next(asked, None)
    return last if last is not None and last.route in ("research", "contextualize") and not last.evidence else None

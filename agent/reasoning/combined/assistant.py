"""What a model is asked, besides the rules: `Reasoner` without what no model is told, and with what the rules found."""

from collections.abc import Sequence
from typing import Protocol

from agent.packs.pack import Pack
from agent.reasoning.analysis_contract import Analysing
from agent.reasoning.contract import Grading, Message, Model
from agent.reasoning.document_contract import Drafting
from agent.types import Pending, Plan, Settled, Standalone, Summary, TurnRecord, Understood


class Assistant(Model, Grading, Drafting, Analysing, Protocol):
    """A model. Every call raises ModelError where it has no usable result."""

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return the steps; one search without a call where the message was read as one question."""
        ...

    async def settle(self, message: Message, pending: Pending) -> Settled:
        """Return what a message means that came after a question back: choice, detail or new."""
        ...

    async def summarise(self, summary: Summary | None, turns: Sequence[TurnRecord]) -> str:
        """Return a summary of the turns and of the one before them."""
        ...

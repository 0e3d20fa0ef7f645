"""What a model is asked, besides the rules: `Reasoner` without what no model is told, and with what the rules found."""

from collections.abc import Sequence
from typing import Protocol

from agent.packs.pack import Pack
from agent.reasoning.analysis_contract import Analysing
from agent.reasoning.contract import Brief, Grading, Message, Model
from agent.reasoning.document_contract import Drafting
from agent.types import Block, Pending, Plan, Settled, Split, Standalone, Summary, TurnRecord, Understood


class Assistant(Model, Grading, Drafting, Analysing, Protocol):
    """A model. Every call raises ModelError where it has no usable result."""

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return the steps; one search without a call where the message was read as one question."""
        ...

    async def settle(self, message: Message, pending: Pending) -> Settled:
        """Return what a message means that came after a question back: choice, detail or new."""
        ...

    async def clarify(
        self,
        question: Standalone,
        understood: Understood,
        blocks: Sequence[Block],
        pack: Pack,
        *,
        split: Split | None = None,
    ) -> Split | None:
        """Return what to ask back, with the choices of `split`; None where the question has chosen."""
        ...

    async def holds(self, brief: Brief) -> bool:
        """Tell whether the blocks hold what the follow-up asks for."""
        ...

    async def summarise(self, summary: Summary | None, turns: Sequence[TurnRecord]) -> str:
        """Return a summary of the turns and of the one before them."""
        ...

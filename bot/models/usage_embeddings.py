"""Counts embeddings: those of a question for the turn that it belongs to, all others for nobody.

A search does not know whose it is, so the turn is known by the task that it runs in.
"""

from contextvars import ContextVar
from typing import TYPE_CHECKING

from agent.reasoning.model.transport.usage import Call, Spent
from bot.models.usage import Ledger, TurnMeter

if TYPE_CHECKING:
    from adapters.services.embedding_texts import EmbeddingCall

ROLE = "embedding"
_turn: ContextVar[TurnMeter | None] = ContextVar("_turn", default=None)


def running(meter: TurnMeter) -> None:
    """Note whose turn it is from here on, in this task and in those that it begins."""
    _turn.set(meter)


class EmbeddingMeter:
    """Hears of the calls of an embedding endpoint; `ledger` takes those that belong to no turn."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def question(self, call: "EmbeddingCall") -> None:
        """Count what a question cost."""
        meter = _turn.get()
        if meter is None:
            self.passages(call)
        else:
            meter.add(_as_call(call))

    def passages(self, call: "EmbeddingCall") -> None:
        """Count what documents cost."""
        self._ledger.add(_as_call(call), day=self._ledger.day())


def _as_call(call: "EmbeddingCall") -> Call:
    spent = Spent(tokens_in=call.tokens, estimated=call.estimated)
    return Call(role=ROLE, model=call.model, outcome=call.outcome, spent=spent)

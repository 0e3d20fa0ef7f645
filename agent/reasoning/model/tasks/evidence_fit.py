"""Whether the evidence of an earlier answer holds what a follow-up asks for."""

from pydantic import BaseModel, ConfigDict

from agent.reasoning.contract import Brief
from agent.reasoning.model.tasks.untrusted_text import Quoting
from agent.reasoning.model.transport.endpoint import Endpoint, Said

_TOKENS = 60
_TURNS = 1
_TURN_CHARACTERS = 1500
_QUESTION_CHARACTERS = 1000


class Holding(BaseModel):
    """The model's answer."""

    model_config = ConfigDict(extra="ignore")

    holds: bool


async def holds(endpoint: Endpoint, role: str, brief: Brief) -> bool:
    """Tell whether the passages hold what is asked; without passages nothing is. Raises ModelError."""
    if not brief.blocks:
        return False
    return (await endpoint.ask(role, request(brief), shape=Holding, tokens=_TOKENS)).holds


def request(brief: Brief) -> list[Said]:
    """Return what the model is asked about a follow-up."""
    quoting = Quoting()
    parts = (
        quoting.passages(brief.blocks, characters=brief.pack.limits.context_characters),
        quoting.conversation(brief.turns, most=_TURNS, characters=_TURN_CHARACTERS),
        quoting.block("question", brief.question[:_QUESTION_CHARACTERS]),
    )
    return quoting.request("holds", parts)

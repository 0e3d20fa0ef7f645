"""What a turn says while it runs: a closed union, ending in exactly one `FinalResponse`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from agent.types import Clarification, Plan, Response, Step

Phase = Literal["planning", "searching", "writing", "checking"]
"""What a turn is at: said besides the steps, since a slow model takes its time between them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseBegan:
    """The turn is at something else now; never of a message that turns out to be nobody's question to Weft."""

    phase: Phase
    name = "phase_began"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanReady:
    """The steps are known; none has begun."""

    plan: Plan
    name = "plan_ready"


@dataclass(frozen=True, kw_only=True, slots=True)
class TodoUpdated:
    """A step moved on."""

    step: Step
    name = "todo_updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class TextDelta:
    """The next piece of the answer, Markdown; all of them joined make the draft."""

    text: str
    name = "text_delta"


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftWithdrawn:
    """What was streamed so far no longer stands; the final response replaces it."""

    reason: str
    name = "draft_withdrawn"


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """Something that the asker should know besides the answer."""

    text: str
    name = "notice"


@dataclass(frozen=True, kw_only=True, slots=True)
class ClarificationAsked:
    """Weft asks back instead of answering."""

    clarification: Clarification
    name = "clarification_asked"


@dataclass(frozen=True, kw_only=True, slots=True)
class FinalResponse:
    """The end of the turn, whatever it came to."""

    response: Response
    name = "final_response"


Event = PhaseBegan | PlanReady | TodoUpdated | TextDelta | DraftWithdrawn | Notice | ClarificationAsked | FinalResponse


def to_json(event: Event) -> Mapping[str, Any]:
    """Return the event as the object that `weft ask --events` prints."""
    return {"event": event.name, **asdict(event)}

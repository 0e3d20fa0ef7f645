"""Which way a turn goes. Plain functions, named after the moment at which they decide."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Send

from agent.context import Context
from agent.state import State, TeamTask


def after_recall(state: State, runtime: Runtime[Context]) -> Literal["understand", "respond"]:
    """Mode `llm` skips everything but the model."""
    return "respond" if runtime.context.request.mode == "llm" else "understand"


def after_understanding(
    state: State, runtime: Runtime[Context]
) -> Literal["respond", "personal", "clarify", "evidence", "rewrite", "plan"]:
    """Follow the route; without query routing every question is planned for."""
    assert state.understood is not None  # noqa: S101 - the graph's order
    if not runtime.context.pack.flags.query_routing_enabled:
        return "plan"
    if state.settled is not None and state.settled.kind == "late":
        return "respond"
    match state.understood.route:
        case "direct" if state.understood.personal:
            return "personal"
        case "direct" | "decline":
            return "respond"
        case "clarify":
            return "clarify"
        case "followup" | "explain":
            return "evidence"
        case "contextualize":
            return "rewrite"
        case "research":
            return "plan"


def after_evidence(state: State) -> Literal["compose", "respond", "rewrite"]:
    """Write from the earlier evidence, or search where it does not hold what is asked."""
    if state.blocks:
        return "compose"
    return "respond" if wants_translation(state) else "rewrite"


def wants_translation(state: State) -> bool:
    """Tell whether the answer before is wanted in another language: no search brings that."""
    followup = state.understood.followup if state.understood else None
    return followup is not None and followup.kind == "translate"


def after_clarifying(state: State) -> Literal["remember", "compose", "plan"]:
    """End the turn with the question back, or go on: to the answer, or, with nothing searched yet, to the plan."""
    if state.asking is not None:
        return "remember"
    return "compose" if state.plan is not None else "plan"


def next_group(state: State) -> list[Send] | Literal["pack_context"]:
    """Start the next group of steps side by side; when none is left, pack what was found."""
    assert state.plan is not None and state.standalone is not None and state.understood is not None  # noqa: S101
    steps = {step.id: step for step in state.plan.steps}
    for group in state.plan.parallel_groups:
        open_steps = [steps[name] for name in group if not steps[name].status.final]
        if open_steps:
            return [
                Send(step.team, TeamTask(step=step, question=state.standalone, understood=state.understood))
                for step in open_steps
            ]
    return "pack_context"


def after_grounding(state: State) -> Literal["compose", "remember"]:
    """Write again while the check asks for it and the retries last."""
    return "compose" if state.grounding is not None and state.grounding.needs_retry else "remember"

"""Which way a turn goes. Plain functions, named after the moment at which they decide."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Send

from agent.context import Context
from agent.nodes.grade import is_weak
from agent.nodes.overhear import may_overhear
from agent.nodes.respond import wants_way
from agent.reasoning.rules.reading.pointed_request import aim_of
from agent.state import State
from agent.teams.running import task_of
from agent.types import StepStatus


def after_recall(state: State, runtime: Runtime[Context]) -> Literal["understand", "point", "respond"]:
    """Mode `llm` skips everything but the model."""
    request = runtime.context.request
    if request.mode == "llm":
        return "respond"
    unaddressed = request.around is not None and request.talk is not None and aim_of(request.text) is not None
    return "point" if request.pointed is not None or unaddressed else "understand"


def after_pointing(state: State) -> Literal["understand", "plan", "respond", "compose", "remember"]:
    """Tell of the messages themselves, look up what one of them says or asks, or read the message like any other."""
    if state.understood is None:
        return "remember" if state.answer else "understand"
    if state.understood.route == "decline":
        return "respond"
    return "plan" if state.aim in ("check", "answer") else "compose"


def after_understanding(
    state: State, runtime: Runtime[Context]
) -> Literal["respond", "personal", "clarify", "evidence", "rewrite", "plan"]:
    """Follow the route; without query routing every question is planned for."""
    assert state.understood is not None  # noqa: S101 - the graph's order
    if state.settled is not None and state.settled.kind in ("late", "none", "finished"):
        return "clarify" if state.settled.kind == "none" else "respond"
    if not runtime.context.pack.flags.query_routing_enabled:
        return "plan"
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


def after_evidence(state: State, runtime: Runtime[Context]) -> Literal["compose", "respond", "rewrite"]:
    """Write from the earlier evidence, or search where it does not hold what is asked; its way is known."""
    if state.blocks:
        return "compose"
    return "respond" if wants_translation(state) or wants_way(state, runtime.context) else "rewrite"


def wants_translation(state: State) -> bool:
    """Tell whether the answer before is wanted in another language: no search brings that."""
    followup = state.understood.followup if state.understood else None
    return followup is not None and followup.kind == "translate"


def after_clarifying(state: State) -> Literal["remember", "compose", "plan"]:
    """End the turn with the question back, or go on: to the answer, or, with nothing searched yet, to the plan.

    What is asked for a document does not hold up the rest of the answer, nor what is only offered besides.
    """
    if state.asking is not None and not state.offers and not answers(state):
        return "remember"
    return "compose" if state.plan is not None else "plan"


def answers(state: State) -> bool:
    """Tell whether something is told besides the question that is asked for a document."""
    done = [step for step in state.plan.steps if step.status != StepStatus.SKIPPED] if state.plan else []
    return state.wants is not None and bool(done)


def next_group(state: State) -> list[Send] | Literal["pack_context"]:
    """Start the next group of steps side by side; when none is left, pack what was found."""
    assert state.plan is not None  # noqa: S101 - the graph's order
    steps = {step.id: step for step in state.plan.steps}
    for group in state.plan.parallel_groups:
        open_steps = [steps[name] for name in group if not steps[name].status.final]
        if open_steps:
            return [Send(step.team, task_of(step, state)) for step in open_steps]
    return "pack_context"


def after_grounding(state: State) -> Literal["compose", "grade", "remember"]:
    """Write again while the check asks for it and the retries last; what no document holds is not graded."""
    if state.grounding is not None and state.grounding.needs_retry:
        return "compose"
    return "grade" if state.plan is not None and not state.overheard else "remember"


def after_grading(state: State, runtime: Runtime[Context]) -> Literal["compose", "refine", "overhear", "remember"]:
    """Write again, search again, look into the thread for what no document holds, or end."""
    if state.grade is not None and state.grade.check.needs_retry:
        return "compose"
    if is_weak(state, runtime.context):
        return "refine"
    return "overhear" if may_overhear(state, runtime.context) else "remember"


def after_overhearing(state: State) -> Literal["compose", "remember"]:
    """Tell what people said in the thread; where that is nothing, the answer stands."""
    return "compose" if state.overheard else "remember"


def after_refining(state: State, runtime: Runtime[Context]) -> Literal["pack_context", "overhear", "remember"]:
    """Answer anew from what is new; with nothing new the answer stands, or the thread holds one."""
    if not state.searched_out:
        return "pack_context"
    return "overhear" if may_overhear(state, runtime.context) else "remember"

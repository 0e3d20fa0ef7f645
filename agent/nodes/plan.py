"""Decide what has to be done."""

from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.events import PlanReady
from agent.state import State, Update
from agent.types import Plan, Step

TEAMS = frozenset({"search"})
"""The teams that a step may name."""


async def plan(state: State, runtime: Runtime[Context]) -> Update:
    """Lay out the steps and show them before the first begins."""
    context = runtime.context
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    made = await context.reasoner.plan(state.standalone, state.understood, context.pack)
    made = arranged(made)
    runtime.stream_writer(PlanReady(plan=made))
    errors = tuple(f"plan: {problem}" for problem in made.validation_errors)
    return {"plan": made, "warnings": errors}


def arranged(plan: Plan) -> Plan:
    """Return the plan with its groups worked out, and without the steps that cannot be done.

    A group holds the steps whose dependencies are all in earlier groups.
    """
    problems = list(plan.validation_errors)
    known = {step.id for step in plan.steps}
    sound: list[Step] = []
    for step in plan.steps:
        missing = [name for name in step.dependencies if name not in known]
        if step.team not in TEAMS:
            problems.append(f"step {step.id} names an unknown team {step.team!r}")
        elif missing:
            problems.append(f"step {step.id} waits for an unknown step {missing[0]!r}")
        else:
            sound.append(step)
    groups, stuck = _groups(sound, one_by_one=plan.strategy == "sequential")
    problems.extend(f"step {step.id} waits for itself in a circle" for step in stuck)
    kept = tuple(step for step in sound if step not in stuck)
    return replace(plan, steps=kept, parallel_groups=groups, validation_errors=tuple(problems))


def _groups(steps: Sequence[Step], *, one_by_one: bool) -> tuple[tuple[tuple[str, ...], ...], list[Step]]:
    groups: list[tuple[str, ...]] = []
    waiting, done = list(steps), set[str]()
    while waiting:
        ready = [step for step in waiting if done.issuperset(step.dependencies)]
        if not ready:
            break
        if one_by_one:
            ready = ready[:1]
        groups.append(tuple(step.id for step in ready))
        done.update(groups[-1])
        waiting = [step for step in waiting if step.id not in done]
    return tuple(groups), waiting

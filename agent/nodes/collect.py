"""Gather what the steps brought back. Only here does the plan itself move on."""

from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.events import TodoUpdated
from agent.language import say
from agent.state import State, Update
from agent.types import Step, StepStatus


async def collect(state: State, runtime: Runtime[Context]) -> Update:
    """Take over how the steps ended, and skip those that waited for a failed one."""
    assert state.plan is not None and state.understood is not None  # noqa: S101 - the graph's order
    ended = {outcome.step_id: outcome.step for outcome in state.outcomes if outcome.step is not None}
    steps = {step.id: _moved(step, ended.get(step.id)) for step in state.plan.steps}
    for group in state.plan.parallel_groups:
        for name in group:
            step = steps[name]
            lost = [d for d in step.dependencies if steps[d].status in (StepStatus.FAILED, StepStatus.SKIPPED)]
            if lost and not step.status.final:
                words = say("step_waited", state.understood.language, step=steps[lost[0]].task)
                steps[name] = replace(step, status=StepStatus.SKIPPED, error=words)
                runtime.context.tell(TodoUpdated(step=steps[name]))
    errors = tuple(f"{outcome.step_id}: {outcome.error}" for outcome in state.outcomes if outcome.error)
    return {"plan": replace(state.plan, steps=tuple(steps.values())), "errors": errors}


def _moved(step: Step, ended: Step | None) -> Step:
    return step if ended is None or step.status.final else ended

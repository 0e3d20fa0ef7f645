"""What a step is given of the state."""

from agent.state import State, TeamTask
from agent.types import Step


def task_of(step: Step, state: State) -> TeamTask:
    """Return what a team needs for a step, the results of the steps that it waited for among it."""
    assert state.plan is not None and state.standalone is not None and state.understood is not None  # noqa: S101
    outcomes = {outcome.step_id: outcome for outcome in state.outcomes}
    answering = [each for each in state.plan.steps if each.team == "search" and each.purpose == "answer"]
    return TeamTask(
        step=step,
        number=next((n for n, each in enumerate(state.plan.steps, start=1) if each.id == step.id), 0),
        question=state.standalone,
        understood=state.understood,
        before=tuple(outcomes[name] for name in step.dependencies if name in outcomes),
        profile=state.profile,
        turns=state.earlier,
        given=state.given,
        several=len(answering) > 1 and step in answering,
    )

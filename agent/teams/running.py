"""What every team has in common: its place in the TODO list, its time limit, and that its failure is data."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

from langgraph.runtime import Runtime

from agent.context import Context
from agent.errors import WeftError, where
from agent.events import TodoUpdated
from agent.language import say
from agent.results import Outcome
from agent.state import State, TeamTask, Update
from agent.types import Step, StepStatus

logger = logging.getLogger(__name__)


class Tell(Protocol):
    """Shows how far a step is."""

    def __call__(self, phase: str, progress: int, sources: Sequence[str] = ()) -> None:
        """Show what is being done, in the asker's words, at how many percent, and what it rests on so far."""
        ...


def silent(phase: str, progress: int, sources: Sequence[str] = ()) -> None:
    """Show nothing: the step is shown by another."""


Team = Callable[[TeamTask, Context, Tell], Awaitable[Outcome]]


async def run(team: Team, task: TeamTask, runtime: Runtime[Context]) -> Update:
    """Do one step of the plan. Whatever goes wrong is told in its outcome: the other steps still answer."""
    context, language = runtime.context, task.understood.language
    step = replace(task.step, status=StepStatus.IN_PROGRESS, started_at=context.now())
    runtime.context.tell(TodoUpdated(step=step))

    def tell(phase: str, progress: int, sources: Sequence[str] = ()) -> None:
        nonlocal step
        step = replace(step, phase=phase, progress=max(step.progress, progress), sources=tuple(sources) or step.sources)
        runtime.context.tell(TodoUpdated(step=step))

    try:
        async with asyncio.timeout(min(context.pack.limits.team_seconds, context.left())):
            outcome = await team(task, context, tell)
        step = replace(
            step, status=StepStatus.COMPLETED, progress=100, phase="", result=outcome.result,
            sources=outcome.sources or step.sources, answer=" ".join(each.text for each in outcome.sentences),
        )  # fmt: skip
    except TimeoutError:
        logger.warning("A step ran out of time.", extra={"action": "step_timeout", "turn_id": context.request.turn_id})
        outcome = Outcome(step_id=step.id, error="ran out of time")
        step = _failed(step, say("step_timeout", language))
    except WeftError as error:
        # What went wrong may name files of the machine: it is for the log and the operator, not for the thread.
        logger.error("A step failed: %s", error, extra={"action": "step_failed", "turn_id": context.request.turn_id})
        outcome = Outcome(step_id=step.id, error=str(error))
        step = _failed(step, say("step_failed", language))
    except Exception as error:
        place = where(error)
        logger.error("A step broke: %s", place, extra={"action": "step_broke", "turn_id": context.request.turn_id})
        outcome = Outcome(step_id=step.id, error=f"broke: {type(error).__name__}")
        step = _failed(step, say("step_failed", language))
    step = replace(step, completed_at=context.now())
    runtime.context.tell(TodoUpdated(step=step))
    return {"outcomes": (replace(outcome, step=step),), "warnings": outcome.warnings}


def _failed(step: Step, words: str) -> Step:
    return replace(step, status=StepStatus.FAILED, phase="", error=words)


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

"""Search again for a weak answer: the same plan, other words."""

import asyncio
import logging
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.errors import WeftError, where
from agent.events import DraftWithdrawn, TodoUpdated
from agent.language import say
from agent.results import Again, Outcome
from agent.retrieval.pack import merged
from agent.state import State, Update
from agent.teams.running import silent, task_of
from agent.teams.search import find
from agent.types import Expansion, SearchResult, Step, StepStatus

logger = logging.getLogger(__name__)


async def refine(state: State, runtime: Runtime[Context]) -> Update:
    """Do every search of the plan again, side by side, and put what is new beside what was found."""
    context = runtime.context
    assert state.plan is not None and state.understood is not None  # noqa: S101 - the graph's order
    iteration, language = state.iteration_count + 1, state.understood.language
    step = Step(
        id=f"refine_{iteration}", purpose="evidence", team="search", task=say("step_refine", language),
        status=StepStatus.IN_PROGRESS, started_at=context.now(),
    )  # fmt: skip
    runtime.context.tell(TodoUpdated(step=step))
    done = [each for each in state.outcomes if each.expansion is not None and each.search is not None]
    found = await asyncio.gather(*(_again(each, iteration, state, context) for each in done))
    new = sum(_count_new(old, now) for old, now in zip(done, found, strict=True))
    step = replace(
        step, status=StepStatus.COMPLETED, progress=100, completed_at=context.now(),
        result=say("step_refined", language, passages=new) if new else say("step_result_none", language),
    )  # fmt: skip
    runtime.context.tell(TodoUpdated(step=step))
    update: Update = {
        "iteration_count": iteration,
        "plan": replace(state.plan, steps=(*state.plan.steps, step)),
        "searched_out": not new,
    }
    if not new:
        return update
    if state.draft is not None and state.draft.sentences:
        runtime.context.tell(DraftWithdrawn(reason="searched again"))
    outcomes = tuple(joined(old, now) for old, now in zip(done, found, strict=True))
    return {**update, "outcomes": outcomes, "grounding": None, "grade": None, "remarks": ()}


async def _again(outcome: Outcome, iteration: int, state: State, context: Context) -> Outcome:
    """Return what another search finds for a step; nothing where it fails, for the first one stands."""
    assert outcome.expansion is not None and outcome.step is not None  # noqa: S101 - asked before
    task = task_of(outcome.step, state)
    again = Again(iteration=iteration, tried=outcome.expansion, hits=outcome.hits)
    try:
        async with asyncio.timeout(min(context.pack.limits.team_seconds, context.left())):
            return await find(replace(task, again=again), context, silent)
    except (WeftError, TimeoutError) as error:
        logger.warning("A second search failed: %s", where(error), extra={"action": "refine_failed"})
        return Outcome(step_id=outcome.step_id)


def _count_new(old: Outcome, now: Outcome) -> int:
    known = {hit.passage.id for hit in old.hits}
    return sum(hit.passage.id not in known for hit in now.hits)


def joined(old: Outcome, now: Outcome) -> Outcome:
    """Return a step with what a second search found; what the first one told of its must-have words stays."""
    if not now.hits:
        return old
    return replace(
        now, step=old.step, hits=tuple(merged((old.hits, now.hits))), web=old.web or now.web,
        expansion=_with_words(old, now), search=_with_counts(old, now), lookup=old.lookup,
        warnings=(*old.warnings, *now.warnings),
    )  # fmt: skip


def _with_words(old: Outcome, now: Outcome) -> Expansion | None:
    """Return how was searched the second time, with the words that had to be there the first time."""
    if old.expansion is None or now.expansion is None:
        return now.expansion
    return replace(now.expansion, must_have=old.expansion.must_have)


def _with_counts(old: Outcome, now: Outcome) -> SearchResult | None:
    """Return the second search with what the first one told of the words that had to be there: it looks for others."""
    if old.search is None or now.search is None:
        return now.search
    first = old.search
    return replace(
        now.search, must_have=first.must_have, nowhere=first.nowhere, unheld=first.unheld,
        target_documents=first.target_documents,
        keyword_freq=first.keyword_freq, keyword_block_counts=first.keyword_block_counts,
        findings=first.findings, sections=first.sections,
    )  # fmt: skip

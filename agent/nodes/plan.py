"""Decide what has to be done, and gather what came of it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal

from langgraph.runtime import Runtime

from agent.context import Context
from agent.errors import StorageError
from agent.events import PlanReady, TodoUpdated
from agent.language import say
from agent.packs.pack import Pack
from agent.ports import StepTimes
from agent.reasoning.rules.planning.things import side_by_side
from agent.reasoning.rules.reading.question_form import named_in
from agent.retrieval.scopes import collections_of, scopes_of
from agent.state import State, Update
from agent.teams.document.missing_fields import both, wanted
from agent.text import terms_of, tokens
from agent.types import Language, Plan, Query, SearchFilter, SearchRequest, Split, Step, StepStatus, Understood

LOOKED_AT = 3
"""Passages in which things that a question names side by side may stand together."""


async def plan(state: State, runtime: Runtime[Context]) -> Update:
    """Lay out the steps and show them before the first begins; what must be asked for one of them is known then."""
    context = runtime.context
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    language = state.understood.language
    made = await context.reasoner.plan(state.standalone, state.understood, context.pack)
    made = await parted(made, state.understood, context)
    wanted_steps, most = made.steps, context.pack.limits.max_steps
    made = with_left_out(arranged(made, teams=context.pack.teams, most=most), wanted_steps, most, language)
    made = titled(made, context.pack, state.understood.intent.name, language)
    made, given, wants = await _with_documents(made, state, context)
    made = replace(made, estimated_total_ms=await estimated(made, context.step_times))
    runtime.context.tell(PlanReady(plan=made))
    errors = tuple(f"plan: {problem}" for problem in made.validation_errors)
    return {"plan": made, "warnings": errors, "given": given, "wants": wants}


async def parted(plan: Plan, understood: Understood, context: Context) -> Plan:
    """Return the plan with a search for each of the things that a question names side by side.

    They are several things where no passage holds them all. What is called so, "terms and conditions", a passage does.
    """
    if context.pack.cases_for(understood.intent.name) is not None:
        return plan  # the words that a case must hold stand side by side, too
    for step in plan.steps:
        asks = step.team == "search" and step.purpose == "answer" and not step.status.final
        parts = side_by_side(step.description) if asks else ()
        if parts and not await _stand_together(step.description, parts, context):
            new = [
                replace(step, id=f"{step.id}_{n}", description=part, task=f"{step.task.partition(':')[0]}: {part}")
                for n, part in enumerate(parts, start=1)
            ]
            plan = replace(plan, steps=tuple(_in_place(plan.steps, step, new)))
    return plan


async def _stand_together(text: str, parts: Sequence[str], context: Context) -> bool:
    """Tell whether one of the best passages for a text holds all that its parts name."""
    query, filter = Query(text=text, by_meaning=False), SearchFilter(collections=collections_of(context.pack))
    request = SearchRequest(queries=(query,), k=LOOKED_AT, filter=filter)
    try:
        found = await context.knowledge.search(request, context.request.audience)
    except StorageError:
        return True  # the search itself tells of it
    named = [found.read_as.get(word.word, word.word) for part in parts for word in named_in(part)]
    wanted = {term for word in named for term in terms_of(word)}
    passages = [hit.passage for hit in found.hits]
    return any(wanted.issubset(tokens(f"{each.title}\n{each.section}\n{each.text}")) for each in passages)


def _in_place(steps: Sequence[Step], old: Step, new: Sequence[Step]) -> Iterator[Step]:
    """Yield the steps with new ones in the place of an old one, which those that waited for it wait for."""
    names = tuple(step.id for step in new)
    for step in steps:
        if step.id == old.id:
            yield from new
            continue
        waits = (names if each == old.id else (each,) for each in step.dependencies)
        yield replace(step, dependencies=tuple(chain.from_iterable(waits)))


async def _with_documents(plan: Plan, state: State, context: Context) -> tuple[Plan, dict[str, str], Split | None]:
    """Return the plan without the documents that something must be asked for first, and with what is known for them."""
    given: dict[str, str] = {}
    wants: Split | None = None
    for step in plan.steps:
        if step.team != "document" or step.status.final:
            continue
        before = [each for each in plan.steps if each.id in step.dependencies]
        known, asks = await wanted(step, state, context, alone=all(each.purpose == "evidence" for each in before))
        given |= known
        if asks is not None:
            wants = both(wants, replace(asks, about=step.description))
            assert state.understood is not None  # noqa: S101 - the graph's order
            plan = without(plan, step, say("step_waits_for_details", state.understood.language))
    if wants is not None and all(step.status is StepStatus.SKIPPED for step in plan.steps):
        wants = replace(wants, about="")  # the question as a whole waits
    return plan, given, wants


def without(plan: Plan, step: Step, why: str) -> Plan:
    """Return the plan with a step skipped, and with it the steps that find evidence for it alone."""
    needed = {name for other in plan.steps if other.id != step.id for name in other.dependencies}
    dropped = {step.id} | {
        other.id for other in plan.steps
        if other.purpose == "evidence" and other.id in step.dependencies and other.id not in needed
    }  # fmt: skip
    steps = tuple(
        replace(each, status=StepStatus.SKIPPED, result=why) if each.id in dropped else each for each in plan.steps
    )
    return replace(plan, steps=steps)


def titled(plan: Plan, pack: Pack, intent: str, language: Language) -> Plan:
    """Return the plan with searches of one scope alone called by that scope's title."""
    usual = say("step_search", language)

    def task(step: Step) -> str:
        scopes = scopes_of(step.description, pack, intent) if step.team == "search" else []
        return step.task.replace(usual, scopes[0].title.of(language), 1) if len(scopes) == 1 else step.task

    return replace(plan, steps=tuple(replace(step, task=task(step)) for step in plan.steps))


async def estimated(plan: Plan, times: StepTimes | None) -> float | None:
    """Return the milliseconds that the plan should take: of each group the slowest team. None: nothing is known."""
    if times is None:
        return None
    teams = {step.id: step.team for step in plan.steps if not step.status.final}
    usual = await times.typical()
    if not teams or not usual.keys() >= set(teams.values()):
        return None
    groups = ([usual[teams[name]] for name in group if name in teams] for group in plan.parallel_groups)
    return sum(max(group, default=0.0) for group in groups)


def arranged(plan: Plan, *, teams: Collection[str], most: int) -> Plan:
    """Return the plan with its groups worked out, and without the steps that cannot be done.

    A group holds the steps whose dependencies are all in earlier groups; before others those of higher priority
    (1 is the highest).
    """
    problems = list(plan.validation_errors)
    ended = {step.id for step in plan.steps if step.status.final}
    offered = [step for step in plan.steps if step.id not in ended]
    if len(offered) > most:
        offered = sorted(offered, key=lambda step: step.priority)
        problems.append(f"{len(offered)} steps are more than {most}, the rest was left out")
    chosen = {step.id for step in offered[:most]} | ended
    known, sound = set[str](), list[Step]()
    for step in plan.steps:
        if step.id not in chosen:
            continue
        if step.id in known:
            problems.append(f"step {step.id} is there twice")
        elif step.team not in teams:
            problems.append(f"step {step.id} names an unknown team {step.team!r}")
        else:
            known.add(step.id)
            sound.append(step)
    while missing := next(((step, d) for step in sound for d in step.dependencies if d not in known), None):
        step, name = missing
        problems.append(f"step {step.id} waits for an unknown step {name!r}")
        known.discard(step.id)
        sound.remove(step)
    groups, stuck = _groups(
        [step for step in sound if step.id not in ended], ended, one_by_one=plan.strategy == "sequential"
    )
    problems.extend(f"step {step.id} waits for itself in a circle" for step in stuck)
    kept = tuple(step for step in sound if step not in stuck)
    several = any(len(group) > 1 for group in groups)
    strategy: Literal["parallel", "sequential"] = "parallel" if several else "sequential"
    return replace(plan, steps=kept, strategy=strategy, parallel_groups=groups, validation_errors=tuple(problems))


def with_left_out(plan: Plan, wanted: Sequence[Step], most: int, language: Language) -> Plan:
    """Return the plan with a step for what was left out of it, which is not done and told."""
    kept = {step.id for step in plan.steps}
    left = [step for step in wanted if step.id not in kept and step.purpose == "answer"]
    if not left or not kept:
        return plan
    text = "; ".join(dict.fromkeys(step.description or step.task for step in left))
    why = say("step_left_out" if len(wanted) > most else "step_failed", language)
    skipped = Step(
        id="left_out", team="search", task=left[0].task, description=text, status=StepStatus.SKIPPED, error=why
    )
    return replace(plan, steps=(*plan.steps, skipped))


def _groups(
    steps: Sequence[Step], ended: Collection[str], *, one_by_one: bool
) -> tuple[tuple[tuple[str, ...], ...], list[Step]]:
    groups: list[tuple[str, ...]] = []
    waiting, done = list(steps), set[str](ended)
    while waiting:
        ready = [step for step in waiting if done.issuperset(step.dependencies)]
        if not ready:
            break
        if one_by_one:
            ready = sorted(ready, key=lambda step: step.priority)[:1]
        groups.append(tuple(step.id for step in ready))
        done.update(groups[-1])
        waiting = [step for step in waiting if step.id not in done]
    return tuple(groups), waiting


async def collect(state: State, runtime: Runtime[Context]) -> Update:
    """Take over how the steps ended, and skip those that waited for a failed one: only here does a plan move on."""
    assert state.plan is not None and state.understood is not None  # noqa: S101 - the graph's order
    ended = {outcome.step_id: outcome.step for outcome in state.outcomes if outcome.step is not None}
    steps = {step.id: step if step.status.final else ended.get(step.id, step) for step in state.plan.steps}
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

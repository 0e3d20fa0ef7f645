"""Things that a message names side by side, with one verb: a search for each where documents tell them apart."""

from collections.abc import Sequence
from dataclasses import replace

from agent.context import Context
from agent.reasoning.rules.planning.things import side_by_side
from agent.reasoning.rules.reading.question_form import content_of
from agent.retrieval.scopes import collections_of
from agent.task_group import together
from agent.text import tokens
from agent.types import Hit, Plan, Query, SearchFilter, SearchRequest, Step, Understood

LOOKED_AT = 3
"""Passages in which things of unlike names may stand together."""


async def parted(plan: Plan, understood: Understood, context: Context) -> Plan:
    """Return the plan with a step for each of the things that a search names side by side. Raises StorageError.

    They are several things where each has a best passage of its own. What is called so, "terms and conditions", one
    passage answers best; so it does what it tells of both.
    """
    if context.pack.cases_for(understood.intent.name) is not None:
        return plan  # the words of a case stand side by side, too
    for step in plan.steps:
        parts = side_by_side(step.description) if _asks(step) else ()
        if parts and await _apart(step.description, parts, context):
            plan = _with(plan, step, parts)
    return plan


def _asks(step: Step) -> bool:
    return step.team == "search" and step.purpose == "answer" and not step.status.final


async def _apart(text: str, parts: Sequence[str], context: Context) -> bool:
    """Tell whether each part is found by a best passage of its own; a part that nothing is found for may be one.

    Where the names are not alike ("sick leave and pay"), the last may go with the first: then no passage may hold all.
    """
    found = await together(*(_best(each, context) for each in (text, *parts)))
    whole, each = found[0], [hits[0].passage.reference for hits in found[1:] if hits]
    if not each or len(set(each)) < len(each):
        return False
    if len({len(part.split()) for part in parts}) == 1:
        return True
    wanted = {token for term in content_of(text) for token in tokens(term.stem if term.hangul else term.word)}
    return not any(wanted <= _terms(hit) for hit in whole)


async def _best(text: str, context: Context) -> Sequence[Hit]:
    """Return what words alone find best."""
    request = SearchRequest(
        queries=(Query(text=text, by_meaning=False),),
        k=LOOKED_AT,
        filter=SearchFilter(collections=collections_of(context.pack)),
    )
    return (await context.knowledge.search(request, context.request.audience)).hits


def _terms(hit: Hit) -> set[str]:
    return set(tokens(f"{hit.passage.title}\n{hit.passage.section}\n{hit.passage.text}"))


def _with(plan: Plan, step: Step, parts: Sequence[str]) -> Plan:
    """Return the plan with a step for each part, side by side, in the place of one."""
    new = [
        replace(step, id=f"{step.id}_{n}", description=part, task=_called(step, part))
        for n, part in enumerate(parts, start=1)
    ]
    names = tuple(each.id for each in new)

    def renamed(ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for each in ids for name in (names if each == step.id else (each,)))

    steps = [
        replace(each, dependencies=renamed(each.dependencies))
        for old in plan.steps
        for each in (new if old.id == step.id else (old,))
    ]
    groups = tuple(renamed(group) for group in plan.parallel_groups)
    return replace(plan, steps=tuple(steps), strategy="parallel", parallel_groups=groups)


def _called(step: Step, part: str) -> str:
    """Return how the step of a part is called: before a colon what is done, behind it what for."""
    return f"{step.task.partition(':')[0]}: {part}"

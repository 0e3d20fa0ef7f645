"""Embedding while a model reads: what the rules read in a message is embedded before the model's reading is there.

The search itself comes later (`agent/teams/search.py`). It asks for the same texts, and finds their vectors done: what
embeds questions knows the latest ones. Nothing is told of looking ahead; what goes wrong there is met again by that
search, and told then.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from agent.context import Context
from agent.errors import where
from agent.nodes.plan import arranged
from agent.packs.pack import Pack
from agent.reasoning.contract import Reasoner
from agent.state import TeamTask
from agent.task_group import end, together
from agent.teams.search import expanded
from agent.types import Expansion, SearchRequest, Standalone, Understood

logger = logging.getLogger(__name__)

PAUSE = 0.01
"""Seconds until the search begins: what the rules read alone is read by then, and what asks the model is on its way."""
Reading = tuple[Understood, Standalone]
"""What a message was read as, and its question as it is searched for."""


async def searched_ahead(
    reading: Awaitable[Reading], by_rules: Callable[[Reasoner], Awaitable[Reading]], context: Context
) -> Reading:
    """Return the reading; where a model takes its time for it, embed meanwhile what the rules read.

    What is not embedded by then is waited for, where a search will ask for it. Raises what the reading does.
    """
    if context.without_model is None or not context.knowledge.embeds:
        return await reading
    ahead = asyncio.create_task(_look_up(by_rules, context.without_model, context))
    try:
        read = await reading
        if leads_to_search(read[0], context.pack):
            await ahead
        return read
    finally:
        await end(ahead)


def leads_to_search(understood: Understood, pack: Pack) -> bool:
    """Tell whether a message is looked up in the documents whatever else is done."""
    return understood.route in ("research", "contextualize") or not pack.flags.query_routing_enabled


async def first_searches(reading: Reading, rules: Reasoner, pack: Pack) -> list[tuple[Expansion, SearchRequest]]:
    """Return what a plan would search for first, if this reading were the last word; mostly one search."""
    understood, question = reading
    if not leads_to_search(understood, pack):
        return []
    plan = await rules.plan(question, understood, pack)
    plan = arranged(plan, teams=pack.teams, most=pack.limits.max_steps)
    first = plan.parallel_groups[0] if plan.parallel_groups else ()
    steps = [step for step in plan.steps if step.id in first and step.team == "search"]
    tasks = [TeamTask(step=step, question=question, understood=understood) for step in steps]
    return [await expanded(task, rules, pack) for task in tasks]


async def _look_up(by_rules: Callable[[Reasoner], Awaitable[Reading]], rules: Reasoner, context: Context) -> None:
    """Embed what the first searches of the plan would ask for, by the rules' reading."""
    try:
        async with asyncio.timeout(context.left()):
            await asyncio.sleep(PAUSE)
            searches = await first_searches(await by_rules(rules), rules, context.pack)
            await together(*(context.knowledge.prepare(request) for _, request in searches))
    except Exception as error:
        logger.debug("Nothing was embedded ahead: %s", where(error), extra={"action": "ahead_failed"})

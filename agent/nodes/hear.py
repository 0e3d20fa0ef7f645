"""Find out whether a message that calls nobody is said to Weft, before anything is shown and a model is asked."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from agent.context import Context
from agent.nodes.plan import arranged
from agent.packs.pack import Pack
from agent.reasoning.contract import Message, Reasoner
from agent.reasoning.rules.judging import addressee
from agent.reasoning.rules.judging.addressee import Held
from agent.retrieval.pack import merged, pack
from agent.state import TeamTask
from agent.teams.attached import attached_hits
from agent.teams.search import expanded
from agent.types import Around, Expansion, SearchRequest, Standalone, Understood

Reading = tuple[Understood, Standalone]
"""What a message was read as, and its question as it is searched for."""


async def is_for_weft(message: Message, by_rules: Callable[[Reasoner], Awaitable[Reading]], context: Context) -> bool:
    """Tell whether the message of a request is to be answered, by what stands around it. Raises StorageError.

    Everything is read by the rules, also where there is a model: what people say to each other is nobody's else.
    """
    around = context.request.around or Around()
    if around.only_settles or addressee.is_for_others(message.text, around):
        return False
    if message.turns and addressee.wants_thread(message.text, around):
        return True
    rules = context.without_model or context.reasoner
    understood, standalone = await by_rules(rules)
    held = await held_of(message.text, understood, standalone, rules, context)
    seen = await asyncio.to_thread(
        addressee.seen_of,
        message.text,
        around,
        message.turns,
        asked_by=context.request.asked_by,
        understood=understood,
        held=held,
    )
    return addressee.is_for_weft(seen, replies=around.replies_to_weft)


async def held_of(text: str, understood: Understood, question: Standalone, rules: Reasoner, context: Context) -> Held:
    """Return what the documents hold for a message, by what one search finds; by words alone."""
    search = await _first_search(understood, question, rules, context.pack)
    if search is None:
        return Held()
    expansion, request = search
    by_words = tuple(replace(query, by_meaning=False) for query in request.queries)
    request = replace(request, queries=by_words, told=())  # people who talk on are not asking about what was told
    result = await context.knowledge.search(request, context.request.audience)
    attached = await asyncio.to_thread(attached_hits, context.request.attached, expansion.queries, request.k)
    limits = context.pack.limits
    packed = pack(merged((attached, result.hits)), passages=limits.passages, characters=limits.context_characters)
    return await asyncio.to_thread(
        addressee.held_by, text, question, packed.blocks, language=understood.language, rarity=result.rarity
    )


async def _first_search(
    understood: Understood, question: Standalone, rules: Reasoner, pack: Pack
) -> tuple[Expansion, SearchRequest] | None:
    """Return what a plan would search for first, if this reading were the last word."""
    if understood.route not in ("research", "contextualize") and pack.flags.query_routing_enabled:
        return None
    plan = arranged(await rules.plan(question, understood, pack), teams=pack.teams, most=pack.limits.max_steps)
    first = plan.parallel_groups[0] if plan.parallel_groups else ()
    step = next((step for step in plan.steps if step.id in first and step.team == "search"), None)
    return await expanded(TeamTask(step=step, question=question, understood=understood), rules, pack) if step else None

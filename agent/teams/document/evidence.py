"""The passages that a document is written from."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from agent.context import Context
from agent.packs.template import Template
from agent.retrieval.pack import merged, pack
from agent.state import TeamTask
from agent.teams.running import Tell, silent
from agent.teams.search import find
from agent.text import language_of
from agent.types import Block, Hit, Language, Standalone, Step

_FOR_A_SECTION = 3
"""Passages that each section with a question of its own may add to those of the topic."""


async def evidence(task: TeamTask, template: Template, topic: str, context: Context, tell: Tell) -> tuple[Block, ...]:
    """Return the blocks of a document: what the steps before it found, and what its sections ask for besides.

    Where nothing was found before, its topic is searched for here. Raises StorageError.
    """
    if not template.sections:
        return ()
    before = [outcome.hits for outcome in task.before if outcome.hits]
    questions = [] if before else [topic]
    language = task.understood.language
    own = [section.question.of(language).replace("{topic}", topic) for section in template.sections if section.question]
    # The web is asked about the topic alone: its pages would be numbered alike in every search of one step.
    offline = replace(context, web=None)
    searches = [_search(question, task, context, tell) for question in questions]
    of_sections = [_search(question, task, offline, silent) for question in dict.fromkeys(own)]
    found = await asyncio.gather(*searches, *of_sections)
    found[len(searches) :] = [_in_language(hits, language) for hits in found[len(searches) :]]
    limits = context.pack.limits
    hits = merged([*before, *found])
    most = limits.passages + _FOR_A_SECTION * len(own)
    return pack(hits, passages=most, characters=limits.context_characters).blocks


async def _search(question: str, task: TeamTask, context: Context, tell: Tell) -> tuple[Hit, ...]:
    step = Step(id=task.step.id, team="search", task=task.step.task, description=question, purpose="evidence")
    asked = replace(task, step=step, question=Standalone(text=question), several=False, before=())
    return (await find(asked, context, tell)).hits


def _in_language(hits: Sequence[Hit], language: Language) -> tuple[Hit, ...]:
    """Return the hits in the language of the document, where there are any: it is to be read as one text."""
    own = tuple(hit for hit in hits if language_of(hit.passage.text, language) == language)
    return own or tuple(hits)

"""The search team: expand the question, search every variation, and the web where the documents hold too little."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from langgraph.runtime import Runtime

from agent.context import Context
from agent.errors import StorageError, WebSearchError
from agent.language import say
from agent.packs.cases import CasesSpec
from agent.packs.pack import Pack
from agent.packs.slots import SlotSpec
from agent.reasoning.brief import Brief
from agent.reasoning.contract import Reasoner
from agent.reasoning.rules.reading.named_document import newest, summary_wish, to_sum_up
from agent.reasoning.rules.reading.question_form import things_of
from agent.reasoning.rules.reading.trade_synonyms import named_in
from agent.results import Outcome, Told
from agent.retrieval.cases import LONGEST, look_up
from agent.retrieval.pack import merged, pack, whole_blocks
from agent.retrieval.scopes import collections_for, collections_of
from agent.state import TeamTask, Update
from agent.teams.attached import asked_about, attached_hits
from agent.teams.running import Tell, run
from agent.teams.web import web_hits
from agent.text import strip_particle, tokens
from agent.types import Expansion, Hit, Language, Passage, Query, SearchFilter, SearchRequest, Understood

logger = logging.getLogger(__name__)

SHOWN = 5
"""Titles that a step of the TODO list names."""
NAMESAKES = 100
"""Passages among which the newest document of a title is looked for."""
WEB_PAGES = 5
WEB_SECONDS = 15.0
WEB_IDS = 1_000_000
"""Ids that the pages of one step may take: the steps of a plan must not give out the same."""


async def search(task: TeamTask, runtime: Runtime[Context]) -> Update:
    """Search for one step."""
    return await run(find, task, runtime)


async def expanded(task: TeamTask, reasoner: Reasoner, pack: Pack) -> tuple[Expansion, SearchRequest]:
    """Return how a step is searched for, and what the documents are asked for it."""
    expansion = await reasoner.expand(task.step, task.question, task.understood, pack, task.again)
    asked = task.step.description or task.question.text
    beside = [term.text for term in (*task.question.terms, *task.question.of_asker)]
    request = SearchRequest(
        queries=expansion.queries,
        language=task.understood.language,
        abroad=expansion.abroad,
        k=max(20, 2 * pack.limits.passages),
        filter=replace(expansion.filter, collections=collections_for(asked, pack, task.understood.intent.name, beside)),
        must_have=expansion.must_have if pack.flags.must_have_enabled else (),
        before=task.question.before,
        told=task.question.told,
        thread=task.question.thread if asked == task.question.text else "",
        leans=task.question.leans,
    )
    return for_cases(expansion, request, task.understood, pack) if task.again is None else (expansion, request)


async def find(task: TeamTask, context: Context, tell: Tell) -> Outcome:
    """Return what the documents hold for a step. Raises StorageError."""
    language = task.understood.language
    expansion, request = await expanded(task, context.reasoner, context.pack)
    request = replace(await _reaching(request, task, context), today=date.fromtimestamp(context.now()))
    tell(say("phase_searching", language, count=len(expansion.queries)), 20)
    outcome = Outcome(step_id=task.step.id, expansion=expansion)
    attached: tuple[Hit, ...] = ()
    if context.request.attached:
        files = context.request.attached
        attached = tuple(await asyncio.to_thread(attached_hits, files, expansion.queries, request.k))
    trouble: StorageError | None = None
    try:
        result = await context.knowledge.search(request, context.request.audience)
        read = (_read_as(asked, meant, language) for asked, meant in result.read_as.items())
        told = (*read, *(say(key, language) for key in result.warnings))
        outcome = replace(outcome, hits=tuple(merged((attached, result.hits))), search=result, warnings=told)
        spec = context.pack.cases_for(task.understood.intent.name)
        if spec is not None and task.again is None and not attached:
            outcome = await _cases(outcome, request, spec, task, context)
        elif task.again is None:
            outcome = replace(outcome, whole=await _summed_up(outcome, task, context))
        tell(say("phase_found", language, passages=len(outcome.hits)), 60, _titles(outcome.hits))
    except StorageError as error:
        trouble = error
        outcome = replace(outcome, hits=attached)
    if _asks_web(outcome, task, context):
        outcome = await _with_web(outcome, task, context, tell)
    if trouble is not None:
        if not outcome.hits:
            raise trouble
        logger.error("The documents cannot be searched: %s", trouble, extra={"action": "search_failed"})
        outcome = replace(outcome, warnings=(*outcome.warnings, say("documents_unreachable", language)))
    if task.several and outcome.whole:
        outcome = replace(outcome, told=await _summary(outcome.whole, task, context))
    elif task.several and outcome.hits:
        outcome = await _with_answer(outcome, task, context)
    return replace(outcome, result=_result(outcome.hits, task), sources=_titles(outcome.hits))


def _read_as(asked: str, meant: str, language: Language) -> str:
    """Return what is said of a word that was read as another; the particle that both have tells nothing."""
    particle = asked[len(strip_particle(asked)) :]
    if particle and meant.endswith(particle):
        asked, meant = asked.removesuffix(particle), meant.removesuffix(particle)
    meant = meant.removeprefix(f"{asked} ")  # a day is searched for by its own word as well
    return say("read_as", language, asked=f'"{asked}"', meant=f'"{meant}"')


async def _summed_up(outcome: Outcome, task: TeamTask, context: Context) -> tuple[Passage, ...]:
    """Return the passages of the document that is to be summed up, from end to end; none where none is.

    One that is not named is the file that came with the message, or what the turn before rests on most.
    """
    asked = task.step.description or task.question.text
    wish = summary_wish(asked)
    if wish is None:
        return ()
    files = asked_about(context.request.attached, asked) if not wish.words else ()
    if files:
        return files[0].passages
    passage = to_sum_up(wish, [hit.passage for hit in outcome.hits])
    if not wish.words and wish.of_document and (before := task.question.before):
        latest = max(before, key=lambda document: before[document])
        passage = next((hit.passage for hit in outcome.hits if hit.passage.document_id == latest), None)
    if passage is None:
        return ()
    if wish.newest:
        passage = await _newest(passage, context)
    own = next((file.passages for file in context.request.attached if passage in file.passages), None)
    return own or tuple(await context.knowledge.of_document(passage, 0, LONGEST, context.request.audience))


async def _newest(passage: Passage, context: Context) -> Passage:
    """Return a passage of the newest document that is called as a passage's own."""
    request = SearchRequest(
        queries=(Query(text=passage.title, by_meaning=False),), k=NAMESAKES,
        filter=SearchFilter(collections=(passage.collection,)),
    )  # fmt: skip
    found = await context.knowledge.search(request, context.request.audience)
    return newest(passage, (hit.passage for hit in found.hits))


async def _cases(
    outcome: Outcome, request: SearchRequest, spec: CasesSpec, task: TeamTask, context: Context
) -> Outcome:
    """Return the outcome with its cases; where it has none, with those of what the pack calls the same things."""
    audience, knowledge = context.request.audience, context.knowledge
    first, expansion = outcome.search, outcome.expansion
    assert first is not None and expansion is not None  # noqa: S101 - it was searched
    outcome = replace(outcome, lookup=await look_up(first, request, spec, knowledge, audience))
    if outcome.lookup is not None and outcome.lookup.cases:
        return outcome
    other = await _otherwise_called(request, task.step.description or task.question.text, context)
    if other is None:
        return outcome
    result = await knowledge.search(other, audience)
    lookup = await look_up(result, other, spec, knowledge, audience)
    if lookup is None or not lookup.cases:
        return outcome
    told = tuple(say(key, task.understood.language) for key in result.warnings)
    expansion = replace(expansion, must_have=other.must_have, queries=other.queries)
    return replace(outcome, expansion=expansion, hits=result.hits, search=result, warnings=told, lookup=lookup)


async def _otherwise_called(request: SearchRequest, asked: str, context: Context) -> SearchRequest | None:
    """Return the search by the other names of what is asked about that documents hold; None where there are none."""
    pack = context.pack
    groups = (*pack.synonyms, *(f"{one}, {other}".split(", ") for one, other in pack.trade))
    must, names = list(request.must_have), list[str]()
    for said, more in named_in(asked, groups):
        there = await context.knowledge.standing(more, context.request.audience, request.filter)
        name = next((each for each in more if each in there), None)
        own = {token for phrase in said for token in tokens(phrase)}
        left = [word for word in must if not own.issuperset(tokens(word))]
        if name is not None and len(left) < len(must):
            must, names = left, [*names, name]
    if not names:
        return None
    return replace(request, must_have=(*must, *names), queries=(*request.queries, Query(text=" ".join(names))))


async def _reaching(request: SearchRequest, task: TeamTask, context: Context) -> SearchRequest:
    """Return the request within all that the pack searches, where its scopes hide what the question names.

    A keyword of one scope is no reason not to find a thing that stands in another one alone. Raises StorageError.
    """
    everything = collections_of(context.pack)
    if request.filter.collections == everything:
        return request
    asked = task.step.description or task.question.text
    things = [name for thing in things_of(asked) if len(name := thing.stem if thing.hangul else thing.word) > 1]
    found = await context.knowledge.standing(things, context.request.audience, request.filter)
    left = [thing for thing in things if thing not in found]
    wide = replace(request.filter, collections=everything)
    if not left or not await context.knowledge.standing(left, context.request.audience, wide):
        return request
    return replace(request, filter=wide)


def _asks_web(outcome: Outcome, task: TeamTask, context: Context) -> bool:
    flags, limits = context.pack.flags, context.pack.limits
    if context.web is None or not flags.web_search_enabled or task.again is not None:
        return False
    documents = {(hit.passage.collection, hit.passage.document_id) for hit in outcome.hits}
    return flags.require_web_search or len(documents) < limits.enough_documents


async def _with_web(outcome: Outcome, task: TeamTask, context: Context, tell: Tell) -> Outcome:
    """Return the outcome with pages of the web beside the passages; that they cannot be had is a warning.

    The best passage of the documents comes before the best of the web, and so on: behind all of them no page would be
    among those that an answer is written from.
    """
    assert context.web is not None  # noqa: S101 - asked before
    language = task.understood.language
    tell(say("phase_web", language), 75)
    try:
        found = await web_hits(
            context.web,
            task.step.description or task.question.text,
            k=WEB_PAGES,
            language=language,
            timeout=min(WEB_SECONDS, context.left()),
            first_id=-WEB_IDS * task.number,
        )
    except WebSearchError:
        return replace(outcome, warnings=(*outcome.warnings, say("web_search_failed", language)))
    return replace(outcome, hits=tuple(merged((outcome.hits, found))), web=bool(found))


async def _with_answer(outcome: Outcome, task: TeamTask, context: Context) -> Outcome:
    """Return the outcome with the step's own answer, in the words of the documents."""
    limits = context.pack.limits
    blocks = pack(outcome.hits, passages=limits.passages, characters=limits.context_characters).blocks
    brief = Brief(
        question=task.step.description or task.question.text,
        language=task.understood.language,
        pack=context.pack,
        blocks=blocks,
        rarity=outcome.search.rarity if outcome.search else {},
        several=task.several,
        read_as=outcome.search.read_as if outcome.search else {},
        profile=task.profile,
    )
    writer = context.without_model or context.reasoner
    return replace(outcome, sentences=tuple([sentence async for sentence in writer.compose(brief)]))


async def _summary(whole: tuple[Passage, ...], task: TeamTask, context: Context) -> Told:
    """Return the summary of a document as a part of the answer to a message that wants more besides."""
    limited = context.without_model is not None
    blocks = whole_blocks(whole, context.pack.limits.context_characters if limited else None)
    asked = task.step.description or task.question.text
    brief = Brief(
        question=asked, language=task.understood.language, pack=context.pack, blocks=blocks, whole=True,
        profile=task.profile,
    )  # fmt: skip
    title = whole[0].title or whole[0].document_id
    sentences = [sentence async for sentence in context.reasoner.compose(brief)]
    for first in sentences[:1]:  # its title stands above every part
        sentences[0] = replace(first, lead="\n\n" + first.lead.lstrip("\n ").removeprefix(f"**{title}**").lstrip("\n"))
    return Told(title=title, sentences=tuple(sentences), blocks=blocks)


def _result(hits: tuple[Hit, ...], task: TeamTask) -> str:
    documents = {hit.passage.document_id for hit in hits}
    language = task.understood.language
    if not hits:
        return say("step_result_none", language)
    return say("step_result", language, passages=len(hits), documents=len(documents))


def _titles(hits: tuple[Hit, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hit.passage.title or hit.passage.document_id for hit in hits[:SHOWN]))


PASSAGES = 200
"""Passages that are looked at, so that one long case does not hide the others."""

ANY_CASE = 0.1
"""Weight of the words that all cases have in common: they find those of an industry that is all that was named."""


def for_cases(
    expansion: Expansion, request: SearchRequest, understood: Understood, pack: Pack
) -> tuple[Expansion, SearchRequest]:
    """Return the search as it is, or as one for cases where the question's intent looks these up."""
    spec = pack.cases_for(understood.intent.name)
    if spec is None:
        return expansion, request
    told = [
        (slot, _values(value))
        for slot in pack.slots
        if slot.filter and (value := understood.slots.get(slot.name)) not in (None, "", [])
    ]
    names = tuple(value for _, values in told for value in values)
    apart = {name for slot, values in told for value in values for name in _called(slot, value)}
    wanted = expansion.must_have or expansion.should_have
    must = tuple(word for word in wanted if not spec.is_common(word) and word.casefold() not in apart)
    own = tuple(word for word in must if word in understood.question)
    must = own if own or names else must  # what a follow-up names itself goes before what it takes from its thread
    must = must if pack.flags.must_have_enabled else ()
    expansion = replace(expansion, must_have=must, filter=replace(expansion.filter, names=names))
    any_case = Query(text=" ".join(each.rstrip("*") for each in spec.common), weight=ANY_CASE, by_meaning=False)
    queries = (*request.queries, any_case) if names and not must else request.queries
    filter = replace(request.filter, names=names)
    # what holds the words is counted: none of it is found by others
    return expansion, replace(request, queries=queries, abroad=None, k=PASSAGES, must_have=must, filter=filter)


def _values(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)


def _called(slot: SlotSpec, value: str) -> Iterable[str]:
    """Yield what people call a value, and the words of it: these are the filter, and need not stand in the text."""
    for name in (value, *(name for choice in slot.choices if choice.value == value for name in choice.names)):
        yield name.casefold()
        yield from name.casefold().split()

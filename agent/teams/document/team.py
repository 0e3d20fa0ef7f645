"""From a template to a finished document: evidence, draft, review, files."""

import asyncio
import datetime as dt
import logging
import re
from collections.abc import Iterable
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.citing import renumbered
from agent.context import Context
from agent.errors import StorageError, WeftError
from agent.language import say
from agent.language.lexicon import regex
from agent.packs.escaping import clean
from agent.packs.labelled_answers import headed
from agent.packs.pack import Pack
from agent.packs.template import Template
from agent.reasoning.brief import Brief
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.rules.reading.work_orders import order_of
from agent.reasoning.rules.thread.history import past_of
from agent.results import DocumentResult, Outcome, Review, Told
from agent.retrieval.pack import merged, pack
from agent.state import TeamTask, Update
from agent.teams.document import document_text, preview
from agent.teams.document.missing_fields import given_for, section_about, template_for
from agent.teams.running import Tell, run, silent
from agent.teams.search import find
from agent.text import language_of, normalise, shortened, tokens
from agent.types import Block, Hit, Language, ProducedFile, Sentence, Standalone, Step
from agent.values.dates import dates

logger = logging.getLogger(__name__)
MARKDOWN = "text/markdown"
_FOR_A_SECTION = 3
"""Passages that each section with a question of its own may add to those of the topic."""
TOPICS = "; "
"""Between the topics of a document that is about several things."""
_BEFORE_DAY = re.compile(rf"\b{regex('teams.before_day')}\s+$", re.IGNORECASE)
_BEHIND_DAY = re.compile(rf"^{regex('teams.behind_day')}")
_AROUND = re.compile(regex("teams.asking_around"), re.IGNORECASE)
_BEHIND_NAME = regex("teams.behind_name")
LONGEST = 160
"""Characters of a topic."""
_LONGEST_TITLE = 100
_LONGEST_STEM = 60
_UNSAFE = re.compile(r"[^\w-]+", re.UNICODE)


async def document(task: TeamTask, runtime: Runtime[Context]) -> Update:
    """Write one document."""
    return await run(write, task, runtime)


async def write(task: TeamTask, context: Context, tell: Tell) -> Outcome:
    """Return the document of a step. Raises WeftError."""
    template = template_for(task.step, context.pack)
    if template is None:
        known = ", ".join(each.name for each in context.pack.templates) or "none"
        raise WeftError(f"there is no template {task.step.subject!r}; there are {known}")
    language = task.understood.language
    topic = _topic(task, template, context.pack)
    blocks = await evidence(task, template, topic, context, tell)
    titles = dict.fromkeys(block.passage.title or block.passage.document_id for block in blocks)
    tell(say("phase_drafting", language), 45, tuple(titles)[:5])
    brief = _brief(task, template, topic, blocks, context)
    checked = await document_text.drafted(brief, context)
    figures, blocks = _figures(task, blocks)
    cases, blocks = await _cases(task, blocks, brief.brief, context)
    about = section_about(template)
    sections = dict(checked.sections)
    if (figures or cases) and about is not None:
        sections[about.name] = (*figures, *(cases or sections.get(about.name, ())))
        complete = about.model_copy(update={"optional": True})  # whatever the documents hold for it
        kept = tuple(complete if section is about else section for section in template.sections)
        template = template.model_copy(update={"sections": kept})
        brief = replace(brief, template=template)
    ordered = task.step.description or task.question.text
    title = title_of(template, "" if topic == ordered else ", ".join(topic.split(TOPICS)), language)
    pieces = await asyncio.to_thread(document_text.assembled, brief, sections, title)
    text, citations = document_text.markdown(pieces, blocks, language)
    open_fields = [field for field in template.fields if not field.optional and not brief.fields.get(field.name)]
    open_sections = [each for each in template.sections if not each.optional and not checked.sections.get(each.name)]
    unfilled = [*(field.title for field in open_fields), *(section.title for section in open_sections)]
    blanks = tuple(words.of(language) for words in unfilled)
    review: Review | None = None
    if template.review_needed:
        tell(say("phase_reviewing", language), 70)
        left = [field.name for field in open_fields]
        drafted = Drafted(sections=checked.sections, text=text, blanks=left, blocks=blocks)
        review = await context.reasoner.review(brief, drafted)
    tell(say("phase_writing_files", language), 85)
    files, warnings = await _files(text, title, language, context)
    if checked.left_out:
        warnings = (say("document_left_out", language), *warnings)
    told = preview.told(title, pieces, blocks, language=language, review=review, blanks=blanks, files=files)
    result = title
    if review is not None:
        result = say("step_result_document", language, title=title, risk=say(f"risk_{review.risk_level}", language))
    return Outcome(
        step_id=task.step.id,
        told=told,
        document=DocumentResult(
            template=template.name, title=title, markdown=text, fields=dict(brief.fields), blanks=blanks, review=review
        ),
        files=files,
        result=result,
        sources=tuple(dict.fromkeys(citation.title for citation in citations)),
        warnings=warnings,
    )


async def evidence(task: TeamTask, template: Template, topic: str, context: Context, tell: Tell) -> tuple[Block, ...]:
    """Return the blocks of a document: what the steps before it found, and what its sections ask for besides.

    Where nothing was found before, its topic is searched for here. Raises StorageError.
    """
    if not template.sections:
        return ()
    before = [outcome.hits for outcome in task.before if outcome.hits]
    language = task.understood.language
    own = [section.question.of(language).replace("{topic}", topic) for section in template.sections if section.question]
    # The web is asked about the topic alone: its pages would be numbered alike in every search of one step.
    offline = replace(context, web=None)
    searches = [] if before else [_search(topic, task, context, tell)]
    of_sections = [_search(question, task, offline, silent) for question in dict.fromkeys(own)]
    found = await asyncio.gather(*searches, *of_sections)
    for n, hits in enumerate(found[len(searches) :], start=len(searches)):  # the document is to be read as one text
        found[n] = tuple(hit for hit in hits if language_of(hit.passage.text, language) == language) or hits
    limits = context.pack.limits
    every = merged([*before, *found])
    most = limits.passages + _FOR_A_SECTION * len(own)
    return pack(every, passages=most, characters=limits.context_characters).blocks


async def _search(question: str, task: TeamTask, context: Context, tell: Tell) -> tuple[Hit, ...]:
    step = Step(id=task.step.id, team="search", task=task.step.task, description=question, purpose="evidence")
    asked = replace(task, step=step, question=Standalone(text=question), several=False, before=())
    return (await find(asked, context, tell)).hits


def _topic(task: TeamTask, template: Template, pack: Pack) -> str:
    """Return what the document is about: what its order names, in the words of a choice that says it more narrowly.

    Where the order names nothing, it is what was asked before.
    """
    order = task.step.description or task.question.text
    told = [(field, value) for field in template.fields if (value := given_for(task.step, field, task.given))]
    people = [value for field, value in told if field.type == "text"]
    _, rest = headed(order, template.fields, pack.synonyms)
    topic = topic_of(rest, people) or topic_of(order, people) or topic_of(order)
    if not topic:
        past = past_of(task.turns)
        return past[-1].told if past else order
    for field, value in told:
        choice = field.called(value, task.understood.language) if field.type == "choice" else ""
        if set(tokens(topic)) < set(tokens(choice)):
            return choice
    return topic


def _brief(
    task: TeamTask, template: Template, topic: str, blocks: document_text.Blocks, context: Context
) -> DocumentBrief:
    fields = {field.name: given_for(task.step, field, task.given) for field in template.fields}
    brief = Brief(
        question="\n".join(topic.split(TOPICS)),
        language=task.understood.language,
        pack=context.pack,
        blocks=blocks,
        turns=task.turns,
        profile=task.profile,
    )
    return DocumentBrief(template=template, brief=brief, fields=fields, today=_today(context).isoformat())


def _figures(task: TeamTask, blocks: document_text.Blocks) -> tuple[tuple[Sentence, ...], document_text.Blocks]:
    """Return what the analyses before it say of their figures, and the blocks with theirs behind them."""
    told: list[Sentence] = []
    for outcome in task.before:
        if outcome.analysis is not None and outcome.told is not None:
            part, blocks = renumbered(outcome.told, blocks)
            told += [sentence for sentence in part.sentences if sentence.support]
    return tuple(told), blocks


async def _cases(
    task: TeamTask, blocks: document_text.Blocks, brief: Brief, context: Context
) -> tuple[tuple[Sentence, ...], document_text.Blocks]:
    """Return the cases that the searches before it looked up, told as in an answer, and the blocks with theirs."""
    told: list[Sentence] = []
    for outcome in task.before:
        if outcome.lookup is not None and outcome.lookup.told:
            own = tuple(Block(n=n, passage=passage, score=0.0) for n, passage in enumerate(outcome.lookup.told, 1))
            asked = replace(brief, blocks=own, lookup=outcome.lookup)
            written = tuple([sentence async for sentence in context.reasoner.compose(asked)])
            part, blocks = renumbered(Told(title="", sentences=written, blocks=own), blocks)
            told += part.sentences
    return tuple(told), blocks


def _today(context: Context) -> dt.date:
    return dt.datetime.fromtimestamp(context.now()).date()


async def _files(
    text: str, title: str, language: Language, context: Context
) -> tuple[tuple[ProducedFile, ...], tuple[str, ...]]:
    """Return the document as files, and a warning where they cannot be kept: the thread has its text in any case."""
    if context.files is None:
        return (), ()
    from agent.teams.document.docx import MEDIA_TYPE, to_docx  # it costs a start that writes nothing 100 ms

    stem, turn_id = stem_of(title), context.request.turn_id
    try:
        word = await asyncio.to_thread(to_docx, text, title=title, language=language, at=_today(context))
        kept = [
            await context.files.keep(turn_id, f"{stem}.docx", MEDIA_TYPE, word, text=title),
            await context.files.keep(turn_id, f"{stem}.md", MARKDOWN, text.encode(), text=title),
        ]
    except StorageError as error:
        logger.error("A document could not be kept: %s", error, extra={"action": "files_failed", "turn_id": turn_id})
        return (), (say("document_not_kept", language),)
    return tuple(kept), ()


def title_of(template: Template, topic: str, language: Language) -> str:
    """Return the title of a document: its kind, and what it is about besides the words that people order it with."""
    kind, about = template.title.of(language), clean(_AROUND.sub("", topic.rstrip(" ?.!")))
    if not about or about.lower() in kind.lower():
        return kind
    title = f"{kind}: {about}"
    return shortened(title, _LONGEST_TITLE)


def stem_of(title: str) -> str:
    """Return the name of a document's files, without an ending: letters and digits of any script, and hyphens."""
    return _UNSAFE.sub("-", title)[:_LONGEST_STEM].strip("-_") or "document"


def topic_of(order: str, told: Iterable[str] = ()) -> str:
    """Return what an order wants written about, without what was told for fields; empty where it says nothing."""
    text = normalise(order)
    for value in sorted(told, key=len, reverse=True):
        if len(value) > 1 and not value.isdigit():
            text = re.sub(rf"(?<!\w){re.escape(value)}{_BEHIND_NAME}(?![A-Za-z])", " ", text)
    for day in reversed(dates(text, informal=True)):
        text = f"{_BEFORE_DAY.sub('', text[: day.start])} {_BEHIND_DAY.sub('', text[day.end :])}"
    head, _, behind = text.partition(": ")
    made = order_of(normalise(head))
    topic = (made.topic or behind) if made is not None else ""
    return normalise(topic)[:LONGEST].strip(" ,.;:?!")

"""What must be asked before a document can be written."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent.context import Context
from agent.language import say
from agent.packs.labelled_answers import Synonyms, headed
from agent.packs.pack import Pack
from agent.packs.template import FieldSpec, SectionSpec, Template
from agent.reasoning.profile_terms import told_in
from agent.reasoning.rules.judging.draft_review import impossible
from agent.reasoning.rules.reading.slots import slots_of
from agent.reasoning.rules.thread.clarification_reply import orders
from agent.reasoning.rules.thread.standalone_question import of_answer
from agent.state import State
from agent.teams.document.field_reply import of_range, told_in_reply, value_of
from agent.teams.document.values import as_told, shown
from agent.text import tokens
from agent.types import Language, Pending, Settled, Split, Step

_LOOKED_BACK = 3
"""Earlier messages of the asker in which fields are looked for."""
_CHOICES_SHOWN = 8
_IN_YEAR, _DAY = re.compile(r"\d{4}-(?=\d\d-\d\d$)"), re.compile(r"\d\d-\d\d")
_PARTS = re.compile(r"[,;\n]|(?<=[.!?])\s")
"""Between what an order tells one after the other."""


def template_for(step: Step, pack: Pack) -> Template | None:
    """Return the template of a step; where it names none, the one whose examples are most like its order."""
    if step.subject or not pack.templates:
        return next((template for template in pack.templates if template.name == step.subject), None)
    said = set(tokens(f"{step.description} {step.task}"))

    def likeness(template: Template) -> float:
        lines = [set(tokens(line)) for line in (*template.examples, *template.title.texts.values())]
        return max(len(said & line) / (len(line) or 1) for line in lines)

    return max(pack.templates, key=likeness)


async def wanted(
    step: Step, state: State, context: Context, *, alone: bool = False
) -> tuple[dict[str, str], Split | None]:
    """Return what is known of the template's fields, and what to ask for; None where it can be written.

    What is known is named STEP.FIELD, for one step of this plan; what is asked for TEMPLATE.FIELD, as the plan of the
    next turn may count its steps otherwise. An empty text: the asker left it open. `alone`: nothing else is wanted that
    the document could be about.
    """
    template = template_for(step, context.pack)
    if template is None:
        return {}, None
    assert state.understood is not None  # noqa: S101 - the graph's order
    language = state.understood.language
    told = any(turn.evidence for turn in state.earlier)
    given = told or state.target or context.request.attached or context.request.pointed or ": " in step.description
    if alone and not given and section_about(template) is not None and of_answer(step.description):
        return {}, Split(question=say("document_wants_topic", language, title=template.title.of(language)))
    if not template.fields:
        return {}, None
    known = await _told(step, template, state, context)
    pending, silent = state.pending, False
    if (
        pending is not None
        and (pending.wanted or pending.made)
        and state.settled is not None
        and state.settled.kind != "new"
    ):
        reply = await _replied(pending, state.settled, context)
        silent = not reply
        known |= {
            field.name: value
            for field in template.fields
            if (value := {**pending.given, **reply}.get(f"{template.name}.{field.name}")) is not None
        }
    missing = [] if silent else [f for f in template.fields if not f.optional and f.name not in known]
    asks = _asked(template, missing, known, language) if missing else None
    return {f"{step.id}.{name}": value for name, value in known.items()}, asks


def section_about(template: Template) -> SectionSpec | None:
    """Return the section that tells of the topic itself, where a template is written about any."""
    return next((section for section in template.sections if section.question is None), None)


def given_for(step: Step, field: FieldSpec, given: Mapping[str, str]) -> str:
    """Return what is known of a field of a step's document; empty where it is open."""
    return given.get(f"{step.id}.{field.name}", given.get(field.name, ""))


def both(first: Split | None, second: Split) -> Split:
    """Return one question for the details of two documents."""
    if first is None:
        return second
    return replace(
        first,
        question=f"{first.question}\n\n{second.question}",
        about=" ".join(part for part in (first.about, second.about) if part),
        wanted=tuple(dict.fromkeys((*first.wanted, *second.wanted))),
        given={**first.given, **second.given},
    )


async def _replied(pending: Pending, settled: Settled, context: Context) -> dict[str, str]:
    """Return what the reply tells for all that was asked for, as TEMPLATE.FIELD; nothing for "just write it"."""
    if settled.kind != "detail":
        return {}
    names = {name.partition(".")[0] for name in (*pending.wanted, *pending.given)}
    fields = {name: field for name, field in context.pack.fields.items() if name.partition(".")[0] in names}
    asked = [name for name in pending.wanted if name in fields]
    same = {fields[name].name for name in asked}  # a recipient that is asked for is not the one that is known
    others = [name for name, field in fields.items() if name not in asked and field.name not in same]
    specs = [fields[name].model_copy(update={"name": name}) for name in (*asked, *others)]
    text, pack = context.request.text, context.pack
    told = await told_in_reply(text, specs, asked, pending.given, context.reasoner.extract_slots, pack.synonyms)
    return {name: f"{_year(pending.given.get(name, ''), value)}{value}" for name, value in told.items()}


def _year(before: str, date: str) -> str:
    """Return the year of the date that a date without one takes the place of."""
    match = _IN_YEAR.match(before) if _DAY.fullmatch(date) else None
    return match.group() if match else ""


async def _told(step: Step, template: Template, state: State, context: Context) -> dict[str, str]:
    """Return what was told before anything was asked for: the nearest to this document wins.

    The order itself; the thread's latest messages of the same person, where a pattern or a name says what is meant (a
    date alone could be any date); what the pack knows of them under the same name, which in front of others is only
    what this thread tells.
    """
    assert state.understood is not None and state.standalone is not None  # noqa: S101 - the graph's order
    fields = template.fields
    mine = [turn for turn in state.earlier if turn.asked_by == context.request.asked_by][-_LOOKED_BACK:]
    mine = [turn for turn in mine if not orders(turn.question)]  # what another document was for is not for this one
    kept = {**told_in(mine, context.pack, context.request.asked_by), **state.profile.slots, **state.understood.slots}
    numbers = [slot for slot in context.pack.slots if slot.type == "number" and slot.name in {f.name for f in fields}]
    told = as_told(kept, fields) | as_told(kept, numbers)
    telling = [field for field in fields if field.patterns or field.choices]
    for turn in mine:
        told |= as_told(slots_of(turn.question, _safe(telling, turn.question)), fields)
    order = step.description or state.standalone.text
    for text in dict.fromkeys((state.understood.question, state.standalone.text)):
        told |= of_range(text, fields) | _named(text, fields, context.pack.synonyms)
        told |= as_told(slots_of(text, _safe(fields, text)), fields)
    return told | as_told(await context.reasoner.extract_slots(order, _safe(fields, order)), fields)


def _named(text: str, fields: Sequence[FieldSpec], synonyms: Synonyms) -> dict[str, str]:
    """Return what parts of an order tell that begin with the name of a field: 소재지 중구, 시작일 3월 2일.

    A text for which there is a pattern is what that finds.
    """
    told: dict[str, str] = {}
    for part in _PARTS.split(text):
        values, rest = headed(part, fields, synonyms)
        if not rest.strip() and not orders(part):
            told |= values
    named = {field.name: field for field in fields if field.type == "date" or not field.choices}
    return {name: value_of(value, named[name]) for name, value in told.items() if name in named}


def _safe(fields: Sequence[FieldSpec], text: str) -> list[FieldSpec]:
    """Return the fields that a text can tell without being asked: a date alone may be any of several."""
    dates = [field for field in fields if field.type == "date"]
    no_date = next(impossible(text), None) is not None
    return [
        field for field in fields
        if field.type != "date" or (not no_date and (field.patterns or len(dates) == 1))
    ]  # fmt: skip


def _asked(template: Template, missing: Sequence[FieldSpec], known: Mapping[str, str], language: Language) -> Split:
    """Return one question for all that is missing, with what is known already, so that it can be put right."""
    lines = [f"- {_line(field, language)}" for field in missing]
    if len(missing) == 1:
        head = say("document_wants_one", language, title=template.title.of(language), field=_line(missing[0], language))
        parts = [head]
    else:
        parts = [say("document_wants", language, title=template.title.of(language)) + "\n" + "\n".join(lines)]
    told = [
        f"{field.title.of(language)}: {', '.join([value] if isinstance(value, str) else value)}"
        for field in template.fields
        if known.get(field.name) and (value := shown(known[field.name], field, language))
    ]
    if told:
        parts.append(say("document_known", language, fields="; ".join(told)))
    parts.append(say("document_how_one" if len(missing) == 1 else "document_how", language))
    return Split(
        question="\n\n".join(parts),
        wanted=tuple(f"{template.name}.{field.name}" for field in missing),
        given={f"{template.name}.{name}": value for name, value in known.items()},
    )


def _line(field: FieldSpec, language: Language) -> str:
    """Return what is asked for: the field's title, and the words or the choices that explain it."""
    title = field.title.of(language)
    if field.ask is not None:
        title += f" ({field.ask.of(language).rstrip(' .')})"
    if field.type == "choice" and len(field.choices) <= _CHOICES_SHOWN:
        title += ": " + " / ".join(field.called(choice.value, language) for choice in field.choices)
    return title

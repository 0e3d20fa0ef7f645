"""The sections of a document from a model, as cited sentences, and its word on the finished draft."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel

from agent.language.registry import profile
from agent.reasoning.document_contract import DocumentBrief, Drafted, question_of
from agent.reasoning.model.tasks.answer_pieces import Pieces
from agent.reasoning.model.tasks.citations import Citing
from agent.reasoning.model.tasks.composition import NO_ANSWER, remarks
from agent.reasoning.model.tasks.untrusted_text import Quoting, line
from agent.reasoning.model.tasks.word_checks import amiss
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.results import Review
from agent.text import normalise
from agent.types import Sentence

_HEADING = re.compile(r"^#{1,6}[ \t]*[`*_\"]*(?P<name>[a-z][a-z0-9_]*+)[`*_\":]*+[ \t]*+(?:#++[ \t]*+)?$", re.MULTILINE)
_TOKENS_PER_SENTENCE = 100
_MOST_TOKENS = 6000
_REVIEW_TOKENS = 700
_ORDER_CHARACTERS = 1000
_VALUE_CHARACTERS = 300
_REVIEWED_CHARACTERS = 12_000
_FINDINGS = 4
_FINDING_CHARACTERS = 300


def _findings(items: list[str]) -> list[str]:
    return [text for item in items if (text := normalise(item)) and len(text) <= _FINDING_CHARACTERS][:_FINDINGS]


Findings = Annotated[list[str], AfterValidator(_findings)]


class Verdict(BaseModel):
    """The model's word on a draft."""

    risk_level: Literal["low", "medium", "high"] = "low"
    risks: Findings = []
    recommendations: Findings = []


async def draft(endpoint: Endpoint, brief: DocumentBrief) -> Mapping[str, Sequence[Sentence]]:
    """Return the sentences of each section that the model wrote. Raises ModelError.

    A section that the passages do not tell is there and empty. A sentence that rests on no passage is left out; whether
    the others say what theirs say is for the rules to tell.
    """
    sections = brief.template.sections
    if not sections or not brief.brief.blocks:
        return {section.name: () for section in sections}
    tokens = _TOKENS_PER_SENTENCE * brief.brief.pack.limits.answer_sentences * len(sections)
    text = await endpoint.text("large", request(brief), tokens=min(_MOST_TOKENS, 200 + tokens))
    return {name: _sentences(part, brief) for name, part in _parts(text, brief).items()}


def request(brief: DocumentBrief) -> list[Said]:
    """Return what the model is asked to write."""
    quoting = Quoting()
    inner, language = brief.brief, brief.brief.language
    # What was ordered is data, so the sections speak of it by the name of its quotation.
    named = replace(brief, brief=replace(inner, question="`order`"))
    sections = "\n".join(
        f"- `{section.name}` ({section.title.of(language)}): {question_of(section, named)}"
        for section in brief.template.sections
    )
    parts = (
        quoting.passages(inner.blocks, characters=inner.pack.limits.context_characters),
        quoting.block("fields", told) if (told := _fields(brief)) else "",
        quoting.block("remarks", wrong) if (wrong := remarks(inner)) else "",
        quoting.block("order", inner.question[:_ORDER_CHARACTERS]),
    )
    return quoting.request(
        "draft",
        parts,
        topic=inner.pack.title.of(language),
        title=brief.template.title.of(language),
        language=profile(language).name,
        sentences=inner.pack.limits.answer_sentences,
        sections=sections,
    )


async def review(endpoint: Endpoint, brief: DocumentBrief, drafted: Drafted) -> Review:
    """Return what the model finds risky about a draft. Raises ModelError.

    A finding in another language, or with a number that stands nowhere, is left out.
    """
    answer = await endpoint.ask("small", reviewing(brief, drafted), shape=Verdict, tokens=_REVIEW_TOKENS)
    sources = [
        drafted.text, brief.brief.question, *brief.fields.values(),
        *(f"{block.passage.title}\n{block.passage.section}\n{block.passage.text}" for block in drafted.blocks),
    ]  # fmt: skip

    def kept(findings: Sequence[str]) -> tuple[str, ...]:
        return tuple(text for text in findings if not amiss(text, sources, language=brief.brief.language))

    risks = kept(answer.risks)
    # A level that no finding explains helps nobody.
    level = answer.risk_level if risks else "low"
    return Review(risk_level=level, risks=risks, recommendations=kept(answer.recommendations))


def reviewing(brief: DocumentBrief, drafted: Drafted) -> list[Said]:
    """Return what the model is asked about a draft."""
    quoting = Quoting()
    language = brief.brief.language
    parts = (
        quoting.passages(drafted.blocks, characters=brief.brief.pack.limits.context_characters),
        quoting.block("fields", told) if (told := _fields(brief)) else "",
        quoting.block("draft", drafted.text[:_REVIEWED_CHARACTERS]),
    )
    return quoting.request("review", parts, title=brief.template.title.of(language), language=profile(language).name)


def _fields(brief: DocumentBrief) -> str:
    titles = {field.name: field.title.of(brief.brief.language) for field in brief.template.fields}
    return "\n".join(
        f"- {titles.get(name, name)}: {line(value, _VALUE_CHARACTERS)}" for name, value in brief.fields.items() if value
    )


def _parts(text: str, brief: DocumentBrief) -> Mapping[str, str]:
    """Return what stands below the heading of each section; a section that comes twice counts once.

    Where there is but one section, it needs no heading.
    """
    known = {section.name for section in brief.template.sections}
    headings = [match for match in _HEADING.finditer(text) if match["name"] in known]
    if not headings:
        return {known.pop(): text} if len(known) == 1 else {}
    ends = [match.start() for match in headings[1:]] + [len(text)]
    parts: dict[str, str] = {}
    for match, end in zip(headings, ends, strict=True):
        parts.setdefault(match["name"], text[match.end() : end])
    return parts


def _sentences(text: str, brief: DocumentBrief) -> tuple[Sentence, ...]:
    pieces = Pieces()
    found = [*pieces.feed(text.strip()), *pieces.close()]
    if any(NO_ANSWER.match(piece.text) for piece in found):
        return ()
    citing = Citing(brief.brief)
    cited = [*chain.from_iterable(citing.take(piece) for piece in found), *citing.close()]
    written = [sentence for sentence in cited if sentence.support]
    return tuple(written[: brief.brief.pack.limits.answer_sentences])

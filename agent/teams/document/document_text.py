"""The text of a document: the template around sentences that the documents support, and the list of sources."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent.citing import Numbering, written
from agent.context import Context
from agent.errors import WeftError
from agent.language import say
from agent.packs.body import LONGEST_TEXT, Blank, Value, Written, render
from agent.packs.escaping import escaped
from agent.reasoning.document_contract import DocumentBrief
from agent.reasoning.grounding.citation_support import findings
from agent.teams.document.values import day, shown
from agent.types import Block, Citation, Language, Remedy, Sentence

Blocks = tuple[Block, ...]
Piece = str | Sentence
"""A part of a document: the template's own words, or a sentence that rests on the documents."""
_PLACE = re.compile("\ue000(\\d+)\ue001")
"""Where the sentences of a section stand; no value and no body can hold these characters."""
_GAP = re.compile(r"\n{3,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """The sentences of each section that hold, and how many were left out because they do not."""

    sections: Mapping[str, tuple[Sentence, ...]]
    left_out: int = 0


async def drafted(brief: DocumentBrief, context: Context) -> Checked:
    """Return what can be written from the blocks. What does not hold is sent back once, and then left out."""
    if not brief.template.sections:
        return Checked(sections={})
    draft = first = await context.reasoner.draft_document(brief)
    wrong = _objections(first, brief)
    if wrong:
        again = replace(brief, brief=replace(brief.brief, suggestions=(*brief.brief.suggestions, *wrong)))
        draft = await context.reasoner.draft_document(again)
    kept = {
        section.name: tuple(s for s in draft.get(section.name, ()) if not findings(s, brief.brief.blocks).refused)
        for section in brief.template.sections
    }
    before, after = (sum(map(len, sections.values())) for sections in (first, kept))
    return Checked(sections=kept, left_out=max(0, before - after) if wrong else 0)


def _objections(draft: Mapping[str, Sequence[Sentence]], brief: DocumentBrief) -> list[Remedy]:
    """Return what is wrong with a draft."""
    return [
        Remedy("unsupported", sentence.text, ", ".join(problems))
        for section in brief.template.sections
        for sentence in draft.get(section.name, ())
        if (problems := findings(sentence, brief.brief.blocks).all)
    ]


def assembled(brief: DocumentBrief, sections: Mapping[str, Sequence[Sentence]], title: str) -> list[Piece]:
    """Return the document in its order. Raises PackError for a body that cannot be filled in."""
    template, language = brief.template, brief.brief.language
    values: dict[str, Value] = {"title": title, "language": language, "today": day(brief.today, language)}
    for field in template.fields:
        told = brief.fields.get(field.name, "")
        open_ = "" if field.optional else _open(field.title.of(language))
        values[field.name] = shown(told, field, language) if told else Blank(open_)
    places: dict[str, Written] = {}
    for n, section in enumerate(template.sections):
        open_ = "" if section.optional else _open(section.title.of(language))
        places[section.name] = Written(f"\ue000{n}\ue001") if sections.get(section.name) else Blank(open_)
    text = _GAP.sub("\n\n", render(template, values, places)).strip()
    pieces: list[Piece] = []
    for i, part in enumerate(_PLACE.split(text)):
        if i % 2 == 0:
            pieces.extend([part] if part else [])
            continue
        first, *others = sections[template.sections[int(part)].name]
        pieces += [replace(first, lead=first.lead.lstrip()), *others]
    return pieces


def _open(title: str) -> str:
    return f"[____ {escaped(title)}]"


def markdown(pieces: Sequence[Piece], blocks: Sequence[Block], language: Language) -> tuple[str, tuple[Citation, ...]]:
    """Return the document in Markdown with its list of sources, and the sources. Raises WeftError: too long."""
    numbering = Numbering()
    text = "".join(  # a lead stands as it is, unlike that of an answer's first sentence
        piece if isinstance(piece, str) else piece.lead + numbering.write(replace(piece, lead="")).lstrip("\n")
        for piece in pieces
    )
    _, citations = written([piece for piece in pieces if isinstance(piece, Sentence)], blocks)
    if citations:
        lines = [f"{citation.n}. {_source(citation, language)}" for citation in citations]
        text += f"\n\n## {say('sources', language)}\n\n" + "\n".join(lines)
    if len(text) > LONGEST_TEXT:
        raise WeftError(f"the document is longer than {LONGEST_TEXT} characters")
    return text + "\n", citations


def _source(citation: Citation, language: Language) -> str:
    title = escaped(citation.title)
    if citation.source.startswith(("https://", "http://")) and not re.search(r"[\s<>()]", citation.source):
        title = f"[{title}]({citation.source})"
    place = [escaped(citation.section)] if citation.section else []
    place += [say("page", language, page=citation.page)] if citation.page is not None else []
    return ", ".join([title, *place])

"""A summary of a whole document: below each of its headings what the section begins with, word for word."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent.language import say
from agent.reasoning.brief import Brief
from agent.reasoning.rules.answering import readable
from agent.reasoning.rules.answering.composition import LENGTHS
from agent.reasoning.rules.answering.quote_markdown import LABEL, sentence_of
from agent.reasoning.rules.answering.quotes import Quote, openings_of
from agent.text import shortened
from agent.types import Block, Language, Sentence

WORDS = 240
"""Words of a summary, shared by its sections."""
LEAST = 12
"""Words that each of them may have."""
FEW = 3
"""Sections that are too few to tell of a document that has more than this of them."""
SECTIONS = 14
"""Sections up to which each is told by itself; of more, those of the levels above them, and as many at most."""


def compose(brief: Brief) -> list[Sentence]:
    """Return what each document begins with, section by section, below its title."""
    documents: dict[tuple[str, str], list[Block]] = {}
    for block in brief.blocks:
        documents.setdefault((block.passage.collection, block.passage.document_id), []).append(block)
    room = round(WORDS * LENGTHS[brief.profile.preferences.length]) // max(1, len(documents))
    out = [sentence for each in documents.values() for sentence in _of_document(each, room, brief.language)]
    return [replace(out[0], lead=out[0].lead.lstrip("\n")), *out[1:]] if out else []


def _of_document(blocks: Sequence[Block], room: int, language: Language) -> list[Sentence]:
    every = _parts(_sections(blocks))
    sections = every[:SECTIONS]
    title = blocks[0].passage.title or blocks[0].passage.document_id
    above = [f"**{title}**"]
    if len(sections) < len(every):
        above.append(say("document_first_parts", language, count=len(sections), all=len(every)))
    elif len(sections) > 1:
        above.append(say("document_parts", language))
    out: list[Sentence] = []
    last = ""
    for heading, pieces in sections:
        quote = _opening(pieces, max(LEAST, room // len(sections)))
        name = shortened(heading[-1], LABEL)
        above += [f"**{name}**"] if name not in ("", title, last) else []
        last = name
        out.append(replace(sentence_of(quote), lead="".join(f"\n\n{line}" for line in [*above, ""])))
        above = []
    return out


def _parts(sections: Mapping[tuple[str, ...], list[Quote]]) -> list[tuple[tuple[str, ...], list[Quote]]]:
    """Return the sections as they are told: of hardly any each paragraph by itself, as of a notice of many matters."""
    if len(sections) >= FEW:
        return list(sections.items())
    telling = {heading: [each for each in pieces if not _is_frame(each)] for heading, pieces in sections.items()}
    return [(heading, [each]) for heading, pieces in sections.items() for each in telling[heading] or pieces[:1]]


def _is_frame(quote: Quote) -> bool:
    return quote.is_letterhead or quote.is_address


def _sections(blocks: Sequence[Block]) -> dict[tuple[str, ...], list[Quote]]:
    """Return what can be quoted by the headings above it: as many levels as there are not too many sections for.

    There are too many rather than next to none: then the first of them are told.
    """
    pieces = [(_headings(quote), quote) for block in blocks for quote in openings_of(block, LEAST)]
    out: dict[tuple[str, ...], list[Quote]] = {}
    for depth in range(max((len(headings) for headings, _ in pieces), default=0), 0, -1):
        found: dict[tuple[str, ...], list[Quote]] = {}
        for headings, quote in pieces:
            found.setdefault(headings[:depth], []).append(quote)
        if len(found) >= FEW or not out:
            out = found
        if len(out) <= SECTIONS:
            break
    return out


def _headings(quote: Quote) -> tuple[str, ...]:
    """Return the headings above a quote, outermost first; the last one may stand within its passage."""
    section = [heading.strip("#* ") for heading in quote.block.passage.section.split(" > ")]
    own = "" if quote.is_below_letterhead else readable.tidy(quote.heading).strip("#*:： ")
    return (*section, own) if own and own != section[-1] else tuple(section)


def _opening(pieces: Sequence[Quote], room: int) -> Quote:
    """Return what a section begins with; what is only its number, version or addressee is passed over."""
    telling = [quote for quote in pieces if not _is_frame(quote)]
    first = next(iter([*telling, *pieces]))
    return openings_of(first.block, room)[first.piece]

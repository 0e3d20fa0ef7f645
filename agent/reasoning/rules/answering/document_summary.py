"""A summary of a whole document: below each of its headings what the section begins with, word for word."""

from collections.abc import Sequence
from dataclasses import replace

from agent.language import say
from agent.reasoning.brief import Brief
from agent.reasoning.rules.answering.composition import LENGTHS
from agent.reasoning.rules.answering.quote_markdown import LABEL, sentence_of
from agent.reasoning.rules.answering.quotes import Quote, openings_of
from agent.text import shortened
from agent.types import Block, Language, Sentence

WORDS = 240
"""Words of a summary, shared by its sections."""
LEAST = 12
"""Words that each of them may have."""
SECTIONS = 14
"""Sections up to which each is told by itself; of more, those of the levels above them."""


def compose(brief: Brief) -> list[Sentence]:
    """Return what each document begins with, section by section; the title of one of several parts stands above it."""
    documents: dict[tuple[str, str], list[Block]] = {}
    for block in brief.blocks:
        documents.setdefault((block.passage.collection, block.passage.document_id), []).append(block)
    room = round(WORDS * LENGTHS[brief.profile.preferences.length]) // max(1, len(documents))
    titled = len(documents) > 1 or not brief.several
    out = [each for blocks in documents.values() for each in _of_document(blocks, room, titled, brief.language)]
    return [replace(out[0], lead=out[0].lead.lstrip("\n")), *out[1:]] if out and titled else out


def _of_document(blocks: Sequence[Block], room: int, titled: bool, language: Language) -> list[Sentence]:
    sections = _sections(blocks)
    title = blocks[0].passage.title or blocks[0].passage.document_id
    above = [f"**{title}**"] if titled else []
    above += [say("document_parts", language)] if len(sections) > 1 else []
    out: list[Sentence] = []
    for heading, section in sections.items():
        quote = _opening(section, max(LEAST, room // len(sections)))
        if quote is not None:
            name = shortened(heading[-1].strip("#* "), LABEL)
            above += [f"**{name}**"] if name not in ("", title) else []
            out.append(replace(sentence_of(quote), lead="".join(f"\n\n{line}" for line in [*above, ""])))
            above = []
    return out


def _sections(blocks: Sequence[Block]) -> dict[tuple[str, ...], list[Block]]:
    """Return the blocks by the headings above them: as many levels of these as there are not too many sections for."""
    paths = [tuple(block.passage.section.split(" > ")) for block in blocks]
    out: dict[tuple[str, ...], list[Block]] = {}
    for depth in range(max(map(len, paths)), 0, -1):
        out = {}
        for path, block in zip(paths, blocks, strict=True):
            out.setdefault(path[:depth], []).append(block)
        if len(out) <= SECTIONS:
            break
    return dict(list(out.items())[:SECTIONS])


def _opening(blocks: Sequence[Block], room: int) -> Quote | None:
    """Return what a section begins with; what is only its number, version or addressee is passed over."""
    quotes = [quote for block in blocks for quote in openings_of(block, room)]
    telling = [quote for quote in quotes if not (quote.is_letterhead or quote.is_address)]
    return next(iter([*telling, *quotes]), None)

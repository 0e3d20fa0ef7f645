"""What the document team gives to a reasoner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.packs.template import SectionSpec, Template
from agent.reasoning.brief import Brief
from agent.types import Block, Sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentBrief:
    """What a document is to be written from."""

    template: Template
    brief: Brief
    """Question, language, blocks, and the suggestions of an earlier review."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What was told for the template's fields, by name; dates as `YYYY-MM-DD` or a part of it, where they are one."""
    today: str = ""
    """`YYYY-MM-DD`, where the document is written; empty: dates are not compared with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drafted:
    """A document before it is final."""

    sections: Mapping[str, Sequence[Sentence]]
    """The sentences of each section of the template, on the blocks of its brief."""
    text: str = ""
    """Markdown, as it would be handed over."""
    blanks: Sequence[str] = ()
    """Names of the fields that are left open."""
    blocks: Sequence[Block] = ()


def question_of(section: SectionSpec, brief: "DocumentBrief") -> str:
    """Return what a section answers."""
    if section.question is None:
        return brief.brief.question
    return section.question.of(brief.brief.language).replace("{topic}", ", ".join(brief.brief.question.splitlines()))

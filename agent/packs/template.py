"""Templates of documents: what is asked for, what is written from the evidence, and the text around both."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from agent.packs.patterns import searchable
from agent.packs.slots import Line, Name, Part, SlotSpec, Words, once

RESERVED = ("today", "title", "language", "section")
"""Names that every body can use; no field may have them."""
_KEYWORDS = frozenset("and or not in is if else elif for true false none loop".split())


class FieldSpec(SlotSpec):
    """Something that the asker must tell; unlike a slot it may be found nowhere: then it is asked for."""

    optional: bool = False
    """Whether the document is complete without it: it is never asked for."""

    @model_validator(mode="after")
    def _can_be_found(self) -> Self:
        if self.type in ("text", "number") and not (self.choices or self.patterns or self.units):
            return self
        found: Self = super()._can_be_found()  # type: ignore[operator]  # pydantic leaves the method itself in place
        return found


class SectionSpec(Part):
    """A part of a document that is written from the evidence."""

    name: Name
    title: Words
    question: Words | None = None
    """What it answers, `{topic}` for what the document is about; None: the topic alone."""
    optional: bool = False
    """Whether the document is complete without it."""


class CheckSpec(Part):
    """A rule that the finished text is held against, line by line: what must stand in it, or must not."""

    rule: Words
    must: Annotated[Line, AfterValidator(searchable)] | None = None
    must_not: Annotated[Line, AfterValidator(searchable)] | None = None
    risk: Literal["low", "medium", "high"] = "medium"
    """Of a text that breaks the rule."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.must is None) == (self.must_not is None):
            raise ValueError("a check has a pattern under must or under must_not, one of them")
        return self


class Template(Part):
    """One kind of document."""

    name: Name
    title: Words
    examples: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Orders that want this document."""
    fields: Annotated[tuple[FieldSpec, ...], Field(max_length=30)] = ()
    """What the asker must tell."""
    sections: Annotated[tuple[SectionSpec, ...], Field(max_length=12)] = ()
    figures: bool = False
    """Whether the figures about its topic are analysed first, and told in the section that has no question."""
    review_needed: bool = True
    checks: Annotated[tuple[CheckSpec, ...], Field(max_length=30)] = ()
    """The template's own rules, besides those that every document is reviewed by."""
    body: str = Field(default="", exclude=True)
    """Jinja2; set on load."""

    @model_validator(mode="after")
    def _names_once(self) -> Self:
        for kind, names in (("fields", [f.name for f in self.fields]), ("sections", [s.name for s in self.sections])):
            once(names, kind)
            taken = [name for name in names if name in _KEYWORDS or (kind == "fields" and name in RESERVED)]
            if taken:
                raise ValueError(f"{taken[0]!r} means something else in a body; give the one of {kind} another name")
        return self

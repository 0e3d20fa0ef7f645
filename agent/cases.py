"""Cases: documents that hold findings and sections that say what to look at, as a look-up found them."""

from dataclasses import dataclass

from agent.types import Passage

IN_FULL = 3
"""Cases that are told with their sections; more are told as a list."""
LISTED = 12
FINDINGS = 4
"""Findings of a case that are told."""
CHUNKS = 3
"""Passages of a section that are told."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A document as a case."""

    title: str
    findings: tuple[Passage, ...]
    """Those that speak most of what was asked first."""
    sections: tuple[tuple[str, tuple[Passage, ...]], ...]
    """The sections of the pack that it has, in the pack's order, whole."""

    @property
    def first(self) -> Passage:
        """A passage of it."""
        return next(iter((*self.findings, *(passage for _, part in self.sections for passage in part))))


@dataclass(frozen=True, kw_only=True, slots=True)
class Lookup:
    """What a question that looks cases up has found."""

    cases: tuple[Case, ...]
    """Best first; none where most of what was named stands nowhere."""
    near: tuple[Case, ...] = ()
    """Where there are none: the cases that come nearest."""
    likely: float = 0.0
    """How much of what was named all these cases hold, 0..1."""
    asked: tuple[tuple[str, "Lookup"], ...] = ()
    """Of a message that looks up several things: each by its words. Then `cases` are those of all."""

    @property
    def sure(self) -> bool:
        """Whether they hold all that was named."""
        return self.likely == 1.0

    @property
    def in_full(self) -> bool:
        """Whether the cases are told with their sections."""
        return len(self.cases) <= IN_FULL

    def parts(self, case: Case) -> list[tuple[str, tuple[Passage, ...]]]:
        """Return what is told of a case: passages below headings, the findings without one."""
        if not self.in_full:
            return [("", (case.first,))]
        return [("", case.findings[:FINDINGS]), *((name, part[:CHUNKS]) for name, part in case.sections)]

    @property
    def told(self) -> tuple[Passage, ...]:
        """The passages that are told, in order, each once."""
        if self.asked:
            return tuple({passage.id: passage for _, each in self.asked for passage in each.told}.values())
        return tuple(p for case in self.cases[:LISTED] for _, part in self.parts(case) for p in part)


def joined(asked: tuple[tuple[str, Lookup], ...]) -> Lookup:
    """Return several look-ups of one message as one, as likely as the least likely that has cases."""
    cases = {case.first.document: case for _, each in asked for case in each.cases}
    near = {case.first.document: case for _, each in asked for case in each.near}
    likely = min((each.likely for _, each in asked if each.cases), default=0.0)
    return Lookup(cases=tuple(cases.values()), near=tuple(near.values()), likely=likely, asked=asked)

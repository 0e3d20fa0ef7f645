"""A terminology in memory."""

import re
from collections.abc import Sequence

from agent.errors import ConceptsError
from agent.types import Concept

Term = tuple[str, str, str, tuple[str, ...]]
"""Id, name, semantic type, other names."""


class MemoryConcepts:
    """Fits `Concepts`: finds whole words of Latin letters; without terms it fails."""

    def __init__(self, terms: Sequence[Term] | None = ()) -> None:
        self.terms = terms
        self.read: list[str] = []

    async def find(self, text: str) -> Sequence[Concept]:
        self.read.append(text)
        if self.terms is None:
            raise ConceptsError
        found = [
            (match.start(), Concept(id=id, name=name, words=match.group(), types=(kind,)))
            for id, name, kind, others in self.terms
            for called in (name, *others)
            for match in re.finditer(rf"(?<![a-z]){re.escape(called)}(?![a-z])", text, re.IGNORECASE)
        ]
        return [concept for _, concept in sorted(found, key=lambda each: each[0])]

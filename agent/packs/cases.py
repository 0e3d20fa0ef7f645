"""What a pack says of questions that look cases up: the sections of a case, and what to ask when nothing is named."""

from functools import cached_property
from typing import Annotated

from pydantic import Field

from agent.packs.slots import Line, Part, Words


class CasesSpec(Part):
    """How questions of an intent are answered case by case."""

    sections: Annotated[tuple[Line, ...], Field(min_length=1, max_length=20)]
    """Headings of a case that are told below its findings, in this order."""
    common: Annotated[tuple[Line, ...], Field(max_length=200)] = ()
    """Words of such questions that do not tell which cases are wanted; `알려*` stands for all that begin so."""
    ask: Words
    """What is asked when a question names nothing else."""
    choices: Annotated[tuple[Words, ...], Field(max_length=4)] = ()
    """What is offered then."""

    def is_common(self, word: str) -> bool:
        """Tell whether a word does not tell which cases are wanted."""
        word = word.casefold()
        return any(
            word.startswith(each[:-1].casefold()) if each.endswith("*") else word == each.casefold()
            for each in (*self.common, *self._words_of_sections)
        )

    @cached_property
    def _words_of_sections(self) -> frozenset[str]:
        return frozenset(word for name in self.sections for word in (name, *name.split()))

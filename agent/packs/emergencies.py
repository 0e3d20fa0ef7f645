"""What somebody writes who needs help at once: words that begin as a pack's signs do, near each other."""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from agent.packs.patterns import LONGEST, searchable
from agent.packs.slots import Line, Part, Words
from agent.text import normalise

_NEAR = 4
"""Words at most from one word of a sign to its next: 가슴 (한가운데가 몹시 세게) 아파요."""


class EmergencySpec(Part):
    """What somebody may write who needs help at once, and what they are told before all else."""

    signs: Annotated[tuple[Line, ...], Field(min_length=1, max_length=200)]
    """How people begin to tell of it, whatever the case, the spaces and the endings of the words."""
    patterns: Annotated[tuple[Annotated[Line, AfterValidator(searchable)], ...], Field(max_length=20)] = ()
    """Regular expressions for what no beginning of words says, such as how many tablets were taken."""
    text: Words

    def is_told_in(self, text: str) -> bool:
        """Tell whether a message tells of it; rather once too often than never."""
        said = _folded(text)
        words, squeezed = said.split(), "".join(said.split())
        signs = [_folded(sign).split() for sign in self.signs]
        return any("".join(sign) in squeezed or _begins(sign, words) for sign in signs) or any(
            re.search(pattern, said[:LONGEST], re.IGNORECASE) for pattern in self.patterns
        )


def _folded(text: str) -> str:
    return normalise(text).casefold().replace("’", "'")


def _begins(sign: Sequence[str], words: Sequence[str]) -> bool:
    """Tell whether words of a message begin as those of a sign of several do, in this order and near each other."""
    if len(sign) < 2:  # stands in the message or does not
        return False
    ends = {at for at, word in enumerate(words) if word.startswith(sign[0])}
    for part in sign[1:]:
        ends = {at for at, word in enumerate(words) if word.startswith(part) and ends & set(range(at - _NEAR, at))}
    return bool(ends)

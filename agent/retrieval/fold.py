"""Passages that say the same word for word: the best of them stays, the others are named.

What documents repeat would fill the context with one statement. Two versions of a rule are no duplicates, and what
tells them apart may be any word: so one word makes two passages.
"""

import re
import unicodedata
from functools import lru_cache

from agent.retrieval.word_ranking import stems
from agent.types import Passage

_FEW = 8
"""Words of a text that tells little without its title: `20 days`."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[%€$£₩<>≤≥=+]")


class Folding:
    """What was kept so far of a ranking, best first, for one question."""

    def __init__(self, question: str) -> None:
        self._asked = frozenset(stems(question))
        self._kept: dict[tuple[str, tuple[str, ...]], list[Passage]] = {}

    def fold(self, passage: Passage) -> Passage | None:
        """Return the better passage that says the same; None, where there is none and this one is kept.

        Case, mark-up and spaces do not count. A heading does where the text is short, or where the question asks for
        a word of it that the better passage does not speak of.
        """
        words = _words(passage.text)
        alike = self._kept.setdefault((passage.kind, words), [])
        for other in alike:
            if _heading(passage) == _heading(other) or (len(words) >= _FEW and self._adds_nothing(passage, other)):
                return other
        alike.append(passage)
        return None

    def _adds_nothing(self, passage: Passage, kept: Passage) -> bool:
        asked = self._asked & frozenset(stems(_heading(passage)))
        return asked <= frozenset(stems(f"{_heading(kept)}\n{kept.text}"))


@lru_cache(maxsize=512)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'")))


def _heading(passage: Passage) -> str:
    return f"{passage.title}\n{passage.section}".casefold()

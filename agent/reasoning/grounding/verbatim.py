"""Whether a text is nothing but the words of another, in their order."""

import re
from collections.abc import Sequence
from functools import lru_cache

from agent.language.lexicon import regex
from agent.reasoning.grounding.wording import unmarked

_WORD = re.compile(r"[^\W_]+(?:[.,:/'’-][^\W_]+)*%?")
_NO_TEXT = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,2000}\)|(?<=\])\([^()\s]{0,2000}\)|</?[a-zA-Z][^<>]{0,300}>")
"""Pictures, the addresses of links, and tags: a quote may be without them."""
_DENIES = re.compile(rf"{regex('grounding.cut_off_denials')}$")


def is_quoted(text: str, quotes: Sequence[str]) -> bool:
    """Tell whether a text stands in one of the quotes word for word, and no negation just before it was cut off."""
    mine = _plain(text)
    return bool(mine.strip()) and any(_stands(mine, _plain(quote)) for quote in quotes)


def _stands(mine: str, theirs: str) -> bool:
    place = theirs.find(mine)
    while place >= 0:
        if not _DENIES.search(theirs, max(0, place - 12), place):
            return True
        place = theirs.find(mine, place + 1)
    return False


@lru_cache(maxsize=2048)
def _plain(text: str) -> str:
    """Return the words in lower case, a space around each; numbers with their points, signs and per cents."""
    return f" {' '.join(_WORD.findall(unmarked(_NO_TEXT.sub(' ', text)).lower().replace('’', chr(39))))} "

"""Messages that quote a line of the conversation before they ask: which turn that is, and what is asked of it."""

import re
from collections.abc import Sequence

from agent.text import normalise, says_anything
from agent.types import TurnRecord

_QUOTED = re.compile(r"^[ \t]{0,3}(?:>|&gt;)[ \t]?", re.MULTILINE)
_MARKS = re.compile(r"\s?\[\d{1,3}\]|\*\*|__|`")
"""Citation marks, and those that a platform shows as bold or code and quotes without."""
_SHORTEST = 6
"""Characters of a quotation that may be found inside a turn; a shorter one must be all of its question."""
_READ = 20_000


def split_quote(text: str) -> tuple[str, str]:
    """Return what a message quotes in the lines at its beginning, and the rest; ("", text) where one of them is empty.

    Further down a quotation is a part of what is asked.
    """
    lines = text[:_READ].splitlines()
    count = 0
    while count < len(lines) and (_QUOTED.match(lines[count]) or (count and not lines[count].strip())):
        count += 1
    quote = normalise(" ".join(_QUOTED.sub("", line) for line in lines[:count]))
    rest = "\n".join(lines[count:]) + text[_READ:]
    return (quote, rest) if quote and says_anything(rest) else ("", text)


def quoted_last(text: str, turns: Sequence[TurnRecord]) -> tuple[TurnRecord, ...]:
    """Return the turns with the one that a message quotes at the end: what follows is about that."""
    quote = _plain(split_quote(text)[0])
    found = next((turn for turn in reversed(turns) if quote and _holds(turn, quote)), None)
    if found is None:
        return tuple(turns)
    return (*(turn for turn in turns if turn is not found), found)


def quoted_elsewhere(text: str, turns: Sequence[TurnRecord]) -> str:
    """Return what a message quotes that no turn said: a line of a document, of somebody in another thread."""
    quote = split_quote(text)[0]
    return "" if any(_holds(turn, _plain(quote)) for turn in turns) else quote


def _holds(turn: TurnRecord, quote: str) -> bool:
    asked = _plain(turn.question)
    return quote == asked or (len(quote) >= _SHORTEST and (quote in asked or quote in _plain(turn.answer)))


def _plain(text: str) -> str:
    return normalise(_MARKS.sub("", text)).casefold().strip(" .?!")

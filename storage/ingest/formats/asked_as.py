"""How people ask for a section, as its author notes below the heading: `<!-- asked as: … -->`, a line each."""

import re
from collections.abc import Iterator, Sequence

from agent.language.lexicon import regex
from storage.ingest.formats.code_parts import Code, Edited
from storage.ingest.parsed import MOST_ASKED, AskedAs, Element

LONGEST = 200
"""Characters of a line; a longer one is a text, and not what somebody types."""
NOTE = re.compile(
    rf"<!--\s*(?:{regex('documents.asked_as')})\s*:(?P<lines>(?:(?!-->).)*+)-->", re.IGNORECASE | re.DOTALL
)


def taken(text: str, elements: Sequence[Element]) -> tuple[str, list[Element], tuple[AskedAs, ...]]:
    """Return text and elements without such notes, and what these say, with where each stood; code stays as it is."""
    if NOTE.search(text) is None:
        return text, list(elements), ()
    code = Code(text)
    notes = [match for match in NOTE.finditer(text) if not code.covers(match.start())]
    edited = Edited(text, [(_end_before(text, match.start()), match.end(), "") for match in notes])
    asked = tuple(AskedAs(edited.place(match.end()), tuple(_lines(match["lines"]))) for match in notes)
    return edited.text, list(map(edited.moved, elements)), asked


def _end_before(text: str, at: int) -> int:
    """Return where what stands before this place ends: a note goes with the blank lines above it."""
    while at and text[at - 1].isspace():
        at -= 1
    return at


def _lines(note: str) -> Iterator[str]:
    lines = [" ".join(line.split()) for line in note.splitlines()]
    yield from [line for line in lines if line and len(line) <= LONGEST][:MOST_ASKED]

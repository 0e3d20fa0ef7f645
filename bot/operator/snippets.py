"""What of a passage a terminal shows: the words around what matched, and nothing that could steer the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.text import strip_particle, terms_of, words

if TYPE_CHECKING:
    from rich.text import Text

_BEFORE = 6
"""Words shown before the first one that matched."""

Span = tuple[int, int]


def printable(text: str, *, keep: str = "") -> str:
    """Return the text with a space for every character that is not to be seen, but for those to keep."""
    return "".join(c if c.isprintable() or c in keep else " " for c in text)


def matches(text: str, query: str) -> list[Span]:
    """Return where words of the query stand in a text, in whatever form of theirs."""
    wanted = [word for word, _, _ in words(query)]
    terms = {term for word in wanted if not _is_korean(word) for term in terms_of(word)}
    stems = {strip_particle(word) for word in wanted if _is_korean(word)}
    return [
        (start, end)
        for word, start, end in words(text)
        if (any(stem in word for stem in stems) if _is_korean(word) else not terms.isdisjoint(terms_of(word)))
    ]


def snippet(text: str, query: str, *, cells: int) -> "Text":
    """Return about so many terminal cells of the text, around most of what matched, which stands out."""
    from rich.cells import cell_len
    from rich.text import Text

    flat = " ".join(printable(text).split())
    found = matches(flat, query)
    start = _start(flat, found, cells)
    end = start
    width = 0
    while end < len(flat) and (width := width + cell_len(flat[end])) <= cells:
        end += 1
    if end < len(flat):
        end = max(flat.rfind(" ", start, end), start + (end - start) * 2 // 3)
    shown = Text("…" if start else "")
    offset = len(shown) - start
    shown.append(flat[start:end].rstrip() + ("…" if end < len(flat) else ""))
    for first, last in found:
        if start <= first and last <= end:
            shown.stylize("bold yellow", first + offset, last + offset)
    return shown


def _start(text: str, found: Sequence[Span], cells: int) -> int:
    """Return the place from which most of the matches, and then the earliest, are within sight."""
    if not found:
        return 0
    reach = cells // 2  # a wide character takes two cells
    first = max(found, key=lambda span: (sum(span[0] <= other < span[0] + reach for other, _ in found), -span[0]))[0]
    start = first
    for _ in range(_BEFORE):
        start = max(text.rfind(" ", 0, max(start - 1, 0)) + 1, 0)
    return 0 if first < reach // 2 else start


def _is_korean(word: str) -> bool:
    return "가" <= word[0] <= "힣" or "ㄱ" <= word[0] <= "ㆎ"

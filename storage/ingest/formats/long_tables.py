"""Cuts a Markdown table that is too long for a passage into several; each begins with the header."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.types import Category
from storage.ingest.formats.code_parts import Edit, Edited
from storage.ingest.parsed import Element
from storage.ingest.passages import LONGEST, LONGEST_WHOLE


def with_headers(text: str, elements: Sequence[Element]) -> tuple[str, list[Element]]:
    """Return text and elements in which no table is longer than a passage."""
    cuts = {number: list(_cuts(each)) for number, each in enumerate(elements) if each.category is Category.TABLE}
    if not any(cuts.values()):
        return text, list(elements)
    heads = {number: _head(text, elements[number]) for number, places in cuts.items() if places}
    edits: list[Edit] = [(at, at, f"\n{head}") for number, head in heads.items() for at in cuts[number]]
    edited = Edited(text, edits)
    done = list[Element]()
    for number, each in enumerate(elements):
        borders = tuple(map(edited.place, each.borders))
        places = cuts.get(number) or []
        starts = [edited.place(each.start), *(edited.place(at) - len(heads[number]) for at in places)]
        ends = [*(edited.place(_before(text, at)) for at in places), edited.place(each.end)]
        for start, end in zip(starts, ends, strict=True):
            inside = tuple(at for at in borders if start <= at < end)
            done.append(replace(each, start=start, end=end, borders=inside))
    return edited.text, done


def _cuts(table: Element) -> Iterator[int]:
    """Yield the rows before which a table is cut."""
    if table.end - table.start <= LONGEST_WHOLE or len(table.borders) < 3:
        return
    head = table.borders[1] - table.start
    size = min(LONGEST_WHOLE, max(LONGEST, 4 * head)) - head
    begin = table.borders[1]
    for row, after in zip(table.borders[2:], (*table.borders[3:], table.end), strict=True):
        if after - begin > size:
            yield row
            begin = row


def _head(text: str, table: Element) -> str:
    return text[table.start : table.borders[1]]


def _before(text: str, at: int) -> int:
    """Return where the row ends that stands before this one."""
    while text[at - 1].isspace():
        at -= 1
    return at

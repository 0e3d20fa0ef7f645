"""Cuts a document into passages along its structure.

A heading opens a passage and stays with its text; tables, code blocks and list items are kept
whole, with the words that announce them; prose too long for one passage is cut between sentences.
Every passage is a slice.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from agent.language.registry import DEFAULT
from agent.text import language_of, sentences
from agent.types import Category, Language
from storage.ingest.entities import entities_of
from storage.ingest.parsed import MOST_ASKED, AskedAs, Element, Extracted, ParsedPassage

TARGET = 1_200
"""Characters that a passage grows to; whole paragraphs, so it is often less."""
LONGEST_SECTION = 1_500
"""Characters up to which a section is one passage, and not one of the target's size and a rest."""
LONGEST = 2_400
"""Characters of prose in one passage."""
LONGEST_WHOLE = 8_000
"""Characters up to which a table, a code block or a list item is never cut."""
LONGEST_LIST = 4_800
"""Characters up to which a list is never cut: half a procedure reads as if it were the whole."""
LONGEST_LEAD = 500
"""Characters of a paragraph that leads over to the table, list or code below it, whatever sign it ends with."""
SMALL = 300
"""A passage below this takes in what follows, or joins the one before it, rather than stand alone."""
LONGEST_HEADING = 400
"""A longer heading is a paragraph that somebody marked as one."""

_SAMPLE = 200_000
"""Characters that tell the language of a document."""
_COLONS = ":："
_KEPT_WHOLE = {Category.TABLE: LONGEST_WHOLE, Category.CODE: LONGEST_WHOLE, Category.LIST: LONGEST_LIST}


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    category: Category
    section: str
    page: int | None


def build(extracted: Extracted) -> tuple[ParsedPassage, ...]:
    """Return the passages of a document, in order."""
    text = extracted.text
    language = language_of_document(text)
    runs = list(_runs(text, extracted.elements))
    passages = [_passage(text, run, position, language) for position, run in enumerate(runs)]
    if not extracted.asked:
        return tuple(passages)
    starts = [run[0].start for run in runs[1:]]
    return tuple(
        replace(passage, asked=_asked(extracted.asked, start, after))
        for passage, start, after in zip(passages, [0, *starts], [*starts, len(text) + 1], strict=True)
    )


def _asked(asked: Sequence[AskedAs], start: int, end: int) -> tuple[str, ...]:
    """Return how people ask for what stands at `start:end`."""
    lines = (line for each in asked if start <= each.start < end for line in each.lines)
    return tuple(dict.fromkeys(lines))[:MOST_ASKED]


def whole(text: str) -> ParsedPassage:
    """Return a text as the only passage of its document."""
    return ParsedPassage(text=text, position=0, language=dominant(text), entities=entities_of(text))


def language_of_document(text: str) -> Language:
    """Return the language that a document is written in."""
    return dominant(text[:_SAMPLE])


def dominant(text: str, default: Language = DEFAULT) -> Language:
    """Return the language of a text, whose Hangul may be decomposed as in macOS file names."""
    return language_of(text if text.isascii() else unicodedata.normalize("NFC", text), default)


def _passage(text: str, run: Sequence[_Piece], position: int, default: Language) -> ParsedPassage:
    part = text[run[0].start : run[-1].end]
    sizes: dict[Category, int] = {}
    for piece in run:
        if piece.category is not Category.HEADING:
            sizes[piece.category] = sizes.get(piece.category, 0) + piece.end - piece.start
    most = max(sizes, key=lambda each: sizes[each], default=Category.HEADING)
    category = (
        Category.TABLE if Category.TABLE in sizes else most
    )  # who looks "in the table" means the words around too
    return ParsedPassage(
        text=part,
        position=position,
        section=next((piece for piece in reversed(run) if piece.category is not Category.HEADING), run[-1]).section,
        page=run[0].page,
        category=category,
        # Code is written in Latin letters whatever the language of the text around it.
        language=default if category is Category.CODE else dominant(part, default),
        entities=entities_of(part),
    )


def _runs(text: str, elements: Iterable[Element]) -> Iterator[list[_Piece]]:
    """Yield the pieces of each passage."""
    runs: list[list[_Piece]] = []
    path: list[tuple[int, str]] = []
    elements = list(elements)
    ends = _section_ends(elements)
    for number, element in enumerate(elements):
        if element.category is Category.HEADING and element.end - element.start <= LONGEST_HEADING:
            while path and path[-1][0] >= element.level:
                path.pop()
            if element.start == element.end:
                continue  # nothing but the end of the section before it
            path.append((element.level, element.label))
            piece = _Piece(element.start, element.end, element.category, _section(path), element.page)
            if runs and _heads(runs[-1], piece) and piece.end - runs[-1][0].start <= TARGET:
                runs[-1].append(piece)
            else:
                runs.append([piece])
            continue
        if element.category is Category.HEADING:
            element = replace(element, category=Category.PARAGRAPH)
        opening = runs[-1] if runs and _only_headings(runs[-1]) else []
        room = LONGEST - (element.start - opening[0].start) if opening else LONGEST
        for piece in _pieces(text, element, _section(path), max(room, TARGET)):
            if runs and (_joins(text, runs[-1], piece) or _in_short_section(runs[-1], piece, ends[number])):
                runs[-1].append(piece)
            elif runs and _announced(text, runs[-1], piece):
                runs.append([runs[-1].pop(), piece])
            else:
                runs.append([piece])
    yield from _without_crumbs(runs)


def _section(path: Sequence[tuple[int, str]], *more: str) -> str:
    return " > ".join(label for label in (*(label for _, label in path), *more) if label)


def _only_headings(run: Sequence[_Piece]) -> bool:
    return all(piece.category is Category.HEADING for piece in run)


def _heads(run: Sequence[_Piece], piece: _Piece) -> bool:
    """Tell whether headings and the heading after them open one passage: a slide's title is not the next one's."""
    return _only_headings(run) and run[-1].page == piece.page


def _section_ends(elements: Sequence[Element]) -> list[int]:
    """Return for each element where the text ends that stands below the same heading."""
    ends, end = list[int](), 0
    for element in reversed(elements):
        end = end or element.end
        ends.append(end)
        if element.category is Category.HEADING:
            end = 0
    return ends[::-1]


def _in_short_section(run: Sequence[_Piece], piece: _Piece, end: int) -> bool:
    """Tell whether a piece and all before it are in a section that is one passage."""
    same = run[-1].section == piece.section and run[-1].page == piece.page
    return same and run[0].category is Category.HEADING and end - run[0].start <= LONGEST_SECTION


def _announces(text: str, piece: _Piece) -> bool:
    """Tell whether words lead over to what comes next: "Run this:", or a few lines before a table."""
    if piece.category is Category.PARAGRAPH:
        return piece.end - piece.start <= LONGEST_LEAD or text[piece.end - 1] in _COLONS
    return piece.category is Category.LIST and text[piece.end - 1] in _COLONS


def _announced(text: str, run: Sequence[_Piece], piece: _Piece) -> bool:
    """Tell whether a piece takes the words that announce it out of the passage before it."""
    most = _KEPT_WHOLE.get(piece.category)
    if most is None or run[-1].section != piece.section or run[-1].page != piece.page:
        return False
    return (
        _announces(text, run[-1])
        and len(run) > 1
        and not _only_headings(run[:-1])
        and piece.end - run[-1].start <= most
    )


def _joins(text: str, run: Sequence[_Piece], piece: _Piece) -> bool:
    """Tell whether a piece goes into the passage before it."""
    size, total = run[-1].end - run[0].start, piece.end - run[0].start
    if _only_headings(run):
        return run[-1].section == piece.section
    if run[-1].section != piece.section or run[-1].page != piece.page:
        return False
    most = _KEPT_WHOLE.get(piece.category, LONGEST)
    # A short lead-in ("The rates are:") belongs to the table or list that it announces.
    alone = len(run) == 1 or _only_headings(run[:-1])
    announced = piece.category in _KEPT_WHOLE and alone and _announces(text, run[-1])
    return total <= TARGET or ((size < SMALL or announced) and total <= most)


def _without_crumbs(runs: Sequence[list[_Piece]]) -> Iterator[list[_Piece]]:
    """Yield the runs; the small rest of a section, and headings with nothing below them, join what is before them."""
    before: list[_Piece] | None = None
    for run in runs:
        if before is not None:
            if _only_headings(run) and before[-1].page == run[0].page:
                before.extend(run)
                continue
            same = before[-1].section == run[-1].section and before[-1].page == run[0].page
            small = run[-1].end - run[0].start < SMALL and run[0].category is not Category.HEADING
            if same and small and run[-1].end - before[0].start <= LONGEST:
                before.extend(run)
                continue
            yield before
        before = run
    if before is not None:
        yield before


def _pieces(text: str, element: Element, section: str, room: int) -> Iterator[_Piece]:
    """Yield an element as it is, or cut where it may be cut when it is too long."""
    whole_up_to = _KEPT_WHOLE.get(element.category, room)
    if element.end - element.start <= whole_up_to:
        yield _Piece(element.start, element.end, element.category, section, element.page)
        return
    size = LONGEST if element.category in _KEPT_WHOLE else TARGET
    starts = [element.start, *(at for at in element.borders if element.start < at < element.end)]
    parts = zip(starts, [*starts[1:], element.end], strict=True)
    spans: Iterable[tuple[int, int]]
    if element.borders:
        spans = (span for start, end in parts for span in _short(text, start, end, LONGEST_WHOLE))
    else:
        spans = _short(text, element.start, element.end, 0)
    for number, (start, end) in enumerate(_grouped(text, spans, size)):
        # The rows after a cut would not tell what their columns are.
        more = element.label if number and element.category is Category.TABLE else ""
        where = f"{section} > {more}" if section and more else section or more
        yield _Piece(start, end, element.category, where, element.page)


def _grouped(text: str, spans: Iterable[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Yield runs of neighbouring spans that stay within a size where they can."""
    begin = stop = -1
    for start, end in spans:
        if begin >= 0 and end - begin > size:
            yield begin, stop
            begin = -1
        if begin < 0:
            begin = start
        stop = start + len(text[start:end].rstrip())
    if begin >= 0:
        yield begin, stop


def _short(text: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield a span cut into sentences if it is too long, and those into lines of words if they still are."""
    if end - start <= longest:
        if text[start:end].strip():
            yield start, end
        return
    for first, last in sentences(text[start:end]):
        at, stop = start + first, start + last
        while stop - at > LONGEST:
            cut = max(text.rfind(" ", at + 1, at + TARGET), text.rfind("\n", at + 1, at + TARGET))
            cut = cut if cut > at else at + TARGET
            if text[at:cut].strip():
                yield at, cut
            at = cut
            while at < stop and text[at].isspace():
                at += 1
        if at < stop:
            yield at, stop

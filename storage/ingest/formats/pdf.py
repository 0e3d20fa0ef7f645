"""PDF: the text of every page; a line set in larger type is a heading, aligned cells are a table."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

import pypdfium2
import pypdfium2.raw as pdfium

from agent.errors import RefusedFileError
from agent.language.lexicon import pattern, regex
from agent.types import Category
from storage.ingest.dates import day
from storage.ingest.formats.parted_words import PartedWords, is_item
from storage.ingest.formats.pdf_lines import LETTER, MARK, Line, lines_of, marked
from storage.ingest.formats.pdf_order import in_order
from storage.ingest.formats.pdf_page import pieces_of
from storage.ingest.formats.pdf_tables import Table, in_rows, parts_of
from storage.ingest.formats.writer import Writer, clean, fenced
from storage.ingest.parsed import NO_TEXT, Extracted, Limits
from storage.ingest.titles import BELOW, is_title

_ENCRYPTED = "it is encrypted; save it without a password and try again"
_LARGER = 1.15
"""How much larger than the body's type a heading is set."""
_LONGEST_HEADING = 120
_DEEPEST = 6
"""Levels of an outline."""
_SHORTEST_TITLE = 3
"""Letters and digits of a title that is looked for within a line."""
_MOST_ENTRIES = 20_000
_LEADERS = re.compile(r"(?:[.·…] ?){5,}\s*[\divxlc]{1,5}\s*$")
"""Ends a line of a table of contents."""
_SET_APART = 0.3
"""Share of the letters below which bold type sets something apart."""
_SAMPLE = 8
"""Pages by which it is told what sets code apart."""
_PAGE = "\f"
"""Stands for the page number where lines of several pages are compared."""
_EDGE = 3
"""Lines above and below the text of a page that may run through the document."""
_NUMBER_OF_PAGE = re.compile(
    rf"\W*{regex('documents.before_page_number')}?\W*\d+\W*"
    rf"(?:(?:of\W*)?\d+\W*)?{regex('documents.behind_page_number')}?\W*",
    re.IGNORECASE,
)
_LONGEST_NUMBER = 40
_CODE_GOES_ON = re.compile(r"` `")
"""Where code on one line goes on in the next; it is parted behind a hyphen, too."""
_LINK_GOES_ON = re.compile(r"\]\((?P<to>[^()\s]{1,1200})\) \[(?=[^\[\]]{1,300}\]\((?P=to)\))")
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\([^()\s]{1,1200}\)")
_NO_TITLE = pattern("documents.untitled")


def extract(data: bytes, limits: Limits) -> Extracted:
    """Return the headings, paragraphs, lists and tables of every page."""
    try:
        reader = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise RefusedFileError(_ENCRYPTED) from error
        raise RefusedFileError("it is no PDF, or its end is missing; open it in a viewer and save it anew") from error
    try:
        count = len(reader)
        if count > limits.pages:
            raise RefusedFileError(f"it has {count:,} pages; the limit is {limits.pages:,}")
        code = _has_code(islice(_pages(reader), _SAMPLE))
        pages = [marked(in_order(in_rows(lines_of(page, code=code)))) for page in _pages(reader)]
        title, date = _about(reader)
        outline = _outline(reader)
    finally:
        reader.close()
    if not any(line.text.strip() for page in pages for line in page):
        raise RefusedFileError(f"{NO_TEXT} (pages: {len(pages)}; scanned pictures?); run a text recognition on it")
    writer = Writer()
    body = _body_size(pages)
    levels = _levels(pages, body, outline)
    words = PartedWords(pages)
    for number, page in enumerate(_without_running_lines(pages), start=1):
        _write(writer, page, levels, number, words)
    return Extracted(text=writer.text, elements=writer.elements, title=title, date=date, metadata={"pages": len(pages)})


def _pages(reader: pypdfium2.PdfDocument) -> Iterator[pypdfium2.PdfPage]:
    """Yield the pages one after the other, each as long as it is read; one that is broken is left out."""
    for number in range(len(reader)):
        try:
            page = reader[number]
        except pypdfium2.PdfiumError:
            continue
        try:
            yield page
        finally:
            page.close()


def _has_code(pages: Iterable[pypdfium2.PdfPage]) -> bool:
    """Tell whether letters that are all as wide are code; they are none where most of the text is set in them."""
    letters: Counter[bool] = Counter()
    for page in pages:
        for piece in pieces_of(page):
            letters[piece.code] += len(piece.text)
    return 2 * letters[True] < letters.total()


def _about(reader: pypdfium2.PdfDocument) -> tuple[str, str]:
    """Return title and date by the file's own properties."""
    title = " ".join(clean(reader.get_metadata_value("Title")).split())
    dates = map(reader.get_metadata_value, ("ModDate", "CreationDate"))
    date = next((found for told in dates if (found := day(told))), "")
    return "" if _NO_TITLE.fullmatch(title) else title, date


def _body_size(pages: Sequence[Sequence[Line]]) -> float:
    """Return the size that most of the text is set in."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page:
            sizes[line.size] += len(line.text.strip())
    return max(sizes, key=lambda size: sizes[size])


@dataclass(frozen=True, slots=True)
class _Levels:
    """Which lines are headings, by their type and by the outline of the file."""

    sizes: Mapping[float, int]
    """The level of each size that is larger than the body's, the largest first."""
    bold: bool
    """A short line in bold is one, too: most of the text is not."""
    outline: Mapping[int, Mapping[str, int]]
    """The level of each title by its page, from 1; empty where the file has no outline."""

    def of(self, line: Line, page: int) -> int:
        """Return the level of a line as a heading; 0 where it is none."""
        text = line.text.strip()
        if not any(map(str.isalpha, text)) or len(text) > _LONGEST_HEADING:
            return 0
        size = self.sizes.get(line.size, 0)
        is_short = self.bold and line.bold and line.closes and not line.code and not is_item(text) and is_title(text)
        if not (size or is_short):
            return 0
        if not self.outline:
            return size or BELOW
        bare, titles = _bare(text), self.outline.get(page, {})
        if bare in titles or len(bare) < _SHORTEST_TITLE:
            return titles.get(bare, BELOW)
        # A line may be a part of the title, or have the number that the outline leaves out.
        return next((level for title, level in titles.items() if bare in title or title in bare), BELOW)


def _levels(pages: Sequence[Sequence[Line]], body: float, outline: Mapping[int, Mapping[str, int]]) -> _Levels:
    sizes = {line.size for page in pages for line in page if line.text.strip()}
    larger = sorted((size for size in sizes if size > body * _LARGER and body), reverse=True)
    bold: Counter[bool] = Counter()
    for page in pages:
        for line in page:
            bold[line.bold] += len(line.text)
    levels = {size: min(level, 6) for level, size in enumerate(larger, start=1)}
    found = _Levels(levels, bold[True] < _SET_APART * bold.total(), outline)
    wanted = sum(map(len, outline.values()))
    met = sum(found.of(line, page) not in (0, BELOW) for page, lines in enumerate(pages, start=1) for line in lines)
    return found if 2 * met >= wanted else replace(found, outline={})


def _outline(reader: pypdfium2.PdfDocument) -> dict[int, dict[str, int]]:
    """Return the titles of the outline by their pages, from 1, each with its level, 1 the highest."""
    found: dict[int, dict[str, int]] = {}
    for entry in islice(reader.get_toc(max_depth=_DEEPEST), _MOST_ENTRIES):
        target = entry.get_dest()
        page = target.get_index() if target is not None else None
        if page is not None and len(title := _bare(entry.get_title())) >= _SHORTEST_TITLE:
            found.setdefault(page + 1, {})[title] = entry.level + 1
    return found


def _bare(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def _without_running_lines(pages: Sequence[Sequence[Line]]) -> Iterator[Sequence[Line]]:
    """Yield the pages without the lines above and below the text that many of them share, page numbers apart.

    At the top the first appearance stays if it holds no page number: it may be the title.
    """
    edges = [
        {at: _forms(page[at].text, number, outermost=depth == 0) for run in _runs(page) for depth, at in enumerate(run)}
        for number, page in enumerate(pages, start=1)
    ]
    seen: dict[str, list[int]] = {}
    for number, edge in enumerate(edges):
        for each in {each for forms in edge.values() for each in forms}:
            seen.setdefault(each, []).append(number)
    running = {form for form, on in seen.items() if _runs_on(form, on, len(pages))}
    told: set[str] = set()
    for page, edge in zip(pages, edges, strict=True):
        dropped = set()
        for run in _runs(page):
            for at in run:
                form = next((each for each in edge.get(at, ()) if each in running), None)
                if form is None:
                    break  # what stands between the text and a line that stays is text
                if at >= len(page) // 2 or _PAGE in form or form in told:
                    dropped.add(at)
                told.add(form)
        yield [line for at, line in enumerate(page) if at not in dropped]


def _runs_on(form: str, on: Sequence[int], pages: int) -> bool:
    """Tell whether a line on these pages belongs to the page and not to the text."""
    count, reach = len(on), on[-1] - on[0] + 1
    if count > 2 and _PAGE in form:
        return True  # a number that rises with the pages is no accident
    if count > 3 and reach < 2 * count + 1:
        return True  # that of a chapter
    return (count > 1 and count * 2 > pages) or (count > 2 and count * 5 > 2 * pages)  # left and right pages differ


def _runs(page: Sequence[Line]) -> tuple[list[int], list[int]]:
    """Return where the first lines of a page are, from the top, and the last ones, from the bottom."""
    filled = [at for at, line in enumerate(page) if line.text.strip()]
    top = filled[: min(_EDGE, len(filled))]
    return top, [at for at in reversed(filled[-_EDGE:]) if at not in top]


def _forms(text: str, page: int, *, outermost: bool) -> list[str]:
    """Return a line as it can be compared: itself, and with each number as its distance from the page's."""
    line = " ".join(text.split())
    forms = [line] if any(map(str.isalpha, line)) else []
    if outermost or (len(line) <= _LONGEST_NUMBER and _NUMBER_OF_PAGE.fullmatch(line)):
        for match in islice(re.finditer(r"\d{1,5}", line), 3):
            forms.append(f"{line[: match.start()]}{_PAGE}{int(match.group()) - page}{_PAGE}{line[match.end() :]}")
    return forms


def _write(writer: Writer, page: Sequence[Line], levels: _Levels, number: int, words: PartedWords) -> None:
    block, code, heading = list[Line](), list[Line](), list[Line]()

    def end() -> None:
        if heading:
            text = _LINK.sub(r"\1", _whole(words.joined(line.text for line in heading))).replace(MARK, "")
            writer.add(Category.HEADING, text, level=levels.of(heading[0], number), page=number)
            heading.clear()
        _write_block(writer, block, number, words)
        writer.add(Category.CODE, *fenced("\n".join(_indented(code))), page=number)
        block.clear()
        code.clear()

    for part in parts_of(page):
        if isinstance(part, Table):
            end()
            rows = [[" ".join(words.joined(cell.split("\n"))) for cell in row] for row in part.rows]
            writer.add_table(rows, page=number)
            continue
        if _LEADERS.search(part.text):
            continue  # a table of contents says nothing that the headings do not
        level = levels.of(part, number)
        if heading and (level != levels.of(heading[-1], number) or part.opens or heading[-1].closes):
            end()
        if level:
            if not heading:
                end()
            heading.append(part)
            continue
        if part.code and (code or part.opens or not block or block[-1].closes or part.y > block[-1].y):
            if not code:
                end()
            code.append(part)
            continue
        if code:
            end()
        if not part.text.strip():
            end()
        else:
            if part.opens and not is_item(part.text):
                end()
            block.append(part)
    end()


def _indented(code: Sequence[Line]) -> Iterator[str]:
    """Yield lines of code as far from the left as they stand there."""
    left = min((line.left for line in code), default=0.0)
    for line in code:
        yield " " * round((line.left - left) / (LETTER * max(line.size, 1.0))) + line.text.strip().strip(MARK)


def _write_block(writer: Writer, block: Sequence[Line], page: int, words: PartedWords) -> None:
    """Write lines that no distance parts: as a list where they have its marks, else as paragraphs."""
    pieces = [(piece[0], list(words.joined(line.text for line in piece))) for piece in _pieces(block)]
    lines = [line for _, joined in pieces for line in joined]
    items = [at for at, line in enumerate(lines) if is_item(line)]
    if len(items) > 1:
        writer.add(Category.PARAGRAPH, _whole(lines[: items[0]]), page=page)
        spans = zip(items, [*items[1:], len(lines)], strict=True)
        writer.add(Category.LIST, *(_whole(lines[start:stop]) for start, stop in spans), page=page)
        return
    for indent, run in groupby(pieces, key=lambda piece: round(piece[0].left) if piece[0].indented else 0):
        texts = [_whole(joined) for _, joined in run]
        if indent and len(texts) > 1:  # its marks are drawn
            writer.add(Category.LIST, *(f"- {text}" for text in texts), page=page)
        else:
            for text in texts:
                writer.add(Category.PARAGRAPH, text, page=page)


def _whole(lines: Iterable[str]) -> str:
    """Return lines as one, code and links that go on in the next line as one piece."""
    whole = _CODE_GOES_ON.sub(lambda match: "" if match.string[match.start() - 1] == "-" else " ", " ".join(lines))
    return _LINK_GOES_ON.sub(" ", whole)


def _pieces(block: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Yield the lines that go on in each other."""
    piece: list[Line] = []
    for line in block:
        piece.append(line)
        if line.closes or not line.cells:
            yield piece
            piece = []
    if piece:
        yield piece

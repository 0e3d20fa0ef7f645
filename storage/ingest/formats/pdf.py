"""PDF: the text of every page; a line set in larger type is a heading, aligned cells are a table."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice

import pypdfium2
import pypdfium2.raw as pdfium

from agent.errors import RefusedFileError
from agent.language.lexicon import pattern
from agent.types import Category
from storage.ingest.dates import day
from storage.ingest.formats.parted_words import PartedWords, is_item
from storage.ingest.formats.pdf_headings import Levels, levels_of, outline_of
from storage.ingest.formats.pdf_lines import LETTER, MARK, Line, lines_of, marked
from storage.ingest.formats.pdf_order import in_order
from storage.ingest.formats.pdf_page import Content, content_of
from storage.ingest.formats.pdf_running import without_running_lines
from storage.ingest.formats.pdf_tables import Table, in_rows, parts_of
from storage.ingest.formats.writer import Writer, clean, fenced
from storage.ingest.parsed import NO_TEXT, Extracted, Limits

_ENCRYPTED = "it is encrypted; save it without a password and try again"
_LEADERS = re.compile(r"(?:[.·…] ?){5}\s*[\divxlc]{1,5}\s?$")
"""Ends a line of a table of contents."""
_SAMPLE = 8
"""Pages by which it is told what sets code apart."""
_CODE_GOES_ON = re.compile(r"` `")
"""Where code on one line goes on in the next; it is parted behind a hyphen, too."""
_LINK_GOES_ON = re.compile(r"\]\((?P<to>[^()\s]{1,1200})\) \[(?=[^\[\]]{1,300}\]\((?P=to)\))")
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\([^()\s]{1,1200}\)")
_NO_TITLE = pattern("documents.untitled")
_TEMPLATES = ("D:20000101000000", "D:19700101000000")
"""How the moments begin that ReportLab and other libraries put into every file they make."""


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
        contents = _contents(reader)
        first = list(islice(contents, _SAMPLE))
        code = _has_code(first)
        pages = [marked(in_order(in_rows(lines_of(each, code=code)))) for each in chain(first, contents)]
        title, date = _about(reader)
        outline = outline_of(reader)
    finally:
        reader.close()
    if not any(line.text.strip() for page in pages for line in page):
        raise RefusedFileError(f"{NO_TEXT} (pages: {len(pages)}; scanned pictures?); run a text recognition on it")
    writer = Writer()
    levels = levels_of(pages, outline)
    words = PartedWords(pages)
    for number, page in enumerate(without_running_lines(pages), start=1):
        _write(writer, page, levels, number, words)
    return Extracted(text=writer.text, elements=writer.elements, title=title, date=date, metadata={"pages": len(pages)})


def _contents(reader: pypdfium2.PdfDocument) -> Iterator[Content]:
    """Yield what stands on each page; nothing for one that is broken."""
    for number in range(len(reader)):
        try:
            page = reader[number]
        except pypdfium2.PdfiumError:
            yield Content()
            continue
        try:
            yield content_of(page)
        finally:
            page.close()


def _has_code(pages: Iterable[Content]) -> bool:
    """Tell whether letters that are all as wide are code; they are none where most of the text is set in them."""
    letters: Counter[bool] = Counter()
    for page in pages:
        for piece in page.pieces:
            letters[piece.code] += len(piece.text)
    return 2 * letters[True] < letters.total()


def _about(reader: pypdfium2.PdfDocument) -> tuple[str, str]:
    """Return title and date by the file's own properties."""
    title = " ".join(clean(reader.get_metadata_value("Title")).split())
    moments = map(reader.get_metadata_value, ("ModDate", "CreationDate"))
    date = next((found for moment in moments if not moment.startswith(_TEMPLATES) and (found := day(moment))), "")
    return "" if _NO_TITLE.fullmatch(title) else title, date


def _write(writer: Writer, page: Sequence[Line], levels: Levels, number: int, words: PartedWords) -> None:
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
        if _LEADERS.search(part.text.rstrip()):
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
        if code or not part.text.strip() or (part.opens and not is_item(part.text)):
            end()
        if part.text.strip():
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

"""HTML: the main content as text; navigation, scripts and what is hidden stay out."""

import codecs
import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import chain

from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
from bs4.dammit import EncodingDetector
from bs4.element import CData, NavigableString, PageElement, Tag

from agent.language.lexicon import regex
from agent.types import Category
from storage.ingest.encodings import decode
from storage.ingest.formats.disclosure import disclose
from storage.ingest.formats.figures import described
from storage.ingest.formats.grid import Row
from storage.ingest.formats.html_dates import date_of
from storage.ingest.formats.inline import coded, linked
from storage.ingest.formats.writer import Writer, fenced
from storage.ingest.parsed import Extracted
from storage.ingest.titles import BELOW, is_title

_DROPPED = frozenset(
    """script style noscript template svg canvas iframe object embed audio video map nav aside footer dialog
    button select textarea input head del s strike""".split()
)
_DROPPED_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary", "dialog"})
_NAVIGATION = frozenset(
    """navheader navfooter toc list-of-figures list-of-tables list-of-examples breadcrumb breadcrumbs pagination
    nav navbar navigation sidebar""".split()
)
"""Classes of what leads elsewhere, as DocBook's stylesheets and others name it where they give it no role."""
_PARTING = frozenset("-–—|·•:»›/")
"""What parts the title of a page from that of its site."""
_MARKS = frozenset({"headerlink", "linenos", "lineno", "linenodiv", "line-numbers-rows"})
"""Classes of the mark beside a heading that links to it (Sphinx), and of the numbers of lines of code (Pygments)."""
_NOTES = frozenset({"note", "tip", "important", "warning", "caution", "admonition"})
"""Classes of boxes, whose title heads nothing but them (DocBook's stylesheets)."""
_BOX_TITLES = frozenset("panelHeader panel-heading panel-title card-header accordion-header".split())
"""Classes of the title of a box (Confluence, Bootstrap)."""
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLOCKS = frozenset(
    """address article blockquote body center dd details div dl dt fieldset figcaption figure footer form header hr
    html legend li main menu p section summary tbody td tfoot th thead tr""".split()
)
_OWN_SHAPE = ("ul", "ol", "menu", "pre", "table", "dl")
_CODE = frozenset({"code", "samp", "tt"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_WIDEST = 1_000
"""Columns or rows over which a cell may reach; browsers stop there too (html.spec.whatwg.org, `colspan`)."""
_FEEDBACK = re.compile(rf"^\W*+(?:{regex('documents.feedback')})[^\n]{{0,80}}$", re.IGNORECASE)
_BREAK = re.compile(r"</br\s{0,9}/?>", re.IGNORECASE)
"""An end of a line, as browsers read it too (html.spec.whatwg.org, "in body", an end tag `br`); the parser drops it."""
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")


def extract(data: bytes) -> Extracted:
    """Return the headings, paragraphs, lists, tables and code of a page's main content."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # XHTML is what browsers read as HTML
        page = BeautifulSoup(_BREAK.sub("<br>", _decoded(data)), "lxml")
    date = date_of(page)
    disclose(page)
    _leave_out_menus(page)
    writer = Writer()
    _Page(writer).read(_main(page))
    title = " ".join(page.title.get_text().split()) if page.title else ""
    head = next((each.label for each in writer.elements if each.level == 1), "")
    return Extracted(text=writer.text, elements=writer.elements, title=_own(title, head), date=date)


def _leave_out_menus(page: BeautifulSoup) -> None:
    """Drop what only links elsewhere above the page's first heading, and lists of the page's own sections."""
    heading = page.find("h1")
    above = heading.find_all_previous(["ul", "ol", "div", "p"]) if isinstance(heading, Tag) else []
    around = set(map(id, heading.parents)) if isinstance(heading, Tag) else set()
    menus = [tag for tag in above if isinstance(tag, Tag) and id(tag) not in around and _only_links(tag)]
    contents = [tag for tag in page.find_all(["ul", "ol"]) if isinstance(tag, Tag) and _only_links(tag, "#")]
    for tag in (*menus, *contents):
        tag.extract()


def _only_links(tag: Tag, to: str = "") -> bool:
    """Tell whether a tag holds two links or more that begin so, and no words besides."""
    links = [link for link in tag.find_all("a") if isinstance(link, Tag)]
    if len(links) < 2 or not all(str(link.get("href") or "").startswith(to) for link in links):
        return False
    letters = sum(map(str.isalnum, tag.get_text()))
    return letters == sum(map(str.isalnum, "".join(link.get_text() for link in links)))


def _own(title: str, head: str) -> str:
    """Return the title of a page without that of its site, which stands before or behind the page's first heading."""
    rest = title.removeprefix(head).strip() if title.startswith(head) else title.removesuffix(head).strip()
    beside = (rest[:1], rest[-1:]) if rest != title else ("", "")
    return head if head and not _PARTING.isdisjoint(beside) else title


def table(source: str) -> str:
    """Return the table that a piece of HTML is as Markdown; nothing for one within another."""
    found = BeautifulSoup(source, "lxml").find("table")
    if not isinstance(found, Tag) or found.find("table"):
        return ""
    writer = Writer()
    _Page(writer).read_table(found)
    return writer.text


def _decoded(data: bytes) -> str:
    declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    if declared and not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # Browsers read EUC-KR and Latin-1 as the code pages that contain them.
        known = {"euc-kr": "cp949", "ks_c_5601-1987": "cp949", "iso-8859-1": "cp1252"}
        try:
            return data.decode(known.get(declared.lower(), declared))
        except (LookupError, UnicodeDecodeError):
            pass  # pages lie about their encoding; the bytes tell
    return decode(data)


def _main(page: BeautifulSoup) -> Tag:
    """Return the part of the page that is its content."""
    body = page.body or page
    articles = body.find_all("article")
    for part in (body.find("main"), body.select_one("[role=main]"), articles[0] if len(articles) == 1 else None):
        if isinstance(part, Tag) and part.get_text(strip=True):
            return part
    # A header of the whole page holds its logo and menu; one within an article holds its title.
    for header in body.find_all("header"):
        if isinstance(header, Tag) and not header.find_parent(["article", "section"]) and not header.find("h1"):
            header.decompose()
    return body


class _Page:
    """Walks a page and writes down its blocks."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._inline: list[str] = []
        self._figures: list[str] = []

    def read(self, root: Tag) -> None:
        """Write the blocks below a tag."""
        self._children(root)
        self._flush()

    def read_table(self, tag: Tag) -> None:
        """Write a table alone."""
        self._table(tag, _rows_of(tag))

    def _children(self, parent: Tag) -> None:
        for child in parent.children:
            if isinstance(child, Tag):
                if not _is_dropped(child):
                    self._tag(child)
            else:
                self._inline.append(_words(child))

    def _tag(self, tag: Tag) -> None:
        name = tag.name
        if name in _HEADINGS and tag.parent is not None and not _NOTES.isdisjoint(_classes(tag.parent)):
            self._flush()
            self._children(tag)
            self._flush()
        elif name in _HEADINGS:
            self._flush()
            self._writer.add(Category.HEADING, " ".join(_lines(tag, plain=True)), level=_HEADINGS[name])
        elif name in ("ul", "ol", "menu"):
            self._flush()
            self._writer.add(Category.LIST, *_items(tag))
        elif name == "table" and not tag.find("table"):
            self._flush()
            rows = _rows_of(tag)
            if _is_layout(rows):
                for cell in filter(_has_words, chain.from_iterable(map(_cells, rows))):
                    if not _is_dropped(cell):
                        self._tag(cell)
            else:
                self._table(tag, rows)
        elif name == "pre":
            self._flush()
            self._writer.add(Category.CODE, *fenced(tag.get_text()))
        elif name == "figcaption" or (name == "p" and "title" in _classes(tag) and _figure_of(tag)):
            self._flush()
            self._children(tag)
            # A picture is what its caption says; the caption of a table is a line above or below it.
            of_text = tag.parent is not None and tag.parent.find(["table", "pre"]) is not None
            self._flush(Category.PARAGRAPH if of_text else Category.FIGURE)
        elif name == "dl":
            self._flush()
            self._definitions(tag)
        elif name == "img":
            if alt := _alt(tag):
                self._figures.append(alt)
        elif name == "br":
            self._inline.append("\n")
        elif (title := _title_of_box(tag)) is not None:
            self._flush()
            self._writer.add(Category.HEADING, " ".join(_lines(title.extract(), plain=True)), level=BELOW)
            self._children(tag)
            self._flush()
            self._writer.end_section(BELOW)
        elif name in _BLOCKS:
            self._flush()
            self._children(tag)
            self._flush()
        elif (words := _marked(tag)) is not None:
            self._inline.append(words)
        else:
            self._children(tag)

    def _definitions(self, parent: Tag) -> None:
        """Write the terms of a list, each with what it means; where that is more than a paragraph, as a section."""
        level = BELOW + len(parent.find_parents("dl"))
        items, terms = list[str](), list[str]()
        for tag in parent.find_all(["dt", "dd"]):
            if not isinstance(tag, Tag) or _is_dropped(tag) or tag.find_parent("dl") is not parent:
                continue
            if tag.name == "dt":
                terms += filter(None, [" ".join(_lines(tag, plain=True))])
            elif terms and _is_long(tag):
                self._writer.add(Category.LIST, *items)
                items.clear()
                self._writer.add(Category.HEADING, ", ".join(terms), level=level)
                self._children(tag)
                self._flush()
                self._writer.end_section(level)
                terms.clear()
            elif words := " ".join(_lines(tag)):
                items.append(f"- {', '.join(terms)}: {words}" if terms else f"- {words}")
                terms.clear()
        self._writer.add(Category.LIST, *items, *(f"- {term}" for term in terms))

    def _table(self, tag: Tag, rows: Sequence[Tag]) -> None:
        caption = tag.find("caption")
        if isinstance(caption, Tag):
            self._writer.add(Category.PARAGRAPH, " ".join(_lines(caption)))
        self._writer.add_table(_rows(rows), header=_header(rows))

    def _flush(self, category: Category = Category.PARAGRAPH) -> None:
        """Write the words gathered so far as a block of their own."""
        lines = "".join(self._inline).split("\n")
        self._inline.clear()
        text = "\n".join(line for line in (" ".join(line.split(" ")).strip() for line in map(_folded, lines)) if line)
        if not _FEEDBACK.match(text):
            self._writer.add(category, text)
        for alt in self._figures:
            self._writer.add(Category.FIGURE, alt)
        self._figures.clear()


def _title_of_box(tag: Tag) -> Tag | None:
    """Return the title of a box or of a part that unfolds; None of anything else."""
    first = tag.find(True, recursive=False)
    if not isinstance(first, Tag) or not (first.name == "summary" or _BOX_TITLES.intersection(_classes(first))):
        return None
    return first if is_title(" ".join(first.get_text().split())) else None


def _rows_of(table: Tag) -> list[Tag]:
    return [row for row in table.find_all("tr") if isinstance(row, Tag) and not _is_dropped(row)]


def _cells(row: Tag) -> list[Tag]:
    return [cell for cell in row.find_all(["td", "th"], recursive=False) if isinstance(cell, Tag)]


def _rows(rows: Sequence[Tag]) -> Iterator[Row]:
    """Yield the rows of a table; what reaches over several rows is told in each."""
    reaching: dict[int, tuple[int, str | None]] = {}
    for row in rows:
        line: list[str | None] = []
        below: dict[int, tuple[int, str | None]] = {}
        for cell in (*_cells(row), None):
            while (at := len(line)) in reaching:
                left, text = reaching[at]
                line.append(text)
                below[at] = (left - 1, text)
            if cell is None:
                break
            words = " ".join(_lines(cell))
            for over in range(_span(cell, "colspan")):
                below[len(line)] = (_span(cell, "rowspan") - 1, None if over else words)
                line.append(None if over else words)
        reaching = {at: reach for at, reach in below.items() if reach[0] > 0}
        yield line


def _span(cell: Tag, name: str) -> int:
    told = str(cell.get(name) or "")
    return max(1, min(int(told), _WIDEST)) if told.isdecimal() and len(told) < 6 else 1


def _header(rows: Sequence[Tag]) -> bool | None:
    """Tell whether the first row names the columns; None where the page does not say."""
    first = [cell.name for cell in _cells(rows[0])] if rows else []
    if len(first) > 1 and all(name == "th" for name in first):
        return True
    if first[:1] == ["th"]:
        return False  # a row with a name of its own, as in a list of properties
    return True if rows and rows[0].find_parent("thead") else None


def _is_long(tag: Tag) -> bool:
    """Tell whether more is said of a term than a paragraph."""
    blocks = _blocks(tag)
    while len(blocks) == 1 and blocks[0].name == "div":
        blocks = _blocks(blocks[0])
    return len(blocks) > 1 or any(block.name in _OWN_SHAPE and block.name != "dl" for block in blocks)


def _blocks(tag: Tag) -> list[Tag]:
    return [
        child for child in tag.children
        if isinstance(child, Tag) and (child.name in _BLOCKS or child.name in _OWN_SHAPE) and not _is_dropped(child)
    ]  # fmt: skip


def _is_layout(rows: Sequence[Tag]) -> bool:
    """Tell whether a table only puts a picture or numbers of lines beside what is told: no row has two cells of it."""
    if not any(row.find(["img", "pre"]) for row in rows):  # most tables have none, and need not be read twice
        return False
    told = [[_has_words(cell) and not _is_dropped(cell) for cell in _cells(row)] for row in rows]
    return not all(map(all, told)) and any(map(any, told)) and all(sum(row) < 2 for row in told)


def _has_words(tag: Tag) -> bool:
    return bool(tag.get_text(strip=True))


def _alt(picture: Tag) -> str:
    """Return what is said of a picture; nothing where its title says the same."""
    alt = described(str(picture.get("alt") or ""))
    figure = _figure_of(picture)
    return "" if figure is not None and alt in " ".join(figure.get_text().split()) else alt


def _figure_of(tag: Tag) -> Tag | None:
    """Return the figure that a picture or its title belongs to: DocBook's is a `div`."""
    return tag.find_parent(lambda each: each.name == "figure" or "figure" in _classes(each))


def _classes(tag: Tag) -> Sequence[str]:
    return tag.get_attribute_list("class")


def _items(parent: Tag, indent: str = "") -> Iterator[str]:
    """Yield the items of a list; what is nested in an item follows it, indented."""
    start = str(parent.get("start") or "1")
    number = int(start) - 1 if start.isdecimal() and len(start) < 6 else 0
    for item in parent.find_all("li", recursive=False):
        if not isinstance(item, Tag) or _is_dropped(item):
            continue
        number += 1
        mark = f"{number}. " if parent.name == "ol" else "- "
        lines = _lines(item, shaped=True)
        if lines:
            yield "\n".join([indent + mark + lines[0], *(f"{indent}  {line}" for line in lines[1:])])


def _lines(tag: Tag, *, plain: bool = False, shaped: bool = False) -> list[str]:
    """Return the text of a tag, a line for each block in it.

    `plain`: without marks, as a heading is. `shaped`: with code and tables as they stand, as in an item of a list.
    """
    lines, current = list[str](), list[str]()

    def end() -> None:
        lines.extend(line for line in (_folded(part).strip() for part in "".join(current).split("\n")) if line)
        current.clear()

    for child in tag.children:
        if not isinstance(child, Tag):
            current.append(_words(child))
        elif _is_dropped(child):
            continue
        elif child.name == "br":
            current.append("\n")
        elif child.name == "img":
            current.append(f" {_alt(child)} ")
        elif child.name in ("ul", "ol", "menu"):
            end()
            lines.extend(line for item in _items(child) for line in item.split("\n"))
        elif child.name == "pre":
            end()
            code = fenced(child.get_text()) if shaped else [" ".join(child.get_text().split())]
            lines.extend(line for part in code for line in part.split("\n"))
        elif shaped and child.name == "table" and (rows := _table_lines(child)):
            end()
            lines.extend(rows)
        elif child.name in _BLOCKS or child.name in _HEADINGS or child.name == "table":
            end()
            lines.extend(_lines(child, plain=plain, shaped=shaped))
        elif not plain and (words := _marked(child)) is not None:
            current.append(words)
        else:
            inner = _lines(child, plain=plain, shaped=shaped)
            spaces = child.get_text()
            current.append(
                (" " if spaces[:1].isspace() else "") + "\n".join(inner) + (" " if spaces[-1:].isspace() else "")
            )
    end()
    return lines


def _table_lines(tag: Tag) -> list[str]:
    """Return the rows of a table within an item as Markdown; none where it is layout or a table of tables."""
    rows = _rows_of(tag)
    if tag.find("table") or _is_layout(rows):
        return []
    writer = Writer()
    writer.add_table(_rows(rows), header=_header(rows))
    return writer.text.splitlines()


def _marked(tag: Tag) -> str | None:
    """Return code within a line and a link that leads out of the page as Markdown has them; None for another tag."""
    if tag.name in _CODE:
        return coded(_folded(tag.get_text()))
    if tag.name != "a" or tag.find([*_BLOCKS, *_HEADINGS, *_OWN_SHAPE, "br", "img"]) is not None:
        return None
    return linked(_folded("".join(_inner(tag))), str(tag.get("href") or ""))


def _inner(tag: Tag) -> Iterator[str]:
    for child in tag.children:
        if not isinstance(child, Tag):
            yield _words(child)
        elif not _is_dropped(child):
            marked = _marked(child)
            yield "".join(_inner(child)) if marked is None else marked


def _words(node: PageElement) -> str:
    """Return the words of a text node; none of a comment."""
    if type(node) in (NavigableString, CData):
        return _SPACE.sub(" ", str(node))
    return ""


def _folded(line: str) -> str:
    return _SPACE.sub(" ", line)


def _is_dropped(tag: Tag) -> bool:
    if tag.name in _DROPPED or tag.get("role") in _DROPPED_ROLES:
        return True
    if _is_navigation(tag):
        return True
    if tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    style = tag.get("style")
    return isinstance(style, str) and bool(_HIDDEN_STYLE.search(style))


def _is_navigation(tag: Tag) -> bool:
    """Tell whether a tag that is called so holds links, and no text of its own."""
    classes = _classes(tag)
    if not _MARKS.isdisjoint(classes):
        return True
    return not _NAVIGATION.isdisjoint(classes) and tag.find("a") is not None and tag.find("p") is None

"""Lines that run through the pages of a PDF file and are no text of it: titles, page numbers, notes of secrecy."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from agent.language.lexicon import regex
from storage.ingest.formats.pdf_lines import Line

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


def without_running_lines(pages: Sequence[Sequence[Line]]) -> Iterator[Sequence[Line]]:
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

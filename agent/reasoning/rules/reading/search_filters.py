"""What a question's own words limit its search to: pages, tables, a file, documents of a language or a year.

Only what is plainly said of where to look: "in the table", never "as a table"; "on page 3", never "3 pages".
"""

import re
from collections.abc import Iterator
from functools import cache

from agent.language.lexicon import first, forms, has, pattern
from agent.language.registry import languages
from agent.text import tokens
from agent.types import Category, SearchFilter

READ = 500
"""Characters of a question that are read; a longer one is a paste."""
_FILE = re.compile(
    r"(?<![\w.()-])(?P<name>[\w()-]{1,80}(?:[.][\w()-]{1,40}){0,4}[.](?:md|markdown|pdf|docx?|xlsx?|pptx?|html?|txt"
    r"|csv|tsv|jsonl?|hwpx?|r(?:st|tf)|epub))"
    r"(?![A-Za-z0-9_.])",
    re.IGNORECASE,
)
_BEFORE_FILE = pattern("reading.before_file")
_BEHIND_FILE = pattern("reading.behind_file")
_NO_PAGES = pattern("reading.no_pages")
_CATEGORIES: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (Category.TABLE, pattern("reading.in_table")),
    (Category.CODE, pattern("reading.in_code")),
    (Category.FIGURE, pattern("reading.in_figure")),
)
_AS_TABLE = pattern("reading.as_table")
_DATED = ("papers_of_year", "papers_from", "papers_after", "papers_before", "papers_until")
_LOOSE = re.compile(r"^[\s,:;.]+|(?<=\s)[,:;](?=\s)|\s+(?=[?!,.:;])")
"""Punctuation that stands alone once words are taken out."""
_LANGUAGES = {code: pattern(f"reading.papers_{code}") for code in languages() if has(f"reading.papers_{code}")}


def filter_of(text: str) -> SearchFilter:
    """Return what a question limits its search to; an empty filter mostly."""
    text = text[:READ]
    return SearchFilter(
        sources=files_in(text),
        categories=_categories(text),
        page_range=_pages(text),
        language=next((language for language, form in _LANGUAGES.items() if form.search(text)), None),
        date_range=_dates(text),
    )


def asked_of(text: str) -> str:
    """Return a question without the words that limit its search: what is asked of the places that are left.

    A passage answers "on page 2 of faq.pdf, who approves it?" by who approves it, and names neither page nor file.
    """
    head = text[:READ]
    spans = [span for _, span in _files(head)]
    spans += [place.span() for place in (_page_place(head),) if place is not None]
    if not _AS_TABLE.search(head):
        spans += [match.span() for _, form in _CATEGORIES for match in form.finditer(head)]
    spans += [match.span() for form in _papers() for match in form.finditer(head)]
    if not spans:
        return text
    kept, end = [], 0
    for start, stop in sorted(spans):
        kept.append(text[end:start] if start > end else "")
        end = max(end, stop)
    left = _LOOSE.sub("", " ".join("".join((*(f"{part} " for part in kept), text[end:])).split()))
    return left if tokens(left) else text


def files_in(text: str) -> tuple[str, ...]:
    """Return the names of files that a question says to look in."""
    return tuple(dict.fromkeys(name for name, _ in _files(text[:READ])))


def _files(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each file that a question says to look in, and the place of all that says so."""
    for match in _FILE.finditer(text):
        before, behind = _BEFORE_FILE.search(text[: match.start()]), _BEHIND_FILE.match(text[match.end() :])
        if before or behind:
            start = before.start() if before else match.start()
            yield match["name"], (start, match.end() + (behind.end() if behind else 0))


@cache
def _papers() -> tuple[re.Pattern[str], ...]:
    """Return what limits a search to documents of a language or of a time."""
    return (*_LANGUAGES.values(), *(form for name in _DATED for form in forms(f"reading.{name}")))


def _pages(text: str) -> tuple[int, int] | None:
    place = _page_place(text)
    return (int(place["first"]), int(place["last"] or place["first"])) if place is not None else None


def _page_place(text: str) -> re.Match[str] | None:
    """Return where a question names pages to look on; None where it names none, or none that there can be."""
    for form in forms("reading.pages"):
        match = form.search(text)
        if match and not _NO_PAGES.search(text[: match.start()]):
            return match if 0 < int(match["first"]) <= int(match["last"] or match["first"]) else None
    return None


def _categories(text: str) -> tuple[Category, ...]:
    if _AS_TABLE.search(text):
        return ()
    return tuple(category for category, form in _CATEGORIES if form.search(text))


def _dates(text: str) -> tuple[str, str] | None:
    if year := _year(text, "papers_of_year"):
        return f"{year}-01-01", f"{year}-12-31"
    if year := _year(text, "papers_from"):
        return f"{year}-01-01", ""
    if year := _year(text, "papers_after"):
        return f"{year + 1}-01-01", ""
    if year := _year(text, "papers_before"):
        return "", f"{year - 1}-12-31"
    if year := _year(text, "papers_until"):
        return "", f"{year}-12-31"
    return None


def _year(text: str, name: str) -> int:
    match = first(f"reading.{name}", text)
    return int(match["year"]) if match else 0

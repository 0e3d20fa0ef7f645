"""What a question's own words limit its search to: pages, tables, a file, documents of a language or a year.

Only what is plainly said of where to look: "in the table", never "as a table"; "on page 3", never "3 pages".
"""

import re

from agent.language.lexicon import first, forms, has, pattern
from agent.language.registry import languages
from agent.types import Category, SearchFilter

READ = 500
"""Characters of a question that are read; a longer one is a paste."""
_FILE = re.compile(
    r"(?<![\w.()-])(?P<name>[\w()-]{1,80}(?:[.][\w()-]{1,40}){0,4}[.](?:md|markdown|pdf|docx?|xlsx?|pptx?|html?|txt"
    r"|csv|tsv|jsonl?|hwpx?|rtf|epub))"
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


def files_in(text: str) -> tuple[str, ...]:
    """Return the names of files that a question says to look in."""
    text = text[:READ]
    return tuple(dict.fromkeys(match["name"] for match in _FILE.finditer(text) if _is_place(text, match)))


def _is_place(text: str, match: re.Match[str]) -> bool:
    return bool(_BEFORE_FILE.search(text[: match.start()]) or _BEHIND_FILE.match(text[match.end() :]))


def _pages(text: str) -> tuple[int, int] | None:
    for form in forms("reading.pages"):
        match = form.search(text)
        if match and not _NO_PAGES.search(text[: match.start()]):
            first, last = int(match["first"]), int(match["last"] or match["first"])
            return (first, last) if 0 < first <= last else None
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

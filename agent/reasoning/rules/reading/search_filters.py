"""What a question's own words limit its search to: pages, tables, a file, documents of a language or a year.

Only what is plainly said of where to look: "in the table", never "as a table"; "on page 3", never "3 pages".
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from agent.language.lexicon import forms, has, pattern
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
_YEARS: Mapping[str, tuple[int | None, int | None]] = {
    "papers_of_year": (0, 0), "papers_from": (0, None), "papers_after": (1, None), "papers_before": (None, -1),
    "papers_until": (None, 0),
}  # fmt: skip
"""Years of documents, the first and the last, beside the year that is named; None: whichever."""
_LOOSE = re.compile(r"^[\s,:;.]+|(?<=\s)[,:;](?=\s)|\s+(?=[?!,.:;])")
"""Punctuation that stands alone once words are taken out."""
_LANGUAGES = {code: pattern(f"reading.papers_{code}") for code in languages() if has(f"reading.papers_{code}")}


def filter_of(text: str) -> SearchFilter:
    """Return what a question limits its search to; an empty filter mostly."""
    found: dict[str, list[Any]] = defaultdict(list)
    for name, value, _ in _limits(text[:READ]):
        found[name].append(value)
    first = {name: values[0] for name, values in found.items()}
    return SearchFilter(
        sources=tuple(dict.fromkeys(found["sources"])),
        categories=tuple(dict.fromkeys(found["categories"])),
        page_range=first.get("page_range"),
        language=first.get("language"),
        date_range=first.get("date_range"),
    )


def asked_of(text: str) -> str:
    """Return a question without the words that limit its search: what is asked of the places that are left.

    A passage answers "on page 2 of faq.pdf, who approves it?" by who approves it, and names neither page nor file.
    """
    spans = sorted(span for _, _, span in _limits(text[:READ]))
    if not spans:
        return text
    kept, end = [], 0
    for start, stop in spans:
        kept.append(text[end:start] if start > end else "")
        end = max(end, stop)
    left = _LOOSE.sub("", " ".join("".join((*(f"{part} " for part in kept), text[end:])).split()))
    return left if tokens(left) else text


def _limits(text: str) -> Iterator[tuple[str, Any, tuple[int, int]]]:
    """Yield what a question limits its search to: the filter's field, its value, and the place that says so."""
    for match in _FILE.finditer(text):
        before, behind = _BEFORE_FILE.search(text[: match.start()]), _BEHIND_FILE.match(text[match.end() :])
        if before or behind:
            start = before.start() if before else match.start()
            yield "sources", match["name"], (start, match.end() + (behind.end() if behind else 0))
    pages = (named for form in forms("reading.pages") if (named := form.search(text)))
    place = next((match for match in pages if not _NO_PAGES.search(text[: match.start()])), None)
    if place is not None and 0 < int(place["first"]) <= int(place["last"] or place["first"]):
        yield "page_range", (int(place["first"]), int(place["last"] or place["first"])), place.span()
    if not _AS_TABLE.search(text):
        for category, form in _CATEGORIES:
            yield from (("categories", category, match.span()) for match in form.finditer(text))
    for language, form in _LANGUAGES.items():
        yield from (("language", language, match.span()) for match in form.finditer(text))
    for name, (first, last) in _YEARS.items():
        for found in (found for form in forms(f"reading.{name}") for found in form.finditer(text)):
            since = "" if first is None else f"{int(found['year']) + first}-01-01"
            until = "" if last is None else f"{int(found['year']) + last}-12-31"
            yield "date_range", (since, until), found.span()

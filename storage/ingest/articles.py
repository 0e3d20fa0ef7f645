"""Articles of rules whose number and name stand before their text on one line: these are the headings of that text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.language.lexicon import regex
from agent.types import Category
from storage.ingest.parsed import Element
from storage.ingest.titles import BELOW

_ARTICLE = re.compile(rf"^(?P<name>{regex('documents.article')})(?=\s|[①-⑳]|$)", re.MULTILINE)


def with_articles(text: str, elements: Sequence[Element]) -> Sequence[Element]:
    """Return the elements of a document, of paragraphs that begin an article its name as a heading.

    One alone is no document of articles, but a mention of another one's.
    """
    begin = [
        list(_ARTICLE.finditer(text, each.start, each.end)) if each.category is Category.PARAGRAPH else []
        for each in elements
    ]
    if sum(map(len, begin)) < 2:
        return elements
    return [part for each, found in zip(elements, begin, strict=True) for part in _parted(text, each, found)]


def _parted(text: str, element: Element, articles: Sequence[re.Match[str]]) -> Iterator[Element]:
    """Yield a paragraph without the names of the articles in it, and each of these before its text."""
    starts = [element.start, *(each.start() for each in articles), element.end]
    yield from _filled(text, element, starts[0], starts[1])
    for article, end in zip(articles, starts[2:], strict=True):
        label = " ".join(article["name"].split())
        yield Element(
            category=Category.HEADING,
            start=article.start(),
            end=article.end(),
            level=BELOW,
            label=label,
            page=element.page,
        )
        yield from _filled(text, element, article.end(), end)


def _filled(text: str, element: Element, start: int, end: int) -> Iterator[Element]:
    words = text[start:end]
    if words.strip():
        start += len(words) - len(words.lstrip())
        yield replace(element, start=start, end=start + len(words.strip()))

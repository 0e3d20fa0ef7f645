"""Which lines are titles or headings by their place and words alone, where nothing marks them as such."""

import re
from collections.abc import Sequence
from itertools import pairwise

from agent.language.lexicon import pattern, regex
from agent.types import Category
from agent.values.dates import Date, dates
from storage.ingest.dates import day
from storage.ingest.parsed import Element, Extracted

LONGEST = 80
"""Characters of a line that may be one."""
BELOW = 7
"""The level of what only its place makes a heading: it is below all that are marked as one."""
_LEADING = 2
"""Lines above the first heading of which a title is made: often the name of who wrote it, and its own."""
_LONGEST_LINE = 160
"""Characters of a line of a letterhead."""
_AROUND = 40
"""Characters before a date that tell what it is."""
_MARKED = " | "
"""Stands for a heading that is marked as one: no line of a title, and no text."""
_STATED = re.compile(rf"[.!。:：;,…][\"'”’)\]]*$|{regex('answering.statement_ends')}")
_HOLDS_BEFORE = re.compile(
    rf"(?:{regex('documents.holds_before')}),?\s$|^\W{{0,4}}(?:{regex('documents.date_field')})\s?[:：]\s(?:\w+,?\s)?$",
    re.IGNORECASE,
)
_HOLDS_AFTER = re.compile(rf"[\s(]*(?:{regex('documents.holds_after')})", re.IGNORECASE)
_REPEALED = pattern("documents.repealed")
_LETTERHEAD, _HEAD_LINES = 800, 8
"""Characters and lines of the head of a letter."""
_SENDER = re.compile(rf"(?:{regex('documents.letter_fields')})\s*[:：]", re.IGNORECASE)
_SUBJECT = re.compile(rf"(?:{regex('documents.subject_field')})\s*[:：]\s*(?P<words>\S.*)", re.IGNORECASE)
_REPLY = re.compile(rf"^(?:(?:{regex('documents.reply_marks')})\s*[:：]\s*)+", re.IGNORECASE)
_DIVISION = re.compile(rf"\d{{1,3}}[.)]\s|(?:{regex('documents.division')})", re.IGNORECASE)
_PART_END = re.compile(r"[.,;!?※]\s")
_HIGH_BEFORE = re.compile(rf"\b{regex('values.high_before')}\s$", re.IGNORECASE)
_HIGH_AFTER = re.compile(rf"\s?{regex('values.high_after')}", re.IGNORECASE)
_FIELDS = re.compile(r"\s[|/·]\s|\S(?: {2,}|\t+)\S")
"""What stands between the number, the version and the owner of a document on one line."""


def is_title(words: str) -> bool:
    """Tell whether a line could be a title by its words: it is short, and no sentence."""
    return 0 < len(words) <= LONGEST and not _STATED.search(words)


def is_letter_field(line: str) -> bool:
    """Tell whether a line is a field at the head of a letter or a mail: from whom, to whom, when."""
    return _SENDER.match(line) is not None


def title_of(extracted: Extracted) -> str:
    """Return the title of a document by its headings; empty where it has none.

    One of several headings of the highest level is a title only where no lines stand above it that could be. Of lines
    in bold that follow each other the first ones are. The first of several questions, chapters or numbered sections is
    the title of none.
    """
    headings = [each for each in extracted.elements if each.category is Category.HEADING and each.label]
    level = min((each.level for each in headings), default=0)
    top = [each for each in headings if each.level == level]
    if not top:
        return ""
    above = _leading(extracted) if len(top) > 1 else []
    one_of_many = len(top) > 1 and (
        all(each.label.endswith("?") for each in top[:2]) or all(_DIVISION.match(each.label) for each in top[:2])
    )
    return " · ".join(above) or ("" if one_of_many else top[0].label)


def subject_of(text: str) -> str:
    """Return what a letter or a mail is about, by the fields at its head; empty where it has none."""
    head = [line.strip("#>*_ \t") for line in text[:_LETTERHEAD].splitlines() if line.strip()][:_HEAD_LINES]
    if not any(map(is_letter_field, head)):
        return ""
    subject = next((found for line in head if (found := _SUBJECT.match(line))), None)
    return " ".join(_REPLY.sub("", subject["words"]).split())[:LONGEST] if subject else ""


def date_of(extracted: Extracted) -> str:
    """Return the latest date in the lines above the text of a document, where a letterhead tells of its version.

    Empty where there is none. What stands below a second heading, in a list or in a sentence is of the text, but for
    the first date of a sentence, where the document holds since then.
    """
    found = [""]
    headings = 0
    for each in extracted.elements:
        headings += each.category is Category.HEADING and bool(each.label)
        if headings > 1 or each.category not in (Category.HEADING, Category.PARAGRAPH):
            break
        for line in extracted.text[each.start : each.end].splitlines():
            words = line.strip("#>*_ \t")
            known = [each for each in _dates_of(words[:_LONGEST_LINE]) if not _ends(words, each)]
            if len(words) > _LONGEST_LINE or (_STATED.search(words) and not _FIELDS.search(words)):
                return max(found + [day(each.written) for each in known[:1] if _holds_from(words, each)])
            found += [day(each.written) for each in known]
    return max(found)


def _dates_of(line: str) -> Sequence[Date]:
    """Return the dates of a line but those at which it says that the document ended: "repealed on 1 March 2025"."""
    found = dates(line)
    ends = [0, *(each.end for each in found)]
    starts = [*(each.start for each in found[1:]), len(line)]
    out: list[Date] = []
    for each, last, following in zip(found, ends, starts, strict=False):
        before = line[max(last, each.start - _AROUND) : each.start]
        behind = line[each.end : min(following, each.end + _AROUND)]
        if "." in each.written:  # `2025. 3. 1.`: the stop is of the date
            behind = behind.lstrip(". ")
        if not _REPEALED.search(_PART_END.split(before)[-1]) and not _REPEALED.search(_PART_END.split(behind)[0]):
            out.append(each)
    return out


def _holds_from(text: str, date: Date) -> bool:
    """Tell whether a document holds since a date, by the words around it."""
    return bool(
        _HOLDS_BEFORE.search(text, max(0, date.start - _AROUND), date.start) or _HOLDS_AFTER.match(text, date.end)
    )


def _ends(text: str, date: Date) -> bool:
    """Tell whether a date is the last one of a time: until 31 January 2026."""
    return bool(
        _HIGH_BEFORE.search(text, max(0, date.start - _AROUND), date.start) or _HIGH_AFTER.match(text, date.end)
    )


def _leading(extracted: Extracted) -> list[str]:
    """Return the lines at the beginning of a document that could be its title: each has another line below it."""
    out: list[str] = []
    for line, below in pairwise(_line(extracted, each) for each in extracted.elements):
        if not line or not below or _FIELDS.search(line) or len(out) == _LEADING:
            break
        out.append(line)
    return out


def _line(extracted: Extracted, element: Element) -> str:
    """Return an element that could be a line of a title or of fields, or a heading; empty for all else."""
    words = extracted.text[element.start : element.end].strip()
    if element.category is Category.HEADING:
        return element.label if element.level == BELOW else _MARKED
    is_line = element.category is Category.PARAGRAPH and "\n" not in words
    return words if is_line and (is_title(words) or _FIELDS.search(words)) else ""

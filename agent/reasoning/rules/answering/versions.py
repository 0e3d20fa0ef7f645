"""Which of several passages on one matter is the newest: an old rule is not told without the one that replaces it.

Nor is the newest told without the old one to who asks for that.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from agent.language.lexicon import pattern
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.ranked_quotes import ALSO, Found
from agent.reasoning.rules.answering.weighted_question import terms_in
from agent.reasoning.rules.reading.answer_type import without_aside
from agent.retrieval.changes import changes
from agent.retrieval.word_ranking import is_replaced
from agent.text import days_apart
from agent.types import Passage
from agent.values.dates import dates, first_dated

ALIKE = 0.6
"""Share of the terms of a name that another must have, for both to name one matter."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_UNDATED = "9999"
"""Behind every date."""
_is_replaced = lru_cache(maxsize=4096)(is_replaced)
_date_in = lru_cache(maxsize=4096)(first_dated)


def asked_for_first(found: Found) -> Found:
    """Return what was found with the newest version of each matter before the older ones, added where it was missing.

    Who asks how it was before is told the older one first; nobody else what says of itself that it is no longer in
    force, where the newest is told. Another version is told only where it speaks of the same
    matter, or where it is likely enough to answer by itself.
    """
    former = pattern("reading.former").search(without_aside(found.asked.text)) is not None

    def is_first(one: Quote, other: Quote) -> bool:
        return _newer(other, one) if former else _newer(one, other)

    told: list[Quote] = []
    for last in found.told:
        told += [each for each in found.told if is_first(each, last)] or _untold(found, last, is_first)
        told.append(last)
    if former:  # also where the old document has another name
        told.sort(key=lambda quote: date_of(quote.block.passage) or _UNDATED)
    else:
        told = [each for each in told if not (_is_replaced(each.block.passage) and superseded(each, told))]
    return replace(found, told=tuple(dict.fromkeys(told)))


def _untold(found: Found, last: Quote, is_first: Callable[[Quote, Quote], bool]) -> list[Quote]:
    """Return the likeliest quote of a version that is told before one that is told."""
    least, matter = ALSO * found.rated[0].likely, last.block.passage.innermost
    others = (each for each in found.rated if is_first(each.quote, last))
    fits = (
        each for each in others if each.likely >= least or any(_overlap(name, matter) for name in _names(each.quote))
    )
    return [each.quote for each in fits][:1]


def _names(quote: Quote) -> tuple[str, str]:
    """Return what stands above a quote: above its passage, and within it."""
    return quote.block.passage.innermost, quote.heading


def _newer(one: Quote, other: Quote) -> bool:
    return is_newer(one.block.passage, other.block.passage)


def date_beside(passage: Passage, others: Sequence[Passage]) -> str:
    """Return the date of a passage where others tell the same matter at another date, and its place does not say it."""
    date = date_of(passage)
    told = any(is_newer(passage, each) or is_newer(each, passage) for each in others)
    return date if told and date not in f"{passage.title} {passage.section}" and not _date_in(passage.innermost) else ""


def are_of_one(one: Quote, other: Quote) -> bool:
    """Tell whether two quotes are of versions of one document."""
    return _newer(one, other) or _newer(other, one)


def superseded(quote: Quote, quotes: Sequence[Quote]) -> bool:
    """Tell whether one of some quotes is of a newer version of what a quote is of."""
    return any(_newer(each, quote) for each in quotes)


@lru_cache(maxsize=4096)
def is_newer(one: Passage, other: Passage) -> bool:
    """Tell whether a passage is of a later version of the document, or of a later notice on the matter, of another.

    A notice may also say of itself which document it changes.
    """
    if one.collection != other.collection:
        return False
    if one.document_id == other.document_id:
        mine, its = _date_in(one.innermost), _date_in(other.innermost)
        return bool(mine and its) and mine > its and _alike(one.innermost, other.innermost)
    if _is_replaced(one) or _is_replaced(other):
        return not _is_replaced(one) and _alike(one.title, other.title)
    mine, its = date_of(one), date_of(other)
    if changes(one, other):
        return not (mine and its) or mine >= its
    return bool(mine and its) and mine > its and _alike(one.title, other.title) and _is_whole(one, other)


def date_of(passage: Passage) -> str:
    """Return the date that the heading of a passage tells, else that of its document, `2025`, `2025-03` or whole."""
    year = _YEAR.search(f"{passage.title} {passage.document_id}")
    return _date_in(passage.innermost) or passage.date or _date_in(passage.title) or (year.group() if year else "")


def _is_whole(one: Passage, other: Passage) -> bool:
    """Tell whether two documents of one name are versions of it, and not one of many of a kind: minutes are dated."""
    return not (_date_in(one.title) and _date_in(other.title))


@lru_cache(maxsize=4096)
def _name(text: str) -> frozenset[str]:
    """Return the terms of a name without its numbers."""
    told = days_apart(text, dates(text), shown=False)
    return frozenset(term for term in terms_in(told) if not term[0].isdigit())


def _alike(one: str, other: str) -> bool:
    """Tell whether two names are of one matter: most of the longer stands in the shorter."""
    mine, its = _name(one), _name(other)
    return bool(mine and its) and len(mine & its) >= ALIKE * max(len(mine), len(its))


def _overlap(one: str, other: str) -> bool:
    """Tell whether most of the shorter of two names stands in the longer, within versions of one document."""
    mine, its = _name(one), _name(other)
    return bool(mine and its) and len(mine & its) >= ALIKE * min(len(mine), len(its))

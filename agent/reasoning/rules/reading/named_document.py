"""The document that a message wants summed up: "summarise the travel policy", "what was decided in May's meeting?"."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from agent.language.lexicon import pattern
from agent.language.lexicon import words as listed
from agent.language.registry import languages
from agent.reasoning.rules.reading.pointed_request import aim_of, words_besides
from agent.text import days_apart, days_of, indexed_words, lowered, normalise, strip_particle, tokens, words
from agent.types import Passage
from agent.values.dates import Date, dates, first_dated
from agent.values.names import month_name

_AIMS = frozenset({"summary", "decision"})
_CONTENTS = pattern("reading.asks_contents")
_DOCUMENTS = listed("reading.document_names")
_KINDS = listed("reading.document_kinds")
_NEWEST = listed("reading.newest_of_documents")
HELD = 0.66
"""Share of a word's terms that stand in a document's name: of a compound those between its parts need not."""


@dataclass(frozen=True, slots=True)
class SummaryWish:
    """What a message wants summed up."""

    words: tuple[str, ...]
    """What the document is called; empty where it is not named."""
    kinds: tuple[str, ...]
    """What kind of document it is said to be, which its name need not tell: a policy, a guide."""
    days: tuple[Date, ...]
    """Of which days it is."""
    of_document: bool
    """Whether it speaks of a document as such: "the whole document"."""
    newest: bool
    """Whether it is to be the newest of several of its name: "the last meeting"."""


def summary_wish(text: str) -> SummaryWish | None:
    """Return what a message wants summed up; None where it wants no summary, or one of a thread."""
    said = normalise(text)
    aimed = aim_of(said)
    contents = _CONTENTS.search(said)
    if contents is not None:
        about = words_besides(said, contents)
    elif aimed is not None and aimed.aim in _AIMS and not aimed.names_thread:
        about = aimed.about
    else:
        return None
    days = tuple(days_of(said))
    said = days_apart(said, days, shown=False)
    left = [word for word in map(lowered, indexed_words(said)) if {each for each, _, _ in words(word)} <= set(about)]
    newest = [word for word in left if _is_among(word, _NEWEST)]
    left = [word for word in left if word not in newest]
    kinds = tuple(word for word in left if _is_among(word, _KINDS))
    naming = tuple(word for word in left if word not in kinds and not _is_among(word, _DOCUMENTS))
    return SummaryWish(naming, kinds, days, of_document=len(naming) < len(left), newest=bool(newest))


def _is_among(word: str, general: frozenset[str]) -> bool:
    return word in general or strip_particle(word) in general


def to_sum_up(wish: SummaryWish, found: Sequence[Passage]) -> Passage | None:
    """Return a passage of the document that is called as the wish says; None where none of these is.

    A word may be the month or the year of a document as well. Of several that are called so it is the one that is of
    that kind by its name, the latest of these, and of one day the one that was found first.
    """
    documents: dict[tuple[str, str], Passage] = {}
    for each in found:
        documents.setdefault((each.collection, each.document_id), each)
    name = wish.words or (wish.kinds if wish.newest else ())  # "the last minutes" are named by their kind
    named = [each for each in documents.values() if name and _is_called(each, name, wish.days)]
    return max(
        named,
        key=lambda each: (sum(_is_called(each, (kind,), ()) for kind in wish.kinds), _date_of(each)),
        default=None,
    )


def newest(passage: Passage, others: Iterable[Passage]) -> Passage:
    """Return a passage of the newest of the documents whose title is a passage's own but for its date."""
    mine = _undated(passage.title)
    return max((passage, *(each for each in others if _undated(each.title) == mine)), key=_date_of)


def _date_of(passage: Passage) -> str:
    """Return the date of a document, or that which its title or its name tells, `2025`, `2025-03` or whole, or ``."""
    return passage.date or first_dated(f"{passage.title} {passage.document_id}")


def _undated(title: str) -> str:
    left = indexed_words(days_apart(title, dates(title), shown=False).casefold())
    return " ".join(word for word in left if not word[0].isdigit())


def _is_called(passage: Passage, words: Sequence[str], days: Sequence[Date]) -> bool:
    """Tell whether the title, the file and its folders, or the date of a document have these words and these days."""
    file = PurePosixPath(passage.document_id).with_suffix("")
    called = f"{passage.title} {' '.join(file.parts).replace('_', ' ')}"
    told = dates(f"{called} {passage.date}")
    months = {month_name(day.month, code) for day in told if day.month and day.exists for code in languages()}
    name = frozenset(tokens(f"{called} {passage.date[:4]} {' '.join(months)}"))
    wanted = [[frozenset(tokens(form)) for form in (word, strip_particle(word))] for word in words]
    of_days = all(any(own.meets(day) for own in told) for day in days)
    return of_days and all(any(len(terms & name) >= HELD * len(terms) for terms in forms) for forms in wanted)

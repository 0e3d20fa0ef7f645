"""The form of a text: whether it asks, bids or only names, and what it is about apart from what it asks with."""

import re
from collections.abc import Set

from agent.language.ko.stems import is_predicate, meant_of, without_topic
from agent.language.lexicon import mapping, pattern, regex
from agent.reasoning.rules.reading.answer_type import SPECIFIC, Term, read
from agent.text import language_of, terms_of

CONTENT = 0.4
"""Weight from which a word is what a part is about, and not what it is asked with."""
ASKS = regex("reading.question_words", "en") + r"\b"
BIDS = regex("reading.bids", "en") + r"\b"
POLITE = rf"^\W*(?:{regex('reading.polite', 'en')}\b,?\s+)*+"
_ASKING = re.compile(rf"{POLITE}(?:{ASKS}|{BIDS})", re.IGNORECASE)
_ASKS_FIRST = re.compile(rf"{POLITE}{ASKS}", re.IGNORECASE)
BIDDING = re.compile(rf"{POLITE}{BIDS}", re.IGNORECASE)
KOREAN_ASKING = pattern("reading.question_words", "ko")
_KOREAN_ENDING = pattern("reading.question_endings", "ko")
KOREAN_BIDDING = pattern("reading.bid_endings", "ko")
_TYPED = re.compile(r"`[^`\s][^`]{0,200}`|(?<!\S)--?[A-Za-z][\w-]*")
_COMPARING = pattern("reading.comparing")


def content_of(text: str) -> list[Term]:
    """Return what a text is about: its words without those that things are asked for with."""
    return [
        term for term in read(text).terms
        if term.weight >= CONTENT and not _COMPARING.search(term.word) and not KOREAN_ASKING.search(term.word)
    ]  # fmt: skip


def names_something(text: str) -> bool:
    """Tell whether a text has a word of what it is about, be it written together with what it asks with.

    What is written as it is typed, `user` or --user, is a name, however common its word.
    """
    return bool(_TYPED.search(text)) or any(
        term.weight >= CONTENT and (not term.hangul or meant_of(term.word)) for term in read(text).terms
    )


def things_of(text: str) -> list[Term]:
    """Return the things that a text is about, not what is done with them: a thing has few names, a deed has many."""
    return [term for term in content_of(text) if not (term.hangul and is_predicate(term.word))]


def named_in(text: str) -> list[Term]:
    """Return the things that a text is about by name: not in the words that any text is about, rule or price."""
    return [
        term for term in content_of(text)
        if term.weight >= SPECIFIC and not term.aside and not (term.hangul and is_predicate(without_topic(term.word)))
    ]  # fmt: skip


def stands(word: str, *, within: Set[str] | None = None, without: Set[str] = frozenset()) -> bool:
    """Tell whether a part of a word stands where there are these index terms, or all but these.

    One is enough: what is written together here may stand apart there, 한달권 as 한 달권.
    """
    terms = terms_of(word)
    return not terms or any(each not in without and (within is None or each in within) for each in terms)


def is_question(part: str) -> bool:
    """Tell whether a piece asks; one that only tells the circumstances belongs to the question after it."""
    if language_of(part) == "ko":
        return bool(KOREAN_ASKING.search(part) or _KOREAN_ENDING.search(part))
    return _ASKING.match(part) is not None


def opens_question(text: str) -> bool:
    """Tell whether an English text opens as a question does, and not as a request."""
    return _ASKS_FIRST.match(text) is not None


def is_name(part: str) -> bool:
    """Tell whether a part only names a thing: one side of a comparison."""
    return not part.rstrip().endswith(("?", ".", "!")) and len(part.split()) <= 6 and not _ASKING.match(part)


_LEADING_ON = tuple((re.compile(form), ending) for form, ending in mapping("reading.leading_on").items())


def closed(part: str) -> str:
    """Return a Korean request whose verb led on to the next as one that ends."""
    for form, ending in _LEADING_ON:
        if form.search(part):
            return form.sub(ending, part)
    return part

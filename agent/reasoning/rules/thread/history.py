"""The turns before a message, and the words in them that say something."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from agent.language import lexicon
from agent.language.ko.letters import is_hangul
from agent.language.ko.stems import SHORT_NOUNS, is_ending, stem_of
from agent.reasoning.contract import Message
from agent.reasoning.quoted_line import quoted_elsewhere
from agent.reasoning.rules.reading.lexicon import FAINT_WORDS
from agent.text import ENGLISH_STOP_WORDS, normalise, tokens, words
from agent.types import TurnRecord

READ = 600
"""Characters of a text that are read; a longer one is mostly a paste."""
REMEMBERED = 8
"""Turns that are looked back."""
_SKIPPED = lexicon.words("thread.skipped_articles")
_ABOUT_NOTHING_NEW = frozenset({"direct", "decline", "followup", "explain"})
"""Routes of turns that say nothing of what a conversation is about: thanks, "shorter", "source?"."""


@dataclass(frozen=True, slots=True)
class Past:
    """A turn before this one."""

    asked: str
    """In its own words."""
    told: str
    """Standing alone."""
    answer: str = ""
    documents: tuple[str, ...] = ()
    """Ids of the documents that it rests on, best first."""
    evidence: tuple[str, ...] = ()
    """References of the passages that it cites."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word that says something, where it stands, and the term that it is known by."""

    text: str
    key: str
    start: int
    end: int
    hangul: bool
    before: str = ""
    """The word before it, whatever that is."""
    role: str = ""
    """The same, an article left out."""
    place: float = 0.0
    """From 0, the first of those that say something, to 1, the last."""
    inside: bool = False
    """Whether it stands beside another of those that say something."""


def past_of(turns: Sequence[TurnRecord]) -> list[Past]:
    """Return the latest turns that were about something, oldest first."""
    told = [turn for turn in turns if turn.question and turn.route not in _ABOUT_NOTHING_NEW]
    return [
        Past(turn.question, turn.standalone or turn.question, turn.answer, turn.documents, turn.evidence)
        for turn in told[-REMEMBERED:]
    ]


def past_in(message: Message) -> list[Past]:
    """Return what a message comes after: the turns before it, and what it quotes that is of none of them."""
    quote = quoted_elsewhere(message.text, message.turns)
    return [*past_of(message.turns), *([Past(quote, quote)] if quote else [])]


def without_words_of(gone: TurnRecord, later: Sequence[TurnRecord], known: Sequence[TurnRecord]) -> list[TurnRecord]:
    """Return the turns behind one that is to be forgotten; those read with words of it have their own words alone.

    `known` are the turns before it: what these say as well is none of its words.
    """
    own, left = _keys(gone), frozenset[str]().union(*map(_keys, known))
    out: list[TurnRecord] = []
    for turn in later:
        asked = {word.key for word in content(turn.question)}
        if (_keys(turn) - asked) & (own - left):
            turn = replace(turn, standalone=turn.question)
        left |= _keys(turn)
        out.append(turn)
    return out


def _keys(turn: TurnRecord) -> frozenset[str]:
    """Return what a turn asks, in its own words and as it was read."""
    return frozenset(word.key for text in (turn.question, turn.standalone) for word in content(text))


def content(text: str) -> tuple[Word, ...]:
    """Return the words of a text that say something, in order."""
    return _content(normalise(text[: 2 * READ])[:READ])


@lru_cache(maxsize=512)
def _content(text: str) -> tuple[Word, ...]:
    found = list(_words(text))
    last = max(1, len(found) - 1)
    starts, ends = {start for _, start, *_ in found}, {end for _, _, end, *_ in found}
    return tuple(
        Word(
            text[start:end], key, start, end, is_hangul(word), before, role,
            place=n / last, inside=end + 1 in starts or start - 1 in ends,
        )
        for n, (word, start, end, key, before, role) in enumerate(found)
    )  # fmt: skip


def _words(text: str) -> Iterator[tuple[str, int, int, str, str, str]]:
    before = role = ""
    for word, start, end in words(text):
        key = key_of(word)
        if key:
            yield word, start, end, key, before, role
        before = word
        role = role if word in _SKIPPED else word


@lru_cache(maxsize=20_000)
def key_of(word: str) -> str:
    """Return the term that a word is known by; empty for one that says nothing by itself."""
    if is_hangul(word):
        stem = stem_of(word)
        light = is_ending(word) or word in FAINT_WORDS or stem in FAINT_WORDS
        return "" if light or (len(stem) < 2 and stem not in SHORT_NOUNS) else stem
    contracted = "'" in word and word.partition("'")[0] in ENGLISH_STOP_WORDS  # I'm, what's
    mine = tokens(word)
    return mine[-1] if mine and word not in FAINT_WORDS and not contracted else ""

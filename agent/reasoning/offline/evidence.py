"""How much of a question each unit of the evidence speaks of, by itself and by where it stands."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import log

from agent.reasoning.offline import render
from agent.reasoning.offline.question import FAINT, Question, Term
from agent.reasoning.offline.units import Shape, Unit, units_of
from agent.text import ENGLISH_STOP_WORDS, terms_of
from agent.types import Block

# What a term found near a unit counts, against 1.0 in the unit itself.
UNDER_HEADING = 0.85
IN_SECTION = 0.75
IN_TITLE = 0.6
NEXT_DOOR = 0.5
SAME_PASSAGE = 0.25
IN_STEPS = 0.7
"""What a term in one item of a list counts for the list as a whole."""

_LATIN_WORD = re.compile(r"[^\W_가-힣]+")
_HYPHENATED = re.compile(r"[^\W_가-힣]+(?:[-'&/.+][^\W_가-힣]+)+")
_HANGUL = re.compile(r"[가-힣]")
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)|https?://\S+")


@dataclass(frozen=True, slots=True)
class Wording:
    """A text, ready to be asked for terms."""

    stems: frozenset[str]
    plain: str
    """Lower case, single spaces, one before and after; without link targets."""
    pairs: frozenset[tuple[str, str]]
    """Stems that stand side by side, stop words left out."""
    joined: str
    """Hangul without spaces, so that 육아 휴직 and 육아휴직 meet; empty for a text without Hangul."""


@lru_cache(maxsize=20_000)
def wording_of(text: str) -> Wording:
    """Return the words of a text as terms are matched against them."""
    lowered = unicodedata.normalize("NFC", _LINK_TARGET.sub(" ", text)).lower()
    order = [found for word in _LATIN_WORD.findall(lowered) for found in terms_of(word)]
    stems = set(order)
    for word in _HYPHENATED.findall(lowered):
        stems.update(terms_of("".join(ch for ch in word if ch.isalnum())))
    plain = f" {' '.join(lowered.split())} "
    joined = "".join(plain.split()) if _HANGUL.search(plain) else ""
    return Wording(frozenset(stems), plain, frozenset(pairwise(order)), joined)


@dataclass(slots=True)
class Piece:
    """A unit of a block, and what it matches: `own` and `context` are by term, within 0..1."""

    block: Block
    unit: Unit
    index: int
    text: str
    own: list[float]
    context: list[float] = field(default_factory=list)
    score: float = 0.0
    coverage: float = 0.0
    """Share of the question that the unit, read in its place, speaks of."""
    own_coverage: float = 0.0
    whole_coverage: float = 0.0
    """What the list that an item belongs to speaks of, with its heading; the piece's own share otherwise."""
    phrases: float = 0.0
    """Share of the question's neighbouring terms that are neighbours here too."""


@dataclass(slots=True)
class Reading:
    """All pieces of the evidence, with the weight of each term of the question."""

    question: Question
    pieces: list[Piece]
    weights: list[float]
    known: list[float]
    """For each term the best match anywhere in the evidence."""
    passages: dict[int, list[float]]
    """For each block the best match of each term anywhere in it."""


def match(terms: Sequence[Term], text: str) -> list[float]:
    """Return how well a text matches each term, within 0..1."""
    return _Matcher(terms).match(text)


def read(question: Question, blocks: Sequence[Block]) -> Reading:
    """Match every unit of the blocks against the question."""
    terms = question.terms
    matcher = _Matcher(terms)
    pieces: list[Piece] = []
    passages: dict[int, list[float]] = {}
    for block in blocks:
        mine = _pieces_of(block, matcher)
        pieces.extend(mine)
        passages[block.n] = _best([piece.context for piece in mine], len(terms))
    known = _best(list(passages.values()), len(terms))
    weights = _weights(terms, pieces)
    total = sum(weights) or 1.0
    pairs = _pairs(terms)
    for piece in pieces:
        piece.phrases = _phrases(pairs, question.phrases, shown(piece))
        piece.coverage = sum(w * c for w, c in zip(weights, piece.context, strict=True)) / total
        piece.own_coverage = sum(w * c for w, c in zip(weights, piece.own, strict=True)) / total
    _read_lists(pieces, weights, total)
    return Reading(question, pieces, weights, known, passages)


def shown(piece: Piece) -> str:
    """Return the piece as it is read: a row with its header."""
    if piece.unit.shape != Shape.ROW or piece.unit.header < 0:
        return piece.text
    head = units_of(piece.block.passage)[piece.unit.header]
    return render.row(piece.text, piece.block.passage.text[head.start : head.end])


def _read_lists(pieces: Sequence[Piece], weights: Sequence[float], total: float) -> None:
    """Let every item of a list stand for the list as a whole, where that says more."""
    lists: dict[tuple[int, int], list[Piece]] = {}
    for piece in pieces:
        piece.whole_coverage = piece.own_coverage
        if piece.unit.shape == Shape.ITEM:
            lists.setdefault((piece.block.n, piece.unit.group), []).append(piece)
    headings = {(piece.block.n, piece.index): piece for piece in pieces if piece.unit.shape == Shape.HEADING}
    for items in lists.values():
        above = headings.get((items[0].block.n, items[0].unit.heading))
        inside = [[IN_STEPS * share for share in item.own] for item in items]  # a list is about what stands above it
        best = _best(inside + ([above.own] if above else []), len(weights))
        share = sum(w * c for w, c in zip(weights, best, strict=True)) / total
        for item in items:
            item.whole_coverage = max(share, item.own_coverage)


def _pairs(terms: Sequence[Term]) -> list[tuple[str, str]]:
    return [
        (a.stem, b.stem)
        for a, b in pairwise(terms)
        if a.weight > FAINT and b.weight > FAINT and not a.aside and not b.aside
    ]


def _phrases(pairs: Sequence[tuple[str, str]], literal: Sequence[str], text: str) -> float:
    if not pairs and not literal:
        return 0.0
    words = wording_of(text)
    found = 0
    for a, b in pairs:
        if (a, b) in words.pairs or (words.joined and a + b in words.joined):
            found += 1
    found += sum(f" {phrase}" in words.plain for phrase in literal)
    return found / (len(pairs) + len(literal))


def _best(rows: Sequence[Sequence[float]], width: int) -> list[float]:
    return [max((row[i] for row in rows), default=0.0) for i in range(width)]


def _pieces_of(block: Block, matcher: "_Matcher") -> list[Piece]:
    passage = block.passage
    units = units_of(passage)
    title = matcher.match(passage.title)
    from_title = UNDER_HEADING if passage.title.rstrip().endswith("?") else IN_TITLE
    section = matcher.match(passage.section)
    pieces = [
        Piece(block, unit, i, text := passage.text[unit.start : unit.end], matcher.match(text))
        for i, unit in enumerate(units)
    ]
    for piece in pieces:
        if piece.unit.header >= 0:  # a row is shown with its header
            piece.own = [max(a, b) for a, b in zip(piece.own, pieces[piece.unit.header].own, strict=True)]
    anywhere = _best([piece.own for piece in pieces], len(matcher.terms))
    asked: int | None = None  # a question in the text heads what follows it, as in a list of frequent questions
    for i, piece in enumerate(pieces):
        unit = piece.unit
        if unit.shape == Shape.HEADING:
            asked = None
        above = pieces[unit.heading].own if unit.heading >= 0 else ()
        faq = pieces[asked].own if asked is not None and i - asked <= 6 else ()
        beside = [pieces[j].own for j in (i - 1, i + 1) if 0 <= j < len(pieces) and pieces[j].unit.group == unit.group]
        if unit.shape in (Shape.ITEM, Shape.CODE) or (unit.shape == Shape.ROW and unit.header < 0):
            intro = next((p for p in reversed(pieces[:i]) if p.unit.group != unit.group), None)
            if intro is not None and intro.unit.shape == Shape.SENTENCE and intro.unit.heading == unit.heading:
                beside.append(intro.own)
        piece.context = [
            max(
                piece.own[t],
                UNDER_HEADING * max(above[t] if above else 0.0, faq[t] if faq else 0.0),
                IN_SECTION * section[t],
                from_title * title[t],
                NEXT_DOOR * max((row[t] for row in beside), default=0.0),
                SAME_PASSAGE * anywhere[t],
            )
            for t in range(len(matcher.terms))
        ]
        if piece.text.rstrip().endswith("?") and unit.shape != Shape.ROW:
            asked = i
    return pieces


def _weights(terms: Sequence[Term], pieces: Sequence[Piece]) -> list[float]:
    """Weigh a term by its kind and, gently, by how few units of the evidence hold it."""
    n = max(1, len(pieces))
    out = []
    for i, term in enumerate(terms):
        df = sum(1 for piece in pieces if piece.own[i] >= 0.5)
        rarity = log((n + 1) / (df + 0.5)) / log((n + 1) / 0.5)
        out.append(term.weight * (0.5 + 0.5 * rarity))
    return out


class _Matcher:
    """Terms against wordings."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self.phrases = [tuple(f" {form}" for form in term.also if " " in form) for term in terms]
        self.hangul = [tuple(form for form in term.also if "가" <= form[0] <= "힣") for term in terms]
        self.single = [
            frozenset(form for form in term.also if " " not in form and not "가" <= form[0] <= "힣") for term in terms
        ]

    def match(self, text: str) -> list[float]:
        if not text:
            return [0.0] * len(self.terms)
        words = wording_of(text)
        return [self._one(i, term, words) for i, term in enumerate(self.terms)]

    def _one(self, i: int, term: Term, words: Wording) -> float:
        if term.hangul:
            found = _hangul_match(term.stem, words)
        elif term.stem in words.stems:
            found = 1.0
        else:
            found = (
                _in_range(term.stem, words)
                if term.stem.isdigit()
                else 0.0
                if " " in term.word
                else _related(term.stem, words.stems)
            )
        if found >= 0.8:
            return found
        if (
            term.number
            and term.number != term.stem
            and max(1.0 if term.number in words.stems else 0.0, _in_range(term.number, words))
        ):
            return 0.9
        if self.single[i] and not self.single[i].isdisjoint(words.stems):
            return 0.8
        if any(phrase in words.plain for phrase in self.phrases[i]):
            return 0.8
        if words.joined and any(form in words.plain for form in self.hangul[i]):
            return 0.8
        return found


def _hangul_match(stem: str, words: Wording) -> float:
    if not words.joined:
        return 0.0
    if len(stem) == 1:
        return 1.0 if f" {stem}" in words.plain else 0.0
    if stem in words.plain or (len(stem) > 2 and stem in words.joined):
        return 1.0
    if len(stem) < 4:
        return 0.6 if len(stem) == 3 and stem[:2] in words.plain else 0.0
    pairs = [stem[i : i + 2] for i in range(len(stem) - 1)]
    share = sum(pair in words.plain for pair in pairs) / len(pairs)
    return 0.8 * share if share >= 0.5 else 0.0


_RANGE = re.compile(r"(?<![\d.,])(\d{1,4})\s?(?:to|~|-|–|∼|에서|부터)\s?(\d{1,4})(?![\d.,])")


def _in_range(number: str, words: Wording) -> float:
    """Match 6 against 5 to 8."""
    return 0.9 if any(int(a) <= int(number) <= int(b) for a, b in _RANGE.findall(words.plain)) else 0.0


def _related(stem: str, stems: frozenset[str]) -> float:
    """Match derived words that stemming keeps apart: apply and application, decide and decision."""
    if len(stem) < 5 or stem.isdigit():
        return 0.0
    head = stem[:4]
    for other in stems:
        if other.startswith(head) and other != stem:
            shared = _shared(stem, other)
            if (shared >= 5 and shared >= 0.75 * max(len(stem), len(other))) or shared >= min(
                len(stem), len(other)
            ) >= 5:
                return 0.7
            if shared >= 4 and min(len(stem), len(other)) - shared <= 1 and max(len(stem), len(other)) <= 7:
                return 0.6
    return 0.0


def _shared(a: str, b: str) -> int:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n


def is_prose(text: str) -> bool:
    """Tell whether a text reads like language: not a menu, a log or a heap of identifiers."""
    if _HANGUL.search(text):
        return True
    found = _LATIN_WORD.findall(text.lower())
    if len(found) < 8:
        return True
    return sum(word in ENGLISH_STOP_WORDS for word in found) / len(found) >= 0.06

"""Which passages a piece of a model's answer rests on: those that it was marked with, else one that says just it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.reasoning.contract import Brief
from agent.reasoning.grounding.citation_support import findings, locate, overlap
from agent.reasoning.model.tasks.answer_pieces import Piece
from agent.reasoning.model.tasks.word_checks import leaks
from agent.text import ENGLISH_STOP_WORDS, language_of, sentences, words
from agent.types import Block, Sentence, Support

SAID = 0.8
"""Share of the content words of a piece without a mark that one place of a passage must have to be what it cites."""
_OPENING = 2
"""Words up to which a piece without a mark opens the next one: "Yes.", "In short:"."""
_INTRODUCES = (":", "：")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s*$")


class Citing:
    """Makes sentences of pieces, in their order.

    A piece that cannot stand alone is held back until the next one is there: an opening word becomes a part of it, an
    introduction cites what it introduces, and one that sums up what the same passage says next cites that place. The
    items of a list rest on what its introduction is marked with, where they have no marks of their own. What is marked
    and stands in no place, in these words, cites its passage as a whole: whether that says it is for a judge.
    """

    def __init__(self, brief: Brief) -> None:
        self._brief = brief
        self._blocks = {block.n: block for block in brief.blocks}
        self._sources = [
            part for block in brief.blocks for part in (block.passage.text, block.passage.title, block.passage.source)
        ]
        self._held: list[Piece] = []
        self._introduction: tuple[int, ...] = ()

    def take(self, piece: Piece) -> Iterator[Sentence]:
        """Yield the sentences that are complete with this piece."""
        if self._held and _opens(self._held[-1]) and not _is_item(piece):
            piece = _joined(self._held.pop(), piece)
        if not _is_item(piece):
            self._introduction = piece.cites
        sentence = self._sentence(piece)
        if not sentence.support and (piece.cites or _waits(piece)):
            self._held.append(piece)
            return
        yield from self._before(sentence)
        yield sentence

    def close(self) -> Iterator[Sentence]:
        """Yield what is left when no piece comes any more."""
        yield from self._before(None)

    def _before(self, following: Sentence | None) -> list[Sentence]:
        """Return what was held back, now that it is known what follows."""
        out: list[Sentence] = []
        for piece in reversed(self._held):
            following = self._sentence(piece, following.support if following else ())
            out.insert(0, following)
        self._held.clear()
        return out

    def _sentence(self, piece: Piece, following: Sequence[Support] = ()) -> Sentence:
        """Return a piece with its places; one with an address that stands in no passage rests on nothing."""
        sentence = Sentence(text=piece.text, lead=piece.lead)
        if leaks(piece.text, sources=[self._brief.question, *self._sources]):
            return sentence
        marked = [self._blocks[n] for n in piece.cites or self._inherited(piece) if n in self._blocks]
        support = [place for block in marked if (place := _place(piece.text, block)) is not None]
        if not support and (piece.cites or _waits(piece)):
            support = [place for place in following if not piece.cites or place.block in piece.cites]
        if support or (found := self._found(sentence)) is None:
            support = support or [_whole(self._blocks[n]) for n in piece.cites if n in self._blocks]
            return replace(sentence, support=tuple(support))
        return found

    def _inherited(self, piece: Piece) -> tuple[int, ...]:
        return self._introduction if _is_item(piece) else ()

    def _found(self, sentence: Sentence) -> Sentence | None:
        """Return a sentence with the place that says just what it says, of a passage that speaks of the question."""
        best, most = None, 0.0
        if overlap(sentence.text, "") == 1:
            return None  # without a word of content it says nothing
        for block in self._brief.blocks:
            place = locate(sentence.text, block.passage.text)
            if place is None:
                continue
            said = block.passage.text[place[0] : place[1]]
            share = overlap(sentence.text, said)
            about = f"{block.passage.title}\n{block.passage.section}\n{block.passage.text}"
            if share < SAID or share <= most or not overlap(self._brief.question, about):
                continue
            cited = replace(sentence, support=(Support(block=block.n, start=place[0], end=place[1]),))
            if not findings(cited, self._brief.blocks).all:
                best, most = cited, share
        return best


def _is_item(piece: Piece) -> bool:
    return bool(_ITEM.search(piece.lead))


def _opens(piece: Piece) -> bool:
    if piece.cites or _is_item(piece) or piece.text.endswith(_INTRODUCES):
        return False
    return sum(1 for _ in words(piece.text)) <= _OPENING


def _waits(piece: Piece) -> bool:
    return _opens(piece) or (not piece.cites and piece.text.endswith(_INTRODUCES))


def _joined(opening: Piece, piece: Piece) -> Piece:
    return replace(piece, text=f"{opening.text}{piece.lead}{piece.text}", lead=opening.lead)


def _place(text: str, block: Block) -> Support | None:
    """Return what a text rests on. Across languages no words meet, only figures and names do."""
    passage = block.passage.text
    place = locate(text, passage)
    if place is None and language_of(text) != language_of(passage):
        anchors = _anchors(text)
        spans = list(sentences(passage))
        best = max(spans, key=lambda span: len(anchors & _anchors(passage[span[0] : span[1]])), default=None)
        if best is not None and anchors & _anchors(passage[best[0] : best[1]]):
            place = best
        elif spans:
            place = spans[0][0], spans[-1][1]  # the model points at the passage as a whole
    return None if place is None else Support(block=block.n, start=place[0], end=place[1])


def _whole(block: Block) -> Support:
    """Return a passage as a whole: what was marked with it is in other words."""
    return Support(block=block.n, start=0, end=len(block.passage.text))


def _anchors(text: str) -> set[str]:
    """Return the words that stay the same in both languages."""
    return {word for word, _, _ in words(text) if word.isascii() and word not in ENGLISH_STOP_WORDS}

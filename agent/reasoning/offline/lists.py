"""The lists of an answer: found again point by point, taken apart, and cut to the first sentence of each point."""

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.reasoning.support import check_sentence, locate
from agent.text import sentences as spans
from agent.types import Block, Sentence, Support

BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")


def places(text: str, passage: str) -> list[tuple[int, int]]:
    """Return where a piece of an answer stands in a passage: of a list each point; none where one is not there."""
    points = [line for line in text.split("\n") if BULLET.match(line)]
    found = [locate(BULLET.sub("", each), passage) for each in (points if len(points) > 1 else [text]) if each]
    return [place for place in found if place is not None] if None not in found else []


def apart(piece: Sentence, blocks: Sequence[Block]) -> list[Sentence]:
    """Return the points of a list that is cited as one, each where it stands; anything else as it is."""
    mark = piece.lead.strip()
    lines = (f"{mark} {piece.text}" if mark else piece.text).split("\n")
    points = [line for line in lines if BULLET.match(line)]
    passage = next(block.passage for block in blocks if block.n == piece.support[0].block)
    found = [locate(BULLET.sub("", point), passage.text) for point in points]
    if len(points) < 2 or None in found:
        return [piece]
    return [
        Sentence(
            text=BULLET.sub("", point),
            support=(Support(block=piece.support[0].block, start=place[0], end=place[1]),),
            lead="\n- ",
        )
        for point, place in zip(points, found, strict=True)
        if place is not None
    ]


def shorter(said: Sequence[Sentence], blocks: Sequence[Block], *, several: bool) -> list[Sentence]:
    """Return the answer in fewer words: of a list every point, in its first sentence; of anything else the first.

    Where several things were asked, it is the first from each passage.
    """
    points = [piece for piece in said if piece.lead.strip() or "\n" in piece.text]
    listed = points and (said[0] is points[0] or said[0].text.startswith("**"))
    if not listed or (len(points) == 1 and "\n" not in points[0].text):
        firsts = {piece.support[0].block: piece for piece in reversed(said)}
        return [piece for piece in said if firsts[piece.support[0].block] is piece] if several else list(said[:1])
    return [_if_it_holds(_cut_whole(piece), piece, blocks) for piece in points]


def _cut_whole(piece: Sentence) -> Sentence:
    """Return a point, or a list that begins with one, with the first sentence of each."""
    mark = piece.lead.strip()
    if "\n" not in piece.text:
        return replace(piece, text=_first(piece.text))
    return cut(replace(piece, text=f"{mark} {piece.text}" if mark else piece.text, lead="\n" if mark else piece.lead))


def cut(sentence: Sentence) -> Sentence:
    """Return a list with the first sentence of each of its points, without a heading; anything else as it is.

    No point is left out: a procedure with a step missing would be wrong.
    """
    lines = sentence.text.split("\n")
    points = [line for line in lines if BULLET.match(line)]
    if len(points) < 2 or len(points) + 1 < len(lines):
        return sentence
    return replace(sentence, text="\n".join(_first(line) for line in points))


def _first(line: str) -> str:
    """Return a point of a list as far as its first sentence goes."""
    mark = BULLET.match(line)
    body = line[mark.end() :] if mark else line
    start, end = next(iter(spans(body)), (0, len(body)))
    return (mark.group() if mark else "") + body[start:end]


def _if_it_holds(cut: Sentence, whole: Sentence, blocks: Sequence[Block]) -> Sentence:
    return whole if check_sentence(cut, blocks) else cut

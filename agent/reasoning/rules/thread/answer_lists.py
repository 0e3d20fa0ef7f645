"""The lists of an answer: found again point by point, taken apart, and cut to the first sentence of each point."""

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.reasoning.grounding.citation_support import locate
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

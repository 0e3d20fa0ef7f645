"""The answer before, written otherwise: shorter, as a list or a table, one of its points, its sources, its reasons.

The answer is taken apart by its citation marks, and every piece found again in the passage that it
cites; what is no longer there, or no longer readable, is left out.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.packs.pack import Pack
from agent.reasoning.contract import Brief, answered
from agent.reasoning.offline import cues, evidence, question, render
from agent.reasoning.offline.compose import compose
from agent.reasoning.offline.lists import BULLET, apart, cut, places, shorter
from agent.reasoning.offline.parts import parts_of
from agent.reasoning.offline.units import Shape
from agent.types import Block, Language, Sentence, Support, TurnRecord
from agent.words import say

REASONS = 2
"""Sentences that may give a reason."""
NEAR = 0.5
"""Share of the best match from which a sentence with words of cause is about the question."""
SHORT = 1
"""Sentences of an answer for somebody who wants it short; of a procedure every step, in its first sentence."""
LONGER = 2
"""What a longer answer may have, against the pack's limit."""
_MARKS = re.compile(r"(?:\[\d{1,3}\])+")
_NUMBER = re.compile(r"\d{1,3}")
_LABELLED = re.compile(r"^(?P<label>[^:：|]{2,60})[:：]\s+(?P<value>\S.*)$", re.DOTALL)


def holds(brief: Brief) -> bool:
    """Tell whether the blocks hold what the follow-up asks for."""
    return bool(revise(brief))


def revise(brief: Brief) -> list[Sentence]:
    """Return the sentences of the new answer; none where the earlier evidence does not give one."""
    turn = answered(brief.turns)
    if turn is None or brief.followup is None or not brief.blocks:
        return []
    said = _pieces(turn, brief.blocks)
    match brief.followup.kind:
        case "repeat":
            return _led(said)
        case "shorter":
            return _led(shorter(said, brief.blocks, several=len(parts_of(turn.standalone or turn.question)) > 1))
        case "list":
            return [replace(piece, lead="\n- ") for piece in said]
        case "table":
            return _table(said, brief.blocks, brief.language)
        case "point":
            return _point(brief, said)
        case "longer":
            return _longer(brief, turn)
        case "source":
            return _sources(said, brief.blocks)
        case "why":
            return _reasons(brief, turn)
        case "translate":
            same = brief.followup.language == brief.blocks[0].passage.language
            return _led(said) if same else []


def as_preferred(brief: Brief) -> list[Sentence]:
    """Return an answer as its asker wants answers to be: short, in detail, as a list, as a table."""
    wanted = brief.profile.preferences
    if wanted.length == "short":
        brief = replace(brief, pack=_with_room(brief, SHORT))
    elif wanted.length == "long":
        brief = replace(brief, pack=_with_room(brief, LONGER * brief.pack.limits.answer_sentences))
    sentences = compose(brief)
    if wanted.length == "short":
        sentences = [cut(sentence) for sentence in sentences]
    if len(sentences) < 2 or any("\n" in sentence.text for sentence in sentences):
        return sentences  # one statement needs no form, and a list or table of the documents has one
    if wanted.format == "list":
        return [replace(sentence, lead="\n- ") for sentence in sentences]
    return _table(sentences, brief.blocks, brief.language) if wanted.format == "table" else sentences


def _with_room(brief: Brief, sentences: int) -> Pack:
    """Return the pack with this many sentences for an answer."""
    limits = brief.pack.limits.model_copy(update={"answer_sentences": min(30, sentences)})
    return brief.pack.model_copy(update={"limits": limits})


def _pieces(turn: TurnRecord, blocks: Sequence[Block]) -> list[Sentence]:
    """Return what the answer said with each of its citation marks, found again in the passages of now."""
    by_id = {block.passage.reference: block for block in blocks}
    cited = {n: by_id[name] for n, name in enumerate(turn.evidence, start=1) if name in by_id}
    out: list[Sentence] = []
    at = 0
    for mark in _MARKS.finditer(turn.answer):
        text, at = turn.answer[at : mark.start()].strip(), mark.end()
        support = [
            Support(block=block.n, start=start, end=end)
            for number in _NUMBER.findall(mark.group())
            if (block := cited.get(int(number))) is not None
            for start, end in places(text, block.passage.text)
        ]
        if support:
            bullet = BULLET.match(text)
            lead = f"\n{bullet.group().strip()} " if bullet else " "
            out.append(Sentence(text=BULLET.sub("", text), support=tuple(support), lead=lead))
    return out


def _led(pieces: Sequence[Sentence]) -> list[Sentence]:
    return [replace(piece, lead=piece.lead.lstrip() if n == 0 else piece.lead) for n, piece in enumerate(pieces)]


def _table(pieces: Sequence[Sentence], blocks: Sequence[Block], language: Language) -> list[Sentence]:
    """Return the pieces as rows: by their own labels where all have one, else each beside its source."""
    texts = [render.tidy(piece.text).replace("|", "/") for piece in pieces]
    if not texts:
        return []
    labelled = [_LABELLED.match(text) for text in texts]
    if all(labelled) and len(texts) > 1:
        rows = [f"| {found['label'].strip(' *')} | {found['value']} |" for found in labelled if found]
        header = "|  |  |"
    else:
        titles = {block.n: (block.passage.title or block.passage.document_id).replace("|", "/") for block in blocks}
        rows = [f"| {text} | {titles[piece.support[0].block]} |" for text, piece in zip(texts, pieces, strict=True)]
        header = f"| {say('table_point', language)} | {say('table_source', language)} |"
    support = tuple(dict.fromkeys(place for piece in pieces for place in piece.support))
    return [Sentence(text="\n".join([header, "| --- | --- |", *rows]), support=support, lead="")]


def _point(brief: Brief, said: Sequence[Sentence]) -> list[Sentence]:
    """Return one piece of the answer, with what its passage says besides."""
    assert brief.followup is not None  # noqa: S101 - `revise` has looked
    said = [point for piece in said for point in apart(piece, brief.blocks)]
    said = [piece for piece in said if piece.lead.startswith("\n")] or said
    number = brief.followup.point
    place = number - 1 if number > 0 else len(said) - 1
    if not 0 <= place < len(said):
        return []
    if len(said) < 2:  # it is no list, and "the second one" is not one of its points
        return []
    piece = said[place]
    blocks = [block for block in brief.blocks if block.n == piece.support[0].block]
    asked = render.tidy(piece.text)
    more = compose(replace(brief, question=asked, blocks=blocks, followup=None))
    return _led([replace(piece, lead=" "), *(each for each in more if not _covered(each, piece))])


def _covered(sentence: Sentence, piece: Sentence) -> bool:
    """Tell whether a sentence stands where the piece stands."""
    return any(
        a.block == b.block and a.start < b.end and b.start < a.end for a in sentence.support for b in piece.support
    )


def _longer(brief: Brief, turn: TurnRecord) -> list[Sentence]:
    pack = _with_room(brief, LONGER * brief.pack.limits.answer_sentences)
    return compose(replace(brief, question=turn.standalone or turn.question, pack=pack, followup=None))


def _sources(pieces: Sequence[Sentence], blocks: Sequence[Block]) -> list[Sentence]:
    """Return where the answer stands, one line a passage, in the documents' own words."""
    passages = {block.n: block.passage for block in blocks}
    out: list[Sentence] = []
    seen = set[int]()
    for piece in pieces:
        place = piece.support[0]
        if place.block in seen:
            continue
        seen.add(place.block)
        passage = passages[place.block]
        section = passage.section.rpartition(" > ")[2]
        where = passage.title or passage.document_id
        where = f"{where} › {section}" if section and section != passage.title else where
        quote = render.tidy(passage.text[place.start : place.end])
        out.append(Sentence(text=f"**{where}**: “{quote}”", support=(place,), lead="\n- "))
    return out


def _reasons(brief: Brief, turn: TurnRecord) -> list[Sentence]:
    """Return the sentences of the evidence that speak of the question and give a reason."""
    asked = question.read(turn.standalone or turn.question, brief.language)
    reading = evidence.read(asked, brief.blocks)
    top = max((piece.coverage for piece in reading.pieces), default=0.0)
    told = [
        piece
        for piece in reading.pieces
        if piece.unit.shape in (Shape.SENTENCE, Shape.ITEM)
        and piece.coverage >= NEAR * top > 0
        and cues.holds(question.Kind.REASON, piece.text)
    ]
    best = sorted(told, key=lambda piece: (-piece.coverage, piece.block.n, piece.index))[:REASONS]
    return _led(
        [
            Sentence(
                text=render.tidy(piece.text),
                support=(Support(block=piece.block.n, start=piece.unit.start, end=piece.unit.end),),
            )
            for piece in best
        ]
    )

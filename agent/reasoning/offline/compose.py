"""An answer made of pieces of the documents, word for word, each with its place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from agent.reasoning.contract import Brief
from agent.reasoning.offline import attempt, choose, evidence, render
from agent.reasoning.offline.advice import wanted
from agent.reasoning.offline.evidence import Piece, Reading
from agent.reasoning.offline.parts import compares, is_name, parts_of
from agent.reasoning.offline.question import Kind, Question
from agent.reasoning.offline.several import told_apart, with_gaps
from agent.reasoning.offline.units import Shape, units_of
from agent.types import Sentence, Support

CLIP = 420
"""Characters beyond which only the part of a sentence that speaks of the question is quoted."""
_CLAUSE = re.compile(r"(?<=[;:.!?])\s+|\n+|\s+[-–—|]\s+|(?<=,)\s+")


@dataclass(frozen=True, slots=True)
class Part:
    """One of the questions of a message, and what answers it."""

    text: str
    sentences: tuple[Sentence, ...]
    known: bool
    """Whether the blocks hold an answer; its sentences may be told already, or have been objected to."""


def compose(brief: Brief) -> list[Sentence]:
    """Return the sentences of the answer; none when the blocks do not answer the question.

    Of several questions each is answered from its own evidence; which one has no answer is said first.
    """
    parts = answers(brief)
    if len(parts) == 1:
        return list(parts[0].sentences)
    answered = [(part.text, part.sentences) for part in parts if part.sentences]
    missing = [part.text for part in parts if not part.known]
    told = told_apart(answered, labelled=_compares(brief.question, [part.text for part in parts]))
    return with_gaps(told, missing, brief.language)


def answers(brief: Brief) -> list[Part]:
    """Return what answers each part of the question, within the pack's limit; at least one sentence a part."""
    parts = parts_of(brief.question)
    compared = _compares(brief.question, parts)
    limit = max(brief.pack.limits.answer_sentences, len(parts))
    wish = wanted(brief.suggestions)
    out: list[Part] = []
    told: set[tuple[Support, ...]] = set()
    for left, part in zip(range(len(parts), 0, -1), parts, strict=True):
        room = limit - sum(len(each.sentences) for each in out)
        others = [other for other in parts if other != part] if compared else []
        answer = _answer(part, brief, max(1, room // left), compared_with=others, valued=wish.value)
        kept = [
            sentence
            for sentence in answer
            if sentence.support not in told and not any(sentence.text in remark for remark in wish.without)
        ]
        out.append(Part(part, tuple(_led(kept[:room])), bool(answer)))
        told.update(sentence.support for sentence in out[-1].sentences)
    return out


def _compares(question: str, parts: Sequence[str]) -> bool:
    return len(parts) > 1 and (compares(question) or all(is_name(part) for part in parts))


def _answer(
    part: str, brief: Brief, limit: int, *, compared_with: Sequence[str] = (), valued: bool = False
) -> list[Sentence]:
    blocks = brief.blocks
    language = wanted(brief.suggestions).language
    if language is not None:
        blocks = [block for block in blocks if block.passage.language == language] or blocks
    reading: Reading | None = attempt.read(part, brief.language, blocks, compared_with=compared_with)
    assert reading is not None  # noqa: S101 - it is read, answerable or not
    if not choose.is_answerable(reading):
        reading = attempt.abroad(reading.question, blocks)
    if reading is None:
        return []
    out: list[Sentence] = []
    for pieces in _in_order(choose.choose(reading, limit, valued=valued)):
        out.extend(_sentences(reading.question, pieces, limit - len(out)))
    return out[:limit]


def _in_order(groups: Sequence[Sequence[Piece]]) -> list[list[Piece]]:
    """Put the pieces of one passage together, in document order; the passage of the best piece first."""
    by_block: dict[int, list[Piece]] = {}
    for group in groups:
        by_block.setdefault(group[0].block.n, []).extend(group)
    out = []
    for pieces in by_block.values():
        seen: dict[int, Piece] = {piece.index: piece for piece in pieces}
        out.append([seen[i] for i in sorted(seen)])
    return out


def _sentences(asked: Question, pieces: Sequence[Piece], room: int) -> Iterator[Sentence]:
    """Yield the sentences of one passage; where they are too many, each list is one sentence as a whole."""
    runs: list[list[Piece]] = []
    for piece in pieces:
        if runs and piece.unit.group == runs[-1][0].unit.group and runs[-1][0].unit.shape in (Shape.ITEM, Shape.ROW):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    crowded = sum(1 if run[0].unit.shape == Shape.ROW else len(run) for run in runs) > room
    heading: Piece | None = None
    introduced = ""
    for run in runs:
        shape = run[0].unit.shape
        if shape == Shape.HEADING and crowded:
            heading = run[0]
            continue
        if shape == Shape.ROW:
            yield _table(run)
        elif shape == Shape.CODE:
            yield Sentence(text=render.code(run[0].text), support=_spans(run), lead="\n\n")
        elif shape == Shape.ITEM and crowded and len(run) > 1:
            yield _list(asked, run, heading)
        else:
            announced = len(run) > 1 or (introduced and introduced.rstrip().endswith((":", "：")))
            for number, piece in _numbered(run):
                for sentence in _sentence(asked, piece, number):
                    yield sentence if announced or shape != Shape.ITEM else replace(sentence, lead=" ")
        heading = None
        introduced = run[-1].text


def _numbered(run: Sequence[Piece]) -> Iterator[tuple[int | None, Piece]]:
    """Yield the pieces with their numbers in an ordered list; a further sentence of an item has none."""
    number = 0
    for piece in run:
        item = piece.unit.shape == Shape.ITEM
        number += item
        yield (number if item and piece.unit.ordered and len(run) > 1 else None), piece


def _sentence(asked: Question, piece: Piece, number: int | None) -> Iterator[Sentence]:
    start, end = _clip(asked, piece)
    text = render.tidy(piece.block.passage.text[start:end], links=Kind.PLACE in asked.kinds)
    if piece.unit.shape == Shape.HEADING:
        text = _bold(piece)
    if text:
        support = Support(block=piece.block.n, start=start, end=end)
        yield Sentence(text=text, support=(support,), lead=render.lead_of(piece.unit.shape, number))


def _list(asked: Question, run: Sequence[Piece], heading: Piece | None) -> Sentence:
    links = Kind.PLACE in asked.kinds
    lines: list[str] = []
    for number, piece in _numbered(run):
        text = render.tidy(piece.text, links=links)
        if piece.unit.shape == Shape.ITEM or not lines:
            lines.append(f"{number}. {text}" if number else f"- {text}")
        else:
            lines[-1] += f" {text}"
    if heading is not None:
        lines.insert(0, _bold(heading))
    return Sentence(text="\n".join(lines), support=_spans([heading, *run] if heading else run), lead="\n\n")


def _bold(heading: Piece) -> str:
    return f"**{render.tidy(heading.text).strip('*_: ')}**"


def _table(run: Sequence[Piece]) -> Sentence:
    passage = run[0].block.passage
    header = ""
    support = _spans(run)
    if run[0].unit.header >= 0:
        head = units_of(passage)[run[0].unit.header]
        header = passage.text[head.start : head.end]
        support = (Support(block=run[0].block.n, start=head.start, end=head.end), *support)
    if len(run) == 1:
        return Sentence(text=render.row(run[0].text, header), support=support, lead="\n\n")
    return Sentence(text=render.table([piece.text for piece in run], header), support=support, lead="\n\n")


def _spans(run: Sequence[Piece]) -> tuple[Support, ...]:
    """Return the places of the pieces, neighbours joined to one."""
    out: list[Support] = []
    for before, piece in zip([None, *run[:-1]], run, strict=True):
        if before is not None and piece.index == before.index + 1:
            out[-1] = Support(block=piece.block.n, start=out[-1].start, end=piece.unit.end)
        else:
            out.append(Support(block=piece.block.n, start=piece.unit.start, end=piece.unit.end))
    return tuple(out)


def _clip(asked: Question, piece: Piece) -> tuple[int, int]:
    """Return the place of the piece, or of its part that holds most of the question when it is very long."""
    start, end = piece.unit.start, piece.unit.end
    if end - start <= CLIP:
        return start, end
    cuts = [start, *(start + match.end() for match in _CLAUSE.finditer(piece.text)), end]
    clauses = [(a, b) for a, b in pairwise(cuts) if piece.block.passage.text[a:b].strip()]
    whole = piece.block.passage.text
    best, place = -1.0, (start, end)
    for i in range(len(clauses)):
        last = i
        while last + 1 < len(clauses) and clauses[last + 1][1] - clauses[i][0] <= CLIP:
            last += 1
        a, b = clauses[i][0], clauses[last][1]
        found = evidence.match(asked.terms, whole[a:b])
        score = sum(term.weight * share for term, share in zip(asked.terms, found, strict=True))
        if score > best + 1e-9:
            best, place = score, (a, min(b, a + 2 * CLIP))
    a, b = place
    while b > a and whole[b - 1].isspace():
        b -= 1
    return a, b


def _led(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Set the leads: nothing before the first, a blank line where the source changes."""
    out: list[Sentence] = []
    for sentence in sentences:
        lead = sentence.lead
        if not out:
            lead = "" if lead in (" ", "\n\n") or len(sentences) == 1 else lead.lstrip("\n")
        elif lead == " " and (_block(sentence) != _block(out[-1]) or "\n" in out[-1].lead or "\n" in out[-1].text):
            lead = "\n\n"
        out.append(replace(sentence, lead=lead))
    return out


def _block(sentence: Sentence) -> int:
    return sentence.support[0].block if sentence.support else 0

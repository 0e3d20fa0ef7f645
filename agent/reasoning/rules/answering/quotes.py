"""What can be quoted of a passage as it stands: a paragraph with its lead-in, a list, a table, code with its text.

A quote is made of neighbouring units. Where the whole is too long it is cut to the part that speaks of the question;
for who asks how something is done a procedure is never cut.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise

from agent.language.lexicon import pattern, regex
from agent.reasoning.rules.answering.passage_units import Shape, Unit, units_of
from agent.reasoning.rules.answering.rows_by_value import distance_of, extreme_row
from agent.reasoning.rules.answering.weighted_question import Asked, numbers_in, terms_in
from agent.reasoning.rules.reading.answer_type import Kind
from agent.types import Block, Passage
from agent.values.limits import NOT_OF_IT

WORDS = 60
"""Words of one quote; a numbered list may have `STEPS` for who asks how something is done, or for all of it."""
WHOLE = 90
"""Words of a paragraph that is told whole where it comes first."""
STEPS = 500
CLAUSES = 300
"""Words of a numbered list that is told whole to who asks neither: clauses are no steps."""
LINES = 12
"""Lines of a list or a table, with header and lead-in, up to which it may have `AT_A_GLANCE` words."""
AT_A_GLANCE = 100
ROWS, LISTED = 24, 200
"""Lines of a table that is told whole to who asks which of several things there are, and words of one that is told so,
or all of whose rows of one kind are.
"""
ALIKE = 0.9
"""Share of what the best row says of the question from which on another one of a long table is shown with it."""
PIECE = 1_200
"""Characters of a piece that is compared with a question."""
CODE = 120
"""Words of code that stays with the sentence that leads to it."""
VALUE = 0.25
"""Share of the weight of a question that a value counts in a sentence, where one is asked for; as much counts the row
whose range the amount of the question lies in."""
AHEAD = 0.03
"""Share of the weight of a question by which a sentence says more than every other one of its quote, to be marked.

Of 207 marked sentences of right answers 28 of the 52 below it told what was asked, and 136 of the 155 above it.
"""
_ALL_OF_IT = frozenset({Kind.STEPS, Kind.ADVICE, Kind.LIST})
"""Kinds of questions that all of a list answers."""
_LEADS = re.compile(rf"(?:[:：]|{regex('answering.leads_in')})[*_\s]*$", re.IGNORECASE)
_ENDED = re.compile(r"[.!?。:：;][\"'”’)\]]*\s*$")
_FIELD = re.compile(r"\s[|/·]\s|\S(?: {2,}|\t+)(?=\S)")
"""What stands between two fields of a line."""
_FIELDS = 2
_HEAD_LINES = 3
"""Lines of fields at the head of a document, at most; more of them are what it tells."""
_LETTER_FIELD = re.compile(rf"^\W*+(?:{regex('documents.letter_fields')})\s*[:：]", re.IGNORECASE)
_SUBJECT_FIELD = re.compile(rf"^\W*+(?:{regex('documents.subject_field')})\s*[:：]", re.IGNORECASE)
_BLANK = re.compile(r"\n[^\S\n]*\n")
_NUMBER = re.compile(r"(\d{1,3})[.)]")
_WORD = re.compile(r"[^\W_]+(?:['.,:/_-][^\W_]+)*")


@dataclass(frozen=True)  # without slots, for what is worked out once
class Quote:
    """Neighbouring units of a block that are quoted together."""

    block: Block
    rank: int
    """Place of the block among those that were found, from 0."""
    units: tuple[Unit, ...]
    """In order; a lead-in and a table's header come first, and what was cut out between is missing."""
    shape: Shape
    heading: str
    """The nearest heading above it in the passage."""
    best: int
    """Which of the units speaks most of the question."""
    marked: int | None
    """Which of them answers it most likely: it says most besides the heading, and a value where one is asked for.

    None: none of them says clearly more than the others.
    """
    run: tuple[Unit, ...]
    """All units that belong together, those that were cut out too."""
    stands_out: bool = False
    """Whether the best of them speaks of what none of the others does: the one row that is asked for."""
    piece: int = 0
    """Which of the passage's pieces (`pieces_of`) it is cut from."""

    @property
    def whole(self) -> bool:
        """Tell whether nothing was cut."""
        return len(self.units) == len(self.run)

    @property
    def grown(self) -> "Quote":
        """The whole paragraph where that is short: what was cut from it to compare it with others may be the answer."""
        text = self.block.passage.text
        size = sum(words_in(text[unit.start : unit.end]) for unit in self.run)
        if self.whole or size > WHOLE or any(unit.shape is not Shape.SENTENCE for unit in self.run):
            return self
        marked = None if self.marked is None else self.run.index(self.units[self.marked])
        return replace(self, units=self.run, best=self.run.index(self.units[self.best]), marked=marked)

    @property
    def gaps(self) -> frozenset[int]:
        """Before which of the units something was cut out; as many as there are units stands for after the last."""
        places = [-1, *(self.run.index(unit) for unit in self.units), len(self.run)]
        return frozenset(n for n, (before, after) in enumerate(pairwise(places)) if after - before > 1)

    @cached_property
    def text(self) -> str:
        """The units as they stand in the passage, a line each."""
        text = self.block.passage.text
        return "\n".join(text[unit.start : unit.end] for unit in self.units)

    @property
    def best_unit(self) -> str:
        """The unit that speaks most of the question."""
        unit = self.units[self.best]
        return self.block.passage.text[unit.start : unit.end]

    @cached_property
    def sentence(self) -> str:
        """The same, a row with its header."""
        header = self.units[self.best].header
        head = [units_of(self.block.passage)[header]] if header >= 0 else []
        text = self.block.passage.text
        return "\n".join([*(text[each.start : each.end] for each in head), self.best_unit])

    @property
    def leads_on(self) -> bool:
        """Tell whether it ends with what leads to something that is not quoted."""
        last = self.units[-1]
        return last.shape is Shape.SENTENCE and self.block.passage.text[last.start : last.end].endswith((":", "："))

    @property
    def is_procedure(self) -> bool:
        """Tell whether it may be how something is done: steps, a list, code."""
        return self.shape in (Shape.ITEM, Shape.CODE) or any(unit.ordered for unit in self.units)

    @property
    def is_letterhead(self) -> bool:
        """Tell whether it stands at the head of a document and is made of fields: number, version, owner, date."""
        if self.block.passage.position or self.shape is not Shape.SENTENCE or len(self._lines) > _HEAD_LINES:
            return False
        return all(len(_FIELD.findall(line)) >= _FIELDS for line in self._lines if line.strip())

    @property
    def is_below_letterhead(self) -> bool:
        """Tell whether what stands above it at the head of a document is made of fields, and no heading."""
        return not self.block.passage.position and len(_FIELD.findall(self.heading)) >= _FIELDS

    @property
    def is_address(self) -> bool:
        """Tell whether it is the head of a letter: from whom or to whom, and what about."""
        fields = (_LETTER_FIELD, _SUBJECT_FIELD)
        return not self.block.passage.position and all(any(map(field.match, self._lines)) for field in fields)

    @property
    def _lines(self) -> list[str]:
        return self.block.passage.text[self.run[0].start : self.run[-1].end].splitlines()

    @cached_property
    def size(self) -> int:
        """How many words it has."""
        return words_in(self.text)


def words_in(text: str) -> int:
    """Return how many words a text has."""
    return len(_WORD.findall(text))


def pieces_of(passage: Passage) -> list[str]:
    """Return what can be quoted of a passage, each piece whole and below its heading, whatever is asked."""
    units, text = units_of(passage), passage.text
    section = passage.innermost or passage.title
    pieces = []
    for run in _runs(text, units):
        above = _heading_above(text, units, run)
        pieces.append(
            "\n".join([section, *passage.asked, above, *(text[unit.start : unit.end] for unit in run)])[:PIECE]
        )
    return pieces


def quotes_of(asked: Asked, block: Block, rank: int) -> list[Quote]:
    """Return what can be quoted of a block, in its order."""
    units = units_of(block.passage)
    text = block.passage.text
    out = []
    for piece, run in enumerate(_runs(text, units)):
        held = [terms_in(text[unit.start : unit.end]) for unit in run]
        frame = _frame(run, units)
        known = frozenset().union(*(held[i] for i in frame))
        besides = [frozenset() if i in frame else terms - known for i, terms in enumerate(held)]
        named = run[-1].shape is Shape.ROW and any(asked.held(terms - asked.taken) for terms in besides)
        counts = asked.said if named else asked.held
        weights, own = ([counts(terms) for terms in each] for each in (held, besides))
        values = [VALUE * asked.total if _tells_value(asked, text, unit) else 0.0 for unit in run]
        most = extreme_row(asked, text, units, run, own)
        by_value = [asked.total * (i == most) for i in range(len(run))]
        own = [a + b for a, b in zip(own, by_value, strict=True)]
        far = [None if i in frame else distance_of(asked, text, units, unit) for i, unit in enumerate(run)]
        nearest = min((each for each in far if each is not None and each >= 0), default=None)
        of_it = [VALUE * asked.total if nearest is not None and each == nearest else 0.0 for each in far]
        weights, own = ([a + b for a, b in zip(each, of_it, strict=True)] for each in (weights, own))
        compares = Kind.LIST in asked.kinds or (asked.extreme and most is None)
        listed = LISTED if compares and run[-1].shape is Shape.ROW else 0
        steps = STEPS if asked.kinds & _ALL_OF_IT else CLAUSES
        kept = _window(text, run, weights, own, frame, values, listed, steps)
        above = _heading_above(text, units, run)
        told = own if run[-1].shape is Shape.ROW and any(own) else weights
        best = max(range(len(kept)), key=lambda i: (told[kept[i]], -i))
        rest = max((told[i] for i in kept if i != kept[best]), default=0.0)
        # What the heading says already tells no sentence from another, and a value that is asked for does.
        said = terms_in(f"{block.passage.innermost}\n{above}")
        tells = zip(held, values, by_value, of_it, strict=True)
        new = [asked.held(terms - said) + sum(more) for terms, *more in tells]
        out.append(
            Quote(
                block=block,
                rank=rank,
                units=tuple(run[i] for i in kept),
                shape=_shape_of(run),
                heading=above,
                best=best,
                marked=_marked([new[i] for i in kept], AHEAD * asked.total),
                run=tuple(run),
                stands_out=told[kept[best]] > rest
                and (most is not None or not asked.kinds & _ALL_OF_IT)
                and far[kept[best]] != NOT_OF_IT,
                piece=piece,
            )
        )
    return out


def openings_of(block: Block, room: int) -> list[Quote]:
    """Return the beginning of each piece of a block: its first units, as many as `room` words hold, and one at least.

    A lead-in has the first of what it leads to with it, and a row its header. Of a paragraph that goes on what it tells
    as decided stands behind its beginning.
    """
    units = units_of(block.passage)
    text = block.passage.text
    decides = pattern("answering.decisions").search
    out = []
    for piece, run in enumerate(_runs(text, units)):
        least = 2 + max(_frame(run, units), default=-1)
        kept, size = 0, 0
        for unit in run:
            size += words_in(text[unit.start : unit.end])
            if kept >= least and size > room:
                break
            kept += 1
        above = _heading_above(text, units, run)
        shape = _shape_of(run)
        told = tuple(run[:kept])
        whole = told if shape is Shape.SENTENCE else tuple(run)  # that a list or a table goes on is marked
        later = [n for n in range(kept, len(run)) if decides(text[run[n].start : run[n].end])][:1]
        if shape is Shape.SENTENCE and later and not any(decides(text[unit.start : unit.end]) for unit in told):
            told, whole = (*told, run[later[0]]), tuple(run[: later[0] + 1])
        out.append(Quote(
            block=block, rank=0, units=told, shape=shape, heading=above, best=0, marked=None, run=whole, piece=piece
        ))  # fmt: skip
    return out


def _marked(says: Sequence[float], ahead: float) -> int | None:
    """Return which of several pieces says most; None where that is not more than another one says by `ahead`."""
    first, *others = sorted(range(len(says)), key=lambda i: (-says[i], i))
    return first if not others or says[first] - says[others[0]] >= ahead else None


def _heading_above(text: str, units: Sequence[Unit], run: Sequence[Unit]) -> str:
    """Return the nearest heading above a run in its passage; empty where there is none."""
    heading = units[run[0].heading] if run[0].heading >= 0 else None
    return text[heading.start : heading.end] if heading else ""


def _shape_of(run: Sequence[Unit]) -> Shape:
    return Shape.CODE if any(unit.shape is Shape.CODE for unit in run) else run[-1].shape


def _tells_value(asked: Asked, text: str, unit: Unit) -> bool:
    """Tell whether a unit has a number where one is asked for."""
    return bool(asked.kinds & {Kind.NUMBER, Kind.TIME}) and bool(numbers_in(text[unit.start : unit.end]))


def _runs(text: str, units: Sequence[Unit]) -> list[list[Unit]]:
    """Return the units that belong together: a group, with the paragraph that leads to it."""
    groups: list[list[Unit]] = []
    for unit in units:
        if unit.shape is Shape.HEADING:
            groups.append([])
        elif (first := _step_before(text, groups, unit)) is not None:
            groups[first].extend([*chain.from_iterable(groups[first + 1 :]), unit])
            del groups[first + 1 :]
        elif groups and groups[-1] and _goes_on(text, groups[-1], unit):
            groups[-1].append(unit)
        else:
            groups.append([unit])
    return [group for group in groups if group]


def _step_before(text: str, groups: Sequence[Sequence[Unit]], unit: Unit) -> int | None:
    """Return in which group, below the same heading, the step stands that a numbered one comes after; None: in none."""
    number = _NUMBER.match(text, unit.start)
    if not unit.ordered or number is None:
        return None
    for n in range(len(groups) - 1, -1, -1):
        if not groups[n]:
            return None
        for step in reversed(groups[n]):
            if step.ordered and indent_of(text, step) == indent_of(text, unit):
                before = _NUMBER.match(text, step.start)
                return n if before and int(before[1]) + 1 == int(number[1]) else None
    return None


def indent_of(text: str, unit: Unit) -> int:
    """Return how far from the beginning of its line a unit stands."""
    return unit.start - text.rfind("\n", 0, unit.start) - 1


def _goes_on(text: str, before: Sequence[Unit], unit: Unit) -> bool:
    """Tell whether a unit belongs to what stands before it.

    So do what a lead-in announces, a list right below its text, what stands within an item, code below its text, and
    the rest of a sentence that code stands in.
    """
    last = before[-1]
    if unit.group == last.group or _within_item(text, before, unit):
        return True
    if unit.shape is Shape.CODE:
        return last.shape is not Shape.CODE
    if last.shape is Shape.CODE:
        above = text[before[-2].start : before[-2].end] if len(before) > 1 else "."
        return unit.shape is Shape.SENTENCE and text[unit.start].islower() and not _ENDED.search(above)
    if unit.shape in (Shape.ITEM, Shape.ROW) and last.shape is Shape.SENTENCE:
        return _leads(text, last) or len(before) == 1 or not _BLANK.search(text, last.end, unit.start)
    return last.shape is Shape.ITEM and unit.shape is Shape.ITEM


def _within_item(text: str, before: Sequence[Unit], unit: Unit) -> bool:
    """Tell whether a unit is put below the last item before it, as its code or another paragraph of it are."""
    item = next((each for each in reversed(before) if each.shape is Shape.ITEM), None)
    return (
        item is not None
        and unit.shape in (Shape.SENTENCE, Shape.CODE)
        and indent_of(text, unit) > indent_of(text, item)
    )


def _leads(text: str, unit: Unit) -> bool:
    """Tell whether a unit announces the one below it."""
    return _LEADS.search(text[unit.start : unit.end]) is not None


def _frame(run: Sequence[Unit], units: Sequence[Unit]) -> frozenset[int]:
    """Return which units of a list or table its others are read with: the sentence that leads to it, the header."""
    if run[-1].shape not in (Shape.ITEM, Shape.ROW):
        return frozenset()
    first = next(i for i, unit in enumerate(run) if unit.shape is run[-1].shape)
    header = run[-1].header
    return frozenset([*([first - 1] if first else []), *([run.index(units[header])] if header >= 0 else [])])


def _window(
    text: str,
    run: Sequence[Unit],
    weights: Sequence[float],
    own: Sequence[float],
    frame: frozenset[int],
    values: Sequence[float],
    listed: int,
    steps: int,
) -> list[int]:
    """Return which units are quoted: all, or around the one that speaks most of the question as many as fit.

    Of a list or a table it is the one that says most besides what its lead-in or header says, which stay with it. A
    value counts for what it is worth where one is asked for (`values`): it often stands where its matter is not named.
    `listed`: words of a table that may be told to who asks which of several things there are; `steps`: those of a list
    that is numbered.
    """
    sizes = [words_in(text[unit.start : unit.end]) for unit in run]
    is_small = run[-1].shape in (Shape.ROW, Shape.ITEM) and len(run) <= LINES
    room = max(
        listed if len(run) <= ROWS else 0,
        steps if any(unit.ordered for unit in run) else AT_A_GLANCE if is_small else WORDS,
    )
    if sum(sizes) <= room:
        return list(range(len(run)))
    said = own if any(own) else weights
    best = max(range(len(run)), key=lambda i: (said[i] + values[i], -i))
    kept = {best, *frame}
    alike = [i for i in range(len(run)) if i not in kept and own[i] >= ALIKE * own[best] > 0]
    if run[best].shape is Shape.ROW and alike:  # all rows of one kind, wherever they stand
        room = max(listed, AT_A_GLANCE) - sum(sizes[i] for i in kept)
        for i in sorted(alike, key=lambda i: -own[i]):
            if sizes[i] <= room:
                kept.add(i)
                room -= sizes[i]
    left = WORDS - sum(sizes[i] for i in kept)
    low = high = best
    while sides := [i for i in (high + 1, low - 1) if 0 <= i < len(run) and (i in kept or sizes[i] <= left)]:
        i = max(sides, key=lambda i: weights[i] + values[i])
        if i not in kept:
            kept.add(i)
            left -= sizes[i]
        low, high = min(low, i), max(high, i)
    code = high + 1
    if code < len(run) and run[code].shape is Shape.CODE and sizes[code] <= CODE and _leads(text, run[high]):
        kept.add(code)
    return sorted(kept)

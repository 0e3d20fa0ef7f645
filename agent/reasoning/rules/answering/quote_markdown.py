"""Quotes as sentences of an answer: Markdown, word for word, the sentence that answers in bold."""

import re
from collections.abc import Sequence
from itertools import groupby

from agent.language.lexicon import regex
from agent.reasoning.rules.answering import readable
from agent.reasoning.rules.answering.passage_units import Shape, Unit, units_of
from agent.reasoning.rules.answering.quotes import Quote, indent_of
from agent.text import shortened, tokens
from agent.types import Passage, Sentence, Support
from agent.values.dates import NO_DOTTED_DAY

LABEL = 80
"""Characters of the name of a place."""
SECTION = 50
"""Of these, at most, of a section where the whole is longer."""
BELOW = " › "
"""Between a document and what stands in it."""
CUT = "…"
"""What stands for what was cut out."""
DEEPEST = 12
"""Spaces before an item, at most."""
_COUNTED = re.compile(
    r"^\s*(?P<bullet>[-*+•·‣▪○●◦]\s+)?"
    rf"(?P<counts>(?:(?:{NO_DOTTED_DAY}\(?\d{{1,3}}[.)]|[①-⑳]|{regex('documents.list_letters')}[.)])\s*+)+)"
)
"""What counts an item; further counts are of what stands in it: `3. ②`."""
_CIRCLED = re.compile(r"[①-⑳]")


def sentence_of(quote: Quote) -> Sentence:
    """Return a quote as it is told; what was cut out is marked."""
    passage = quote.block.passage
    parts: list[str] = []
    at = 0
    for shape, run in groupby(quote.units, key=lambda unit: unit.shape):
        units = list(run)
        cut = [n - at for n in quote.gaps if at <= n < at + len(units) or n == at + len(units) == len(quote.units)]
        at += len(units)
        if shape is Shape.SENTENCE:
            texts = [_prose(quote, unit) for unit in units]
            for n in sorted(cut, reverse=True):
                texts.insert(n, CUT)
            parts.append(" ".join(texts))
            continue
        if shape is Shape.CODE:
            told = [readable.code(passage.text[unit.start : unit.end]) for unit in units]
        elif shape is Shape.ROW:
            told = [_table(passage, units, quote.units[quote.best] if quote.stands_out else None)]
        else:
            told = [_items(quote, units)]
        first = 1 if shape is Shape.ROW and units[0].header < 0 < len(units) - 1 and 0 not in cut else 0
        parts.extend([*([CUT] if first in cut else []), *told, *([CUT] if any(n > first for n in cut) else [])])
    text = "\n\n".join(part for part in parts if part.strip())
    return Sentence(text=text, support=spans(quote), lead="\n\n")


def best_of(quote: Quote) -> Sentence:
    """Return of a quote the one sentence that answers."""
    unit = quote.units[quote.best]
    passage = quote.block.passage
    if unit.shape is Shape.ROW:
        header = passage.text[quote.units[0].start : quote.units[0].end] if unit.header >= 0 else ""
        text = readable.row(passage.text[unit.start : unit.end], header)
    elif unit.shape is Shape.CODE:
        text = readable.code(passage.text[unit.start : unit.end])
    else:
        text = readable.tidy(passage.text[unit.start : unit.end], links=True)
    place = Support(block=quote.block.n, start=unit.start, end=unit.end)
    return Sentence(text=text, support=(place,), lead="\n\n")


def place_of(passage: Passage) -> str:
    """Return where a passage stands: document › section; where that is long, the section keeps the greater part."""
    title, section = passage.title or passage.document_id, section_of(passage)
    if section == shortened(title, LABEL):
        return section
    if len(title) + len(BELOW) + len(section) > LABEL:
        section = shortened(section, SECTION)
        title = shortened(title, LABEL - len(BELOW) - len(section))
    return f"{title}{BELOW}{section}"


def section_of(passage: Passage) -> str:
    """Return the heading that a passage stands under; its document's title where it has none."""
    return shortened(passage.innermost.strip("#* ") or passage.title or passage.document_id, LABEL)


def heading_of(quote: Quote) -> str:
    """Return the heading within its passage that a quote stands under; empty where the passage's place tells it."""
    heading = shortened(readable.tidy(quote.heading).strip("#*:： "), LABEL)
    passage = quote.block.passage
    return "" if set(tokens(heading)) <= set(tokens(f"{passage.title} {passage.innermost}")) else heading


def spans(quote: Quote) -> tuple[Support, ...]:
    """Return the places of a quote, neighbours joined to one."""
    order = {unit: n for n, unit in enumerate(units_of(quote.block.passage))}
    out: list[Support] = []
    last = -2
    for unit in quote.units:
        if order[unit] == last + 1:
            out[-1] = Support(block=quote.block.n, start=out[-1].start, end=unit.end)
        else:
            out.append(Support(block=quote.block.n, start=unit.start, end=unit.end))
        last = order[unit]
    return tuple(out)


def _prose(quote: Quote, unit: Unit) -> str:
    raw = quote.block.passage.text[unit.start : unit.end]
    circled = _CIRCLED.match(raw)  # it counts the parts of an article, which others refer to
    text = f"{circled.group()} {readable.tidy(raw, links=True)}" if circled else readable.tidy(raw, links=True)
    prose = sum(each.shape is Shape.SENTENCE for each in quote.units)
    marked = None if quote.marked is None else quote.units[quote.marked]
    answers = unit is marked and prose > 1  # a lead-in alone would look like a name
    return readable.in_bold(text) if answers else text


def _items(quote: Quote, units: Sequence[Unit]) -> str:
    """Return items a line each, as deep below each other as they stand: what is below `1.` needs three spaces.

    The one that answers is in bold, where it is ahead of the others; for who asks how something is done none is.
    """
    text = quote.block.passage.text
    depths = [_depth(text, unit) for unit in units]
    least = min(depths)
    is_choice = quote.stands_out and quote.marked == quote.best and len(units) > 1
    answers = quote.units[quote.best] if is_choice else None
    return "\n".join(
        f"{' ' * min(DEEPEST, depth - least)}{_item(text[unit.start : unit.end], bold=unit is answers)}"
        for unit, depth in zip(units, depths, strict=True)
    )


def _depth(text: str, unit: Unit) -> int:
    depth = indent_of(text, unit)
    return 0 if text[unit.start - depth : unit.start].strip() else depth


def _item(raw: str, *, bold: bool) -> str:
    counted, text = _COUNTED.match(raw), readable.tidy(raw, links=True)
    counts = " ".join(counted["counts"].split()) if counted else ""
    mark = " ".join(filter(None, ("-" if not counted or counted["bullet"] else "", counts)))
    return f"{mark} {readable.in_bold(text) if bold else text}"


def _table(passage: Passage, units: Sequence[Unit], answers: Unit | None) -> str:
    all_units = units_of(passage)
    header = units[-1].header
    head = passage.text[all_units[header].start : all_units[header].end] if header >= 0 else ""
    rows = [unit for unit in units if header < 0 or unit != all_units[header]]
    texts = [passage.text[unit.start : unit.end] for unit in rows]
    bold = rows.index(answers) if answers in rows and len(rows) > 1 else -1
    return readable.table(texts, head, bold=bold) if texts else readable.table([head], "")

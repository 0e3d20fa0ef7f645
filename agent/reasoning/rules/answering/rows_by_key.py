"""Rows that a question names: by a code, by a cell of which it asks for another one, by a word that it explains."""

import re
from collections.abc import Iterator, Sequence, Set

from agent.language.lexicon import pattern
from agent.reasoning.rules.answering import readable
from agent.reasoning.rules.answering.passage_units import Shape, Unit, units_of
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.weighted_question import Asked, terms_in
from agent.reasoning.rules.reading.answer_type import Kind, read, without_aside
from agent.values.codes import codes_in

RAREST = 2
"""Terms of a question of which the cell that it names a row by has one."""
_NUMBER = re.compile(r"\+?\(?\d[\d\s()./-]{1,20}\d")
"""A number to call."""
_ENTRY = re.compile(r"[-*+•·\s]{0,8}(?P<name>[^\n*:–—|]{1,60})\*{0,2}\s?(?::\*{0,2}|[–—]| - )\s")
"""The head of an entry that explains a word: `**word** - what it means`, `- word: what it means`."""
_ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@]{1,250}")


def holds_row_of(asked: Asked, quote: Quote) -> bool:
    """Tell whether a quote has a row that the question names."""
    codes = codes_in(asked.text)
    named = bool(codes and _has_code(quote, asked, codes)) or _is_looked_up(quote, asked, asked.rarest[:RAREST])
    return named or (Kind.DEFINITION in asked.kinds and _explains(quote, asked))


def _explains(quote: Quote, asked: Asked) -> bool:
    """Tell whether an entry of a glossary is of what the question asks the meaning of, and of nothing else."""
    text, terms = quote.block.passage.text, read(without_aside(asked.text), asked.language).terms
    wanted = terms_in("\n".join(term.word for term in terms if term.tells))
    entries = (_ENTRY.match(text, unit.start, unit.end) for unit in quote.units)
    return bool(wanted) and any(terms_in(entry["name"]) == wanted for entry in entries if entry)


def _has_code(quote: Quote, asked: Asked, codes: Set[str]) -> bool:
    """Tell whether a row has a code for a cell; a number only where its header is asked for, too: room 204."""
    for cells, header in _rows(quote):
        held = {cell.strip("`* ").casefold() for cell in cells} & codes
        if held and (not all(map(str.isdecimal, held)) or asked.meant("\n".join(header)) & asked.weights.keys()):
            return True
    return False


def _is_looked_up(quote: Quote, asked: Asked, rare: Sequence[str]) -> bool:
    """Tell whether the question names a cell of a row whole, with a rare term of its own, and asks for another one."""
    for cells, header in _rows(quote):
        columns = {n for n, name in enumerate(header) if asked.meant(name) & asked.weights.keys()}
        columns |= _wanted(asked, cells, header)
        held = map(terms_in, cells) if columns else ()
        named = {n for n, cell in enumerate(held) if cell <= asked.weights.keys() and not cell.isdisjoint(rare)}
        if named and columns - named:
            return True
    return False


def _wanted(asked: Asked, cells: Sequence[str], header: Sequence[str]) -> set[int]:
    """Return which cells of a row have what is asked for, whatever their column is called: a person, how to reach one.

    A person is told by the name of the column.
    """
    wanted = set[int]()
    if Kind.PERSON in asked.kinds:
        wanted |= {n for n, name in enumerate(header) if pattern("answering.columns_of_people").fullmatch(name)}
    for name, form in (("answering.asks_for_number", _NUMBER), ("answering.asks_for_address", _ADDRESS)):
        if pattern(name).search(asked.text):
            wanted |= {n for n, cell in enumerate(cells) if form.fullmatch(cell.strip())}
    return wanted


def _rows(quote: Quote) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the cells of each row of a quote, with those of its header; none of that where it has none."""
    text, units = quote.block.passage.text, units_of(quote.block.passage)

    def cells_of(row: Unit) -> list[str]:
        return readable.cells(text[row.start : row.end])

    for unit in quote.units:
        if unit.shape is Shape.ROW:
            yield cells_of(unit), cells_of(units[unit.header]) if unit.header >= 0 else []

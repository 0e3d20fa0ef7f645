"""Tables of questions and their answers, as they are exported from a help desk: each row is a section of its own."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.language.lexicon import regex

SAMPLE = 50
"""Rows by which it is told what a table holds."""
_LEAST = 3
"""Rows that such a table has at least."""
_ASKING = 0.6
"""Share of the cells of a column that end like questions, where it has those."""
_TEXT = 15
"""Characters of an answer, in the mean."""
_QUESTION = re.compile(rf"(?:{regex('documents.question_column')})", re.IGNORECASE)
_ANSWER = re.compile(rf"(?:{regex('documents.answer_column')})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerColumns:
    """Which columns hold what; `group`: what several of the rows are about, None where no column tells it."""

    question: int
    answer: int
    group: int | None


def answer_columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> AnswerColumns | None:
    """Return which column has the questions and which the answers; None for any other table.

    Both are called so, or most cells of the one end with a question mark. The answers are then the longest text.
    """
    if len(rows) < _LEAST:
        return None
    columns = list(zip(*rows, strict=True))
    named = [[at for at, name in enumerate(header) if form.fullmatch(name.strip())] for form in (_QUESTION, _ANSWER)]
    if all(named):
        question, answer = named[0][0], named[1][0]
    else:
        asking = [sum(cell.endswith(("?", "？")) for cell in column) for column in columns]
        question = max(range(len(columns)), key=lambda at: asking[at])
        others = [at for at in range(len(columns)) if at != question]
        answer = max(others, key=lambda at: sum(map(len, columns[at])))
        if asking[question] < _ASKING * len(rows) or sum(map(len, columns[answer])) < _TEXT * len(rows):
            return None
    shared = [at for at, cells in enumerate(columns) if at not in (question, answer) and _is_shared(cells)]
    return AnswerColumns(question, answer, shared[0] if shared else None)


def _is_shared(cells: Sequence[str]) -> bool:
    """Tell whether each cell of a column says what others say as well: what kind of question it is."""
    return all(cells) and 2 * len(set(cells)) <= len(cells) and not any(cell[:1].isdigit() for cell in cells)

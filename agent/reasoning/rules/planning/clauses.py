"""A message cut where one thing that is wanted ends and the next begins: questions, orders, and what comes after."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from agent.language.lexicon import has, pattern, patterns, regex
from agent.language.registry import profile
from agent.reasoning.rules.reading.question_form import BIDDING, closed, is_question
from agent.reasoning.rules.reading.work_orders import READ, Order, order_of
from agent.text import language_of
from agent.types import Language

LONG = 1_200
"""Characters beyond which a message is read as a paste with perhaps an order before or behind it."""
JOINTS = 24
"""Places of a message at which it may be cut."""
_NEXT = 4
_WISH = 4
"""Words up to which what stands behind an order is a wish for its form: "keep it short"."""
HEAD, TAIL = 600, 300
"""Characters of a long message, mostly a paste, in which its orders are looked for: they stand before or behind it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that is wanted: an order, or one or more questions in their own words."""

    text: str
    order: Order | None = None
    after: bool = False
    """Whether it is wanted once what stands before it is done."""


_SIGNS = r"(?P<stop>[.!?;])\s+|(?P<colon>:)\s+"


@cache
def _joints(language: Language) -> re.Pattern[str]:
    """Return where a message may be cut; groups tell a `stop`, a `colon`, and what comes `then` or `later`."""
    own = f"|{regex('planning.clause_joints', language)}" if has("planning.clause_joints", language) else ""
    return re.compile(_SIGNS + own, re.IGNORECASE)


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return what a message wants, in order; one clause where it is a single question."""
    if len(text) > LONG:
        return _of_paste(text)
    language = language_of(text)
    spans = _cut(text, language)
    clauses = [Clause(text[start:end].strip(" ,;"), order, after) for start, end, order, after in spans]
    if profile(language).verb_last:
        clauses = [clause if clause.order else replace(clause, text=closed(clause.text)) for clause in clauses]
    found = tuple(clause for clause in clauses if clause.text)
    return found if len(found) > 1 or (found and found[0].order) else (Clause(text),)


def _of_paste(text: str) -> tuple[Clause, ...]:
    """Return a long message as one question, with the order that its first or last sentence gives."""
    first = re.split(r"(?<=[.!?:])\s", text[:HEAD], maxsplit=1)[0]
    last = re.split(r"(?<=[.!?:])\s", text[-TAIL:])[-1]
    orders = [order for each in (first, last) if (order := order_of(each.rstrip(":"))) is not None]
    return (Clause(text), *(Clause(order.text, order) for order in orders[:1]))


Span = tuple[int, int, Order | None, bool]


def _cut(text: str, language: Language) -> list[Span]:
    """Return the places of the clauses: neighbours that give no order stay together as they were written."""
    atoms: list[tuple[int, int, bool]] = []
    start, after = 0, False
    for match in islice(_joints(language).finditer(text), JOINTS):
        groups = match.groupdict()
        stop = groups["stop"] is not None
        later = groups.get("later") is not None
        then = bool(groups.get("then")) or later
        end = match.end() if later else match.start() + stop
        if groups["colon"]:
            if order_of(text[start:end].strip()) is None:
                continue
        elif not stop and not _parts_here(text, start, end, match.end(), language, then=then):
            continue
        atoms.append((start, end, after))
        start, after = match.end(), then
    atoms.append((start, len(text), after))
    spans: list[Span] = []
    for begin, end, then in atoms:
        piece = text[begin:end].strip()
        order = order_of(piece)
        then = then or bool(pattern("planning.then").match(piece))
        before = spans[-1][2] if spans else None
        if order is None and spans and before is None and not then:
            spans[-1] = (spans[-1][0], end, None, spans[-1][3])
        elif order is None and before is not None and not then and not _asks(piece, language):
            # What is told behind an order belongs to it: the letter that is to be answered.
            topic = before.topic or (piece if len(piece.split()) > _WISH else "")
            told = replace(before, topic=topic, context=f"{before.context} {piece}".strip())
            spans[-1] = (spans[-1][0], end, told, spans[-1][3])
        elif piece:
            spans.append((begin, end, order, then and bool(spans)))
    return spans


def _parts_here(text: str, start: int, end: int, following: int, language: Language, *, then: bool) -> bool:
    """Tell whether a joint of a sentence parts an order from what is beside it, or a question from what comes after."""
    before, rest = text[start:end].strip(), _first(text[following:], language)
    if profile(language).verb_last:
        if not any(order_of(piece) for piece in (before, rest)):
            return False
        return order_of(before) is not None or _asks(before, language)
    if pattern("planning.conditions").match(before):
        return False
    begins = order_of(rest) is not None
    if order_of(before) is not None:
        return begins or is_question(rest)
    if then:
        return (is_question(before) or bool(BIDDING.match(before))) and (begins or is_question(rest))
    return begins and (is_question(before) or bool(BIDDING.match(before)) or len(before.split()) > 3)


def _asks(piece: str, language: Language) -> bool:
    """Tell whether a piece asks: by words of its own in some languages, else by its form."""
    own = patterns("planning.asks").get(language)
    return bool(own.search(piece)) if own else piece.endswith("?") or is_question(piece)


def _first(rest: str, language: Language) -> str:
    """Return what is left up to where it may end itself."""
    rest = rest[:READ]
    for match in islice(_joints(language).finditer(rest), _NEXT):
        if order_of(rest[: match.start()]) is not None:
            return rest[: match.start()]
        if match["stop"] is not None:
            return rest[: match.start() + 1]
    return rest


def questions_in(clauses: Sequence[Clause]) -> str:
    """Return what a message asks in words, without its orders."""
    return " ".join(clause.text for clause in clauses if clause.order is None)

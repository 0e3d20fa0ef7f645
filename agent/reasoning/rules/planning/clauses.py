"""A message cut where one thing that is wanted ends and the next begins: questions, orders, and what comes after."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from agent.reasoning.rules.reading.question_form import BIDDING, closed, is_question
from agent.reasoning.rules.reading.work_orders import KOREAN_DOCUMENTS, READ, Order, order_of
from agent.text import language_of

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


_ENGLISH_CUT = re.compile(
    r"(?P<stop>[.!?;])\s+|(?P<colon>:)\s+"
    r"|(?:,|(?<!\s))\s++(?P<then>and then|then|after that,?|afterwards,?|once that is done,?)\s+"
    r"|(?:,|(?<!\s))\s++(?:and also|and|also|plus)\s+|,\s+",
    re.IGNORECASE,
)
_KOREAN_CUT = re.compile(
    r"(?P<stop>[.!?;])\s+|(?P<colon>:)\s+"
    r"|(?<=[가-힣])(?:하고 ?나서|고 ?나서|(?:한|은|인) ?(?:뒤|다음|후)(?:에)?)[,\s]+(?P<later>)"
    r"|(?:(?<![,\s])[,\s]++)?"
    r"(?P<then>그 ?다음(?:에|엔)?|그런 ?다음(?:에)?|그러고 ?나서|이어서|그 ?후에?|그 ?뒤에?)[,\s]+"
    r"|(?<=[고서며])[,\s]+(?:그리고\s+)?|(?:,\s*)?\s그리고\s+|,\s+"
)
_THEN = re.compile(
    r"^\W*(?:and )?(?:then|after that|afterwards|once that is done|next)\b|^그 ?다음|^그런 ?다음|^이어서", re.I
)
_IF = re.compile(r"^\W*(?:if|when|once|after|before|unless|since|because)\b", re.IGNORECASE)
_ENDS_IN_DOCUMENT = re.compile(rf"{KOREAN_DOCUMENTS}$")
_KOREAN_ASKS = re.compile(
    r"비교|알려|설명|찾|요약|정리|확인|조사|보여|몇|얼마|언제|누구|누가|어디|무엇|뭐|어떻게|왜|나요|가요|까요|니까|[?]"
)


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return what a message wants, in order; one clause where it is a single question."""
    if len(text) > LONG:
        return _of_paste(text)
    korean = language_of(text) == "ko"
    spans = _cut(text, korean=korean)
    clauses = [Clause(text[start:end].strip(" ,;"), order, after) for start, end, order, after in spans]
    if korean:
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


def _cut(text: str, *, korean: bool) -> list[Span]:
    """Return the places of the clauses: neighbours that give no order stay together as they were written."""
    atoms: list[tuple[int, int, bool]] = []
    start, after = 0, False
    for match in islice((_KOREAN_CUT if korean else _ENGLISH_CUT).finditer(text), JOINTS):
        groups = match.groupdict()
        stop = groups["stop"] is not None
        then = bool(groups["then"]) or groups.get("later") is not None
        end = match.start() + (1 if stop else 0)
        if korean and groups.get("later") is not None:
            end = match.end()
        if groups["colon"]:
            if order_of(text[start:end].strip()) is None:
                continue
        elif not stop and not _parts_here(text, start, end, match.end(), then=then, korean=korean):
            continue
        atoms.append((start, end, after))
        start, after = match.end(), then
    atoms.append((start, len(text), after))
    spans: list[Span] = []
    for begin, end, then in atoms:
        piece = text[begin:end].strip()
        order = order_of(piece)
        then = then or bool(_THEN.match(piece))
        before = spans[-1][2] if spans else None
        if order is None and spans and before is None and not then:
            spans[-1] = (spans[-1][0], end, None, spans[-1][3])
        elif order is None and before is not None and not then and not _asks(piece, korean=korean):
            # What is told behind an order belongs to it: the letter that is to be answered.
            topic = before.topic or (piece if len(piece.split()) > _WISH else "")
            told = replace(before, topic=topic, context=f"{before.context} {piece}".strip())
            spans[-1] = (spans[-1][0], end, told, spans[-1][3])
        elif piece:
            spans.append((begin, end, order, then and bool(spans)))
    return spans


def _parts_here(text: str, start: int, end: int, following: int, *, then: bool, korean: bool) -> bool:
    """Tell whether a joint of a sentence parts an order from what is beside it, or a question from what comes after."""
    before, rest = text[start:end].strip(), _first(text[following:], korean=korean)
    if korean:
        if _ENDS_IN_DOCUMENT.search(before):  # 보고서 초안을: the 서 of a document joins nothing
            return False
        if not any(order_of(piece) for piece in (before, rest)):
            return False
        return order_of(before) is not None or bool(_KOREAN_ASKS.search(before))
    if _IF.match(before):
        return False
    begins = order_of(rest) is not None
    if order_of(before) is not None:
        return begins or is_question(rest)
    if then:
        return (is_question(before) or bool(BIDDING.match(before))) and (begins or is_question(rest))
    return begins and (is_question(before) or bool(BIDDING.match(before)) or len(before.split()) > 3)


def _asks(piece: str, *, korean: bool) -> bool:
    return bool(_KOREAN_ASKS.search(piece)) if korean else piece.endswith("?") or is_question(piece)


def _first(rest: str, *, korean: bool) -> str:
    """Return what is left up to where it may end itself."""
    pattern = _KOREAN_CUT if korean else _ENGLISH_CUT
    rest = rest[:READ]
    for match in islice(pattern.finditer(rest), _NEXT):
        if order_of(rest[: match.start()]) is not None:
            return rest[: match.start()]
        if match["stop"] is not None:
            return rest[: match.start() + 1]
    return rest


def questions_in(clauses: Sequence[Clause]) -> str:
    """Return what a message asks in words, without its orders."""
    return " ".join(clause.text for clause in clauses if clause.order is None)

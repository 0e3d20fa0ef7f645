"""A message cut into what it wants: questions, orders, and what comes once these are done."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from agent.language.lexicon import pattern, patterns
from agent.language.registry import DEFAULT, profile
from agent.reasoning.rules.planning.things import asks_about, holds, things_in
from agent.reasoning.rules.reading.question_form import (  # fmt: skip
    BIDDING,
    CONTENT,
    KOREAN_BIDDING,
    closed,
    is_question,
)
from agent.reasoning.rules.reading.work_orders import READ, Order, order_of
from agent.reasoning.rules.thread import standalone_question
from agent.text import language_of
from agent.types import Language

LONG = 1_200
"""Characters beyond which a message is read as a paste with perhaps an order before or behind it."""
JOINTS = 48
"""Places at which a message may be cut; what comes after them stays in its last part."""
HEAD, TAIL = 600, 300
"""Characters of a long message, mostly a paste, in which its orders are looked for: they stand before or behind it."""
_NEXT = 4
_WISH = 4
"""Words up to which what stands behind an order is a wish for its form: "keep it short"."""
_NUMBERED = re.compile(r"(?:(?<=\s)|^)(?:\d{1,2}[.)]|\(\d{1,2}\)|[①-⑨])\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Want:
    """One thing that is wanted: an order, or a question in its own words."""

    text: str
    order: Order | None = None
    after: bool = False
    """Whether it is wanted once what stands before it is done."""


def wants_in(text: str) -> tuple[Want, ...]:
    """Return what a message wants, in order; the message itself where it is a single question."""
    if len(text) > LONG:
        return _of_paste(text)
    numbered = [part.strip() for part in _NUMBERED.split(text)]
    if 2 < len(numbered) <= JOINTS and not asks_about(numbered[0], 1.0):
        return tuple(Want(part, order_of(part)) for part in numbered[1:] if part)
    language = language_of(text)
    found = _joined(text, list(_pieces(text, language)), language)
    if not found or (len(found) == 1 and found[0].order is None):
        return (Want(text),)
    return tuple(want if want.order else replace(want, text=_closed(want.text, language)) for want in found)


@lru_cache(maxsize=256)
def parts_of(text: str) -> tuple[str, ...]:
    """Return the questions that a message asks, one a line where it has lines; the message itself when it asks one."""
    lines = tuple(dict.fromkeys(line.strip() for line in text.split("\n") if line.strip()))
    if len(lines) > 1:
        return lines
    out: list[str] = []
    for want in wants_in(text):
        out.extend(things_in(alone(want.text, out[0]) if out else want.text))
    return tuple(dict.fromkeys(out))


def alone(text: str, before: str) -> str:
    """Return a question so that it can be read without the one before it: "and how do I request them?"."""
    resolved = standalone_question.after(text, before)
    return resolved if holds((resolved,), text) else text


def _of_paste(text: str) -> tuple[Want, ...]:
    """Return a long message as one question, with the order that its first or last sentence gives."""
    first = re.split(r"(?<=[.!?:])\s", text[:HEAD], maxsplit=1)[0]
    last = re.split(r"(?<=[.!?:])\s", text[-TAIL:])[-1]
    orders = [order for each in (first, last) if (order := order_of(each.rstrip(":"))) is not None]
    return (Want(text), *(Want(order.text, order) for order in orders[:1]))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a message between two places at which it is cut."""

    start: int
    end: int
    whole: bool
    """Whether a sentence ends with it."""
    after: bool


def _pieces(text: str, language: Language) -> Iterator[_Piece]:
    start, after = 0, False
    for joint in islice(_joints(language).finditer(text), JOINTS):
        said, stop = _said(joint), "stop" in _said(joint)
        end = joint.end() if "later" in said else joint.start() + stop
        if stop or _parts_here(text, start, end, joint, language):
            yield _Piece(start, end, stop, after)
            start, after = joint.end(), not said.isdisjoint(("then", "later"))
    yield _Piece(start, len(text), True, after)


def _joined(text: str, pieces: Sequence[_Piece], language: Language) -> list[Want]:
    """Return the orders and questions of pieces; what neither orders nor asks belongs to what is beside it.

    What is told before a question are its circumstances; what is told behind an order is its own, too: the letter that
    is to be answered.
    """
    spans: list[tuple[int, int, Order | None, bool]] = []
    told = -1  # where the circumstances of the next question begin
    for piece in pieces:
        said = text[piece.start : piece.end].strip(" ,;")
        begin = piece.start if told < 0 else told
        order = order_of(said)
        then = piece.after or bool(pattern("planning.then").match(said))
        before = spans[-1][2] if spans else None
        if order is not None or then or (before and told < 0 and _asks(said, language)):
            if told >= 0:
                spans.append((told, piece.start, None, False))
            spans.append((piece.start, piece.end, order, then and bool(spans)))
            told = -1
        elif before is not None and told < 0:
            topic = before.topic or (said if len(said.split()) > _WISH else "")
            own = replace(before, topic=topic, context=f"{before.context} {said}".strip())
            spans[-1] = (spans[-1][0], piece.end, own, spans[-1][3])
        elif _stands(said, text[begin : piece.end]):
            spans.append((begin, piece.end, None, False))
            told = -1
        elif (piece.whole and piece.end < len(text)) or not spans:
            told = begin
        else:
            spans[-1] = (spans[-1][0], piece.end, *spans[-1][2:])
            told = -1
    if told >= 0:
        start = spans.pop()[0] if spans and spans[-1][2] is None else told
        spans.append((start, len(text), None, False))
    wants = (Want(text[a:b].strip(" ,;"), order, after) for a, b, order, after in spans)
    return [want for want in wants if want.text]


def _parts_here(text: str, start: int, end: int, joint: re.Match[str], language: Language) -> bool:
    """Tell whether a joint within a sentence parts one thing that is wanted from the next."""
    before, rest = text[start:end].strip(), text[joint.end() : joint.end() + READ]
    ordered, orders = order_of(before) is not None, order_of(_first(rest, language)) is not None
    said = _said(joint)
    if "colon" in said:
        return ordered
    if profile(language).verb_last:
        if ordered or orders:
            return ordered or _asks(before, language)
        if "bid" in said:
            leads = pattern("planning.leading_on").search(before) is not None
            return leads or (
                _stands(before) and is_question(rest) and pattern("planning.own_topic").match(rest) is not None
            )
        return "order" not in said and _stands(before) and is_question(rest)
    if ordered:
        return orders or is_question(rest)
    if orders:
        tells = "then" not in said and len(before.split()) > 3
        return (is_question(before) or tells) and not pattern("planning.conditions").match(before)
    return is_question(before) and is_question(rest) and ("then" in said or _asks_on(text, before, rest, joint))


def _asks_on(text: str, before: str, rest: str, joint: re.Match[str]) -> bool:
    """Tell whether what follows a question asks further, and is no part of it: "log in and change my password"."""
    said = _said(joint)
    if BIDDING.match(rest):
        joins = "and" in said and ("comma" in said or pattern("planning.bids_for").match(rest) is not None)
        return joins or BIDDING.match(before) is not None
    if "and" in said or not pattern("planning.relatives").match(rest):
        return True
    listed = joint.re.search(text, joint.end())
    return listed is not None and "and" in _said(listed)


def _asks(piece: str, language: Language) -> bool:
    """Tell whether a piece asks: by words of its own in some languages, else by its form."""
    own = patterns("planning.asks").get(language)
    return bool(own.search(piece)) if own else piece.endswith("?") or is_question(piece)


def _stands(piece: str, told: str = "") -> bool:
    """Tell whether a piece asks something by itself, or of the circumstances that are told before it."""
    if pattern("planning.only_form").fullmatch(piece):
        return False
    return len(piece.split()) > 1 and is_question(piece) and asks_about(told or piece, CONTENT)


def _first(rest: str, language: Language) -> str:
    """Return what is left up to where it may end itself."""
    for match in islice(_joints(language).finditer(rest), _NEXT):
        if order_of(rest[: match.start()]) is not None:
            return rest[: match.start()]
        if "stop" in _said(match):
            return rest[: match.start() + 1]
    return rest


def _joints(language: Language) -> re.Pattern[str]:
    """Return where a message may be cut."""
    found = patterns("planning.joints")
    return found.get(language, found[DEFAULT])


def _said(joint: re.Match[str]) -> set[str]:
    """Return what a joint is: a `stop`, a `colon`, `then`, by the names of the groups that matched."""
    return {name for name, text in joint.groupdict().items() if text is not None}


def _closed(part: str, language: Language) -> str:
    """Return a question that was cut off as one that ends."""
    verb_last = profile(language).verb_last
    if part.endswith(("?", ".", "!")) or (not verb_last and BIDDING.match(part)):
        return part
    if verb_last and (pattern("planning.leading_on").search(part) or KOREAN_BIDDING.search(part)):
        return closed(part)
    return f"{part}?"

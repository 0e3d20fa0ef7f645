"""One message that asks several things, taken apart."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from agent.reasoning.rules.reading.answer_type import COMMON, read
from agent.reasoning.rules.reading.comparison import READ, both, compared
from agent.reasoning.rules.reading.question_form import (  # fmt: skip
    ASKS,
    BIDDING,
    BIDS,
    CONTENT,
    KOREAN_ASKING,
    KOREAN_BIDDING,
    POLITE,
    closed,
    content_of,
    is_question,
)
from agent.reasoning.rules.thread import standalone_question
from agent.text import language_of

JOINTS = 24
"""Places at which a message is cut at most; what comes after them stays in its last part."""
LONG = 2_000
"""Characters beyond which a message is a paste: what it asks is not what its sentences ask."""
_NUMBERED = re.compile(r"(?:(?<=\s)|^)(?:\d{1,2}[.)]|\(\d{1,2}\)|[①-⑨])\s+(?=\S)")
_JOINT = re.compile(
    rf"(?P<stop>[?!.;])\s+(?=[^\s(])"
    rf"|(?:(?P<comma>[,;])|(?<!\s))\s++(?P<and>and also|as well as|and|also|plus)\s+(?={ASKS}|{BIDS})"
    rf"|,\s+(?={ASKS}|{BIDS})",
    re.IGNORECASE,
)
_BIDS_FOR = re.compile(rf"{BIDS}\s+(?:me|us)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"(?:who|which|where|when)\b", re.IGNORECASE)
_KOREAN_JOINT = re.compile(
    r"(?P<stop>[?!.;])\s+(?=[^\s(])(?:(?:그리고|또|또한)\s+)?|(?:,|(?<=[요까지고며]))\s+(?:그리고|또|또한)\s+"
    r"|(?<=[인이하되있없]고),?\s+(?=\S+(?:은|는)\s)|(?<=지)(?:와|랑|하고|도)\s+|(?P<bid>(?<=고)),?\s+|,\s+"
)
_KOREAN_LEADING_ON = re.compile(r"(?:(?<=비교)하|(?<=설명)하|(?<=요약)하|(?<=[가-힣])\s?주)고$")
"""A request whose verb leads on to the next: 비교하고, 알려주고."""
_JOINED_BY = re.compile(r"(?<=[가-힣])(?:와|과|랑|하고)$")
_DETERMINED = re.compile(r"(?:the|my|our|your|their|an?)\s", re.IGNORECASE)
_LIST = re.compile(
    rf"^(?P<head>{POLITE}(?:what(?:'s| is| are| was| were)|{BIDS}(?:\s+(?:me|us))?(?:\s+about)?)\s+)"
    r"(?P<items>[^?!.;:()]{6,240})(?P<tail>[?!.]*)$",
    re.IGNORECASE,
)
_COMMA = re.compile(r",\s*(?:and\s+)?|(?<!\s)\s++and\s+", re.IGNORECASE)
_OF = re.compile(r"\b(?:of|for|in|on|at|between|from|with|to|that|which|who|if|when)\b", re.IGNORECASE)
_KOREAN_LIST = re.compile(
    r"^(?P<items>[^?!.;:()]{3,120}?)(?:을|를|은|는|이|가|에 대해서?)?(?P<tail>(?<!\s)\s++(?:각각\s++)?"
    r"(?:알려|설명|정리|보여|찾아|얼마|며칠|언제|무엇|뭐|어디|누구)[^,]{0,30})$"
)
_KOREAN_COMMA = re.compile(r",\s*(?:그리고\s+)?|(?<!\s)\s++(?:그리고|및)\s+")


@lru_cache(maxsize=256)
def parts_of(text: str, *, goes_on: bool = False) -> tuple[str, ...]:
    """Return the questions that a message asks, one a line where it has lines; the message itself when it asks one.

    `goes_on`: more that is wanted follows, so that commas may part what is wanted.
    """
    if "\n" in text:
        lines = tuple(dict.fromkeys(line.strip() for line in text.split("\n") if line.strip()))
        return lines or (text,)
    if len(text) > LONG:
        return (text,)
    numbered = [part.strip() for part in _NUMBERED.split(text)]
    if len(numbered) > 2:
        head, listed = numbered[0], [part for part in numbered[1:] if part]
        return tuple(listed[:JOINTS]) if len(listed) <= JOINTS and not _asks(head, 1.0) else (text,)
    out: list[str] = []
    for piece in _pieces(text, korean=language_of(text) == "ko", goes_on=goes_on):
        alone = piece
        if out:  # "and how do I request them?"
            resolved = standalone_question.after(piece, out[0])
            alone = resolved if holds((resolved,), piece) else piece
        out.extend(_each(alone))
    return tuple(dict.fromkeys(out))


def _each(text: str) -> tuple[str, ...]:
    """Return a piece as one about each of the things that it names side by side."""
    for found in (compared(text), both(text), _listed(text)):
        if found and all(_asks(part, COMMON) for part in found) and holds(found, text):
            return found
    return (text,)


def _pieces(text: str, *, korean: bool, goes_on: bool) -> list[str]:
    """Return the message cut between the things that it asks; what asks nothing stays with what is beside it."""
    spans: list[tuple[int, int, bool]] = []
    start = 0
    for joint in islice((_KOREAN_JOINT if korean else _JOINT).finditer(text), JOINTS):
        stop = joint["stop"] is not None
        end = joint.start() + stop
        if stop or _parts_here(text, start, joint, korean=korean, goes_on=goes_on):
            spans.append((start, end, stop))
            start = joint.end()
    spans.append((start, len(text), True))
    out: list[tuple[int, int]] = []
    begin = -1  # of what tells the circumstances of the next question
    for at, end, stop in spans:
        if _stands(text[at:end].strip(), text[begin:end] if begin >= 0 else ""):
            out.append((at if begin < 0 else begin, end))
            begin = -1
        elif stop and end < len(text):
            begin = at if begin < 0 else begin
        elif out:
            out[-1] = (out[-1][0], end)
            begin = -1
    if not out or begin >= 0:
        out = [*out[:-1], (out[-1][0] if out else 0, len(text))]
    if len(out) == 1:
        return [text]
    return [_closed(text[max(0, at) : end].strip(" ,;"), korean=korean) for at, end in out]


def _parts_here(text: str, start: int, joint: re.Match[str], *, korean: bool, goes_on: bool) -> bool:
    """Tell whether a joint within a sentence parts one thing that is wanted from the next."""
    before, after = text[start : joint.start()].strip(), text[joint.end() : joint.end() + READ]
    if korean:
        if joint.groupdict()["bid"] is not None:
            return bool(_KOREAN_LEADING_ON.search(before))
        return _stands(before) and is_question(after)
    if not is_question(before):
        return False
    bid = BIDDING.match(after) is not None
    if joint["and"]:
        return not bid or bool(BIDDING.match(before) or joint["comma"] or _BIDS_FOR.match(after))
    if bid:
        return BIDDING.match(before) is not None
    listed = _JOINT.search(text, joint.end())
    return goes_on or not _RELATIVE.match(after) or (listed is not None and listed["and"] is not None)


def _stands(piece: str, told: str = "") -> bool:
    """Tell whether a piece asks something by itself, or of the circumstances that are told before it."""
    return len(piece.split()) > 1 and is_question(piece) and _asks(told or piece, CONTENT)


def _listed(text: str) -> tuple[str, ...]:
    """Return a request for several things as one for each: each has its article, or all are names of one length."""
    if len(text) > READ:
        return ()
    korean = language_of(text) == "ko"
    match = (_KOREAN_LIST if korean else _LIST).match(text)
    if match is None:
        return ()
    items = [item.strip() for item in (_KOREAN_COMMA if korean else _COMMA).split(match["items"]) if item.strip()]
    lengths = {len(item.split()) for item in items}
    alike = len(lengths) == 1 and len(items) > 2 and (korean or lengths != {1})
    named = not korean and len(items) > 1 and all(_DETERMINED.match(item) for item in items)
    if not (alike or named) or max(lengths) > 5 or any(_OF.search(item) for item in items):
        return ()
    head = "" if korean else match["head"]
    return tuple(f"{head}{item}{match['tail']}" for item in items)


def holds(parts: Sequence[str], text: str) -> bool:
    """Tell whether the parts hold all that a text is about."""
    told = " ".join(parts).casefold()
    return all(
        _JOINED_BY.sub("", term.stem).casefold() in told or term.word.casefold() in told for term in content_of(text)
    )


def compares(text: str) -> bool:
    """Tell whether a message asks how two things differ."""
    return len(text) <= LONG and bool(compared(text))


def _closed(part: str, *, korean: bool) -> str:
    if part.endswith(("?", ".", "!")) or (not korean and BIDDING.match(part)):
        return part
    if korean and (_KOREAN_LEADING_ON.search(part) or KOREAN_BIDDING.search(part)):
        return closed(part)
    return f"{part}?"


def _asks(part: str, least: float) -> bool:
    return any(term.weight >= least and not KOREAN_ASKING.search(term.word) for term in read(part).terms)

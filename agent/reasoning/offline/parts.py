"""One message that asks several things, taken apart."""

import re
from functools import lru_cache

from agent.reasoning.offline import resolve
from agent.reasoning.offline.comparing import both, compared
from agent.reasoning.offline.question import COMMON, read
from agent.text import language_of

MOST = 6
"""Questions that one message is taken apart into; a longer list is searched as a whole."""
LONG = 2_000
"""Characters beyond which a message is a paste: what it asks is not what its sentences ask."""

_NUMBERED = re.compile(r"(?:(?<=\s)|^)(?:\d{1,2}[.)]|\(\d{1,2}\)|[①-⑨])\s+(?=\S)")
_ASKS = r"(?:how|what|when|where|who|which|why|can|could|do|does|is|are|should|may|must|will)"
_JOINED = re.compile(
    rf"(?:[,;?]|(?<!\s))\s++(?:and also|as well as|and|also|plus)\s+(?={_ASKS}\b)|\?\s+(?=[^\s(])", re.IGNORECASE
)
_KOREAN_JOINED = re.compile(
    r"(?:[,?]|(?<=[요까지고며]))\s+(?:그리고|또|또한)\s+|(?<=[인이하되있없]고)\s+(?=\S+(?:은|는)\s)|[?]\s+(?=[^\s(])"
)
_ASKING = re.compile(
    rf"^\W*(?:so |and |but |please |hi,? |hello,? )*(?:{_ASKS}|tell|show|list|explain|give)\b", re.IGNORECASE
)
_KOREAN_ASKING = re.compile(r"몇|며칠|얼마|언제|누구|누가|어디|무엇|뭐|뭘|어떻게|어떤|어느|왜|무슨|알려|설명|보여")


@lru_cache(maxsize=256)
def parts_of(text: str) -> tuple[str, ...]:
    """Return the questions that a message asks, one a line where it has lines; the message itself when it asks one."""
    if "\n" in text:
        lines = tuple(dict.fromkeys(line.strip() for line in text.split("\n") if line.strip()))
        return lines or (text,)
    if len(text) > LONG:
        return (text,)
    korean = language_of(text) == "ko"
    for found in (compared(text), both(text)):
        if found:
            return found if all(_asks(part, COMMON) for part in found) else (text,)
    numbered = [part.strip() for part in _NUMBERED.split(text)]
    if len(numbered) > 2:
        head, listed = numbered[0], [part for part in numbered[1:] if part]
        return tuple(listed) if len(listed) <= MOST and not _asks(head, 1.0) else (text,)
    pieces = [part.strip(" ,;") for part in (_KOREAN_JOINED if korean else _JOINED).split(text)]
    asked = [part for part in pieces if part]
    if not 1 < len(asked) <= MOST or not _asks(asked[0], 1.0) or not is_question(asked[0]):
        return (text,)
    out = [_closed(asked[0])]
    for part in asked[1:]:
        alone = resolve.after(_closed(part), out[0])  # "and how do I request them?"
        if len(part.split()) < 2 or not _asks(alone, 0.4):
            return (text,)
        out.append(alone)
    return tuple(out)


def compares(text: str) -> bool:
    """Tell whether a message asks how two things differ."""
    return len(text) <= LONG and bool(compared(text))


def is_question(part: str) -> bool:
    """Tell whether a piece asks; one that only tells the circumstances belongs to the question after it."""
    if language_of(part) == "ko":
        return not part.rstrip("?, ").endswith("고") or _KOREAN_ASKING.search(part) is not None
    return _ASKING.match(part) is not None


def is_name(part: str) -> bool:
    """Tell whether a part only names a thing: one side of a comparison."""
    return not part.rstrip().endswith(("?", ".", "!")) and len(part.split()) <= 6 and not _ASKING.match(part)


def _closed(part: str) -> str:
    return part if part.endswith(("?", ".", "!")) else f"{part}?"


def _asks(part: str, least: float) -> bool:
    return any(term.weight >= least for term in read(part).terms)

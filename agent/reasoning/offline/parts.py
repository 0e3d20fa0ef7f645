"""One message that asks several things, taken apart."""

import re
from functools import lru_cache

from agent.reasoning.offline import resolve
from agent.reasoning.offline.question import COMMON, read
from agent.text import language_of

MOST = 4
"""Questions that one message is taken apart into; a longer list is searched as a whole."""

_NUMBERED = re.compile(r"(?:(?<=\s)|^)(?:\d{1,2}[.)]|\(\d{1,2}\)|[①-⑨])\s+(?=\S)")
_ASKS = r"(?:how|what|when|where|who|which|why|can|could|do|does|is|are|should|may|must|will)"
_JOINED = re.compile(
    rf"(?:,|;|\?)?\s+(?:and also|as well as|and|also|plus)\s+(?={_ASKS}\b)|\?\s+(?=[^\s(])", re.IGNORECASE
)
_KOREAN_JOINED = re.compile(
    r"(?:[,?]|(?<=[요까지고며]))\s+(?:그리고|또|또한)\s+|(?<=[인이하되있없]고)\s+(?=\S+(?:은|는)\s)|[?]\s+(?=[^\s(])"
)
_ASKING = re.compile(
    rf"^\W*(?:so |and |but |please |hi,? |hello,? )*(?:{_ASKS}|tell|show|list|explain|give)\b", re.IGNORECASE
)
_BETWEEN = re.compile(
    r"\b(?:differences?|distinction|compare|comparison|similarit(?:y|ies))\b.*?\b(?:between|"
    r"of)?\s*(?:the |an? )?(?P<a>[\w' -]{2,40}?)\s+(?:and|with|to|vs\.?|versus)\s+(?:the |an? "
    r")?(?P<b>[\w' -]{2,40}?)\s*\??$",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"^(?P<a>[\w' -]{2,40}?)\s+(?:vs\.?|versus)\s+(?P<b>[\w' -]{2,40}?)\s*\??$", re.IGNORECASE)
_KOREAN_BETWEEN = re.compile(
    r"(?P<a>[\w ]{2,20}?)(?:와|과|이랑|랑|하고)\s+(?P<b>[\w ]{2,20}?)(?:의|은|는|이|가)?\s+(?:차이|다른 점|비교|차이점)"
)


@lru_cache(maxsize=256)
def parts_of(text: str) -> tuple[str, ...]:
    """Return the questions that a message asks; the message itself when it asks one."""
    korean = language_of(text) == "ko"
    for pattern in (_KOREAN_BETWEEN,) if korean else (_BETWEEN, _VERSUS):
        match = pattern.search(text)
        if match:
            both = _with_head(_last_words(match.group("a")), _last_words(match.group("b")))
            return both if all(_asks(part, COMMON) for part in both) else (text,)
    numbered = [part.strip() for part in _NUMBERED.split(text)]
    if len(numbered) > 2:
        head, found = numbered[0], [part for part in numbered[1:] if part]
        return tuple(found) if len(found) <= MOST and not _asks(head, 1.0) else (text,)
    pieces = [part.strip(" ,;") for part in (_KOREAN_JOINED if korean else _JOINED).split(text)]
    found = [part for part in pieces if part]
    if not 1 < len(found) <= MOST or not _asks(found[0], 1.0) or not _is_question(found[0]):
        return (text,)
    out = [_closed(found[0])]
    for part in found[1:]:
        alone = resolve.standalone(_closed(part), [out[0]]).text  # "and how do I request them?"
        if len(part.split()) < 2 or not _asks(alone, 0.4):
            return (text,)
        out.append(alone)
    return tuple(out)


def compares(text: str) -> bool:
    """Tell whether a message asks how two things differ."""
    patterns = (_KOREAN_BETWEEN,) if language_of(text) == "ko" else (_BETWEEN, _VERSUS)
    return any(pattern.search(text) for pattern in patterns)


def _with_head(a: str, b: str) -> tuple[str, str]:
    """Give `S1` of `S1 and S2 incidents` the noun that both have."""
    first, second = a.split(), b.split()
    code = (
        len(first) == 1 and len(second) == 2 and any(ch.isdigit() for ch in a) and any(ch.isdigit() for ch in second[0])
    )
    return (f"{a} {second[1]}" if code else a), b


def _closed(part: str) -> str:
    return part if part.endswith(("?", ".", "!")) else f"{part}?"


def _asks(part: str, least: float) -> bool:
    return any(term.weight >= least for term in read(part).terms)


def _is_question(part: str) -> bool:
    """Tell whether a piece asks; one that only tells the circumstances belongs to the question after it."""
    if language_of(part) == "ko":
        return True
    return _ASKING.match(part) is not None


def _last_words(name: str) -> str:
    return re.sub(r"^(?:.*\b)?(?:between|of|the|is|are)\s+", "", name.strip(), flags=re.IGNORECASE).strip()

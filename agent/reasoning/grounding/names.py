"""Proper names and codes of a text that its source does not have."""

import re
from functools import lru_cache

from agent.language.ko.letters import SYLLABLES
from agent.language.lexicon import regex
from agent.reasoning.grounding.wording import bare, sentences_of, wording_of
from agent.text import ENGLISH_STOP_WORDS
from agent.values.amounts import amounts
from agent.values.dates import weekdays

_L = rf"[^\W{SYLLABLES}]"
_NAME = re.compile(
    rf"(?<!{_L})(?:[A-Z](?:{_L}|[&'.-](?={_L}))++|[a-z]*[A-Z]+(?:{_L}|-)*"
    rf"|[^\W\d{SYLLABLES}]*+\d[^\WA-Za-z{SYLLABLES}]*+[A-Za-z]{_L}*+|[A-Za-z][^\W\d{SYLLABLES}]*+\d{_L}*+)(?!{_L})"
)
_NO_LETTER = re.compile(r"[\W_]+")
_QUANTITY = re.compile(rf"\d+(?:{regex('grounding.quantity_marks')})?", re.IGNORECASE)


def names_of(text: str) -> list[str]:
    """Return the names and codes of a text; a sentence's first word may be any word."""
    out = []
    for sentence in sentences_of(bare(text)):
        for match in _NAME.finditer(sentence):
            name = match.group().removesuffix("'s")
            opening = not sentence[: match.start()].strip(" \"'(*-")
            coded = any(ch.isdigit() for ch in name) or any(ch.isupper() for ch in name[1:])
            if len(name) < 2 or (opening and not coded) or name.lower() in ENGLISH_STOP_WORDS:
                continue
            if _QUANTITY.fullmatch(name) or (weekdays(name) and not coded):
                continue
            if amounts(name) and not coded:
                continue  # May and the other months are numbers
            out.append(name)
    return out


def name_problems(text: str, source: str) -> list[str]:
    """Name the names of a text that the source does not have, neither in full nor by their initials."""
    lowered, plain = _squeezed(source)
    missing = [name for name in names_of(text) if not _known(name, source, lowered, plain)]
    return [f"the name {name} is not in its source" for name in missing]


@lru_cache(maxsize=256)
def _squeezed(source: str) -> tuple[str, str]:
    """Return a source in lower case, and its letters and digits alone."""
    lowered = source.lower()
    return lowered, _NO_LETTER.sub("", lowered)


def _known(name: str, source: str, lowered: str, plain: str) -> bool:
    low = name.lower()
    # A code must stand there as it is; P1 is not in P10.
    if any(ch.isdigit() for ch in name):
        return re.search(rf"(?<![\w]){re.escape(low)}(?![^\W_{SYLLABLES}])", lowered) is not None or (
            len(name) > 3 and "".join(ch for ch in low if ch.isalnum()) in plain
        )
    if low in lowered or "".join(ch for ch in low if ch.isalnum()) in plain or low.rstrip("s") in lowered:
        return True
    return name.isupper() and low in wording_of(source).initials

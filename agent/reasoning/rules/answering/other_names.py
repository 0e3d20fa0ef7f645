"""What a question calls by a name that a text does not have: an identifier, a code, a name with its number."""

import re

from agent.language.lexicon import words
from agent.text import ENGLISH_STOP_WORDS
from agent.values.amounts import amounts
from agent.values.codes import identifiers_in
from agent.values.limits import limits
from agent.values.names import calendar_words

LONGEST = 40
"""Characters of a name."""
READ = 300
"""Characters of a question that are read; a longer one is mostly a paste."""
_SEPARATOR = re.compile(r"[\W_]+")
_BEFORE = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,}+)\s$")
_NO_NAMES = ENGLISH_STOP_WORDS | words("thread.prepositions") | calendar_words()


def unnamed_in(text: str, question: str) -> list[str]:
    """Return which identifiers of a question a text does not have, and which numbered names.

    Of a name with a number ("level 3") it is one of which the text has others alone: levels 1 and 2.
    """
    out = identifiers_missing(text, question)
    for name, number in _numbered(question[:READ]):
        told = re.findall(rf"(?<!\w){re.escape(name)}\s?(\d+)(\s?[-–~])?", text, re.IGNORECASE)
        if told and all(each != number and not goes_on for each, goes_on in told):
            out.append(f"{name} {number}")
    return out


def identifiers_missing(text: str, question: str) -> list[str]:
    """Return which identifiers of a question a text does not have, however they are parted: Node Not Ready."""
    identifiers = identifiers_in(question[:READ])
    squeezed = _SEPARATOR.sub("", text.casefold()) if identifiers else ""
    return [each for each in identifiers if _SEPARATOR.sub("", each.casefold()) not in squeezed]


def _numbered(question: str) -> list[tuple[str, str]]:
    """Return the names that have a bare number right behind them, with it; no word of a limit is one."""
    found = amounts(question)
    limited = {(limit.value, limit.unit) for limit in limits(question, found)}
    bare = [each for each in found if not each.unit and each.written.isdecimal() and (each.value, "") not in limited]
    named = [(_BEFORE.search(question, max(0, each.start - LONGEST), each.start), each.written) for each in bare]
    return [(name[1], number) for name, number in named if name and name[1].lower() not in _NO_NAMES]

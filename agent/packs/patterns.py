"""Regular expressions from a pack, refused where a message could keep them busy.

Python's `re` tries every way to divide a text among repeats that can match the same characters, and
nothing stops it. So a pattern is taken apart, and the ways it could be divided are counted: for
each repeat or optional part, times those before it that could end anywhere inside the same run.
"""

import re
from re import _compiler, _parser  # type: ignore[attr-defined]
from re import _constants as sre  # type: ignore[attr-defined]
from typing import Any

from agent.language.ko.letters import LETTERS

LONGEST = 1500
"""Characters of a message that patterns are searched in."""
MOST_WAYS = 6000
"""Ways to divide a text that one place of it may cost: an open-ended repeat beside a small one, not two of them."""
MOST_IN_ALL = 40_000
"""The same, for all choices of its alternatives."""
_MOST_BRANCHES = 200
_LONGEST_PATTERN = 300
_SAMPLE = frozenset(chr(code) for code in range(128)) | frozenset(f"{LETTERS}éß€₩’“”·…\u3000漢１Ａ")

# A part of a pattern: the characters it may match, how often at least, in how many ways.
Part = tuple[frozenset[str], int, int]


class PatternError(ValueError):
    """The pattern cannot be used; the message says why."""


def searchable(pattern: str) -> str:
    """Return the pattern as it is. Raises PatternError for one that cannot be used."""
    compiled(pattern)
    return pattern


def compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, ready to be searched with. Raises PatternError for a broken or a dangerous one."""
    if len(pattern) > _LONGEST_PATTERN:
        raise PatternError(f"a pattern has at most {_LONGEST_PATTERN} characters, not {len(pattern)}")
    try:
        made = re.compile(pattern, re.IGNORECASE)
        parsed = _parser.parse(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(f"{pattern!r} is no regular expression: {error}") from error
    if made.match(""):
        raise PatternError(f"{pattern!r} matches nothing at all, so it would be found everywhere")
    if made.groups > 1:
        raise PatternError(f"{pattern!r} has {made.groups} groups; one group marks the value, write (?:...) for others")
    _Taken(pattern, parsed).bound(list(parsed))
    return made


def _ways(parts: list[Part]) -> int:
    """Return in how many ways a text can be divided among these parts."""
    most = 1
    open_parts: list[tuple[frozenset[str], int]] = []
    for chars, least, ways in parts:
        if ways > 1:
            cost = ways
            for others, more in open_parts:
                cost *= more if others & chars else 1
            most = max(most, cost)
        if least:  # what comes before can only end where this begins
            open_parts = [(others, more) for others, more in open_parts if others & chars]
        if ways > 1:
            open_parts.append((chars, ways))
    return most


class _Taken:
    """A pattern, taken apart; which characters an item matches is told by a sample of them."""

    def __init__(self, pattern: str, parsed: Any) -> None:
        self._pattern = pattern
        self._state = parsed.state
        self._sample = sorted(_SAMPLE.union(pattern, pattern.lower(), pattern.upper()))

    def bound(self, nodes: list[Any]) -> None:
        """Raise where a text can be divided in too many ways."""
        ways = [_ways(parts) for parts in self._sequences(nodes)]
        if max(ways) > MOST_WAYS or sum(ways) > MOST_IN_ALL:
            raise PatternError(
                f"{self._pattern!r} could take for ever: two of its repeats can match the same text; "
                "tell them apart, or bound one of them ({0,3} or ?; white space is always a single space)"
            )

    def _sequences(self, nodes: list[Any]) -> list[list[Part]]:
        """Return the parts of a pattern in order, once for every choice of its alternatives."""
        found: list[list[Part]] = [[]]
        for op, value in nodes:
            following = self._of(op, value)
            found = [before + after for before in found for after in following]
            if len(found) > _MOST_BRANCHES:
                raise PatternError(f"{self._pattern!r} has too many alternatives; write several patterns")
        return found

    def _of(self, op: Any, value: Any) -> list[list[Part]]:
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            item = _compiler.compile(_parser.SubPattern(self._state, [(op, value)]), re.IGNORECASE)
            return [[(frozenset(filter(item.fullmatch, self._sample)), 1, 1)]]
        if op is sre.AT:
            return [[]]
        if op is sre.SUBPATTERN:
            return self._sequences(list(value[-1]))
        if op is sre.ATOMIC_GROUP:
            return self._sequences(list(value))
        if op is sre.BRANCH:
            return _merged([each for branch in value[1] for each in self._sequences(list(branch))])
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            self.bound(list(value[1]))
            return [[]]
        if op in _REPEATS:
            return self._repeated(*value)
        raise PatternError(f"{self._pattern!r} refers back to what it matched, which is not allowed")

    def _repeated(self, least: int, most: Any, inner: Any) -> list[list[Part]]:
        branches = self._sequences(list(inner))
        if int(most) <= 1:
            if len(branches) == 1 and len(branches[0]) == 1 and not least:
                chars, _, ways = branches[0][0]
                return [[(chars, 0, ways + 1)]]
            return branches if least else _merged([[], *branches])
        if _chooses(inner) or any(ways > 1 for parts in branches for _, _, ways in parts):
            raise PatternError(
                f"{self._pattern!r} repeats what is itself repeated, optional or a choice; write it without"
            )
        begins = branches[0][0][0] if branches[0] else frozenset()  # each further round has to begin with one of these
        return [[(begins, least, min(int(most), LONGEST) - least + 1)]]


_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def _merged(branches: list[list[Part]]) -> list[list[Part]]:
    """Return branches that are made alike once."""
    return [list(parts) for parts in dict.fromkeys(tuple(parts) for parts in branches)]


def _chooses(nodes: Any) -> bool:
    return any(
        op is sre.BRANCH or (op is sre.SUBPATTERN and _chooses(value[-1])) or (op in _REPEATS and _chooses(value[2]))
        for op, value in nodes
    )

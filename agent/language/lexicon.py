"""Words and patterns of the languages, by name: `words("reading.faint")`, `pattern("reading.greeting", "ko")`.

A name is a file of the languages' folders and an entry of it. An entry says what it is for (`about`), and holds one of

- `words`: a text of words, parted by white space
- `phrases`: a list, or a text of one a line
- `patterns`: regular expressions, any of which may match; a list among them is one in pieces, and `«name»` stands for
  the patterns of another entry of the file, `«file.name»` for one of another file
- `map`: a mapping of words to what they stand for
- `groups`: a text, each line a group of phrases parted by commas; a line that is indented goes on with the one before

Without a language, an entry is that of all languages together.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from agent.language.registry import languages, read

Holds = Literal["words", "phrases", "patterns", "map", "groups"]
HOLDS: tuple[Holds, ...] = ("words", "phrases", "patterns", "map", "groups")
_PLACE = re.compile(r"«(\w+(?:\.\w+)?)»")
_GOES_ON = re.compile(r"\n[ \t]+")


@cache
def words(name: str, *codes: str) -> frozenset[str]:
    """Return the words or phrases of an entry, of some languages or of all, or the keys of a map. Raises KeyError."""
    return frozenset(ordered(name, *codes))


@cache
def word_sets(name: str, *codes: str) -> Mapping[str, frozenset[str]]:
    """Return the words or phrases of each language that has an entry, by its code."""
    return {code: frozenset(_listed(name, entry)) for code, entry in _entries(name, codes).items()}


@cache
def ordered(name: str, *codes: str) -> tuple[str, ...]:
    """Return the words or phrases of an entry in their order, each once."""
    return tuple(dict.fromkeys(each for entry in _entries(name, codes).values() for each in _listed(name, entry)))


@cache
def mapping(name: str, *codes: str) -> Mapping[str, Any]:
    """Return what the words of an entry stand for."""
    return {str(key): value for entry in _entries(name, codes).values() for key, value in entry["map"].items()}


@cache
def groups(name: str, *codes: str) -> tuple[tuple[str, ...], ...]:
    """Return the groups of an entry."""
    lines = [
        line
        for entry in _entries(name, codes).values()
        for line in _GOES_ON.sub(" ", entry["groups"]).splitlines()
        if line.strip()
    ]
    return tuple(tuple(phrase.strip() for phrase in line.split(",") if phrase.strip()) for line in lines)


@cache
def regex(name: str, *codes: str) -> str:
    """Return the patterns of an entry as one regular expression, in brackets; words, phrases and keys are literal."""
    return f"(?:{'|'.join(alternatives(name, *codes))})"


@cache
def pattern(name: str, *codes: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return the patterns of an entry as one that is compiled."""
    return re.compile("|".join(alternatives(name, *codes)), flags)


@cache
def patterns(name: str, *codes: str) -> Mapping[str, re.Pattern[str]]:
    """Return the pattern of each language that has one, by its code."""
    return {code: pattern(name, code) for code in _entries(name, codes)}


@cache
def forms(name: str, *codes: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of an entry, each compiled by itself, in order: the first that fits is meant.

    Empty for languages without the entry. Raises KeyError where no language has it.
    """
    found = [code for code in _entries(name, ()) if code in codes or not codes]
    return tuple(re.compile(each, re.IGNORECASE) for code in found for each in alternatives(name, code))


def first(name: str, text: str, *codes: str) -> re.Match[str] | None:
    """Return the match of the first pattern of an entry that a text has, wherever it stands."""
    return next(filter(None, (form.search(text) for form in forms(name, *codes))), None)


def earliest(name: str, text: str) -> re.Match[str] | None:
    """Return the first place of a text at which a pattern of an entry matches, in whichever language.

    Each is a pattern by itself: groups of one name may stand in several.
    """
    return min(filter(None, (form.search(text) for form in forms(name))), key=re.Match.start, default=None)


def has(name: str, *codes: str) -> bool:
    """Tell whether one of these languages, or of all, has an entry."""
    file, _, entry = name.partition(".")
    return any(entry in read(code, file) for code in codes or languages())


def _entries(name: str, codes: tuple[str, ...]) -> dict[str, Mapping[str, Any]]:
    """Return an entry by language. Raises KeyError where no language has it."""
    file, _, entry = name.partition(".")
    found = {code: read(code, file)[entry] for code in codes or languages() if entry in read(code, file)}
    if not found:
        raise KeyError(name)
    return found


def _listed(name: str, entry: Mapping[str, Any]) -> list[str]:
    if "words" in entry:
        return str(entry["words"]).split()
    if "map" in entry:
        return [str(key) for key in entry["map"]]
    if "phrases" not in entry:
        raise KeyError(f"{name} holds no words")
    phrases = entry["phrases"]
    return [line.strip() for line in phrases.splitlines() if line.strip()] if isinstance(phrases, str) else phrases


def alternatives(name: str, *codes: str) -> list[str]:
    """Return the patterns of an entry one by one; words, phrases and keys are literal, the longest first."""
    file = name.partition(".")[0]
    out: list[str] = []
    for code, entry in _entries(name, codes).items():
        if "patterns" not in entry:
            out += [re.escape(each) for each in sorted(_listed(name, entry), key=len, reverse=True)]
            continue
        for each in entry["patterns"]:
            out.append(_PLACE.sub(lambda match, code=code: regex(_full(match[1], file), code), "".join(each)))  # type: ignore[misc]
    return out


def _full(name: str, file: str) -> str:
    return name if "." in name else f"{file}.{name}"

"""Ways of writing a value: patterns of the languages with named parts, put together as one.

A form is a kind with a pattern; its groups name the parts of the value. In one regular expression each group may stand
once, so the groups of each form are numbered; `kind_of` and `parts_of` return them under their own names.
"""

import re
from collections.abc import Iterable
from functools import cache

from agent.language.lexicon import has, mapping, ordered
from agent.language.registry import languages, read

Form = tuple[str, str]
"""A kind, and its pattern."""
_NAMED = re.compile(r"«([\w ]+)»")
_GROUP = re.compile(r"\(\?P<(\w+)>")


def listed(entry: str) -> dict[str, list[Form]]:
    """Return the forms of an entry of `values.yaml`, by language; `«name»` are the words of other entries there."""
    return {
        code: [
            (kind, _NAMED.sub(lambda match, code=code: _words(code, match[1].split()), form))  # type: ignore[misc]
            for kind, form in mapping(f"values.{entry}", code).items()
        ]
        for code in languages()
        if has(f"values.{entry}", code)
    }


def joined(forms: Iterable[Form], first: int = 0) -> str:
    """Return forms as one regular expression, of which the first that matches counts; numbered from `first`."""
    return "|".join(
        f"(?P<{kind}__{n}>{_GROUP.sub(lambda match, n=n: f'(?P<{match[1]}__{n}>', form)})"  # type: ignore[misc]
        for n, (kind, form) in enumerate(forms, first)
    )


def kind_of(match: re.Match[str]) -> str:
    """Return the kind of a match."""
    return (match.lastgroup or "").partition("__")[0]


def parts_of(match: re.Match[str]) -> dict[str, str]:
    """Return the parts of a match, those that it has."""
    n = (match.lastgroup or "").partition("__")[2]
    return {name: match[group] for name, group in _groups(match.re).get(n, ()) if match[group] is not None}


@cache
def _groups(pattern: re.Pattern[str]) -> dict[str, list[tuple[str, int]]]:
    out: dict[str, list[tuple[str, int]]] = {}
    for written, group in pattern.groupindex.items():
        name, _, n = written.partition("__")
        out.setdefault(n, []).append((name, group))
    return out


def _words(code: str, entries: Iterable[str]) -> str:
    found = [
        word
        for entry in entries
        for word in (read(code, "values")[entry].get("map") or ordered(f"values.{entry}", code))
    ]
    return f"(?:{'|'.join(re.escape(word) for word in sorted(found, key=len, reverse=True))})"

"""Puts the addresses of `[text][name]` links where the links are; the lines that define them are no text."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from markdown_it.common.utils import normalizeReference

from storage.ingest.formats.code_parts import Code, Edit, Edited, line_starts, parser

_LINK = re.compile(
    r"!?\[(?P<words>(?>[^\[\]\\]|\\.|\[[^\[\]]{0,200}\](?:\([^()\s]{0,400}\)|\[[^\[\]]{0,200}\])?){1,400}?)\]"
    r"(?:\[(?P<name>[^\[\]\n]{0,200})\])?(?![(\[])"
)
_NOWHERE = ("", "#")
"""Addresses of `[//]: # (words)`, a way to write a comment."""


def resolved(text: str) -> str:
    """Return a text whose links carry their addresses."""
    if "]:" not in text:
        return text
    known: dict[str, Any] = {}
    parser().parse(text, known)
    references: Mapping[str, Any] = known.get("references", {})
    if not references:
        return text
    starts = line_starts(text)
    lines = [each["map"] for each in (*references.values(), *known.get("duplicate_refs", ()))]
    defined: list[Edit] = [(starts[first], starts[last], "") for first, last in lines]
    addresses = {name: each["href"] for name, each in references.items() if each["href"] not in _NOWHERE}
    # The lines go first: what looks like a link in them is within what is changed already.
    rest = Edited(text, defined)
    return Edited(rest.text, _links(rest.text, Code(rest.text), addresses)).text


def _links(text: str, code: Code, addresses: Mapping[str, str]) -> Iterator[Edit]:
    for match in _LINK.finditer(text):
        if code.covers(match.start()):
            continue
        words = match["words"]
        address = addresses.get(normalizeReference(match["name"] or words))
        if "[" in words:  # a picture, or a word in brackets, within the link
            words = Edited(words, _links(words, Code(words), addresses)).text
        if address:
            yield match.start(), match.end(), f"{match.group()[: match.group().index('[') + 1]}{words}]({address})"
        elif words != match["words"]:
            yield match.start("words"), match.end("words"), words

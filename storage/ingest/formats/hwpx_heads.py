"""What stands before the paragraphs of a Hangul document: levels of an outline, numbers, bullets; and their styles.

KS X 6101 (OWPML), the head of a document: `paraPr`, `numbering`, `bullet` and `style`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agent.language.lexicon import forms, pattern
from storage.ingest.formats.counted import circled, ganada, letter, roman

_LEVELS = 10
_DEEPEST = 6
"""Levels of an outline that are headings, as in a Word document."""
_PLACE = re.compile(r"\^(\d{1,2}|[nN])")
_HEADING_STYLES = forms("documents.heading_styles")
_TITLE_STYLE = pattern("documents.title_styles")
_CONTENTS_STYLE = pattern("documents.contents_styles")
_FORMS: Mapping[str, Callable[[int], str]] = {
    "CIRCLED_DIGIT": circled,
    "ROMAN_CAPITAL": lambda number: roman(number).upper(),
    "ROMAN_SMALL": roman,
    "LATIN_CAPITAL": lambda number: letter(number).upper(),
    "LATIN_SMALL": letter,
    "HANGUL_SYLLABLE": ganada,
    "CIRCLED_HANGUL_SYLLABLE": lambda number: chr(0x326D + number) if number < 15 else ganada(number),
}
"""Others are written as digits."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a paragraph is by its shape and style."""

    level: int | None = None
    """Of a heading, 0 for the title of it all."""
    mark: str = ""
    """The number or bullet of an item, with a space behind it and two before it for each level."""
    is_contents: bool = False
    """Whether it is a line of the table of contents."""


class Heads:
    """Tells what stands before each paragraph; counts the numbers as the document goes on."""

    def __init__(self, root: Any | None) -> None:
        self.outline = ""
        """The id of the numbering of the section's outline."""
        self._shapes: dict[str, tuple[str, str, int]] = {}
        """Kind, numbering and level of what precedes a paragraph, by the id of its shape."""
        self._styles: dict[str, Any] = {}
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        """Form, text and first number of each level, by the numbering's id."""
        self._counts: dict[str, list[int]] = {}
        for node in root.iter() if root is not None else ():
            match local(node):
                case "paraPr":
                    heading = next((each for each in node.iter() if local(each) == "heading"), None)
                    if heading is not None:
                        level = number(heading, "level", _LEVELS - 1)
                        self._shapes[node.get("id", "")] = (heading.get("type", ""), heading.get("idRef", ""), level)
                case "style":
                    self._styles[node.get("id", "")] = node
                case "numbering":
                    heads = [each for each in node if local(each) == "paraHead"]
                    self._levels[node.get("id", "")] = {
                        number(each, "level", _LEVELS) - 1: (
                            each.get("numFormat", ""),
                            each.text or "",
                            number(each, "start", 1_000_000, 1),
                        )
                        for each in heads
                    }

    def of(self, paragraph: Any) -> Head:
        """Return what a paragraph is; an item counts by being asked about."""
        style = self._styles.get(paragraph.get("styleIDRef", ""))
        names = [style.get(key, "") for key in ("name", "engName")] if style is not None else []
        if any(map(_CONTENTS_STYLE.fullmatch, names)):
            return Head(is_contents=True)
        shape = paragraph.get("paraPrIDRef") or (style.get("paraPrIDRef") if style is not None else "")
        kind, numbering, level = self._shapes.get(shape or "", ("", "", 0))
        mark = ""
        if kind == "OUTLINE":
            mark = self._numbered(self.outline if numbering in ("", "0") else numbering, level)
        elif kind == "NUMBER":
            mark = self._numbered(numbering, level) or "-"
        elif kind == "BULLET":
            mark = "-"
        found = next((match for name in names for each in _HEADING_STYLES if (match := each.fullmatch(name))), None)
        if kind == "OUTLINE" or (found and kind not in ("NUMBER", "BULLET")):
            level = int(found["level"]) - 1 if found else level
            if level < _DEEPEST:
                return Head(level=level + 1, mark=f"{mark} " if mark else "")
        if not mark and any(map(_TITLE_STYLE.fullmatch, names)):
            return Head(level=0)
        return Head(mark=f"{'  ' * level}{mark} " if mark else "")

    def _numbered(self, numbering: str, level: int) -> str:
        levels = self._levels.get(numbering, {})
        counts = self._counts.setdefault(numbering, [0] * _LEVELS)
        _, text, first = levels.get(level, ("", "", 1))
        counts[level] = counts[level] + 1 if counts[level] else first
        counts[level + 1 :] = [0] * (_LEVELS - level - 1)

        def written(at: int) -> str:
            form, _, start = levels.get(at, ("", "", 1))
            return _FORMS.get(form, str)(counts[at] or start)

        def place(match: re.Match[str]) -> str:
            if match[1] in "nN":  # the whole way down to here, with a point behind it for N
                return ".".join(map(written, range(level + 1))) + ("." if match[1] == "N" else "")
            at = int(match[1]) - 1
            return written(at) if 0 <= at < _LEVELS else ""

        return _PLACE.sub(place, text).strip()


def local(node: Any) -> str:
    """Return the name of an element without its namespace, which differs from version to version."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def number(node: Any, name: str, most: int, default: int = 0) -> int:
    """Return a number of an attribute, no more than `most`; the default for what is none."""
    told = node.get(name, "")
    return min(int(told), most) if told.isascii() and told.isdecimal() and len(told) < 12 else default

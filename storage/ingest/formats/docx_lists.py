"""The numbers and bullets of a Word document, which stand nowhere in its text."""

import re
from typing import Any

from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph

from storage.ingest.formats.counted import circled, ganada, letter, roman

_LEVELS = 9
_DEEPEST_STYLE = 20
_PLACE = re.compile(r"%(\d)")


class Numbering:
    """Counts the items of the lists as the document goes on."""

    def __init__(self, document: Any) -> None:
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        """Format, text and first number of each level, by the list's id."""
        self._counts: dict[str, list[int]] = {}
        try:
            root = document.part.numbering_part.element
        except (KeyError, NotImplementedError):
            return  # python-docx makes a numbering part where there is none, or cannot
        abstract = {each.get(qn("w:abstractNumId")): each for each in root.findall(qn("w:abstractNum"))}
        for each in root.findall(qn("w:num")):
            base = each.find(qn("w:abstractNumId"))
            described = abstract.get(base.get(qn("w:val"))) if base is not None else None
            if described is not None:
                self._levels[each.get(qn("w:numId"))] = dict(map(_level, described.findall(qn("w:lvl"))))

    def mark(self, paragraph: Paragraph) -> str:
        """Return what stands before a paragraph, with a space behind it; nothing before one that is no item."""
        place = _place(paragraph)
        if place is None:
            return ""
        list_id, level = place
        levels = self._levels.get(list_id, {})
        kind, text, first = levels.get(level, ("bullet", "", 1))
        indent = "  " * level
        if kind in ("bullet", "none"):
            return f"{indent}- "
        counts = self._counts.setdefault(list_id, [0] * _LEVELS)
        counts[level] = counts[level] + 1 if counts[level] else first
        counts[level + 1 :] = [0] * (_LEVELS - level - 1)

        def number(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            if not 0 <= at < _LEVELS:
                return ""
            form, _, start = levels.get(at, ("decimal", "", 1))
            return _written(counts[at] or start, form)

        return f"{indent}{_PLACE.sub(number, text).strip() or '-'} "


def _level(node: Any) -> tuple[int, tuple[str, str, int]]:
    def value(name: str, default: str) -> str:
        child = node.find(qn(name))
        return str(child.get(qn("w:val"), default)) if child is not None else default

    level, first = node.get(qn("w:ilvl"), "0"), value("w:start", "1")
    return int(level), (value("w:numFmt", "decimal"), value("w:lvlText", ""), int(first))


def _place(paragraph: Paragraph) -> tuple[str, int] | None:
    """Return the list and the level of a paragraph, by its own properties or by those of its style."""
    sources = [paragraph._p.pPr]
    style: Any = paragraph.style
    while style is not None and len(sources) < _DEEPEST_STYLE:
        sources.append(style.element.find(qn("w:pPr")))
        style = style.base_style
    list_id, level = "", ""
    for properties in sources:
        told = properties.find(qn("w:numPr")) if properties is not None else None
        if told is not None:
            for child in told:
                if child.tag == qn("w:numId"):
                    list_id = list_id or child.get(qn("w:val"), "")
                elif child.tag == qn("w:ilvl"):
                    level = level or child.get(qn("w:val"), "")
        if list_id:
            break
    if list_id in ("", "0"):  # 0 takes a paragraph out of the list of its style
        return None
    return list_id, min(int(level), _LEVELS - 1) if level.isdecimal() else 0


def _written(number: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter"):
        return letter(number).upper() if form == "upperLetter" else letter(number)
    if form in ("lowerRoman", "upperRoman"):
        return roman(number).upper() if form == "upperRoman" else roman(number)
    if form == "ganada":
        return ganada(number)
    if form.startswith("decimalEnclosedCircle"):
        return circled(number)
    return f"{number:02}" if form == "decimalZero" else str(number)

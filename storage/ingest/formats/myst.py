"""Opens the directives of MyST Markdown, boxes written as fences (```` ```{note} ````).

What is in a box is text, and its title stays; what is a program, or a directive that nobody knows, stays code.
(MyST, Roles and Directives; a notebook's ```` ```{r} ```` is written alike and is code.)
"""

import re
from collections.abc import Callable, Sequence
from functools import cache

from docutils.parsers.rst.languages import en

from agent.types import Language
from storage.ingest.formats import rst_dialect
from storage.ingest.formats.containers import fence_of

_OPEN = re.compile(r"(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})\{(?P<kind>[A-Za-z][\w:+.-]*)\}[ \t]*(?P<argument>.*)")
_TARGET = re.compile(r"\([\w .:/-]+\)=\s*")
_OPTION = re.compile(r"[ \t>]*:[A-Za-z][\w-]*:(?:\s.*)?")
_RULE = re.compile(r"[ \t>]*---\s*")
_BOX = re.compile(
    r"tab(?:s|-set|-item|bed)?|grid(?:-item(?:-card)?)?|card(?:-\w+)?|dropdown|details|toggle|margin|glossary"
)
"""Boxes that the themes and extensions of Sphinx add (sphinx-design, sphinx-togglebutton, Sphinx)."""
_TITLED = re.compile(r"admonition|topic|sidebar|rubric|(?:grid-item-)?card|tab(?:-item|bed)?|dropdown|details|toggle")
_LITERAL = frozenset({"math", "csv-table", "replace", "unicode", "target-notes", "parsed-literal"})
"""Directives of docutils whose contents are no text."""
_PLACED = re.compile(r"figure|grid|tab(?:s|-set)|card-\w+|container|class|role|default-role|list-table")
"""Those whose argument is a file or a style, and no text."""
_PICTURES = frozenset({"image", "plot"})
_DEEPEST = 8
"""Boxes within boxes that are opened."""
_ARGUMENT_IS_LANGUAGE = re.compile(r"code(?:-block|-cell)?|sourcecode")


def opened(text: str, language: Language) -> str:
    """Return a text whose boxes are paragraphs like others; notes of versions are worded in its language."""
    return "\n".join(_opened(text.split("\n"), rst_dialect.labels(language), 0))


def _opened(lines: Sequence[str], label: Callable[[str], str], depth: int) -> list[str]:
    if depth > _DEEPEST:
        return list(lines)
    done: list[str] = []
    at = 0
    while at < len(lines):
        fence = fence_of(lines[at])
        if fence is None:
            if not _TARGET.fullmatch(lines[at]):
                done.append(lines[at])
            at += 1
            continue
        end = _end(lines, at, fence[1])
        directive = _OPEN.fullmatch(lines[at])
        inside = lines[at + 1 : end]
        if directive is None:
            done += lines[at : end + 1]
        else:
            done += _shown(directive, inside, lines[end : end + 1], label, depth)
        at = end + 1
    return done


def _end(lines: Sequence[str], at: int, mark: str) -> int:
    """Return the line that closes the fence of this one, or the end of all."""
    for number in range(at + 1, len(lines)):
        fence = fence_of(lines[number])
        if fence is not None and fence[1].startswith(mark) and not fence[2].strip():
            return number
    return len(lines)


def _shown(
    directive: re.Match[str], inside: Sequence[str], end: Sequence[str], label: Callable[[str], str], depth: int
) -> list[str]:
    """Return what is left of a directive: code, nothing, or its title and what is in it."""
    kind, argument, indent = directive["kind"].lower(), directive["argument"].strip(), directive["indent"]
    if rst_dialect.is_unseen(kind) or kind in _PICTURES:
        return []
    note = rst_dialect.is_note(kind)
    if not (note or _is_text(kind)):
        language = argument if _ARGUMENT_IS_LANGUAGE.fullmatch(kind) else ""
        return [f"{indent}{directive['fence']}{language}", *_without_options(inside), *end]
    title = argument if _TITLED.fullmatch(kind) else ""
    words = "" if title or _PLACED.fullmatch(kind) else argument
    body = _opened(_without_options(inside), label, depth + 1)
    if note:
        version, _, words = ("", "", argument) if kind == "seealso" else argument.partition(" ")
        words = f"{label(kind).format(version=version)}: {words}".strip()
        words = words if any(line.strip() for line in body) else words.removesuffix(":")
    head = [f"{indent}**{title}**", indent.rstrip()] if title else []
    return [indent.rstrip(), *head, *([f"{indent}{words}"] if words else []), *body, indent.rstrip()]


def _without_options(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines of a directive without its options: `:name: value`, or YAML between two rules."""
    at = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    if at < len(lines) and _RULE.fullmatch(lines[at]):
        close = next((number for number in range(at + 1, len(lines)) if _RULE.fullmatch(lines[number])), None)
        return lines if close is None else lines[close + 1 :]
    while at < len(lines) and _OPTION.fullmatch(lines[at]):
        at += 1
    return lines[at:]


@cache
def _is_text(kind: str) -> bool:
    """Tell whether what is in a directive is text: docutils or an extension knows it as a box."""
    return bool(_BOX.fullmatch(kind) or kind in en.directives) and not (rst_dialect.is_code(kind) or kind in _LITERAL)

"""Opens the boxes of Markdown dialects: `!!! note`, `=== "Tab"`, `:::tip`, `> [!NOTE]`. What is in them is text.

The marker goes, a title stays; what is indented only because it is in a box moves back, as it would be taken for code.
"""

import re
from collections.abc import Sequence

_FENCE = re.compile(r"[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})(.*)")
_INDENTED = re.compile(
    r"( *)(?:(?:!!!|\?\?\?\+?)\s+[A-Za-z][\w-]*+(?: ++[\w-]++)*+(?:\s*+[\"“](?P<title>[^\"”]*)[\"”])?"
    r"|===[+!]?\s+[\"“](?P<tab>[^\"”]+)[\"”])\s*+"
)
_COLONS = re.compile(r"(\s*):{3,}\s*(?P<open>\{?\.?[A-Za-z][\w.-]*)?(?P<rest>.*)")
_END = re.compile(r"\s*:{3,}\s*")
_CALLOUT = re.compile(r"(\s*(?:>\s*)+)\[!\w+\][+-]?[ \t]*(?P<title>.*)")
_TITLE = re.compile(r"\btitle\s*=\s*[\"']([^\"']+)[\"']|^\s*\[([^\]]+)\]|^\s+[\"“]?([^\s{}\"“][^{}\"”]*)")
_STEP = 4
"""Spaces by which the contents of `!!!` and `===` are indented."""


def opened(text: str) -> str:
    """Return a text whose boxes are paragraphs like others."""
    if not any(mark in text for mark in ("!!!", "???", "===", ":::", "[!")):
        return text
    lines = text.split("\n")
    done: list[str] = []
    boxes: list[int] = []
    fence, colons = "", 0
    last_end = max((number for number, line in enumerate(lines) if _END.fullmatch(line)), default=-1)
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and not fence:
            while boxes and indent < boxes[-1] + _STEP:
                boxes.pop()
        line = line[min(indent, _STEP * len(boxes)) :]
        if match := fence_of(line):
            if not fence:
                fence = match[1]
            elif match[1].startswith(fence) and not match[2].strip():
                fence = ""
            done.append(line)
        elif fence:
            done.append(line)
        elif (match := _INDENTED.fullmatch(line)) and _is_box(lines, number, indent):
            boxes.append(indent)
            title = match["title"] or match["tab"] or ""
            done += ["", f"{match[1]}**{title}**", ""] if title else [""]
        elif match := _CALLOUT.fullmatch(line):
            if title := match["title"].strip():
                done += [f"{match[1]}**{title}**", match[1].rstrip()]
        elif (match := _COLONS.fullmatch(line)) and (colons or match["open"]):
            if match["open"] and number > last_end:
                done.append(line)
                continue
            colons += 1 if match["open"] else -1
            found = _TITLE.search(match["rest"]) if match["open"] else None
            title = next((part for part in found.groups() if part), "").strip() if found else ""
            done += ["", f"{match[1]}**{title}**", ""] if title else [""]
        else:
            done.append(line)
    return "\n".join(done)


def fence_of(line: str) -> re.Match[str] | None:
    """Return the mark that opens or closes code on a line, perhaps of a list's item, and what stands behind it."""
    return _FENCE.fullmatch(line)


def _is_box(lines: Sequence[str], number: int, indent: int) -> bool:
    """Tell whether something is indented below a marker: a sentence may begin with `!!!` too."""
    after = next((line for line in lines[number + 1 : number + 4] if line.strip()), "")
    return len(after) - len(after.lstrip(" ")) >= indent + _STEP

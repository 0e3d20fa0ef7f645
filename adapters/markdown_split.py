"""Cut Markdown that is longer than one message: at structure, code fences closed and opened again."""

import re
from collections.abc import Callable, Iterator

_MIN_LIMIT = 64  # below that a re-opened code fence would leave no room for what stands in it
_FENCE = re.compile(r" {0,3}(`{3,8}|~{3,8})([^`\n]*)$")
_INFO_LIMIT = 20
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,4}[.)])\s")
_UNDER_HEAD = re.compile(r"\s*\|[\s:|-]*-[\s:|-]*$")
"""The line below the head of a table."""
_HEADING = re.compile(r"#{1,6}\s")
_SENTENCE_END = re.compile(r"[.!?。…][\"'”’)*_]*(?:\s?\[\d{1,4}\])*(?=\s)")
_SPACE = re.compile(r"\s+")
_ATOM = re.compile(r"\[\d{1,4}\]|\[[^\]\n]{0,200}\]\([^)\s]{0,400}\)")

_JOINER = "\u200d"
_JOINED = (_JOINER, "\ufe0f", "\u20e3")
"""What makes one sign of those before and after it, or changes the one before it."""
_PARAGRAPH_FILL, _ITEM_FILL, _LINE_FILL, _SENTENCE_FILL = 0.25, 0.3, 0.4, 0.4
"""How full a part must get for a cut of that kind to be good enough."""


def split(text: str, limit: int) -> list[str]:
    """Return the text in parts of at most `limit` characters, none of them blank.

    Cuts stand between paragraphs where possible, else between list items, lines, sentences, words;
    never inside a citation mark, nor in a link that fits. A table that is cut has its head in every part.
    Raises ValueError for a limit below 64.
    """
    if limit < _MIN_LIMIT:
        raise ValueError(f"a limit of {limit} characters is below {_MIN_LIMIT}")
    parts: list[str] = []
    rest, fence = text, ""
    while rest.strip():
        prefix = f"{fence}\n" if fence else ""
        if len(prefix) + len(rest) <= limit:
            parts.append(prefix + rest)
            break
        closing = len("\n") + 8 if fence or "```" in rest[:limit] or "~~~" in rest[:limit] else 0
        cut = _best_cut(rest, limit - len(prefix) - closing, fence)
        part = prefix + rest[:cut].rstrip()
        at_line = rest[cut - 1] == "\n"
        rest = rest[cut:]
        fence = _fence_after(part, "")
        if fence:
            part += "\n" + _marker(fence)
            first, _, after = rest.removeprefix("\n").partition("\n")
            if _closes(first, fence):
                rest, fence = after, ""
        elif at_line:
            rest = _header_of_cut_table(part, rest, limit) + rest
        if not fence:
            rest = re.sub(r"\A(?:[ \t]*\n)+", "", rest) if at_line else rest.lstrip()
        parts.append(part)
    return parts


def outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Return Markdown with its text changed, and its blocks of code as they are; one that is not closed is text."""
    out: list[str] = []
    held: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        if fence and _closes(line, fence):
            out += [*held, line]
            held, fence = [], ""
        elif not fence and (fence := _opens(line)):
            out += [change("\n".join(held))] if held else []
            held = [line]
        else:
            held.append(line)
    return "\n".join([*out, *([change("\n".join(held))] if held else [])])


def _header_of_cut_table(part: str, rest: str, limit: int) -> str:
    """Return the head of the table in which a part ends, where the rest goes on with its rows; else nothing."""
    lines = part.split("\n")
    begins = len(lines)
    while begins and lines[begins - 1].lstrip().startswith("|"):
        begins -= 1
    head = lines[begins : begins + 2]
    if not rest.lstrip(" ").startswith("|") or len(lines) - begins < 3 or not _UNDER_HEAD.match(head[1]):
        return ""
    header = "\n".join(head) + "\n"
    return header if len(header) <= limit // 2 else ""


def _best_cut(rest: str, room: int, fence: str) -> int:
    """Return where to cut, between the first visible character and `room`."""
    start = len(rest) - len(rest.lstrip())
    if start >= room:
        return start  # blank space alone fills the part; it is dropped
    paragraphs: list[int] = []
    items: list[int] = []
    lines: list[int] = []
    for offset, kind in _line_starts(rest, room + 1, fence):
        if offset > start:
            (paragraphs if kind == "paragraph" else items if kind == "item" else lines).append(offset)
    window = rest[: room + 1]
    inside = {i for atom in _ATOM.finditer(rest[: room + 700]) for i in range(atom.start() + 1, atom.end())}
    stops = [m.end() for m in _SENTENCE_END.finditer(rest[: room + 2]) if start < m.end() <= room]
    spaces = [m.start() for m in _SPACE.finditer(window) if start < m.start() <= room and m.start() not in inside]
    choices = ((paragraphs, _PARAGRAPH_FILL), (items, _ITEM_FILL), (lines, _LINE_FILL), (stops, _SENTENCE_FILL))
    for cuts, fill in choices:
        if cuts and cuts[-1] >= room * fill:
            return cuts[-1]
    best = max((cuts[-1] for cuts in (paragraphs, items, lines, stops, spaces) if cuts), default=0)
    if best >= room * 0.2:
        return best
    return next((i for i in range(room, start, -1) if i not in inside and not _within_sign(rest, i)), room)


def _within_sign(text: str, at: int) -> bool:
    """Tell whether a place is inside of what people see as one sign: an emoji made of several."""
    return text[at - 1] == _JOINER or text[at : at + 1] in _JOINED or "\U0001f3fb" <= text[at : at + 1] <= "\U0001f3ff"


def _line_starts(rest: str, end: int, fence: str) -> Iterator[tuple[int, str]]:
    """Yield the start of every line but the first, up to `end`, with what kind of place it is."""
    offset, before, words = 0, "", ""
    for line in rest[: end + 200].split("\n"):
        if 0 < offset <= end and not (fence and fence == _opens(before)) and not _HEADING.match(words):
            yield offset, _kind(before, line, fence)
        fence = ("" if _closes(line, fence) else fence) if fence else _opens(line)
        before, words = line, line if line.strip() else words
        offset += len(line) + 1


def _kind(before: str, line: str, fence: str) -> str:
    if fence:
        return "line"
    if not before.strip() or not line.strip() or _opens(before) or _opens(line) or _HEADING.match(line):
        return "paragraph"
    return "item" if _ITEM.match(line) else "line"


def _fence_after(part: str, fence: str) -> str:
    """Return the line that opened the code fence in which a part ends, or nothing."""
    for line in part.split("\n"):
        fence = ("" if _closes(line, fence) else fence) if fence else _opens(line)
    return fence


def _opens(line: str) -> str:
    """Return how to open the same code fence again, when the line opens one."""
    match = _FENCE.match(line)
    if match is None:
        return ""
    info = match[2].strip()
    return match[1] + (info if len(info) <= _INFO_LIMIT else "")


def _closes(line: str, fence: str) -> bool:
    marker = _marker(fence)
    bare = line.strip()
    return len(bare) >= len(marker) and set(bare) == {marker[0]} and len(line) - len(line.lstrip(" ")) <= 3


def _marker(fence: str) -> str:
    return fence[: len(fence) - len(fence.lstrip(fence[0]))]

"""Tables of Markdown as text with aligned columns, for where a platform renders none."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_TABLE_RULE = re.compile(r"\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+$")
_MARKS = (
    (re.compile(r"<br ?/?>", re.IGNORECASE), " "),
    (re.compile(r"!?\[([^\[\]\n]++)\]\([^()\s]++\)"), r"\1"),
    (re.compile(r"(?<![\\`])`([^`\n]++)`(?!`)"), r"\1"),
    (re.compile(r"(?<![\\*])\*\*(?=\S)([^*\n]++)(?<=\S)\*\*(?!\*)"), r"\1"),
    (re.compile(r"(?<![\w\\_])__(?=\S)([^_\n]++)(?<=\S)__(?!\w)"), r"\1"),
    (re.compile(r"(?<![\\~])~~(?=\S)([^~\n]++)(?<=\S)~~(?!~)"), r"\1"),
    (re.compile(r"(?<![\w*\\])\*(?=\S)([^*\n]++)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w\\_])_(?=\S)([^_\n]++)(?<=\S)_(?!\w)"), r"\1"),
    (re.compile(r"\\([*_~`\[\]#>|\\])"), r"\1"),
)


def lines_of(markdown: str, *, table_limit: int) -> Iterator[tuple[str, bool]]:
    """Yield the lines of Markdown, each with whether it is code; a table is blocks of code of so many characters."""
    lines = markdown.split("\n")
    fence = ""
    i = 0
    while i < len(lines):
        line = lines[i]
        marker = _FENCE.match(line)
        if marker is not None and fence in ("", marker[1]):
            fence = "" if fence else marker[1]
            yield line, True
        elif not fence and "|" in line and i + 1 < len(lines) and _is_rule(lines[i + 1]):
            end = i + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            yield from ((each, True) for each in _table([line, *lines[i + 2 : end]], table_limit))
            i = end
            continue
        else:
            yield line, bool(fence)
        i += 1


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and _TABLE_RULE.match(line) is not None


def _table(rows: list[str], limit: int) -> list[str]:
    """Return the rows of a table as blocks of code with aligned columns, each with the head and no longer than one."""
    cells = [[_unmarked(cell.strip().replace("\\|", "|")) for cell in _split_row(row)] for row in rows]
    columns = max(len(row) for row in cells)
    cells = [row + [""] * (columns - len(row)) for row in cells]
    widths = [max(_width(row[c]) for row in cells) for c in range(columns)]
    lines = [
        "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    head = [lines[0], "  ".join("-" * width for width in widths)]
    room = max(limit - sum(map(len, head)), limit // 2)
    out, size = ["```", *head], 0
    for line in lines[1:]:
        if size and size + len(line) > room:
            out += ["```", "```", *head]
            size = 0
        out.append(line)
        size += len(line) + 1
    return [*out, "```"]


def _unmarked(cell: str) -> str:
    """Return the text of a cell: in code marks would be read as such, and widen the column."""
    for mark, text in _MARKS:
        cell = mark.sub(text, cell)
    return cell.replace("```", "'''")


def _split_row(row: str) -> list[str]:
    return re.split(r"(?<!\\)\|", row.strip().removeprefix("|").removesuffix("|"))


_WIDE = ((0x1100, 0x115F), (0x2E80, 0xD7A3), (0xFF00, 0xFF60))
"""First and last of the characters that take two columns: of Korean, Chinese and Japanese, and wide forms."""


def _width(text: str) -> int:
    return sum(2 if any(first <= ord(ch) <= last for first, last in _WIDE) else 1 for ch in text)

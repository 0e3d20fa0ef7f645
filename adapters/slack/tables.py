"""Tables of an answer as Slack's own: https://docs.slack.dev/reference/block-kit/blocks/table-block.

A message holds one, of at most 100 rows, 20 columns and 10,000 characters; what is more stays Markdown.
"""

import re
from typing import Any

Block = dict[str, Any]

ROWS, COLUMNS, CHARACTERS = 100, 20, 10_000
_TABLE = re.compile(r"(?m)^\|[^\n]*\|[ \t]*\n\|[ \t:|-]*-[ \t:|-]*\|[ \t]*\n(?:\|[^\n]*\|[ \t]*(?:\n|\Z))+")
_CELLS = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"\*\*|__|~~|`")
_BOLD = re.compile(r"\*\*[^*]+\*\*")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\((https?://[^)\s]{1,1000})\)")
_FENCE = re.compile(r"(?m)^ {0,3}(?:```|~~~)")


def with_table(markdown: str) -> list[Block]:
    """Return Markdown as blocks: its first table as one of Slack's own, what stands around it as it was."""
    found = next((each for each in _TABLE.finditer(markdown) if not _in_code(markdown, each.start())), None)
    table = _block(found.group()) if found is not None else None
    if found is None or table is None:
        return [{"type": "markdown", "text": markdown}]
    around = (markdown[: found.start()].strip("\n"), markdown[found.end() :].strip("\n"))
    before, after = ([{"type": "markdown", "text": text}] if text.strip() else [] for text in around)
    return [*before, table, *after]


def _in_code(markdown: str, start: int) -> bool:
    return len(_FENCE.findall(markdown, 0, start)) % 2 == 1


def _block(table: str) -> Block | None:
    """Return a table, header first; None for one that Slack would not take."""
    header, ruler, *lines = [line.strip() for line in table.strip().splitlines()]
    rows = [_cells(line) for line in (header, *lines)]
    width = len(rows[0])
    if not 0 < width <= COLUMNS or len(rows) > ROWS or sum(map(len, map("".join, rows))) > CHARACTERS:
        return None
    right = [each.strip().endswith(":") and not each.strip().startswith(":") for each in _split(ruler)]
    settings = [{"align": "right" if numbers else "left", "is_wrapped": True} for numbers in right[:width]]
    cells = [
        [_cell(text, bold=_is_bold(line)) for text in (*row, *["–"] * width)[:width]]
        for line, row in zip((header, *lines), rows, strict=True)
    ]
    return {"type": "table", "rows": cells, "column_settings": settings}


def _split(line: str) -> list[str]:
    return _CELLS.split(line.strip("|") if line.endswith("|") else line.lstrip("|"))


def _cells(line: str) -> list[str]:
    return [_plain(each) or "–" for each in _split(line)]


def _is_bold(line: str) -> bool:
    """Tell whether all of a row is in bold, as is the row that answers."""
    written = [cell for each in _split(line) if (cell := each.strip())]
    return bool(written) and all(map(_BOLD.fullmatch, written))


def _cell(text: str, *, bold: bool) -> Block:
    if not bold:
        return {"type": "raw_text", "text": text}
    words = {"type": "text", "text": text, "style": {"bold": True}}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [words]}]}


def _plain(cell: str) -> str:
    """Return a cell without marks: Slack shows it as it stands."""
    text = _LINK.sub(lambda link: f"{link[1]} ({link[2]})", cell.replace("\\|", "|"))
    return _MARKS.sub("", text).strip()

"""Pieces of documents made readable: marks dropped, links reduced to their words, rows given their headers."""

import re
from collections.abc import Sequence
from textwrap import dedent

from agent.language.lexicon import regex
from agent.values.dates import NO_DOTTED_DAY

_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\[\]]*+)\]\(\s*+<?((?:[^()\s>]++|\([^()\s]*+\))*+)>?[^)]{0,2000}+\)")
_HALF_LINK = re.compile(r"^[^\[\]()]{0,80}\]\([^)\s]*\)|\]\(https?://[^)\s]*$")
_TAG = re.compile(
    r"<br\s*/?>|</?(?:p|div|span|b|i|em|strong|u|a|ul|ol|li|td|tr|th|table|sup|sub|font|img)(?:\s[^<>]*)?>", re.I
)
_CITATION = re.compile(r"\s?\[\^?\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\](?!\()")
_MARKS = re.compile(
    r"^\s*(?:#{1,6}\s+|>\s?|[-*+•·‣▪○●◦]\s+|"
    rf"{NO_DOTTED_DAY}\d{{1,3}}[.)](?:\s+(?=\S)|(?=[^\d\s]))|\(\d{{1,2}}\)\s*|[①-⑳]\s*|"
    rf"{regex('documents.list_letters')}[.)]\s+)+"
)
_CODE = re.compile(r"(`[^`\n]+`)")
"""A span of code, in which `[1]` is an index and `<li>` a name."""
_MARKED = re.compile(r"\*|__|`|\]\(|<\w")
LONG = 420
"""Characters beyond which a text in bold would be hard to read."""
_QUOTE_BREAK = re.compile(r"(?:(?<!\s)|(?<=>\s))[^\S\n]*+\n\s*+>\s?")
_BOX = re.compile(r"^\[[ xX]\]\s+")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


def tidy(text: str, *, links: bool = False) -> str:
    """Return a sentence or item for reading, without the mark of a list; a date is none: 10. 5.

    With `links`, the address stays beside a link's words.
    """
    return _even(_BOX.sub("", _MARKS.sub("", _inline(text, links=links))))


def _inline(text: str, *, links: bool = False) -> str:
    text = _IMAGE.sub(" ", text)
    text = _LINK.sub(_with_address if links else _words_of_link, text)
    text = _HALF_LINK.sub(" ", text)
    prose = _CODE.split(text)
    prose[::2] = [_CITATION.sub("", _TAG.sub(" ", part)) for part in prose[::2]]
    text = "".join(prose)
    text = _QUOTE_BREAK.sub(" ", text)
    return " ".join(text.split())


def _even(text: str) -> str:
    """Return a text without marks that have lost their other half, and without what stood between it and others."""
    for mark in ("**", "__", "`"):
        if text.count(mark) % 2:
            text = text.replace(mark, "")
    return text.strip().lstrip(":;,| ")


def in_bold(text: str) -> str:
    """Return a text in bold, with what was in bold in it; one that is long or has other marks as it is."""
    bare = text.replace("**", "")
    return f"**{bare}**" if bare and len(bare) <= LONG and not _MARKED.search(bare) else text


def _words_of_link(match: re.Match[str]) -> str:
    return match.group(1) or match.group(2)


def _with_address(match: re.Match[str]) -> str:
    """Return a link as it is where it leads somewhere from a chat, else its words."""
    words, target = match.group(1), match.group(2)
    if target.startswith(("http://", "https://", "mailto:")) and target != words:
        return f"[{words}]({target})" if words else target
    return words or target


def code(text: str) -> str:
    """Return a code block inside a fence; one that stood in a list no deeper than its first line."""
    if _FENCE.match(text):
        first, _, rest = text.strip().partition("\n")
        fence = first[:3]
        rest = dedent(rest)
        lines = [first, *([rest] if rest else []), *([] if rest.endswith(fence) else [fence])]
        return "\n".join(lines)
    fence = "```" if "```" not in text else "~~~~"
    return f"{fence}\n{text.strip(chr(10))}\n{fence}"


def cells(row: str) -> list[str]:
    """Return the cells of a table row for reading; what one begins with is no mark of a list: 11. 30."""
    return [_even(_inline(cell)) for cell in raw_cells(row)]


def raw_cells(row: str) -> list[str]:
    """Return the cells of a table row as they stand."""
    row = row.strip()
    return re.split(r"(?<!\\)\|", row.strip("|")) if "|" in row else row.split("\t")


def row(text: str, header: str) -> str:
    """Return one table row as `header: value` pairs, or its cells where there is no header."""
    values = cells(text)
    names = cells(header) if header else []
    if len(names) != len(values):
        return " · ".join(value for value in values if value)
    pairs = [f"{name}: {value}" if name else value for name, value in zip(names, values, strict=True) if value]
    return "; ".join(pairs)


def table(rows: Sequence[str], header: str, *, bold: int = -1) -> str:
    """Return rows as a small Markdown table, one of them in bold."""
    body = [cells(text) for text in rows]
    if bold >= 0:
        body[bold] = [in_bold(cell) for cell in body[bold]]
    width = max(len(line) for line in body)
    names = cells(header) if header else [""] * width
    width = max(width, len(names))
    lines = [names, ["---"] * width, *body]
    return "\n".join("| " + " | ".join((*line, *[""] * (width - len(line)))) + " |" for line in lines)

"""The roles of Sphinx, by which reStructuredText and MyST Markdown mark what words stand for: `text <target>`."""

import re

REFERRING = frozenset({"ref", "numref"})
"""Roles that are shown as the title of what they point to, where they have none of their own."""
IN_MARKDOWN = re.compile(r"\{(?P<kind>[A-Za-z][\w:+.-]*)\}(?P<mark>`{1,2})(?!`)(?P<words>[^`]{1,500})(?P=mark)(?!`)")
"""A role of MyST."""
_NAMING = re.compile(r"(?:num)?ref|doc|term|abbr|any|eq|cite\w*|download|guilabel|su[bp]")
"""Roles whose words are text; those of others are typed."""
_BRACES = re.compile(r"\{([^{}]*)\}")


def words_of(kind: str, text: str) -> tuple[str, bool]:
    """Return the words that a role of a kind shows, and whether they are a title of their own.

    `text <target>` is its text, `~a.b.C` is C, `:doc:` the name of the page.
    """
    title = text.removesuffix(">").rpartition("<")[0].strip() if text.endswith(">") else ""
    if title:
        return title, True
    if kind in REFERRING:
        return text, False
    if kind == "doc":
        return text.rpartition("/")[2], False
    if kind in ("file", "samp"):
        return _BRACES.sub(r"\1", text), False
    return (text[1:].rpartition(".")[2] if text.startswith("~") else text.removeprefix("!")), False


def in_markdown(role: re.Match[str]) -> str:
    """Return the words of a role of MyST; those that are typed stay code."""
    kind = role["kind"].lower().rpartition(":")[2]
    words, _ = words_of(kind, " ".join(role["words"].split()).replace("\\\\", "\\"))
    return words if _NAMING.fullmatch(kind) else f"`{words}`"

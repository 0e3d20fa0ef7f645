"""Code and links within a line, written as Markdown has them."""

import re

from agent.language.lexicon import words as known

_LEADS = re.compile(r"(?:https?://|mailto:)[^\s<>\"]{1,1000}", re.IGNORECASE)
"""An address that leads somewhere from a chat; one within a site or a page leads nowhere there."""
_SCHEME = re.compile(r"^(?:https?://|mailto:)", re.IGNORECASE)
_ESCAPED = str.maketrans({"(": "%28", ")": "%29"})

_FIXED_PITCH = (
    "mono",
    "courier",
    "consolas",
    "menlo",
    "monaco",
    "coding",
    "sourcecode",
    "cmtt",
    "sftt",
    "ectt",
    "txtt",
)
"""What stands in the names of fonts whose letters are all as wide, TeX's among them."""
_TEXT_FONTS = tuple(known("documents.text_fonts"))


def is_code_font(name: str, *, fixed_pitch: bool = False) -> bool:
    """Tell whether what is set in a font is code: all its letters are as wide, as it says itself or by its name."""
    name = name.lower().replace(" ", "")
    return (fixed_pitch or any(each in name for each in _FIXED_PITCH)) and not name.endswith(_TEXT_FONTS)


def coded(words: str) -> str:
    """Return a piece of code between as many backticks as it needs; white space around it stays outside."""
    code = words.strip()
    if not code:
        return words
    start, end = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
    if "`" in code:
        return f"{start}`` {code} ``{end}" if "``" not in code else words
    return f"{start}`{code}`{end}"


def linked(words: str, address: str) -> str:
    """Return the words of a link with its address; the words alone where it leads nowhere or they tell it."""
    shown, address = words.strip(), address.strip()
    if not shown or not _LEADS.fullmatch(address) or "[" in shown or "]" in shown:
        return words
    bare = _SCHEME.sub("", address).removesuffix("/")
    if bare in shown or (shown.strip("()") in address and "/" in shown):
        return words
    start, end = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
    return f"{start}[{shown}]({address.translate(_ESCAPED)}){end}"

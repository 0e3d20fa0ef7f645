"""Values that people told, made fit for a Markdown text: they stay what they say and become no structure."""

import re
import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode categories of what nobody sees: controls, marks that turn the direction, private use."""
_ALWAYS = re.compile(r"[\\`*\[\]<>|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w{1,40};)|(?<=\s)#")
_FIRST = re.compile(r"^(?:[-+=#:]|\d{1,9}(?=[.)]))")


def clean(text: str) -> str:
    """Return the text in one line, in Unicode NFC, without what cannot be seen."""
    seen = "".join(
        " " if ch.isspace() else ch for ch in text if ch.isspace() or unicodedata.category(ch) not in _UNSEEN
    )
    return " ".join(unicodedata.normalize("NFC", seen).split())


def escaped(text: str) -> str:
    """Return the text, cleaned, so that Markdown shows it as it is, wherever in a line it is put."""
    plain = _ALWAYS.sub(lambda match: "\\" + match.group(), clean(text))
    begun = _FIRST.match(plain)
    if begun is None:
        return plain
    number = begun.group()
    return f"{number}\\{plain[begun.end() :]}" if number[0].isdigit() else f"\\{plain}"

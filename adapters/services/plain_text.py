"""Texts of strangers, with only what can be seen in them.

Invisible characters (tags, variation selectors, marks of direction) can carry words that a person
does not see and a model does, or show a text in another order than it has.
"""

import re
import unicodedata

_DROPPED = frozenset(("Cc", "Cf", "Cn", "Co", "Cs"))
# Letters and marks that show nothing: Hangul fillers, Khmer inherent vowels, variation selectors.
_UNSEEN = re.compile(r"[\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n]+")
_PARAGRAPHS = re.compile(r"(?:(?<!\s)[^\S\n]++)?\n[^\S\n]*+\n\s*+")


def plain(text: str, most: int) -> str:
    """Return at most `most` characters of a text, paragraphs kept, without what is not to be seen."""
    text = _BREAKS.sub("\n", text[: 4 * most]).replace("\t", " ")
    seen = "".join(c for c in _UNSEEN.sub("", text) if c == "\n" or unicodedata.category(c) not in _DROPPED)
    lines = "\n".join(line.strip() for line in _BLANKS.sub(" ", seen).split("\n"))
    return _PARAGRAPHS.sub("\n\n", unicodedata.normalize("NFC", lines)).strip()[:most].rstrip()


def one_line(text: str) -> str:
    """Return a text on one line, without what is not to be seen."""
    return " ".join(plain(text, 10_000).split())

"""What is said about a picture."""

import re

from agent.language.lexicon import regex

_FILE = re.compile(r"\S{0,200}\.(?:png|jpe?g|gif|bmp|svg|emf|wmf|tiff?|webp|heic)", re.IGNORECASE)
_MACHINE = re.compile(rf"(?:(?<!\s)\s++)?{regex('documents.machine_descriptions')}", re.IGNORECASE)
_SHORTEST = 2
_NOTHING = re.compile(rf"{regex('documents.pictures')}?\s*\d*", re.IGNORECASE)


def described(text: str | None) -> str:
    """Return an alternative text; nothing for a file name, or a word that would suit any picture."""
    words = " ".join(_MACHINE.sub("", text or "").split())
    return "" if len(words) < _SHORTEST or _FILE.fullmatch(words) or _NOTHING.fullmatch(words) else words

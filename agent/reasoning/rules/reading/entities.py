"""What a message names: articles of law, codes, dates, numbers with units, addresses, proper names."""

import re

from agent.language.lexicon import regex
from agent.text import ENGLISH_STOP_WORDS
from agent.values.dates import dates

_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"https?://[^\s<>)]+",
        r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+",
        regex("reading.articles_of_law"),
        regex("reading.written_months"),
        r"\b[A-Z][A-Z0-9]*-\d[\w-]*|\b[A-Z]+\d[A-Z0-9]*\b|\bv\d+(?:\.\d+)*\b|\b\d+(?:\.\d+){2,}\b",
        r"(?<![\d/])\d{2,3}\s?/\s?\d{2,3}(?:\s?mmHg)?(?![\d/])",
        r"[$€£₩]\s?\d[\d,.]*\d|[$€£₩]\s?\d"
        rf"|(?<!\d)(?<!\d,)\d[\d,]*+(?:\.\d+)?\s?{regex('reading.counted_things')}(?![A-Za-z])",
        r"\d[\d,]*(?:\.\d+)?",
        r"(?:[A-Z][\w&.-]*[A-Za-z0-9]|(?<![a-z])[a-z]++[A-Z]\w*)(?:\s(?:[A-Z][\w&.-]*[A-Za-z0-9]|of(?=\s[A-Z])))*",
    )
)


def entities_of(text: str) -> tuple[str, ...]:
    """Return what a message names, in order, each once."""
    found = [(each.start, each.end) for each in dates(text, informal=True)]
    taken = bytearray(len(text))
    for start, end in found:
        taken[start:end] = b"\1" * (end - start)
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            if pattern is _PATTERNS[-1] and _is_ordinary(text, start, match.group()):
                continue
            found.append((start, end))
            taken[start:end] = b"\1" * (end - start)
    return tuple(dict.fromkeys(text[a:b].strip(" .,") for a, b in sorted(found)))


def _is_ordinary(text: str, start: int, name: str) -> bool:
    """Tell whether a capital letter only begins a sentence or is a small word."""
    if name.lower() in ENGLISH_STOP_WORDS or len(name) < 2:
        return True
    opens = start == 0 or text[:start].rstrip()[-1:] in {".", "!", "?", ":", "\n"}
    return opens and " " not in name and name[1:] == name[1:].lower()

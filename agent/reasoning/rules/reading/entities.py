"""What a message names: articles of law, codes, dates, numbers with units, addresses, proper names."""

import re

from agent.text import ENGLISH_STOP_WORDS

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"https?://[^\s<>)]+",
        r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+",
        r"제\s?\d+조(?:의\s?\d+)?(?:\s?제?\d+항)?(?:\s?제?\d+호)?",
        r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|(?:\d{4}년\s?)?\d{1,2}월(?:\s?\d{1,2}일)?|\d{4}년",
        rf"\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH}(?:\s\d{{4}})?|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|"
        rf"th)?(?:,?\s\d{{4}})?|{_MONTH}\s\d{{4}}",
        r"\b[A-Z][A-Z0-9]*-\d[\w-]*|\b[A-Z]+\d[A-Z0-9]*\b|\bv\d+(?:\.\d+)*\b|\b\d+(?:\.\d+){2,}\b",
        r"(?<![\d/])\d{2,3}\s?/\s?\d{2,3}(?:\s?mmHg)?(?![\d/])",
        r"[$€£₩]\s?\d[\d,.]*\d|[$€£₩]\s?\d|(?<!\d)(?<!\d,)\d[\d,]*+(?:\.\d+)?\s?(?:%|퍼센트|percent|만원|만 원|억원|"
        r"천원|원|일|개월|년|시간|분|주|회|명|호봉|days?|weeks?|months?|years?|hours?|minutes?|euros?|"
        r"EUR|dollars?|USD|won|KRW|GB|MB|TB|kg|km)(?![A-Za-z])",
        r"\d[\d,]*(?:\.\d+)?",
        r"(?:[A-Z][\w&.-]*[A-Za-z0-9]|(?<![a-z])[a-z]++[A-Z]\w*)(?:\s(?:[A-Z][\w&.-]*[A-Za-z0-9]|of(?=\s[A-Z])))*",
    )
)


def entities_of(text: str) -> tuple[str, ...]:
    """Return what a message names, in order, each once."""
    found: list[tuple[int, int]] = []
    taken = bytearray(len(text))
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

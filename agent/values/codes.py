"""Codes of a text: K18, ISO-27001, 0x8007, an extension. They name one thing, and are said no other way."""

import re

_CODE = re.compile(
    r"(?<![\w.,-])(?!(?:19|20)\d\d\b)(?:\d{3,}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z\d][A-Za-z\d_-]+)(?![\w-]|[.,]\d)"
)
"""Letters with digits, or a number of three digits or more that is no year and has no unit."""


def codes_in(text: str) -> frozenset[str]:
    """Return the codes of a text, in lower case."""
    return frozenset(code.casefold() for code in _CODE.findall(text))

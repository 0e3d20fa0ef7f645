"""Codes and identifiers of a text: K18, ISO-27001, an extension, getElementById. They are said no other way."""

import re

_CODE = re.compile(
    r"(?<![\w.,-])(?!(?:19|20)\d\d\b)(?:\d{3,}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z\d][A-Za-z\d_-]+)(?![\w-]|[.,]\d)"
)
"""Letters with digits, or a number of three digits or more that is no year and has no unit."""

_IDENTIFIER = re.compile(
    r"(?<![\w.-])(?:(?=[A-Za-z]*[a-z][A-Z])[A-Za-z]{5,}"
    r"|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])(?!\d+[A-Za-z]{1,3}(?![\w-]))[A-Za-z\d][A-Za-z\d_-]+)(?![\w-]|[.,]\d)"
)
"""Letters with capitals within, or with digits; but for 5kg and 72k, which are amounts."""


def codes_in(text: str) -> frozenset[str]:
    """Return the codes of a text, in lower case."""
    return frozenset(code.casefold() for code in _CODE.findall(text))


def identifiers_in(text: str) -> list[str]:
    """Return the identifiers of a text as they are written, codes with letters among them."""
    return _IDENTIFIER.findall(text)

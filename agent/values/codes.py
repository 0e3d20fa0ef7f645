"""Codes and identifiers of a text: K18, ISO-27001, an extension, getElementById. They are said no other way."""

import re

_CODE = re.compile(
    r"(?<![\w.,-])(?!(?:19|20)\d\d\b)(?:\d{3,}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z\d][A-Za-z\d_-]+)(?![\w-]|[.,]\d)"
)
"""Letters with digits, or a number of three digits or more that is no year and has no unit."""

_HUMPED = re.compile(r"(?<![\w.-])(?=[A-Za-z]*[a-z][A-Z])[A-Za-z]{5,}(?![\w-]|[.,]\d)")
"""Letters with capitals within."""
_AMOUNT = re.compile(r"\d+[A-Za-z]{0,3}")


def codes_in(text: str) -> frozenset[str]:
    """Return the codes of a text, in lower case."""
    return frozenset(code.casefold() for code in _CODE.findall(text))


def identifiers_in(text: str) -> list[str]:
    """Return the identifiers of a text as they are written, codes with letters among them; no amounts: 5kg, 72k."""
    return [*_HUMPED.findall(text), *(code for code in _CODE.findall(text) if not _AMOUNT.fullmatch(code))]

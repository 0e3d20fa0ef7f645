"""No pattern takes long on a text that somebody made to be slow: every compiled one is run on hostile strings."""

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator

import pytest

LENGTH = 8_000
"""Characters of a message, at most."""
SECONDS = 0.1
"""Processor time of one pattern on one text; a pattern that is linear takes a hundredth of it."""
PIECES = (
    "가", "각 ", "100원", "1", "1 ", "1.", "a", "a ", "a, ", "a-", "A", "Aa ", "(", "[", "](", "{", "<", "|", "| ", " ",
    "\n", "\n\n", "-", "- ", "*", "**", "_", "`", '"', "'", ":", ",", ".", ". ", "!", "?", "@", "#", "=", "/", "the ",
    "and ", "not ", "how ", "그리고 ", "은 ", "하고 ", "년 ", "2024-01-", "http://a", "a.b.", "é", "漢", "😀",
)  # fmt: skip
PACKAGES = ("agent", "adapters", "bot", "storage")


def modules() -> Iterator[str]:
    for name in PACKAGES:
        package = importlib.import_module(name)
        yield name
        yield from (found.name for found in pkgutil.walk_packages(package.__path__, f"{name}."))


def patterns_in(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, dict) and depth < 4:
        for each in [*value.keys(), *value.values()]:
            yield from patterns_in(each, depth + 1)
    elif isinstance(value, tuple | list | frozenset | set) and depth < 4:
        for each in value:
            yield from patterns_in(each, depth + 1)


def compiled(module: str) -> dict[str, re.Pattern[str]]:
    found = vars(importlib.import_module(module))
    return {f"{name}: {p.pattern[:60]}": p for name, value in found.items() for p in patterns_in(value)}


def texts() -> Iterator[tuple[str, str]]:
    for piece in PIECES:
        whole = (piece * LENGTH)[:LENGTH]
        yield piece, whole
        yield f"{piece} and an end", whole[:-1] + "\0"
        yield f"x before {piece}", "x" + whole[:-1]


@pytest.mark.parametrize("module", sorted(set(modules())))
def test_no_pattern_takes_long(module):
    slow = []
    for name, pattern in compiled(module).items():
        for told, text in texts():
            started = time.process_time()
            for _ in pattern.finditer(text):
                pass
            if time.process_time() - started > SECONDS:
                slow.append(f"{name} on {told!r}")
                break
    assert not slow


def test_what_is_slow_is_found():
    quadratic = re.compile(r"\w+\s*=")
    started = time.process_time()
    assert not list(quadratic.finditer("a" * LENGTH))
    assert time.process_time() - started > SECONDS

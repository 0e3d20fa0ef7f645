"""No pattern takes long on a text that somebody made to be slow: every compiled one is run on hostile strings.

The strings are common pieces over and over, and what each pattern's own loops repeat. What is told is the processor's
time, which hardly depends on how busy the machine is, of a long text beside a short one, which does not depend on how
fast it is; a run is broken off where it goes far over, so that a pattern without an end costs no more than a slow one.
"""

import ast
import contextlib
import importlib
import itertools
import math
import pkgutil
import re
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

import pytest

SHORT, LONG = 1_000, 8_000
"""Characters of the first text, and of a message, at most."""
SUSPECT = 0.000_4
"""Seconds by the clock on the short text from which on the long one is tried."""
SECONDS = 0.012
"""Processor time that a text may take without another look; a clock that ticks each 4 ms tells it well enough."""
LONGER, GROWTH = 4, 8
"""The long text is made so many times as long, and takes at most so many times as long: a square takes 16 times."""
MOST = 0.4
"""Processor time after which the long text is broken off: no growth is asked about."""
PIECES = (
    "가", "각 ", "100원", "1", "1.", "1,", "a", "a ", "a, ", "a-", "A", "Aa ", "Aé.", "(", "[", "](", "{", "<", "| ",
    " ", "\n", "\n\n", "\n ", "- ", "*", "_", "`", '"', "'", ":", ".", "!", "@", "a@", "=", "/", "and ", "그리고 ",
    "하고 ", "2024-01-", "http://a", "a.b.", "[a](", "😀",
)  # fmt: skip
PACKAGES = ("agent", "adapters", "bot", "storage")
BOUNDED = {
    "agent.reasoning.rules.reading.search_filters": 500,  # READ
    "agent.reasoning.rules.reading.work_orders": 240,  # READ
    "agent.text._ABBREVIATION": 12,  # the end of a sentence
    "storage.ingest.formats.pdf_running._NUMBER_OF_PAGE": 40,  # _LONGEST_NUMBER
}
"""Characters of the texts that some patterns read, where their module does not read a longer one."""
AT_ITS_START = {"match", "fullmatch"}
Run = Callable[[str], object]


class LateError(Exception):
    """A pattern went over its time."""


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


@cache
def uses(module: str) -> dict[str, set[str]]:
    """Return how a module uses its names: the methods that it calls on them, and "" for any other use."""
    tree = ast.parse(Path(str(importlib.import_module(module).__file__)).read_text(encoding="utf-8"))
    found: dict[str, set[str]] = defaultdict(set)
    called: set[ast.expr] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found[node.value.id].add(node.attr)
            called.add(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
            found[node.id].add("")
    return found


def compiled(module: str) -> Iterator[tuple[str, re.Pattern[str], Run]]:
    """Yield the patterns of a module by name, and what it does with them."""
    for name, value in vars(importlib.import_module(module)).items():
        ways = uses(module)[name] if name.startswith("_") else {""}
        for pattern in patterns_in(value):
            yield f"{module}.{name}", pattern, runs(pattern, ways)


def runs(pattern: re.Pattern[str], ways: Collection[str] = ()) -> Run:
    """Return what is done with a pattern: all that it finds, unless it is only asked about the start of a text."""
    if ways and AT_ITS_START.issuperset(ways):
        return lambda text: [getattr(pattern, way)(text) for way in ways]
    return lambda text: sum(1 for _ in pattern.finditer(text))


def loops(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return texts that a pattern repeats without a limit, each with one that leads there."""
    found: list[tuple[str, str]] = []
    try:
        sample(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), "", found)
    except (re.error, RecursionError):
        return []
    return list(dict.fromkeys(found))[:80]


def sample(parsed: object, before: str, found: list[tuple[str, str]]) -> str:
    """Return one text that a parsed pattern matches, nearly; what it repeats goes to `found`."""
    text = ""
    for code, told in parsed:  # type: ignore[attr-defined]
        if code is codes.LITERAL:
            text += chr(told)
        elif code is codes.IN:
            text += one_of(told)
        elif code in (codes.ANY, codes.NOT_LITERAL):
            text += "x"
        elif code is codes.SUBPATTERN:
            text += sample(told[-1], before + text, found)
        elif code is codes.ATOMIC_GROUP:
            text += sample(told, before + text, found)
        elif code is codes.BRANCH:
            texts = [sample(each, before + text, found) for each in told[1]]
            text += texts[0]
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, body = told
            for choice in choices(body):
                if most > 20 and choice:
                    found.append((before + text, choice))
            text += sample(body, before + text, found) * min(max(least, 1), 3)
    return text


def choices(body: object) -> list[str]:
    """Return a text for each branch that a loop repeats."""
    parts = list(body)  # type: ignore[call-overload]
    while len(parts) == 1 and parts[0][0] in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
        parts = list(parts[0][1][-1] if parts[0][0] is codes.SUBPATTERN else parts[0][1])
    branch = next((told for code, told in parts if code is codes.BRANCH), None)
    if branch is None:
        return [sample(parts, "", [])]
    return [
        "".join(sample([part], "", []) if part[1] is not branch else sample(each, "", []) for part in parts)
        for each in branch[1][:60]
    ]


def one_of(told: list[tuple[object, object]]) -> str:
    code, value = told[0]
    if code is codes.LITERAL:
        return chr(value)  # type: ignore[arg-type]
    if code is codes.RANGE:
        return chr(value[0])  # type: ignore[index]
    if code is codes.CATEGORY:
        return {codes.CATEGORY_SPACE: " ", codes.CATEGORY_DIGIT: "1", codes.CATEGORY_NOT_WORD: "-"}.get(value, "x")
    return "x"


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `LateError` in what takes more of the processor's time."""

    def stop(*_: object) -> None:
        raise LateError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def taken(run: Run, text: str, most: float) -> float:
    """Return the seconds of the processor that a run takes; infinite where it is broken off after `most`."""
    started = time.process_time()
    try:
        with limited(most):
            run(text)
    except LateError:
        return math.inf
    return time.process_time() - started


def slow_on(pattern: re.Pattern[str], run: Run, most: int = LONG, *, enough: int = 3) -> list[str]:
    """Return the first pieces on which a pattern takes longer than it may."""
    found = []
    tries = [
        *itertools.product(PIECES, ("", "\0"), ("",)),
        *((piece, "\0 \0", before) for before, piece in loops(pattern)),
    ]
    for piece, end, before in tries:

        def text(length: int, piece: str = piece, end: str = end, before: str = before) -> str:
            return (before + piece * length)[: length - len(end)] + end

        if suspect(run, text(min(SHORT, most))) and grows(run, text(most), text(most * LONGER)):
            found.append(f"{before!r} and {piece!r}")
        if len(found) == enough:
            break
    return found


def suspect(run: Run, short: str) -> bool:
    started = time.perf_counter()
    return math.isinf(taken(run, short, MOST)) or time.perf_counter() - started > SUSPECT


def grows(run: Run, text: str, longer: str) -> bool:
    """Say whether the time grows faster than the text, twice."""
    for _ in range(2):
        once = taken(run, text, MOST)
        if once < SECONDS or (once < MOST and taken(run, longer, once * GROWTH) < once * GROWTH):
            return False
    return True


@pytest.mark.long
def test_no_pattern_takes_long():
    slow = {}
    known = set()
    for module in sorted(set(modules())):
        for name, pattern, run in compiled(module):
            most = BOUNDED.get(name, BOUNDED.get(module, LONG))
            key = (pattern.pattern, pattern.flags, most)
            if key not in known and (found := slow_on(pattern, run, most)):
                slow[f"{name}: {pattern.pattern[:60]}"] = found
            known.add(key)
    assert not slow


@pytest.mark.parametrize("pattern", [r"\w+\s*=", r"\s+and\b", r"(?:그것|그|것)*$", r"^a cat(?:s|dog\S*)*$"])
def test_what_is_slow_is_found(pattern):
    made = re.compile(pattern)
    assert slow_on(made, runs(made), enough=1)


@pytest.mark.parametrize("pattern", [r"(?<!\w)\w++\s*+=", r"(?<!\s)\s++and\b", r"[가-힣]{1,60}원", r"a.{0,60}?b"])
def test_what_is_linear_passes(pattern):
    made = re.compile(pattern)
    assert not slow_on(made, runs(made))

"""`docs/platform-cases.md` names a test for each case: each of them is there."""

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
CASES = (TESTS.parent / "docs" / "platform-cases.md").read_text(encoding="utf-8")
_TEST = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


@cache
def named_in(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_each_case_has_a_test_and_each_of_them_is_there():
    rows = [line for line in CASES.splitlines() if line.startswith("| ") and not line.startswith("| case ")]
    assert len(rows) > 40
    named = {row: _TEST.findall(row) for row in rows}
    assert [row for row, tests in named.items() if not tests] == []
    gone = [f"{file}::{name}" for tests in named.values() for file, name in tests if name not in named_in(file)]
    assert gone == []

"""Words of a language stand in its folder: no Hangul and no long list of words in the code of anything else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "agent" / "language"
MOST = 12
"""Words of a language that may stand in a row."""

NO_LANGUAGE = """
adapters/playground/markdown.py
agent/packs/template.py
agent/reasoning/analysis_contract.py
agent/reasoning/rules/answering/quote_features.py
agent/reasoning/rules/answering/readable.py
agent/reasoning/rules/thread/context_dependence.py
storage/ingest/dates.py
storage/ingest/formats/html.py
storage/ingest/formats/tags.py
"""
"""Lists of names that belong to a format, a platform or a model of figures, whatever language people speak."""

_HANGUL = re.compile("[가-힣ㄱ-ㆎ]")
_HANGUL_OR_ESCAPE = re.compile(rf"{_HANGUL.pattern}|\\[xuUN]")
_WORD = re.compile(r"[^\W\d_]+(?:['’ -][^\W\d_]+)*")
_CHOICE = re.compile(r"(?:\\b|\?:|\\s\??|[\s?()])*([A-Za-z][A-Za-z' -]+)(?:[a-z]\?|\\w[*+]|[()?\\a-z\s])*")


def literals(code: str) -> Iterator[ast.AST]:
    """Yield what stands in code but for its docstrings, and but for the names that it exports."""
    nodes = list(ast.walk(ast.parse(code)))
    aside = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            aside.add(id(node.value))
    yield from (node for node in nodes if id(node) not in aside)


def texts(nodes: list[ast.expr] | list[ast.expr | None]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def has_hangul(code: str) -> bool:
    if not _HANGUL_OR_ESCAPE.search(code):
        return False  # to parse every file takes long
    return any(_HANGUL.search(text) for node in literals(code) for text in texts([node]))


def row_of_words(node: ast.AST) -> int:
    """Return how many words stand in a row: in a display, in a text that is split, as choices of a pattern."""
    if isinstance(node, ast.Set | ast.List | ast.Tuple | ast.Dict):
        return sum(map(bool, map(_WORD.fullmatch, texts(node.keys if isinstance(node, ast.Dict) else node.elts))))
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("split", "splitlines")
    ):
        return sum(len(text.split()) for text in texts([node.func.value]))
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "|" in node.value:
        return sum(map(bool, map(_CHOICE.fullmatch, node.value.split("|"))))
    return 0


def has_list(code: str) -> bool:
    return any(row_of_words(node) > MOST for node in literals(code))


def found(has) -> set[str]:
    files = [path for room in ("agent", "adapters", "bot", "storage") for path in (ROOT / room).rglob("*.py")]
    return {str(path.relative_to(ROOT)) for path in files if HOUSE not in path.parents and has(path.read_text("utf-8"))}


@pytest.mark.parametrize(("has", "none_of_a_language"), [(has_hangul, ""), (has_list, NO_LANGUAGE)])
def test_words_stand_in_the_folder_of_their_language(has, none_of_a_language):
    now, listed = found(has), set(none_of_a_language.split())
    assert now - listed == set(), "move these words to agent/language/CODE/*.yaml (CONTRIBUTING: a word)"
    assert listed - now == set(), "these files are clean: take them out of the list"


@pytest.mark.parametrize(
    ("code", "hangul", "listed"),
    [
        ('"""Docs may say 휴가."""\n# and so may comments: 휴가', False, False),
        ('x = "휴가"', True, False),
        ("x = f'{y}일'", True, False),
        (r"x = '\uc77c'", True, False),
        ("x = 'one two three four five six seven eight nine ten eleven twelve thirteen'.split()", False, True),
        ("x = 'one two three four five six seven eight nine ten eleven twelve'.split()", False, False),
        ("x = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm'}", False, True),
        (r"x = r'\b(?:able|bold|calm|dull|easy|fair|glad|huge|idle|just|keen|lazy?|mild\w*)\b'", False, True),
        ("__all__ = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm']", False, False),
    ],
)
def test_the_house_rule_sees_what_it_should(code, hangul, listed):
    assert (has_hangul(code), has_list(code)) == (hangul, listed)

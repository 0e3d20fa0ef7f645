"""The body of a template: Markdown with a small part of Jinja2, checked before it is ever rendered.

What a body may hold is listed here, and everything else is refused: no calls, no attributes but the
sections, no imports, no arithmetic, and loops over a list that was told alone, none inside another. So
a body ends, and its size is bounded by what is put in; the sandbox stands behind that a second time.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import jinja2
from jinja2 import meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from agent.errors import PackError
from agent.packs.escaping import escaped
from agent.packs.template import RESERVED, Template

LONGEST_BODY = 50_000
"""Characters of a body."""
LONGEST_TEXT = 200_000
"""Characters of a rendered document."""
_FILTERS = ("default", "join", "lower", "upper", "trim", "capitalize", "title")
_ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr, nodes.If, nodes.CondExpr,
    nodes.Compare, nodes.Operand, nodes.Const, nodes.And, nodes.Or, nodes.Not, nodes.Filter, nodes.For,
)  # fmt: skip


class Written(str):
    """Markdown that is put into a body as it is."""

    __slots__ = ()


class Blank(Written):
    """What stands where something is missing: a condition takes it for nothing, a loop for one thing."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[str]:
        return iter((self,) if len(self) else ())


Value = str | tuple[str, ...]


class Problem(NamedTuple):
    """What is wrong with a body, and in which of its lines, from 1."""

    line: int
    text: str


def problems(template: Template) -> list[Problem]:
    """Return everything that is wrong with a template's body; nothing for one that can be rendered."""
    if len(template.body) > LONGEST_BODY:
        return [Problem(1, f"a body has at most {LONGEST_BODY} characters, not {len(template.body)}")]
    try:
        tree = _environment().parse(template.body)
        # the look for unknown names works constants out: only where no arithmetic is left, which may never end
        refused = list(_refused(tree, template))
        if not refused:
            refused = list(_unknown(tree, meta.find_undeclared_variables(tree), template))
    except jinja2.TemplateSyntaxError as error:
        return [Problem(error.lineno, error.message or "not a template")]
    except RecursionError:
        return [Problem(1, "its expressions are nested too deeply")]
    return sorted(refused) or list(_unused(tree, template))


def render(template: Template, values: Mapping[str, Value], sections: Mapping[str, str]) -> str:
    """Return the body filled in. `values` has every field and reserved name but `section`; they are escaped.

    Raises PackError for a body that is not allowed, or that grows beyond `LONGEST_TEXT`.
    """
    wrong = problems(template)
    if wrong:
        raise PackError(f"template {template.name!r}, line {wrong[0].line}: {wrong[0].text}")
    parts: list[str] = []
    size = 0
    try:
        for part in _compiled(template.body).generate(**values, section=dict(sections)):
            parts.append(part)
            size += len(part)
            if size > LONGEST_TEXT:
                raise PackError(f"template {template.name!r} makes more than {LONGEST_TEXT} characters")
    except (jinja2.TemplateError, TypeError, ValueError) as error:
        raise PackError(f"template {template.name!r} cannot be filled in: {type(error).__name__}") from error
    return "".join(parts)


@lru_cache(maxsize=1)
def _environment() -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, finalize=_put, trim_blocks=True, lstrip_blocks=True
    )
    made.globals.clear()
    made.tests.clear()
    made.filters = {name: made.filters[name] for name in _FILTERS}
    return made


def _put(value: object) -> str:
    if isinstance(value, Written):
        return value
    if isinstance(value, tuple | list):
        return ", ".join(_put(each) for each in value)
    return escaped(str(value))


@lru_cache(maxsize=100)
def _compiled(body: str) -> jinja2.Template:
    return _environment().from_string(body)


def _refused(tree: nodes.Template, template: Template) -> Iterator[Problem]:
    lists = {field.name for field in template.fields if field.type == "list"}
    sections = {section.name for section in template.sections}
    known = _known(template)
    of_sections = {id(each.node) for each in tree.find_all(nodes.Getattr)}
    for node in tree.find_all(nodes.Node):
        wrong = _wrong(node, known, lists, sections)
        if isinstance(node, nodes.Name) and node.name == "section" and id(node) not in of_sections:
            wrong = "section is not put in as a whole; write section.NAME"
        if wrong:
            yield Problem(node.lineno, wrong)


def _unknown(tree: nodes.Template, undeclared: set[str], template: Template) -> Iterator[Problem]:
    known = _known(template)
    told = _listed(known - {"section"})
    for node in tree.find_all(nodes.Name):
        if node.name in undeclared - known:
            yield Problem(node.lineno, f"{node.name!r} is not known; there are {told} and the sections")


def _known(template: Template) -> set[str]:
    return {*RESERVED, *(field.name for field in template.fields)}


def _wrong(node: nodes.Node, known: set[str], lists: set[str], sections: set[str]) -> str:
    """Return what is wrong with one node, without those below it."""
    if not isinstance(node, _ALLOWED):
        return f"{type(node).__name__} is not allowed in a template; see docs/packs.md for what is"
    if isinstance(node, nodes.Getattr):
        if not isinstance(node.node, nodes.Name) or node.node.name != "section":
            return f".{node.attr} is not allowed: only section.NAME has a part"
        if node.attr not in sections:
            return f"section.{node.attr} is not among the sections; there are {_listed(sections)}"
    if isinstance(node, nodes.Filter) and isinstance(node.node, nodes.Getattr):
        return "a section is put in as it is, without a filter"
    if isinstance(node, nodes.For):
        if not isinstance(node.iter, nodes.Name) or node.iter.name not in lists:
            return f"a loop goes over a field of type list alone; there are {_listed(lists)}"
        if node.find(nodes.For) or node.recursive or node.test is not None or node.else_:
            return "a loop holds no other loop, no condition of its own and no else"
        if not isinstance(node.target, nodes.Name) or node.target.name in known:
            return "a loop needs one name of its own for what it goes over"
    return ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _unused(tree: nodes.Template, template: Template) -> Iterator[Problem]:
    """Tell what is asked for or written and then stands nowhere."""
    used = {each.name for each in tree.find_all(nodes.Name)}
    used |= {f"section.{each.attr}" for each in tree.find_all(nodes.Getattr)}
    for name in (*(each.name for each in template.fields), *(f"section.{each.name}" for each in template.sections)):
        if name not in used:
            yield Problem(1, f"{name} is never used; use it, or take it out of the front matter")

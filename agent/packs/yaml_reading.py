"""YAML into a part of a pack. What is wrong with it is told by file, line, key and what is allowed."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from agent.errors import PackError
from agent.packs.mistakes import Shape
from agent.packs.slots import Words
from agent.types import Language

M = TypeVar("M", bound=BaseModel)

LARGEST = 1_000_000
"""Bytes of a file; a pack's words are some thousands, its documents lie beside them."""
MOST_NODES = 50_000
"""Keys and values of a file, what its aliases stand for counted each time."""
MOST_TOLD = 50
"""Lines of a file that are told to be no YAML."""
DEEPEST = 40
"""Levels of a file."""


def text_of(file: Path, *, missing: str = "there is no such file") -> str:
    """Return the text of a file. Raises PackError."""
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise PackError(
                f"{file}: {size / 1e6:.1f} MB; a file of a pack has at most {LARGEST / 1e6:.0f} MB. "
                "Texts to be answered from belong into the folder documents/"
            )
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise PackError(f"{file}: {missing}") from error
    except UnicodeDecodeError as error:
        raise PackError(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except OSError as error:
        raise PackError(f"{file}: {error.strerror}") from error


def parsed(
    text: str,
    model: type[M],
    file: Path,
    *,
    what: str,
    hidden: Collection[str] = (),
    languages: Callable[[M], Sequence[Language]],
) -> M:
    """Return what a YAML text says. Raises PackError with a line for each mistake.

    `what` names it; `hidden` are keys of the model that no file sets; `languages` those that its texts need.
    """
    try:
        node, data = _read(text, file)
    except yaml.MarkedYAMLError as error:
        told = (
            f"{file}:{line}: not YAML: {each.problem or each.context}{_cure(each, text)}"
            for line, each in _broken(text, error).items()
        )
        raise PackError("\n".join(told)) from error
    except yaml.YAMLError as error:
        raise PackError(f"{file}: not YAML: {str(error).splitlines()[0]}") from error
    shape = Shape(model, hidden)
    if not isinstance(data, dict) or node is None:
        raise PackError(f"{file}: {what} is a mapping of keys; allowed are {shape.allowed(model)}")
    problems: list[tuple[Sequence[int | str], str]] = [
        ((key,), f"unknown key; allowed are {shape.allowed(model)}") for key in data if key in hidden
    ]
    try:
        made = model.model_validate({key: value for key, value in data.items() if key not in hidden})
    except ValidationError as error:
        problems += [(each["loc"], shape.words(each)) for each in error.errors()]
        raise PackError(_told(file, node, problems)) from error
    problems += [(loc, "is missing") for loc in _untold(made, languages(made))]
    if problems:
        raise PackError(_told(file, node, problems))
    return made


def _untold(made: Any, languages: Sequence[Language]) -> Iterator[tuple[int | str, ...]]:
    """Yield the place of each text that one of these languages lacks."""
    if isinstance(made, Words):
        yield from ((code,) for code in languages if code not in made.texts)
        return
    within: Iterable[tuple[int | str, Any]] = ()
    if isinstance(made, BaseModel):
        within = ((name, getattr(made, name)) for name in type(made).model_fields)
    elif isinstance(made, tuple):
        within = enumerate(made)
    for key, value in within:
        yield from ((key, *rest) for rest in _untold(value, languages))


def _read(text: str, file: Path) -> tuple[yaml.Node | None, Any]:
    """Return what a YAML text says, and the tree that tells where; reading it once for both."""
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None, None
        _bounded(node, file)
        twice = _twice(node)
        if twice is not None:
            raise PackError(f"{file}:{twice.start_mark.line + 1}: {twice.value}: stands twice; keep one of them")
        return node, loader.construct_document(node)
    except RecursionError as error:
        raise PackError(f"{file}: nested deeper than {DEEPEST} levels; no key of a pack is that deep") from error
    finally:
        loader.dispose()


def _bounded(root: yaml.Node, file: Path) -> None:
    """Refuse a tree whose aliases lead back to themselves, or that is too large with all that they stand for."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def size(node: yaml.Node, level: int) -> int:
        place = f"{file}:{node.start_mark.line + 1}"
        if id(node) in open_nodes:
            raise PackError(f"{place}: an alias (*) stands for something that it is itself a part of; write it out")
        if level > DEEPEST:
            raise PackError(f"{place}: nested deeper than {DEEPEST} levels; no key of a pack is that deep")
        if id(node) not in sizes:
            open_nodes.add(id(node))
            within: list[yaml.Node] = []
            if isinstance(node, yaml.MappingNode):
                within = [part for pair in node.value for part in pair]
            elif isinstance(node, yaml.SequenceNode):
                within = node.value
            sizes[id(node)] = 1 + sum(size(part, level + 1) for part in within)
            open_nodes.discard(id(node))
            if sizes[id(node)] > MOST_NODES:
                raise PackError(
                    f"{place}: more than {MOST_NODES} keys and values, with all that its aliases (*) stand for; "
                    "write out what is needed"
                )
        return sizes[id(node)]

    size(root, 1)


def _twice(node: yaml.Node) -> yaml.ScalarNode | None:
    """Return a key that stands twice in one mapping: the second would silently take the place of the first."""
    looked: set[int] = set()
    todo = [node]
    while todo:
        each = todo.pop()
        if id(each) in looked:
            continue
        looked.add(id(each))
        if isinstance(each, yaml.SequenceNode):
            todo.extend(each.value)
        elif isinstance(each, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in each.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in seen:
                        return key
                    seen.add(key.value)
                todo.append(value)
    return None


def _broken(text: str, error: yaml.MarkedYAMLError) -> dict[int, yaml.MarkedYAMLError]:
    """Return what is wrong by line: the first thing, and where that is a question mark without quotes, the others too.

    That is the one mistake which can be read over.
    """
    found: dict[int, yaml.MarkedYAMLError] = {}
    while error.problem_mark is not None and len(found) < MOST_TOLD:
        found.setdefault(error.problem_mark.line + 1, error)
        at = error.problem_mark.index
        if text[at : at + 1] != "?":
            break
        text = f"{text[:at]}_{text[at + 1 :]}"
        try:
            yaml.compose(text, yaml.SafeLoader)
        except yaml.MarkedYAMLError as further:
            error = further
        else:
            break
    return found or {1: error}


def _cure(error: yaml.MarkedYAMLError, text: str) -> str:
    """Return what mostly helps against what YAML says; empty where nothing is known to."""
    problem, context = error.problem or "", error.context or ""
    line = ""
    if error.problem_mark is not None and error.problem_mark.line < len(lines := text.splitlines()):
        line = lines[error.problem_mark.line]
    if "\t" in line[: len(line) - len(line.lstrip())] or "'\\t'" in problem:
        return ". Indent by spaces, not by tabs"
    if "mapping values are not allowed" in problem:
        return ". Put a text that has a colon into quotes"
    if "flow" in context or "expected ',' or" in problem:
        return ". Put a text with ?, comma, colon or bracket into quotes, and close every { and ["
    if "alias" in problem or "anchor" in context:
        return ". Put a text that begins with * or & into quotes"
    if "could not determine a constructor" in problem:
        return ". Take the tag (!) away"
    if "expected <block end>" in problem:
        return ". Keys of one level begin in the same column"
    return ""


def _told(file: Path, node: yaml.Node, problems: Sequence[tuple[Sequence[int | str], str]]) -> str:
    """Return a line for each problem, in the order of the file."""
    lines = []
    for loc, words in problems:
        key = ".".join(str(part) for part in loc)
        line = _line(node, loc)
        lines.append((line, f"{file}:{line}: {key}: {words}" if key else f"{file}: {words}"))
    return "\n".join(text for _, text in sorted(lines, key=lambda each: each[0]))


def _line(node: yaml.Node, loc: Sequence[int | str]) -> int:
    """Return the line of a key, or of the nearest thing around it that is there."""
    line = node.start_mark.line
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line
        else:
            break
    return line + 1

"""YAML into a part of a pack. What is wrong with it is told by file, line, key and what is allowed."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from agent.errors import PackError
from agent.language import registry
from agent.packs.slots import Misplaced, Words
from agent.text import language_of, shortened
from agent.types import Language

M = TypeVar("M", bound=BaseModel)

LARGEST = 1_000_000
"""Bytes of a file; a pack's words are some thousands, its documents lie beside them."""


_SHOWN = 40
"""Characters of a text that a mistake is told with."""
_KEY = re.compile(r"^[\s-]*(?P<key>[^\s:#-][^\s:]*):(?:\s|$)")
_WANTED = {
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
}
"""What is wanted where something of another kind was given."""


class _Strict(yaml.composer.Composer):
    """Reads YAML without aliases, so that a file is no larger than it looks, and without keys that stand twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Return the next node. Raises ComposerError for an alias."""
        if self.check_event(yaml.AliasEvent):  # type: ignore[attr-defined]
            mark = self.peek_event().start_mark  # type: ignore[attr-defined]
            raise yaml.composer.ComposerError(problem="an alias (*) is not read; write it out", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping. Raises ConstructorError where the second of two keys would silently win."""
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                problem = "a key is one word, no list or mapping"
                raise yaml.constructor.ConstructorError(problem=problem, problem_mark=key.start_mark)
            if key.value in seen:
                problem = f"{key.value}: stands twice; keep one of them"
                raise yaml.constructor.ConstructorError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value)
        made: dict[Any, Any] = super().construct_mapping(node, deep)  # type: ignore[misc]
        return made


class _QuickLoader(_Strict, yaml.CSafeLoader):
    """Reads what is right, in a quarter of the time."""

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        yaml.composer.Composer.__init__(self)


class _Loader(_Strict, yaml.SafeLoader):
    """Tells what is wrong."""


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
        node, data = _read(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise PackError(f"{file}:{line}: not YAML: {error.problem or error.context}{_cure(error, text)}") from error
    except yaml.YAMLError as error:
        raise PackError(f"{file}: not YAML: {str(error).splitlines()[0]}") from error
    except RecursionError as error:
        raise PackError(f"{file}: nested too deeply; no key of a pack is that deep") from error
    shape = _Shape(model, hidden)
    if not isinstance(data, dict) or node is None:
        raise PackError(f"{file}: {what} is a mapping of keys; allowed are {shape.allowed(model)}")
    problems: list[tuple[Sequence[int | str], str]] = [
        ((key,), f"unknown key; allowed are {shape.allowed(model)}") for key in data if key in hidden
    ]
    try:
        made = model.model_validate({key: value for key, value in data.items() if key not in hidden})
    except ValidationError as error:
        found = error.errors()
        problems += [(_place(each), shape.words(each)) for each in found if not _follows(each, found)]
        raise PackError(_told(file, node, problems)) from error
    problems += [(loc, "is missing") for loc in _untold(made, languages(made))]
    if problems:
        raise PackError(_told(file, node, problems))
    return made


def _place(error: Mapping[str, Any]) -> tuple[int | str, ...]:
    """Return where a mistake stands; one of several parts together tells that itself."""
    told = error.get("ctx", {}).get("error")
    return (*error["loc"], *(told.place if isinstance(told, Misplaced) else ()))


def _follows(error: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a list is only too short because what it holds is wrong."""
    loc = error["loc"]
    within = (each for each in others if len(each["loc"]) > len(loc) and each["loc"][: len(loc)] == loc)
    return error["type"] == "too_short" and any(within)


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


def _read(text: str) -> tuple[yaml.Node | None, Any]:
    """Return what a YAML text says, and the tree that tells where; reading it once for both."""
    try:
        return _read_by(_QuickLoader(text))
    except yaml.YAMLError:
        return _read_by(_Loader(text))


def _read_by(loader: _QuickLoader | _Loader) -> tuple[yaml.Node | None, Any]:
    try:
        node = loader.get_single_node()
        return node, loader.construct_document(node) if node is not None else None
    finally:
        loader.dispose()


def _cure(error: yaml.MarkedYAMLError, text: str) -> str:
    """Return what mostly helps against what YAML says; empty where nothing is known to."""
    problem, context = error.problem or "", error.context or ""
    line = above = ""
    if error.problem_mark is not None and error.problem_mark.line < len(lines := text.splitlines()):
        line = lines[error.problem_mark.line]
        above = next((each for each in reversed(lines[: error.problem_mark.line]) if each.strip()), "")
    if "\t" in line[: len(line) - len(line.lstrip())] or "'\\t'" in problem:
        return ". Indent by spaces, not by tabs"
    if "mapping values are not allowed" in problem and _is_deeper(line, above):
        return ". Begin this line in the column of the key above it: keys of one level stand below each other"
    if "mapping values are not allowed" in problem:
        return ". Put a text that has a colon into quotes"
    if "flow" in context or "expected ',' or" in problem:
        return ". Put a text with comma, colon or bracket into quotes, and close every { and ["
    if "alias" in problem or "anchor" in context:
        return ". Put a text that begins with * or & into quotes"
    if "could not determine a constructor" in problem:
        return ". Take the tag (!) away"
    if "expected <block end>" in problem:
        return ". Keys of one level begin in the same column"
    return ""


def _is_deeper(line: str, above: str) -> bool:
    """Tell whether a line is a key that is indented further than a key with a value right above it."""
    mine, other = _KEY.match(line), _KEY.match(above)
    return mine is not None and other is not None and mine.start("key") > other.start("key")


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


class _Shape:
    """What the keys of a file may be."""

    def __init__(self, model: type[BaseModel], hidden: Collection[str]) -> None:
        self._model = model
        self._hidden = hidden

    def allowed(self, model: type[BaseModel]) -> str:
        """Return the keys that a mapping may have."""
        if issubclass(model, Words):
            return ", ".join(registry.languages())
        return ", ".join(name for name in model.model_fields if name not in self._hidden)

    def words(self, error: Mapping[str, Any]) -> str:
        """Return what is wrong and what would be right."""
        context = error.get("ctx", {})
        match error["type"]:
            case "extra_forbidden":
                return self._unknown(str(error["loc"][-1]), self._model_at(error["loc"][:-1]))
            case "missing":
                return "is missing"
            case "literal_error":
                return f"{error['input']!r} is not allowed; use {context['expected']}"
            case "string_pattern_mismatch":
                return f"{error['input']!r} is not allowed; use small letters, digits and _, beginning with a letter"
            case "string_type" if isinstance(error["input"], bool | int | float | date):
                kind = "a yes or no" if isinstance(error["input"], bool) else "a number or date"
                return f"is {kind} to YAML, and should be a text: put it into quotes"
            case "value_error":
                return str(context["error"])
            case kind if kind in _WANTED:
                return f"must be {_WANTED[kind]}, not {shortened(repr(error['input']), _SHOWN)}"
            case "tuple_type" | "list_type" if isinstance(error["input"], str):
                return f"must be a list; write [{shortened(error['input'], _SHOWN)}]"
            case "dict_type":
                return "must be a mapping, `key: value`"
            case "model_type" | "model_attributes_type":
                return self._unmapped(self._model_at(error["loc"]), error["input"])
        message = (
            str(error["msg"])
            .replace("Input should", "should")
            .replace("valid tuple", "list")
            .replace("Tuple", "list")
            .replace(" after validation", "")
        )
        return message[:1].lower() + message[1:]

    def _unknown(self, key: str, model: type[BaseModel]) -> str:
        """Say that a key is not known, with the one that is likely meant."""
        likely = get_close_matches(key, [name for name in model.model_fields if name not in self._hidden], n=1)
        meant = f" (did you mean {likely[0]}?)" if likely else ""
        return f"unknown key{meant}; allowed are {self.allowed(model)}"

    def _unmapped(self, model: type[BaseModel], given: object) -> str:
        """Say that a mapping is wanted; of a text that it goes below its language."""
        if issubclass(model, Words) and isinstance(given, str):
            text = json.dumps(shortened(given, _SHOWN), ensure_ascii=False)
            return f"must say its language: write {{{language_of(given)}: {text}}}"
        return f"must be a mapping; its keys are {self.allowed(model)}"

    def _model_at(self, loc: Sequence[int | str]) -> type[BaseModel]:
        """Return the part of a pack that a place in the file belongs to."""
        model = self._model
        for part in loc:
            field = model.model_fields.get(str(part))
            if field is not None:
                model = _model_in(field.annotation) or model
        return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := _model_in(each))), None)

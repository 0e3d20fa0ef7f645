"""YAML into a part of a pack. What is wrong with it is told by file, line, key and what is allowed."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from agent.errors import PackError

M = TypeVar("M", bound=BaseModel)


def text_of(file: Path, *, missing: str = "there is no such file") -> str:
    """Return the text of a file. Raises PackError."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise PackError(f"{file}: {missing}") from error
    except UnicodeDecodeError as error:
        raise PackError(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except OSError as error:
        raise PackError(f"{file}: {error.strerror}") from error


def parsed(text: str, model: type[M], file: Path, *, what: str, hidden: Collection[str] = ()) -> M:
    """Return what a YAML text says. Raises PackError with a line for each mistake.

    `what` names it; `hidden` are keys of the model that no file sets.
    """
    try:
        node, data = _read(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise PackError(f"{file}:{line}: not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise PackError(f"{file}: not YAML: {str(error).splitlines()[0]}") from error
    shape = _Shape(model, hidden)
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
    if problems:
        raise PackError(_told(file, node, problems))
    return made


def _read(text: str) -> tuple[yaml.Node | None, Any]:
    """Return what a YAML text says, and the tree that tells where; reading it once for both."""
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        return node, None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


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
        return ", ".join(name for name in model.model_fields if name not in self._hidden)

    def words(self, error: Mapping[str, Any]) -> str:
        """Return what is wrong and what would be right."""
        context = error.get("ctx", {})
        match error["type"]:
            case "extra_forbidden":
                return f"unknown key; allowed are {self.allowed(self._model_at(error['loc'][:-1]))}"
            case "missing":
                return "is missing"
            case "literal_error":
                return f"{error['input']!r} is not allowed; use {context['expected']}"
            case "string_pattern_mismatch":
                return f"{error['input']!r} is not allowed; use small letters, digits and _, beginning with a letter"
            case "value_error":
                return str(context["error"])
            case "model_type" | "model_attributes_type":
                return f"must be a mapping; its keys are {self.allowed(self._model_at(error['loc']))}"
        message = (
            str(error["msg"])
            .replace("Input should", "should")
            .replace("valid tuple", "list")
            .replace("Tuple", "list")
            .replace(" after validation", "")
        )
        return message[:1].lower() + message[1:]

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

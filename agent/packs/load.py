"""Reads `pack.yaml`. What is wrong with it is told by file, line, key and what is allowed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from agent.errors import PackError
from agent.packs.pack import Pack

_FILE = "pack.yaml"
_HERE = Path(__file__).parent
_SET_ON_LOAD = frozenset({"folder"})


def available() -> list[str]:
    """Return the names of the packs that come with Weft."""
    return sorted(file.parent.name for file in _HERE.glob(f"*/{_FILE}"))


def builtin(name: str) -> Path:
    """Return the folder of a pack that comes with Weft. Raises PackError for another name."""
    if name not in available():
        raise PackError(
            f"There is no pack named {name!r}. Available: {', '.join(available())}. "
            f"A pack of your own is given by the path of its folder."
        )
    return _HERE / name


def load_pack(path: Path) -> Pack:
    """Return the pack of a folder, or of its `pack.yaml`. Raises PackError with a line for each mistake."""
    file = path if path.name == _FILE else path / _FILE
    text = _text(file)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise PackError(f"{file}:{line}: not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise PackError(f"{file}: not YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(data, dict) or node is None:
        raise PackError(f"{file}: a pack is a mapping of keys; allowed are {_allowed(Pack)}")
    problems: list[tuple[Sequence[int | str], str]] = [
        ((key,), f"unknown key; allowed are {_allowed(Pack)}") for key in data if key in _SET_ON_LOAD
    ]
    try:
        pack = Pack.model_validate({key: value for key, value in data.items() if key not in _SET_ON_LOAD})
    except ValidationError as error:
        problems += [(each["loc"], _words(each)) for each in error.errors()]
        raise PackError(_told(file, node, problems)) from error
    if problems:
        raise PackError(_told(file, node, problems))
    return pack.model_copy(update={"folder": file.parent.resolve()})


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise PackError(f"{file}: there is no such file; a pack is a folder with a {_FILE} in it") from error
    except UnicodeDecodeError as error:
        raise PackError(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except OSError as error:
        raise PackError(f"{file}: {error.strerror}") from error


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


def _words(error: Mapping[str, Any]) -> str:
    """Return what is wrong and what would be right."""
    context = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key; allowed are {_allowed(_model_at(error['loc'][:-1]))}"
        case "missing":
            return "is missing"
        case "literal_error":
            return f"{error['input']!r} is not allowed; use {context['expected']}"
        case "string_pattern_mismatch":
            return f"{error['input']!r} is not allowed; use small letters, digits and _, beginning with a letter"
        case "value_error":
            return str(context["error"])
        case "model_type" | "model_attributes_type":
            return f"must be a mapping; its keys are {_allowed(_model_at(error['loc']))}"
    message = (
        str(error["msg"])
        .replace("Input should", "should")
        .replace("valid tuple", "list")
        .replace("Tuple", "list")
        .replace(" after validation", "")
    )
    return message[:1].lower() + message[1:]


def _allowed(model: type[BaseModel]) -> str:
    return ", ".join(name for name in model.model_fields if name not in _SET_ON_LOAD)


def _model_at(loc: Sequence[int | str]) -> type[BaseModel]:
    """Return the part of a pack that a place in the file belongs to."""
    model: type[BaseModel] = Pack
    for part in loc:
        field = model.model_fields.get(str(part))
        if field is not None:
            model = _model_in(field.annotation) or model
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := _model_in(each))), None)

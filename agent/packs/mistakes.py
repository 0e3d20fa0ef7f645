"""What is wrong with a value of a pack's file, and what would be right, in plain words."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, get_args

from pydantic import BaseModel

from agent.language import registry
from agent.packs.slots import Words
from agent.text import language_of, shortened

_SHOWN = 40
"""Characters of a text that a mistake is told with."""
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


class Shape:
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
                return f"unknown key; allowed are {self.allowed(self._model_at(error['loc'][:-1]))}"
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

"""Messages as rows of the inbox hold them."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from agent.types import IncomingMessage

_MESSAGE = TypeAdapter(IncomingMessage)


def readable(payload: str) -> IncomingMessage | None:
    """Return a message as it was written; None for a row that is damaged, or of a later version."""
    try:
        return _MESSAGE.validate_json(payload)
    except ValidationError:  # its words quote the message
        return None


def written(message: IncomingMessage) -> str:
    """Return a message as a row holds it."""
    try:
        return _MESSAGE.dump_json(message).decode()
    except PydanticSerializationError:  # half of a surrogate pair somewhere: text that no encoding can hold
        return json.dumps(clean(_MESSAGE.dump_python(message, mode="python")), ensure_ascii=False)


def clean(value: Any) -> Any:
    """Return a value whose texts can be encoded."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {key: clean(item) for key, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, list | tuple) else value

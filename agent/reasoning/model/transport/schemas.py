"""The JSON schema of an answer, as endpoints take one."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]

_KEYS = ("type", "description", "enum", "items", "properties", "required", "anyOf", "minItems", "maxItems")


@cache
def schema_of(shape: type[BaseModel], *, strict: bool) -> Schema:
    """Return the schema in the few keywords that every endpoint knows, every key required, without references.

    `strict`: with the one keyword more that strict mode wants, and that Gemini's endpoint, for one, refuses. A shape
    must not refer to itself.
    """
    whole = shape.model_json_schema()
    named: Mapping[str, Any] = whole.get("$defs", {})

    def plain(node: Mapping[str, Any]) -> Schema:
        if "$ref" in node:
            node = {**named[node["$ref"].rpartition("/")[2]], **{k: v for k, v in node.items() if k != "$ref"}}
        if "const" in node:
            node = {**node, "enum": [node["const"]]}
        out = {key: node[key] for key in _KEYS if key in node}
        if "properties" in out:
            out["properties"] = {name: plain(each) for name, each in out["properties"].items()}
            out |= {"required": list(out["properties"])} | ({"additionalProperties": False} if strict else {})
        if isinstance(out.get("items"), Mapping):
            out["items"] = plain(out["items"])
        if "anyOf" in out:
            out["anyOf"] = [plain(each) for each in out["anyOf"]]
        return out

    return plain(whole)

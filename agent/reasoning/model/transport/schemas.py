"""The JSON schema of an answer, in the two ways that endpoints take one."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]

_PLAIN_KEYS = ("type", "description", "enum", "items", "properties", "required", "anyOf", "minItems", "maxItems")
_DEEPEST = 12


@cache
def strict_schema(shape: type[BaseModel]) -> Schema:
    """Return the JSON schema that strict mode takes: every key required, none besides, no defaults."""

    def strict(node: Any) -> Any:
        if isinstance(node, list):
            return [strict(item) for item in node]
        if not isinstance(node, dict):
            return node
        out = {key: strict(value) for key, value in node.items() if key not in ("default", "title")}
        if node.get("type") == "object" and "properties" in node:
            # `properties` and `$defs` are maps of names: a field that is called `title` must stay
            out["properties"] = {name: strict(value) for name, value in node["properties"].items()}
            out |= {"required": list(node["properties"]), "additionalProperties": False}
        return out

    schema: Schema = strict(shape.model_json_schema())
    return schema


def plain_schema(shape: type[BaseModel]) -> Schema:
    """Return the schema in the few keywords that every endpoint knows, without references.

    Gemini's endpoint, for one, refuses `$ref` and `additionalProperties`. What refers to itself is cut
    at a depth, as an object of any kind.
    """
    whole = shape.model_json_schema()
    named: Mapping[str, Any] = whole.get("$defs", {})

    def plain(node: Mapping[str, Any], depth: int) -> Schema:
        if "$ref" in node:
            if depth >= _DEEPEST:
                return {"type": "object"}
            node = {**named[node["$ref"].rpartition("/")[2]], **{k: v for k, v in node.items() if k != "$ref"}}
        if "const" in node:
            node = {**node, "enum": [node["const"]]}
        if "allOf" in node and len(node["allOf"]) == 1:
            return plain({**node["allOf"][0], **{k: v for k, v in node.items() if k != "allOf"}}, depth + 1)
        out = {key: node[key] for key in _PLAIN_KEYS if key in node}
        if "properties" in out:
            out["properties"] = {name: plain(each, depth + 1) for name, each in out["properties"].items()}
            out["required"] = list(out["properties"])
        if isinstance(out.get("items"), Mapping):
            out["items"] = plain(out["items"], depth + 1)
        if "anyOf" in out:
            out["anyOf"] = [plain(each, depth + 1) for each in out["anyOf"]]
        return out

    return plain(whole, 0)

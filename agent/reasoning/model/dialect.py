"""What an endpoint takes: found out from its refusals, one step at a time."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from pydantic import BaseModel


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """The optional parts of a request that an endpoint is thought to understand."""

    shape: Literal["json_schema", "json_object", "text"] = "json_schema"
    """How an answer's shape is asked for; `text`: by the prompt alone."""
    limit: Literal["max_tokens", "max_completion_tokens", ""] = "max_tokens"
    """What the bound on an answer is called; newer OpenAI models refuse the old name."""
    temperature: bool = True

    def parameters(self, *, schema: type[BaseModel] | None, tokens: int, temperature: float) -> dict[str, Any]:
        """Return the optional part of a request."""
        out: dict[str, Any] = {}
        if self.limit == "max_tokens":
            out["max_tokens"] = tokens
        elif self.limit:
            out["max_completion_tokens"] = tokens * 4  # these models count their unseen thoughts as well
        if self.temperature:
            out["temperature"] = temperature
        if schema is not None and self.shape == "json_object":
            out["response_format"] = {"type": "json_object"}
        elif schema is not None and self.shape == "json_schema":
            described = {"name": schema.__name__.lower(), "strict": True, "schema": strict_schema(schema)}
            out["response_format"] = {"type": "json_schema", "json_schema": described}
        return out

    def simpler(self, refusal: str, *, structured: bool) -> Self | None:
        """Return what to try after a refusal (its body, in lower case); None when it is about something else."""
        if "context length" in refusal or "context_length" in refusal or "content_filter" in refusal:
            return None
        if self.temperature and "temperature" in refusal:
            return replace(self, temperature=False)
        if self.limit == "max_tokens" and "max_tokens" in refusal:
            return replace(self, limit="max_completion_tokens")
        if self.limit == "max_completion_tokens" and "max_completion_tokens" in refusal:
            return replace(self, limit="")
        if structured and self.shape != "text":  # endpoints word this refusal in too many ways to tell it by its words
            return replace(self, shape="json_object" if self.shape == "json_schema" else "text")
        return None


def strict_schema(shape: type[BaseModel]) -> Mapping[str, Any]:
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

    schema: Mapping[str, Any] = strict(shape.model_json_schema())
    return schema

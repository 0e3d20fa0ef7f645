"""What an endpoint takes: found out from its refusals, one step at a time, and remembered for a while."""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, Self

from pydantic import BaseModel

from agent.reasoning.model.transport.messages import Said

Way = Literal["strict", "plain", "json_object", "text"]
"""How an answer's shape is asked for: a JSON schema in strict mode or not, JSON of any shape, or the prompt alone."""
_WAYS: tuple[Way, ...] = ("strict", "plain", "json_object", "text")
KEPT_SECONDS = 24 * 3600.0
"""How long a refusal is believed: an endpoint that was brought up to date is noticed the next day."""

_NOT_ABOUT_THE_REQUEST = re.compile(
    r"context.?length|content_?filter|content management policy|model_not_found|(?:invalid|unknown|no such) model"
    r"|\bmodel\b.{0,200}(?:not found|does not exist)"
)
_ABOUT_THE_SCHEMA = re.compile(
    r"additional_?properties|\$ref|\$defs|strict|keyword|unknown name|invalid schema|nesting"
)
_NO_SYSTEM = re.compile(
    r"system (?:role|message)s?[^.]{0,20} not (?:supported|allowed)|role[^.]{0,20}\bsystem\b|roles must"
)
_THOUGHTS = 4
"""Models that think before they answer count their unseen thoughts as well: so many times the room."""
_KEYS = ("type", "description", "enum", "items", "properties", "required", "anyOf", "minItems", "maxItems")
_BY_PROMPT = "\n\nThe JSON object has this JSON Schema:\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """The optional parts of a request that an endpoint is thought to understand."""

    way: Way = "strict"
    limit: Literal["max_tokens", "max_completion_tokens", ""] = "max_tokens"
    """What the bound on an answer is called; newer OpenAI models refuse the old name."""
    temperature: bool = True
    seed: bool = True
    usage: bool = True
    """Whether a stream may be asked to end with what it cost."""
    system: bool = True
    """Whether there is a role for rules; else they begin the first message of the user."""
    thinks_aloud: bool = False
    """Whether answers begin with thoughts that only have an end mark, because the prompt's template holds the other."""

    def request(
        self,
        messages: Sequence[Said],
        *,
        shape: type[BaseModel] | None,
        tokens: int,
        temperature: float,
        seed: int | None,
        streaming: bool,
    ) -> dict[str, Any]:
        """Return what is sent besides the model's name."""
        out: dict[str, Any] = {"messages": self._messages(messages, shape), "stream": streaming}
        if self.limit == "max_tokens":
            out["max_tokens"] = tokens
        elif self.limit:
            out["max_completion_tokens"] = tokens * _THOUGHTS
        if self.temperature:
            out["temperature"] = temperature
        if self.seed and seed is not None:
            out["seed"] = seed
        if self.usage and streaming:
            out["stream_options"] = {"include_usage": True}
        return out | (self._shape(shape) if shape else {})

    def simpler(self, refusal: str, *, structured: bool, streaming: bool) -> Self | None:
        """Return what to try after a refusal (its body, in lower case); None when it is about something else."""
        if _NOT_ABOUT_THE_REQUEST.search(refusal):
            return None
        if self.temperature and "temperature" in refusal:
            return replace(self, temperature=False)
        if self.usage and streaming and ("stream_options" in refusal or "include_usage" in refusal):
            return replace(self, usage=False)
        if self.seed and re.search(r"\bseed\b", refusal):
            return replace(self, seed=False)
        if self.limit == "max_tokens" and "max_tokens" in refusal:
            return replace(self, limit="max_completion_tokens")
        if self.limit == "max_completion_tokens" and "max_completion_tokens" in refusal:
            return replace(self, limit="")
        if self.system and _NO_SYSTEM.search(refusal):
            return replace(self, system=False)
        # Endpoints word the others in too many ways to tell them by their words: what is least known goes first.
        if self.usage and streaming:
            return replace(self, usage=False)
        return self.looser(about_schema=bool(_ABOUT_THE_SCHEMA.search(refusal))) if structured else None

    def looser(self, *, about_schema: bool = False) -> Self | None:
        """Return the next way to ask for a shape; None after the last."""
        if self.way == "text":
            return None
        if self.way == "strict" and not about_schema:
            return replace(self, way="json_object")
        return replace(self, way=_WAYS[_WAYS.index(self.way) + 1])

    def _shape(self, shape: type[BaseModel]) -> dict[str, Any]:
        if self.way == "text":
            return {}
        if self.way == "json_object":
            return {"response_format": {"type": "json_object"}}
        strict = self.way == "strict"
        named = {"name": shape.__name__.lower(), "schema": schema_of(shape, strict=strict)}
        return {"response_format": {"type": "json_schema", "json_schema": named | ({"strict": True} if strict else {})}}

    def _messages(self, messages: Sequence[Said], shape: type[BaseModel] | None) -> list[dict[str, str]]:
        out = [{"role": said["role"], "content": said["content"]} for said in messages]
        if shape is not None and self.way in ("json_object", "text"):
            out[0]["content"] += _BY_PROMPT + described(shape)
        if not self.system and len(out) > 1 and (out[0]["role"], out[1]["role"]) == ("system", "user"):
            rules = out.pop(0)["content"]
            out[0]["content"] = f"{rules}\n\n{out[0]['content']}"
        return out


class Dialects:
    """What each model of an endpoint was found to take. An entry is believed for `keep` seconds."""

    def __init__(self, *, keep: float = KEPT_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._keep = keep
        self._clock = clock
        self._known: dict[str, tuple[Dialect, float]] = {}
        """By model, with the time until which it is believed."""

    def of(self, model: str) -> Dialect:
        """Return how to speak to a model."""
        dialect, until = self._known.get(model, (Dialect(), 0.0))
        return dialect if self._clock() < until else Dialect()

    def learn(self, model: str, dialect: Dialect) -> None:
        """Remember what worked. What is learnt later does not make what was learnt before last longer."""
        _, until = self._known.get(model, (None, 0.0))
        now = self._clock()
        self._known[model] = dialect, until if now < until else now + self._keep


def described(shape: type[BaseModel]) -> str:
    """Return a shape as words of a prompt."""
    return json.dumps(schema_of(shape, strict=False), ensure_ascii=False)


@cache
def schema_of(shape: type[BaseModel], *, strict: bool) -> Mapping[str, Any]:
    """Return the schema in the few keywords that every endpoint knows, every key required, without references.

    `strict`: with the one keyword more that strict mode wants, and that Gemini's endpoint, for one, refuses. A shape
    must not refer to itself.
    """
    whole = shape.model_json_schema()
    named: Mapping[str, Any] = whole.get("$defs", {})

    def plain(node: Mapping[str, Any]) -> Mapping[str, Any]:
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

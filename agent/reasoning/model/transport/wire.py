"""What an endpoint sent, read as leniently as real servers ask for, and no more.

`content` may be null, a text or a list of parts; `choices` may be missing beside a usage; an error may come
with status 200.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError, field_validator

from agent.reasoning.model.transport.failures import NonsenseError, ReportedError, UnusableError
from agent.reasoning.model.transport.usage import Spent


class _Said(BaseModel):
    content: str = ""
    refusal: str | None = None

    @field_validator("content", mode="before")
    @classmethod
    def _joined(cls, value: object) -> object:
        if isinstance(value, list):  # parts; those that are thoughts have another type
            return "".join(str(part.get("text") or "") for part in value if _is_text(part))
        return value or ""


class _Choice(BaseModel):
    index: int | None = 0
    message: _Said | None = None
    delta: _Said | None = None
    finish_reason: str | None = None


class _Cached(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Cached | None = None

    @property
    def spent(self) -> Spent | None:
        if not self.prompt_tokens:  # some servers send zeros while they stream
            return None
        cached = (self.prompt_tokens_details.cached_tokens or 0) if self.prompt_tokens_details else 0
        return Spent(
            tokens_in=max(0, self.prompt_tokens),
            tokens_out=max(0, self.completion_tokens or 0),
            tokens_cached=min(max(0, cached), self.prompt_tokens),
        )


class _Completion(BaseModel):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None

    @field_validator("usage", mode="before")
    @classmethod
    def _or_none(cls, value: object) -> object:
        try:
            return _Usage.model_validate(value)
        except ValidationError:  # the bill is odd, not the answer
            return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """What a response, or a piece of one, says."""

    text: str = ""
    finish: str = ""
    spent: Spent | None = None
    """None: it does not say."""

    def check(self) -> None:
        """Raise UnusableError for an answer that is no use, however well it is formed."""
        if self.finish == "content_filter":
            raise UnusableError("The model refused to answer.")
        if self.finish == "length":
            raise UnusableError("The model's answer was cut at its length limit.")


def completion(body: bytes) -> Heard:
    """Return what a whole response says.

    Raises ReportedError, UnusableError, and NonsenseError or ValidationError for anything else.
    """
    read = _Completion.model_validate_json(body)
    if read.error and not read.choices:
        raise ReportedError(_code(read.error))
    if read.choices is None:
        raise NonsenseError
    return _heard(read, whole=True)


def chunk(event: object) -> Heard:
    """Return what an event of a stream says, as its JSON was decoded. Raises as `completion` does."""
    heard = _heard(_Completion.model_validate(event), whole=False)
    try:
        heard.text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which can neither be stored nor shown
        raise NonsenseError from None
    return heard


def _heard(read: _Completion, *, whole: bool) -> Heard:
    spent = read.usage.spent if read.usage else None
    choice = next((each for each in read.choices or () if not each.index), None)  # a second one was not asked for
    if choice is None:
        if whole:
            raise UnusableError("The model gave no answer.")
        return Heard(spent=spent)
    said = (choice.message if whole else choice.delta or choice.message) or _Said()
    if said.refusal:
        raise UnusableError("The model refused to answer.")
    return Heard(text=said.content, finish=choice.finish_reason or "", spent=spent)


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")


def _code(error: Any) -> int:
    code = error.get("code") if isinstance(error, dict) else 0
    return int(code) if isinstance(code, (int, str)) and str(code).isascii() and str(code).isdigit() else 0

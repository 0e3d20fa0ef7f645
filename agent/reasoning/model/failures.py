"""How a call fails, and what the vendor's library raises turned into that.

ModelError
├── RefusedError     the endpoint works and does not take this request
├── UnusableError    the endpoint works, and this answer is of no use
└── NotAskedError    nothing was sent
    └── BudgetError  because a limit is reached

Every other ModelError speaks against the endpoint. No text of the endpoint is ever part of an error: it may
repeat the key or the question, and an error's words end in logs.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import openai
from pydantic import ValidationError

from agent.errors import ModelError

_ABOUT_THE_REQUEST = (400, 404, 413, 422)


class RefusedError(ModelError):
    """The model endpoint does not take this request."""


class UnusableError(ModelError):
    """The model's answer is of no use."""


class NotAskedError(ModelError):
    """The model was not asked."""


class ReportedError(Exception):
    """An error that came with status 200; `code` is 0 where none was given."""

    def __init__(self, code: int) -> None:
        super().__init__("reported with status 200")
        self.code = code


class NonsenseError(Exception):
    """What came is no chat completion."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the vendor's library raises into ModelError, without the endpoint's own words.

    The cause is left out of the chain on purpose: its text and its request hold the key and the question.
    """
    try:
        yield
    except openai.APIStatusError as error:
        kind = RefusedError if error.status_code in _ABOUT_THE_REQUEST else ModelError
        raise kind(f"The model endpoint answered with status {error.status_code}{_advice(error)}.") from None
    except (openai.APITimeoutError, TimeoutError):
        raise ModelError("The model did not answer in time.") from None
    except openai.APIConnectionError:
        raise ModelError("The model endpoint could not be reached: check OPENAI_BASE_URL.") from None
    except ReportedError as error:
        kind = RefusedError if error.code in _ABOUT_THE_REQUEST else ModelError
        told = f" of code {error.code}" if error.code else ""
        raise kind(f"The model endpoint reported an error{told}.") from None
    except (NonsenseError, openai.OpenAIError, ValidationError, json.JSONDecodeError, UnicodeError):
        raise ModelError(
            "The model endpoint sent something that is no chat completion: check OPENAI_BASE_URL."
        ) from None


def _advice(error: openai.APIStatusError) -> str:
    if error.status_code in (401, 403):
        return ": check OPENAI_API_KEY"
    if error.status_code == 404:
        return ": check OPENAI_BASE_URL and the name of the model"
    if error.code == "insufficient_quota":
        return ": the account's quota is used up"
    return ""

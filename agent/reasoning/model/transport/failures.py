"""How a call fails, whether it is tried again, and what the vendor's library raises turned into that.

ModelError
├── RefusedError     the endpoint works and does not take this request
├── UnusableError    the endpoint works, and this answer is of no use
├── PassingError     the endpoint may work the next time
├── LateError        there was no answer within the time that the call had
└── NotAskedError    nothing was sent
    ├── BudgetError  because a limit is reached
    └── RestingError because the endpoint is left alone, which was logged when it began

Every other ModelError speaks against the endpoint. No text of the endpoint is ever part of an error: it may
repeat the key or the question, and an error's words end in logs.
"""

import random
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2  # what `openai` speaks HTTP with
import openai

from agent.errors import ModelError
from agent.reasoning.combined.guarded_calls import KnownError
from agent.retry_after import told_to_wait

_ABOUT_THE_REQUEST = (400, 404, 413, 422)
_NO_SUCH_MODEL = re.compile(
    r"model_not_found|(?:invalid|unknown|no such) model|\bmodel\b.{0,200}(?:not found|does not exist|not available)",
    re.S,
)
"""As OpenAI, Azure, Ollama, vLLM and LiteLLM word it. What an endpoint says is looked at, and never told."""
_LOST = (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError)
_READ_OF_AN_ERROR = 10_000
"""Characters."""
_NO_HEADER = "The request could not be written: check OPENAI_API_KEY for line breaks and letters that are not ASCII."
_FILTERED = re.compile(r"content_filter|content management policy")
_TOO_LONG = re.compile(r"context_length_exceeded|maximum context length|context (?:size|window|length)")
RETRIES = 2
"""After a failure that may pass: rate limit, server error, lost connection."""
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
_PASSING = (408, 409, 425, 429)
_LASTING = (httpx2.LocalProtocolError, httpx2.UnsupportedProtocol, httpx2.TooManyRedirects)
"""What is wrong with the key or the address, which the next try shares."""


class RefusedError(ModelError):
    """The model endpoint does not take this request."""


class UnusableError(ModelError):
    """The model's answer is of no use."""


class PassingError(ModelError):
    """What came was no answer, and the next one may be: a server error, a lost connection, broken JSON."""


class LateError(ModelError):
    """The model did not answer within the time that the call had."""


class NotAskedError(ModelError):
    """The model was not asked."""


class RestingError(NotAskedError, KnownError):
    """The model failed a moment ago and is left alone for a while."""


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
        raise _kind(error.status_code)(
            f"The model endpoint answered with status {error.status_code}{_advice(error)}."
        ) from None
    except (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError):
        raise LateError("The model did not answer in time: `weft doctor` tells a slow one from a broken one.") from None
    except openai.APIConnectionError as error:
        lost = isinstance(error.__cause__, _LOST)
        raise (PassingError if lost else ModelError)(_unreached(error)) from None
    except ReportedError as error:
        told = f" of code {error.code}" if error.code else ""
        raise _kind(error.code or 500)(f"The model endpoint reported an error{told}.") from None
    except UnicodeEncodeError:
        raise ModelError(_NO_HEADER) from None
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL):
        # The library lets through what happens while it reads the body of an error.
        raise PassingError("The model endpoint's answer broke off.") from None
    except (NonsenseError, openai.OpenAIError, ValueError, RecursionError):
        # Of these two: no JSON, another shape, letters that are none, a number of too many digits, brackets too deep.
        raise PassingError(
            "The model endpoint sent something that is no chat completion: check OPENAI_BASE_URL."
        ) from None


def _kind(status: int) -> type[ModelError]:
    """Return what a status says of the endpoint. One that wants to be asked less (429) goes on so for a while."""
    if status in _ABOUT_THE_REQUEST:
        return RefusedError
    return PassingError if status >= 500 or status in (408, 409, 425) else ModelError


def passing(error: Exception) -> bool:
    """Tell whether the same request may succeed a little later. A timeout has used up the call's time already."""
    if isinstance(error, openai.APIStatusError):
        status, quota = error.status_code, error.code == "insufficient_quota"
        return not quota and (status in _PASSING or status >= 500)
    if isinstance(error, ReportedError):
        return error.code in _PASSING or error.code >= 500
    if isinstance(error, openai.APITimeoutError) or isinstance(error.__cause__, _LASTING):
        return False
    return isinstance(error, openai.APIConnectionError)


def pause(error: Exception, tries: int) -> float:
    """Return how many seconds to wait before the next try: what the endpoint says, else "full jitter".

    That is a random time up to twice as long after each try, which spreads those that failed together best:
    M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    told = told_to_wait(error.response.headers) if isinstance(error, openai.APIStatusError) else None
    if told is not None:
        return told * random.uniform(1.0, 1.1)  # noqa: S311 - not all that wait at the same moment
    return random.uniform(0.0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (tries - 1)))  # noqa: S311 - no secret


def _advice(error: openai.APIStatusError) -> str:
    """Return what to do about a refusal, as far as its words tell that to who knows what to look for."""
    if error.status_code in (401, 403):
        return ": check OPENAI_API_KEY"
    if error.code == "insufficient_quota":
        return ": the account's quota is used up"
    if error.status_code in _ABOUT_THE_REQUEST:
        words = str(getattr(error, "body", ""))[:_READ_OF_AN_ERROR].lower()
        if _FILTERED.search(words):
            return ": its content filter stopped the question or the documents"
        if _TOO_LONG.search(words):
            return ": the prompt is too long for the model, set its context_tokens to what it holds"
        if _NO_SUCH_MODEL.search(words):
            return ": it does not know the model, check WEFT_MODEL and WEFT_SMALL_MODEL"
    if error.status_code == 404:
        return ": check OPENAI_BASE_URL, which often ends in /v1, and the name of the model in WEFT_MODEL"
    if 300 <= error.status_code < 400:
        return ": it sends elsewhere, check OPENAI_BASE_URL"
    return ""


def _unreached(error: openai.APIConnectionError) -> str:
    """Return why there was no answer. The library keeps the reason as the cause."""
    cause = error.__cause__
    if isinstance(cause, httpx2.LocalProtocolError):
        return _NO_HEADER
    if isinstance(cause, httpx2.UnsupportedProtocol):
        return "The model endpoint has no address: OPENAI_BASE_URL must begin with http:// or https://."
    if isinstance(cause, httpx2.TooManyRedirects):
        return "The model endpoint sends in circles: check OPENAI_BASE_URL."
    if isinstance(cause, _LOST):
        return "The model endpoint broke the connection, or does not speak HTTP: check OPENAI_BASE_URL."
    if isinstance(refused := _tls(cause), ssl.SSLCertVerificationError):
        return "The model endpoint's certificate is not trusted: name its authority's file in SSL_CERT_FILE."
    if refused is not None:
        return "The model endpoint does not speak TLS: check whether OPENAI_BASE_URL should begin with http://."
    return "The model endpoint could not be reached: check OPENAI_BASE_URL, and that the endpoint runs."


def _tls(error: BaseException | None) -> ssl.SSLError | None:
    """Return the failure of TLS behind an error, if there is one."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error

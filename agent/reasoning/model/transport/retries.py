"""Whether a request may be sent again, and when."""

import random

import httpx2  # what `openai` speaks HTTP with
import openai

from agent.reasoning.model.transport.failures import ReportedError
from agent.retry_after import told_to_wait

RETRIES = 2
"""After a failure that may pass: rate limit, server error, lost connection."""
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
_PASSING = (408, 409, 425, 429)
_LASTING = (httpx2.LocalProtocolError, httpx2.UnsupportedProtocol, httpx2.TooManyRedirects)
"""What is wrong with the key or the address, which the next try shares."""


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

"""Whether a request may be sent again, and when."""

import email.utils
import random
import time

import openai

from agent.reasoning.model.failures import ReportedError

RETRIES = 2
"""After a failure that may pass: rate limit, server error, lost connection."""
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
_PASSING = (408, 409, 425, 429)


def passing(error: Exception) -> bool:
    """Tell whether the same request may succeed a little later. A timeout has used up the call's time already."""
    if isinstance(error, openai.APIStatusError):
        status, quota = error.status_code, error.code == "insufficient_quota"
        return not quota and (status in _PASSING or status >= 500)
    if isinstance(error, ReportedError):
        return error.code in _PASSING or error.code >= 500
    return isinstance(error, openai.APIConnectionError) and not isinstance(error, openai.APITimeoutError)


def pause(error: Exception, tries: int) -> float:
    """Return how many seconds to wait before the next try: what the endpoint says, else "full jitter".

    That is a random time up to twice as long after each try, which spreads those that failed together best:
    M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    told = _told(error)
    if told is not None:
        return told * random.uniform(1.0, 1.1)  # noqa: S311 - not all that wait at the same moment
    return random.uniform(0.0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (tries - 1)))  # noqa: S311 - no secret


def _told(error: Exception) -> float | None:
    """Return how many seconds the endpoint asks to wait, as a number or as a date (RFC 9110, 10.2.3)."""
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return max(0.0, email.utils.mktime_tz(date) - time.time()) if date else None

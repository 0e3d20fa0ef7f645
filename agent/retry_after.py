"""How long a service asks to be left alone."""

import email.utils
import time
from collections.abc import Mapping


def told_to_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a service asks to wait, as a number or as a date (RFC 9110, 10.2.3); else None.

    `headers` find their names whatever the case; `retry-after-ms` is what some models' endpoints say besides.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    try:
        return max(0.0, email.utils.mktime_tz(date) - time.time()) if date else None
    except (ValueError, OverflowError):  # a year beyond the calendar
        return None

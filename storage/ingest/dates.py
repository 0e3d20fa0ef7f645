"""The day a document was written or last changed, from whatever spelling it uses for it."""

import re
from collections.abc import Mapping
from datetime import date

from agent.values.dates import dates

_FIRST, _LAST = 1900, 2100
"""Years outside are a mistake of somebody's clock or form."""
_COMPACT = re.compile(r"\s*(?:D:)?(\d{4})(\d{2})(\d{2})(?:\d{4,6})?(?!\d)")

_KEYS = """updated updated_at updated_on updatedat last_updated lastupdated last_update modified modified_at modified_on
    last_modified lastmodified lastmod date published published_at published_on publishedat publish_date pubdate
    date_published created created_at created_on createdat creation_date date_created issued""".split()


def day(value: object) -> str:
    """Return a date as `YYYY-MM-DD`; empty for what is none."""
    if isinstance(value, date):  # a datetime too
        return _valid(value.year, value.month, value.day)
    if not isinstance(value, str) or len(value) > 100:
        return ""
    if match := _COMPACT.match(value):
        return _valid(*map(int, match.groups()))
    found = next((each for each in dates(value) if each.year and each.day), None)
    return _valid(found.year, found.month, found.day) if found else ""


def told(metadata: Mapping[str, object]) -> str:
    """Return the date that metadata tells: of the last change before the one of publication."""
    known = {key.lower().replace("-", "_"): value for key, value in metadata.items()}
    return next((found for key in _KEYS if key in known and (found := day(known[key]))), "")


def _valid(year: int, month: int, number: int) -> str:
    if not _FIRST <= year <= _LAST:
        return ""
    try:
        return date(year, month, number).isoformat()
    except ValueError:
        return ""

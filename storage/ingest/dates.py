"""The day a document was written or last changed, from whatever spelling it uses for it."""

import re
from collections.abc import Mapping
from datetime import date

_FIRST, _LAST = 1900, 2100
"""Years outside are a mistake of somebody's clock or form."""
_MONTHS = {
    name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)
}
_NUMERIC = re.compile(r"\s*(?:D:)?(\d{4})\s*([-/.년]?)\s*(\d{1,2})\s*[-/.월]?\s*(\d{1,2})(?!\d)")
_COMPACT = re.compile(r"\s*(?:D:)?(\d{4})(\d{2})(\d{2})(?:\d{4,6})?(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})(?!\d)")
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)")

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
    if (match := _NUMERIC.match(value)) and match[2]:
        return _valid(int(match[1]), int(match[3]), int(match[4]))
    if match := _DAY_FIRST.search(value):
        return _valid(int(match[3]), _month(match[2]), int(match[1]))
    if match := _MONTH_FIRST.search(value):
        return _valid(int(match[3]), _month(match[1]), int(match[2]))
    return ""


def told(metadata: Mapping[str, object]) -> str:
    """Return the date that metadata tells: of the last change before the one of publication."""
    known = {key.lower().replace("-", "_"): value for key, value in metadata.items()}
    return next((found for key in _KEYS if key in known and (found := day(known[key]))), "")


def _month(name: str) -> int:
    return _MONTHS.get(name[:3].lower(), 0)


def _valid(year: int, month: int, number: int) -> str:
    if not _FIRST <= year <= _LAST:
        return ""
    try:
        return date(year, month, number).isoformat()
    except ValueError:
        return ""

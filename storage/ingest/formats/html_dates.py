"""When a page was written or last changed, by what it says of itself to machines."""

import re

from bs4 import BeautifulSoup

from storage.ingest.dates import told

_PREFIX = re.compile(r"^(?:article|og|dcterms|dc|citation|sailthru|parsely)[:._-](?:date[._])?", re.IGNORECASE)
_LINKED = re.compile(r"\"date(Modified|Published|Created)\"\s*:\s*\"([^\"]{4,60})\"")


def date_of(page: BeautifulSoup) -> str:
    """Return the date in the page's head, or in the data for search engines."""
    found: dict[str, object] = {}
    for tag in page.find_all(["meta", "time"], limit=500):
        name = tag.get("property") or tag.get("name") or tag.get("itemprop") or tag.get("http-equiv")
        value = tag.get("content") or tag.get("datetime")
        if isinstance(name, str) and isinstance(value, str):
            found.setdefault(_key(name), value)
    for script in page.find_all("script", type="application/ld+json", limit=20):
        for name, value in _LINKED.findall(script.get_text()[:200_000]):
            found.setdefault(name.lower(), value)
    return told(found)


def _key(name: str) -> str:
    bare = _PREFIX.sub("", name).lower().removesuffix("_time").removesuffix("-time")
    # dateModified and the like
    return bare[4:] if bare in ("datemodified", "datepublished", "datecreated") else bare

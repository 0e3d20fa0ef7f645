"""What a tag within Markdown becomes: nothing, mostly; a link, a heading or a picture where it is one."""

import html
import re
from collections.abc import Set

from storage.ingest.formats.figures import described

_WRITTEN = (
    r"(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'"
    r"|\{(?:[^{}]|\{[^{}]{0,500}\}){0,2000}\}|[^\s\"'<>={}`]+)"
)
ATTRIBUTES = rf"(?:\s+(?:[\w:@.-]+(?:\s*=\s*{_WRITTEN})?|\{{\.\.\.[^{{}}]{{0,200}}\}})){{0,40}}+"
TAG = re.compile(rf"<(?P<close>/?)(?P<name>[A-Za-z][\w.-]{{0,60}})(?P<attributes>{ATTRIBUTES})\s*(?P<alone>/?)>")
DROPPED = re.compile(r"<(script|style|iframe|svg|video|audio|object|noscript|template)\b[^<>]{0,2000}>", re.IGNORECASE)

_INLINE = frozenset(
    """a abbr b bdi bdo big br cite code del dfn em font i img input ins kbd label mark q s samp small span strike
    strong sub sup time tt u var wbr""".split()
)
_BLOCKS = frozenset(
    """address article aside blockquote caption center col colgroup dd details div dl dt figcaption figure footer h1 h2
    h3 h4 h5 h6 header hr li main nav ol p picture pre section source summary table tbody td tfoot th thead tr
    ul""".split()
)
_NEVER_CLOSED = frozenset("br hr img wbr p li dt dd td th tr".split())
_TITLE = re.compile(r"\b(?:title|titleText|label|header|heading|summary)\s*=\s*(?:\"([^\"]+)\"|'([^']+)')")
_NAME = re.compile(r"\bname\s*=\s*\"([^\"]*\s[^\"]*)\"")
_VALUE = r"\b{}\s*=\s*(?:\"([^\"]*)\"|'([^']*)')"


def shown(match: re.Match[str], closed: Set[str], *, opens_line: bool, ends_line: bool) -> str | None:
    """Return what a tag is for a reader; None where it is no tag but a word in angle brackets.

    A placeholder (`<name>`) and a generic type (`List<T>`) look like tags. A tag has attributes, ends itself, or is
    `closed` somewhere in the text.
    """
    name, attributes = match["name"], match["attributes"]
    valued = "=" in attributes or "{" in attributes
    component = name[0].isupper()
    if not component and name.lower() not in _INLINE and name.lower() not in _BLOCKS:
        return None
    if not (match["close"] or match["alone"] or valued or name in closed or name in _NEVER_CLOSED):
        return None
    if match["close"] and component and name not in closed:
        return None
    if component:
        return _component(match, alone=opens_line and ends_line)
    return _html(name.lower(), attributes, closing=bool(match["close"]), opens_line=opens_line, ends_line=ends_line)


def _component(match: re.Match[str], *, alone: bool) -> str:
    attributes = match["attributes"]
    if match["alone"] and (alt := described(_value("alt", attributes))):
        return f"![{alt}]({_value('src', attributes)})"
    found = (_TITLE.search(attributes) or _NAME.search(attributes)) if alone else None
    title = next((part for part in found.groups() if part), "") if found else ""
    return f"\n**{title}**\n" if title else ""


def _html(name: str, attributes: str, *, closing: bool, opens_line: bool, ends_line: bool) -> str:
    if name == "img":
        alt = described(html.unescape(_value("alt", attributes)))
        return f"![{alt}]({_value('src', attributes)})" if alt else ""
    if name == "br":
        return "" if ends_line else "\n"
    if name in ("code", "tt", "samp"):
        return "`"
    if name == "li":
        return "" if closing else "- " if opens_line else "\n- "
    if name[0] == "h" and name[1:].isdecimal():
        return "\n" if closing else f"\n{'#' * int(name[1:])} "
    if name in _BLOCKS:
        return "" if opens_line or ends_line else "\n\n"
    return ""


def _value(name: str, attributes: str) -> str:
    found = re.search(_VALUE.format(name), attributes)
    return " ".join((found[1] or found[2] or "").split()) if found else ""


def link(attributes: str, words: str) -> str:
    """Return an `<a>` as a link of Markdown; one without an address is its words."""
    address = _value("href", attributes)
    return f"[{words.strip()}]({address})" if address and words.strip() else words

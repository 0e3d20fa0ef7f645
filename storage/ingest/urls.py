"""URLs among what is ingested: what they are called, who fetches them, what is noted about them."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit, urlunsplit

from agent.errors import RefusedFileError
from storage.ingest.parsed import VERSION


class Page(Protocol):
    """What a URL gave, as a file."""

    @property
    def path(self) -> Path:
        """Where it lies; whoever asked for it removes it."""
        ...

    @property
    def url(self) -> str:
        """Where it was found, after redirects."""
        ...

    @property
    def content_type(self) -> str:
        """As the server says, without parameters; empty where it says nothing."""
        ...

    @property
    def charset(self) -> str:
        """As the server says."""
        ...

    @property
    def digest(self) -> str:
        """A hash of the file."""
        ...

    @property
    def validator(self) -> str:
        """What tells the server next time which version is here."""
        ...


class Fetch(Protocol):
    """What ingest needs of the outside."""

    async def fetch(self, url: str, *, known: str = "") -> Page | None:
        """Return what is at a URL; None where it is what `known`, a validator, says. Raises RefusedFileError."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Stamp:
    """What is noted about a URL whose documents are in the library."""

    digest: str = ""
    validator: str = ""
    entries: int = 0
    """Files of an archive."""

    def __str__(self) -> str:
        return json.dumps([VERSION, self.digest, self.validator, self.entries])

    @classmethod
    def parse(cls, text: str) -> "Stamp":
        """Return what was noted; nothing, where it was noted by a version that read differently."""
        try:
            version, digest, validator, entries = json.loads(text)
        except (ValueError, TypeError):
            return cls()
        return cls(digest=digest, validator=validator, entries=entries) if version == VERSION else cls()

    @classmethod
    def of(cls, page: Page, *, entries: int = 0) -> "Stamp":
        """Return the note for a page; its type is part of it, which decides how it is read."""
        digest = f"{page.digest} {page.content_type} {page.charset}"
        return cls(digest=digest, validator=page.validator, entries=entries)


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PORTS = {"http": 80, "https": 443}


def is_url(given: object) -> bool:
    """Tell whether this is a URL and not a path."""
    return isinstance(given, str) and _SCHEME.match(given) is not None


def normalised(url: str) -> str:
    """Return the one spelling of a URL, without a fragment. Raises RefusedFileError for what is not fetched."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise RefusedFileError("it is no proper URL") from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise RefusedFileError("only http:// and https:// are fetched")
    if "@" in parts.netloc:
        raise RefusedFileError("it holds a user name or password, and those are not sent; download the file instead")
    if not host:
        raise RefusedFileError("it names no host")
    place = f"[{host}]" if ":" in host else host
    if port is not None and port != _PORTS[scheme]:
        place += f":{port}"
    return urlunsplit((scheme, place, _quoted(parts.path) or "/", _quoted(parts.query), ""))


def shown(url: str) -> str:
    """Return a URL as it may be shown, without user name and password."""
    scheme, _, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}://{place.rpartition('@')[2]}{slash}{path}"


def _quoted(text: str) -> str:
    kept = re.sub(r"%[0-9A-Fa-f]{2}", lambda match: match.group().upper(), text)
    return quote(kept, safe="%/:@!$&'()*+,;=~?-._")

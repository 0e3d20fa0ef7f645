"""The options of `weft search`, on the command line and as keys of a batch line."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, get_args

from agent.errors import UsageError
from agent.language.registry import languages
from agent.reasoning.rules.planning.query_expansion import query_of
from agent.types import Category, Kind, Language, SearchFilter, SearchRequest
from bot.operator.asking import Asker

LISTS = ("collection", "source", "category", "kind", "must")
"""These may be given several times; in a batch line, as a list."""
TEXTS = ("pages", "entity", "language", "since", "until", "as", "channel")
NAMES = frozenset((*LISTS, *TEXTS, "k"))
MOST = 1000
"""Passages that one search returns at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """One search, as somebody asked for it."""

    query: str
    request: SearchRequest
    asker: Asker
    place: str = ""
    """Where it was asked for: file and line."""


def wanted_of(options: Mapping[str, Any], place: str) -> Wanted:
    """Return the search that these options ask for. Raises UsageError, which begins with the place."""
    values = _Values(options, place)
    filter = SearchFilter(
        collections=values.list("collection"),
        sources=values.list("source"),
        categories=tuple(Category(name) for name in values.list("category", tuple(Category))),
        page_range=values.pages(),
        entity=values.text("entity"),
        language=values.language(),
        kinds=values.kinds(),
        date_range=values.dates(),
    )
    query = values.text("query")
    request = SearchRequest(queries=(query_of(query),), k=values.k(), filter=filter, must_have=values.list("must"))
    return Wanted(query=query, request=request, asker=values.asker(), place=place)


@dataclass(frozen=True, slots=True)
class _Values:
    options: Mapping[str, Any]
    place: str

    def text(self, name: str) -> str:
        value = self.options.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.wrong(name, "must be a text")
        if not value.strip() and name != "query":
            raise self.wrong(name, "is empty: leave it out, or say what it is")
        return value

    def list(self, name: str, allowed: tuple[str, ...] = ()) -> tuple[str, ...]:
        value = self.options.get(name)
        values = () if value is None else (value,) if isinstance(value, str) else value
        if not isinstance(values, (list, tuple)) or not all(isinstance(each, str) for each in values):
            raise self.wrong(name, "must be a text, or a list of texts")
        if not all(each.strip() for each in values):  # an unset variable must not mean all there is
            raise self.wrong(name, "is empty: leave it out, or say what it is")
        for each in values:
            if allowed and each not in allowed:
                raise self.wrong(name, f"{each!r} is none of {', '.join(allowed)}")
        return tuple(dict.fromkeys(values))

    def asker(self) -> Asker:
        try:
            return Asker(user=self.text("as"), channel=self.text("channel"))
        except UsageError as error:
            raise UsageError(f"{self.place}{error}") from None

    def k(self) -> int:
        value = self.options.get("k", 10)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST:
            raise self.wrong("k", f"must be a number from 1 to {MOST}")
        return value

    def kinds(self) -> tuple[Kind, ...]:
        return tuple(kind for kind in get_args(Kind) if kind in self.list("kind", get_args(Kind)))

    def language(self) -> Language | None:
        given = self.text("language")
        if given and given not in languages():
            raise self.wrong("language", f"{given!r} is none of {', '.join(languages())}")
        return given or None

    def pages(self) -> tuple[int, int] | None:
        given = self.text("pages").replace(" ", "")
        if not given:
            return None
        first, _, last = given.partition("-")
        if not (first.isascii() and first.isdigit() and (last or first).isascii() and (last or first).isdigit()):
            raise self.wrong("pages", f"{given!r} is no range: write 3 or 3-7")
        pages = int(first), int(last or first)
        if not 1 <= pages[0] <= pages[1] < 10**9:
            raise self.wrong("pages", f"{given!r} is no range: the first page comes first, counted from 1")
        return pages

    def dates(self) -> tuple[str, str] | None:
        since, until = self._date("since"), self._date("until")
        if since and until and since > until:
            raise self.wrong("since", f"{since} is after {until}")
        return (since, until) if since or until else None

    def _date(self, name: str) -> str:
        given = self.text(name)
        if not given:
            return ""
        try:
            return date.fromisoformat(given).isoformat()
        except ValueError:
            raise self.wrong(name, f"{given!r} is no date: write it as 2026-03-31") from None

    def wrong(self, name: str, why: str) -> UsageError:
        return UsageError(f"{self.place}{name if self.place else f'--{name}'}: {why}")

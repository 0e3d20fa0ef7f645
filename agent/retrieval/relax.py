"""A filter that leaves nothing gives way, part by part: what is least certain first, and never whose it is."""

from collections.abc import Iterator
from dataclasses import replace

from agent.types import SearchFilter

_PARTS = {
    "entity": "filter_dropped_entity",
    "names": "filter_dropped_names",
    "page_range": "filter_dropped_page_range",
    "date_range": "filter_dropped_date_range",
    "categories": "filter_dropped_categories",
    "kinds": "filter_dropped_kinds",
    "language": "filter_dropped_language",
    "sources": "filter_dropped_sources",
    "documents": "filter_dropped_documents",
}
"""In the order in which they give way, with what is said then. Collections never do."""


def relaxations(filter: SearchFilter) -> Iterator[tuple[SearchFilter, tuple[str, ...]]]:
    """Yield the filter as it is, then without one part, then without the first two, three ..., with what to say."""
    yield filter, ()
    nothing = SearchFilter()
    given = [name for name in _PARTS if getattr(filter, name) != getattr(nothing, name)]
    alone = [(name,) for name in given]
    together = [tuple(given[:count]) for count in range(2, len(given) + 1)]
    for dropped in (*alone, *together):
        said = ("filter_dropped",) if len(dropped) == len(given) else tuple(_PARTS[name] for name in dropped)
        yield replace(filter, **{name: getattr(nothing, name) for name in dropped}), said

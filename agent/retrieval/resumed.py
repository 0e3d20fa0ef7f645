"""What a message of a thread goes on with: passages of the documents that the turns before rest on."""

from collections.abc import Mapping
from dataclasses import replace

from agent.types import Hit, SearchResult

DOCUMENTS = 4
"""Documents of the turns before that are looked at, those that count most."""
PASSAGES = 3
"""Passages of these that an answer may rest on besides those that the search has best."""


def is_resumed(hit: Hit) -> bool:
    """Tell whether a passage is among the best of what the turns before rest on."""
    return 0 < hit.resumed <= PASSAGES


def resumed(result: SearchResult, before: Mapping[str, float]) -> SearchResult:
    """Return what was found with the place of each passage among those of the documents in `before`.

    The best of these that were ranked too low to be a hit come last among the hits.
    """
    if not before:
        return result
    documents = sorted(before, key=lambda document: -before[document])[:DOCUMENTS]
    ranked = [*result.hits, *(hit for hit in result.excluded if hit.passage.id not in result.folded)]
    mine = [hit.passage.id for hit in ranked if hit.passage.document_id in documents]
    place = {identity: n for n, identity in enumerate(mine, start=1)}
    placed = [replace(hit, resumed=place.get(hit.passage.id, 0)) for hit in ranked]
    best, rest = placed[: len(result.hits)], placed[len(result.hits) :]
    hits = [*best, *(hit for hit in rest if is_resumed(hit))]
    kept = {hit.passage.id for hit in hits}
    return replace(
        result,
        hits=tuple(hits),
        excluded=tuple(hit for hit in result.excluded if hit.passage.id not in kept),
    )

"""From the hits of all steps to the numbered blocks that an answer may rest on."""

from collections.abc import Iterable, Sequence

from agent.types import Block, Hit


def merged(results: Iterable[Sequence[Hit]]) -> list[Hit]:
    """Return every passage once, with its best score; between equal scores the earlier step wins."""
    best: dict[int, Hit] = {}
    for hits in results:
        for hit in hits:
            known = best.get(hit.passage.id)
            if known is None or hit.score > known.score:
                best[hit.passage.id] = hit
    return sorted(best.values(), key=lambda hit: -hit.score)


def pack(hits: Sequence[Hit], *, passages: int, characters: int) -> tuple[Block, ...]:
    """Return at most `passages` blocks of at most `characters` in all, numbered from 1.

    A passage whose text stands already in the context is left out; the first one always fits.
    """
    blocks: list[Block] = []
    seen: set[str] = set()
    room = characters
    for hit in hits:
        if len(blocks) == passages:
            break
        text = " ".join(hit.passage.text.split())
        if text in seen or (blocks and len(hit.passage.text) > room):
            continue
        seen.add(text)
        room -= len(hit.passage.text)
        blocks.append(Block(n=len(blocks) + 1, passage=hit.passage, score=hit.score))
    return tuple(blocks)


def titles(hits: Sequence[Hit], *, limit: int = 3) -> tuple[str, ...]:
    """Return the titles of the nearest documents, each once."""
    found = dict.fromkeys(hit.passage.title or hit.passage.document_id for hit in hits)
    return tuple(found)[:limit]

"""What a search did, told: the words that had to be there, the blocks kept, and what was left out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent.language import say
from agent.retrieval.pack import Left
from agent.types import Block, Language, SearchResult

SHOWN = 20
"""Passages left out that are named."""


def told(
    searches: Sequence[SearchResult],
    blocks: Sequence[Block],
    left: Sequence[Left],
    asked: Sequence[str],
    language: Language,
) -> str:
    """Return the search strategy as a few sentences; `asked` are the words that had to be there."""
    if not searches:
        return ""
    documents = len({block.passage.document for block in blocks})
    parts = [say("strategy_kept", language, blocks=len(blocks), documents=documents)]
    doubles = sum(each.reason == "duplicate" for each in left)
    if left:
        parts.append(say("strategy_left", language, count=len(left), doubles=doubles))
    found = frequencies(searches)
    if found:
        words = ", ".join(f"{word} ({count})" for word, count in found.items())
        parts.append(say("strategy_words", language, words=words))
        given_up = [word for word in asked if word not in found]
        if given_up:
            parts.append(say("strategy_given_up", language, words=", ".join(given_up)))
    return " ".join(parts)


def frequencies(searches: Sequence[SearchResult]) -> dict[str, int]:
    """Return how often each must-have word stands in what was found."""
    return _summed(search.keyword_freq for search in searches)


def block_counts(searches: Sequence[SearchResult]) -> dict[str, int]:
    """Return in how many of the hits each must-have word stands."""
    return _summed(search.keyword_block_counts for search in searches)


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    out: dict[str, int] = {}
    for each in counts:
        for word, count in each.items():
            out[word] = out.get(word, 0) + count
    return out


def shown(left: Sequence[Left]) -> tuple[Mapping[str, Any], ...]:
    """Return what was left out, as `weft ask --json` prints it."""
    return tuple(
        {
            "passage_id": each.passage.public_id,
            "collection": each.passage.collection,
            "title": each.passage.title,
            "section": each.passage.section,
            "reason": each.reason,
        }
        for each in left[:SHOWN]
    )

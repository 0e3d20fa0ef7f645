"""How rare the terms of a question are among what an audience may read."""

from collections.abc import Mapping, Sequence
from math import log

from agent.ports import LexicalIndex
from agent.text import tokens
from agent.types import Audience, Query, TermCounts


async def counts(lexical: LexicalIndex, queries: Sequence[Query], audience: Audience) -> TermCounts:
    """Return how many readable passages hold each term of these queries. Raises StorageError."""
    terms = dict.fromkeys(
        term for query in queries for text in (query.text, *(e.text for e in query.terms)) for term in tokens(text)
    )
    return await lexical.counts(terms, audience=audience) if terms else TermCounts(passages=0)


def rarities(counts: TermCounts) -> Mapping[str, float]:
    """Return log(1 + (N - n + .5) / (n + .5)) for each term that n of N passages hold; never below 0."""
    return {term: log(1 + (counts.passages - held + 0.5) / (held + 0.5)) for term, held in counts.holding.items()}

"""How rare the terms of a question are among what an audience may read."""

from collections.abc import Sequence

from agent.ports import LexicalIndex
from agent.text import tokens
from agent.types import Audience, Query, TermCounts


async def counts(lexical: LexicalIndex, queries: Sequence[Query], audience: Audience) -> TermCounts:
    """Return how many readable passages hold each term of these queries. Raises StorageError."""
    terms = dict.fromkeys(
        term for query in queries for text in (query.text, *(e.text for e in query.terms)) for term in tokens(text)
    )
    return await lexical.counts(terms, audience=audience) if terms else TermCounts(passages=0)

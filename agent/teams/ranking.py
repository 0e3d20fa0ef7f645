"""BM25 over a handful of texts that are in no index: files of a question, pieces of web pages."""

import math
from collections import Counter
from collections.abc import Sequence

from agent.text import tokens
from agent.types import Query

_K1, _B = 1.5, 0.75
"""As rank-bm25's Okapi has them, which searches the library."""


def bm25(texts: Sequence[str], queries: Sequence[Query]) -> list[float]:
    """Return for each text its BM25 score for the queries, each query by its weight; 0 for one that holds no word.

    The inverse document frequency is `ln(1 + (n - df + 0.5) / (df + 0.5))` (Lucene's), which stays positive in a
    small set. A term counts once however many queries hold it: by the largest of its weights.
    """
    wanted: dict[str, float] = {}
    for query in queries:
        for term in tokens(query.text):
            wanted[term] = max(wanted.get(term, 0.0), query.weight)
        for each in query.terms:
            for term in tokens(each.text):
                wanted[term] = max(wanted.get(term, 0.0), query.weight * each.weight)
    counts, lengths = list[dict[str, int]](), list[int]()
    for text in texts:
        every = tokens(text)
        lengths.append(len(every))
        counts.append(Counter(term for term in every if term in wanted))
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    holding = Counter(term for count in counts for term in count)
    weights = {term: wanted[term] * math.log(1 + (len(texts) - df + 0.5) / (df + 0.5)) for term, df in holding.items()}
    return [
        sum(
            weights[term] * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * length / mean))
            for term, often in count.items()
        )
        for count, length in zip(counts, lengths, strict=True)
    ]

"""Passages that record what has changed, a change log, release notes, amendments, count less than what holds today.

They name the same things in the same words, often many times over, and what they say may long be otherwise.
"""

import re
from collections.abc import Mapping

from agent.language.lexicon import pattern
from agent.retrieval.phrases import Scored
from agent.types import Passage

COUNTS = 0.7
"""What such a passage has of its score; half of it and .85 found about as many on the sets that were measured."""


def behind(question: str, ranked: Scored, read: Mapping[int, Passage]) -> Scored:
    """Return a ranking by words, best first, in which records of changes stand lower, unless a question is for them.

    Only those that were `read` are known for what they are.
    """
    late = {identity for identity, passage in read.items() if _records(passage)}
    if not late or pattern("reading.asks_for_changes").search(question):
        return ranked
    lowered = ((identity, score * COUNTS if identity in late and score > 0 else score) for identity, score in ranked)
    return sorted(lowered, key=lambda pair: -pair[1])


def _records(passage: Passage) -> bool:
    heads = f"{passage.title}\n{passage.section.replace(' > ', chr(10))}"
    return pattern("documents.records_of_changes", flags=re.IGNORECASE | re.MULTILINE).search(heads) is not None

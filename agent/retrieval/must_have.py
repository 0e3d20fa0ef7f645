"""The documents that hold all must-have words, or the largest part that any holds, and their passages that do."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agent.ports import LexicalIndex
from agent.text import tokens
from agent.types import Audience, Hit, Passage, SearchFilter, SectionGroup

MOST = 16
"""Words that are looked for; more than any question needs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Targets:
    """The documents that a search is narrowed to, and the words that all of them hold."""

    words: tuple[str, ...] = ()
    documents: tuple[int, ...] = ()
    nowhere: tuple[str, ...] = ()
    """Words that no document holds."""


async def targets_of(
    lexical: LexicalIndex, words: Sequence[str], *, filter: SearchFilter, audience: Audience
) -> Targets:
    """Return the documents within filter and audience that hold as many of the words as any does.

    Where several parts of the words are held equally well, the one with the rarer words counts.
    """
    wanted = list(dict.fromkeys(word.strip() for word in words if word.strip()))[:MOST]
    if not wanted:
        return Targets()
    held = await lexical.documents_holding(wanted, filter=filter, audience=audience)
    nowhere = tuple(word for word, each in zip(wanted, held, strict=True) if not len(each))
    documents, places = np.unique(np.concatenate(held), return_inverse=True)
    if not len(documents):
        return Targets(nowhere=nowhere)
    bits = np.concatenate([np.full(len(each), 1 << n, dtype=np.int64) for n, each in enumerate(held)])
    masks = np.zeros(len(documents), dtype=np.int64)
    np.bitwise_or.at(masks, places, bits)
    sizes = np.bincount(places, minlength=len(documents))
    fullest = np.unique(masks[sizes == sizes.max()]).tolist()
    rarity = {mask: sorted(len(each) for n, each in enumerate(held) if mask >> n & 1) for mask in fullest}
    chosen = min(fullest, key=lambda mask: (rarity[mask], mask))
    return Targets(
        words=tuple(word for n, word in enumerate(wanted) if chosen >> n & 1),
        documents=tuple(documents[masks == chosen].tolist()),
        nowhere=nowhere,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Promoted:
    """The passages of the target documents, by what they are good for; all best first."""

    blocks: tuple[Hit, ...]
    """Those that hold a must-have word, before the others those that hold all."""
    rest: tuple[Hit, ...]
    findings: tuple[Hit, ...]
    sections: tuple[SectionGroup, ...]


def promoted(hits: Sequence[Hit], words: Sequence[str]) -> Promoted:
    """Sort the passages of the target documents; where none holds a word by itself, all are blocks."""
    wanted = [Counter(tokens(word)) for word in words]
    held = {hit.passage.id: sum(times(word, _told(hit.passage)) > 0 for word in wanted) for hit in hits}
    blocks = [hit for hit in hits if held[hit.passage.id]] or list(hits)
    kept = {hit.passage.id for hit in blocks}
    return Promoted(
        blocks=tuple(sorted(blocks, key=lambda hit: held[hit.passage.id] < len(wanted))),
        rest=tuple(hit for hit in hits if hit.passage.id not in kept),
        findings=tuple(hit for hit in hits if hit.passage.kind == "finding"),
        sections=_sections(hit for hit in hits if hit.passage.kind == "chunk"),
    )


def counted(hits: Iterable[Hit], words: Sequence[str]) -> Mapping[str, list[int]]:
    """Return how often each word stands in each of these passages that has it."""
    told = [_told(hit.passage) for hit in hits]
    terms = {word: Counter(tokens(word)) for word in words}
    return {word: [n for text in told if (n := times(each, text))] for word, each in terms.items()}


def times(word: Counter[str], text: str) -> int:
    """Return how often a word's terms stand in a text, all of them together."""
    held = Counter(tokens(text))
    return min((held[term] // count for term, count in word.items()), default=0)


def _told(passage: Passage) -> str:
    return f"{passage.title}\n{passage.section}\n{passage.text}"


def _sections(chunks: Iterable[Hit]) -> tuple[SectionGroup, ...]:
    """Return the chunks by the name of the heading that they stand under, the group of the best chunk first."""
    groups: dict[str, list[Hit]] = {}
    for hit in chunks:
        groups.setdefault(hit.passage.innermost, []).append(hit)
    return tuple(SectionGroup(section=name, hits=tuple(hits)) for name, hits in groups.items())

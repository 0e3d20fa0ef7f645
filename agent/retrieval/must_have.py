"""The documents that hold all must-have words, or the largest part of the words that any document holds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agent.ports import LexicalIndex
from agent.types import Audience, SearchFilter

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

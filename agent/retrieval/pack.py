"""From the hits of all steps to the numbered blocks that an answer may rest on, and what was left out.

In a thread the best passages of what the turns before rest on come besides.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal, TypeVar

from agent.text import days_of
from agent.types import Block, Choice, Hit, Passage, SearchResult
from agent.values.dates import Date

Found = TypeVar("Found", bound=Hit)
Reason = Literal["duplicate", "no_room", "rank", "profile"]
DOCUMENTS = 4
"""Documents of the turns before that are looked at, those that count most."""
WHOLE = 2
"""Times as many characters as an answer usually rests on that a summary of whole documents may."""
ABROAD = 0.5
"""Of the characters of a context, how many there may be besides in other languages."""
PASSAGES = 3
"""Passages of these that an answer may rest on besides those that the search has best."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Left:
    """A passage that was found and is not in the context, and why.

    Another one says the same, it did not fit, others came before it, or it is for others than the asker.
    """

    passage: Passage
    reason: Reason


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed:
    """The context of an answer."""

    blocks: tuple[Block, ...]
    left: tuple[Left, ...]


def merged(results: Iterable[Sequence[Hit]]) -> list[Hit]:
    """Return every passage once: the best of each step, the second of each, and so on.

    No step can crowd out another: each is there because it was asked for. Scores are made shares of the best one of
    their own search, since what two queries add up to cannot be compared.
    """
    best: dict[int, Hit] = {}
    for rank in zip_longest(*map(_shares, results)):
        for hit in rank:
            if hit is not None:
                best.setdefault(hit.passage.id, hit)
    return list(best.values())


def _shares(hits: Sequence[Hit]) -> Sequence[Hit]:
    best = max((hit.score for hit in hits), default=0.0)
    return [replace(hit, score=hit.score / best) for hit in hits] if best > 0 else hits


def focused(found: Sequence[Found], documents: Collection[str]) -> list[Found]:
    """Return hits or blocks with those of these documents first, otherwise in their order."""
    return sorted(found, key=lambda each: each.passage.document_id not in documents)


def meant(found: Sequence[Found], chosen: Sequence[Choice], offered: Sequence[Choice]) -> list[Found]:
    """Return hits or blocks with the documents of what was chosen first, without what speaks of the rest alone."""

    def is_of(choices: Sequence[Choice], each: Found) -> bool:
        return any(choice.holds(each.passage) for choice in choices)

    left = [each for each in found if is_of(chosen, each) or not is_of(offered, each)]
    return focused(left, {document for choice in chosen for document in choice.documents})


def narrowed(blocks: Sequence[Block], choice: Choice, offered: Sequence[Choice]) -> tuple[Block, ...]:
    """Return the blocks of what is meant, numbered anew."""
    return tuple(replace(block, n=n) for n, block in enumerate(meant(blocks, [choice], offered), start=1))


def of_days(hits: Sequence[Hit], question: str) -> list[Hit]:
    """Return hits without those below the heading of another day than the question names, where that day has one."""
    asked = days_of(question)
    headed = {hit.passage.id: _days_above(hit.passage) for hit in hits} if asked else {}
    met = {key for key, days in headed.items() if any(each.meets(day) for each in days for day in asked)}
    return [hit for hit in hits if not met or hit.passage.id in met or not headed[hit.passage.id]]


def _days_above(passage: Passage) -> list[Date]:
    return days_of(passage.innermost or passage.title)


def is_resumed(hit: Hit) -> bool:
    """Tell whether a passage is among the best of what the turns before rest on, or was told last."""
    return 0 < hit.resumed <= PASSAGES or hit.told > 0


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
    return with_hits(result, [*best, *(hit for hit in rest if is_resumed(hit))])


def with_hits(result: SearchResult, hits: Sequence[Hit]) -> SearchResult:
    """Return a result with these hits, none of which is excluded any more."""
    kept = {hit.passage.id for hit in hits}
    return replace(
        result, hits=tuple(hits), excluded=tuple(hit for hit in result.excluded if hit.passage.id not in kept)
    )


def pack(hits: Sequence[Hit], *, passages: int, characters: int, further: int = 1) -> Packed:
    """Return at most `passages` blocks of at most `characters` in all, numbered from 1.

    The best passages of what the turns before rest on come besides, and so does what was found in another language,
    in half as many characters. A passage whose text stands already in the context is left out; the first one always
    fits. `further` times as many are packed, those beyond marked so.
    """
    packed = _packed((), hits, passages, characters)
    if further == 1:
        return packed
    again = {each.passage.id for each in packed.left if each.reason != "duplicate"}
    more = [hit for hit in hits if hit.passage.id in again]
    return _packed(packed.blocks, more, further * passages, further * characters, packed.left)


def _packed(
    first: Sequence[Block], hits: Sequence[Hit], passages: int, characters: int, known: Sequence[Left] = ()
) -> Packed:
    """Return blocks with further ones behind them."""
    blocks = list(first)
    left = [each for each in known if each.reason == "duplicate"]
    seen = {" ".join(block.passage.text.split()) for block in blocks}
    room = {False: characters, True: round(ABROAD * characters)}
    for block in blocks:
        room[block.abroad is not None] -= len(block.passage.text)
    for hit in hits:
        text = " ".join(hit.passage.text.split())
        if text in seen:
            left.append(Left(passage=hit.passage, reason="duplicate"))
        elif sum(block.abroad is None for block in blocks) >= passages and not (hit.abroad or is_resumed(hit)):
            left.append(Left(passage=hit.passage, reason="rank"))
        elif blocks and len(hit.passage.text) > room[hit.abroad is not None]:
            left.append(Left(passage=hit.passage, reason="no_room"))
        else:
            seen.add(text)
            room[hit.abroad is not None] -= len(hit.passage.text)
            blocks.append(
                Block(
                    n=len(blocks) + 1, passage=hit.passage, score=hit.score, near=hit.near, words=hit.words,
                    resumed=hit.resumed, told=hit.told, matched=hit.matched, abroad=hit.abroad, further=bool(first),
                )
            )  # fmt: skip
    return Packed(blocks=tuple(blocks), left=tuple(left))


def whole_blocks(passages: Iterable[Passage], characters: int | None) -> tuple[Block, ...]:
    """Return the passages of documents as blocks in their order; all of them where `characters` is None.

    Of what is longer than `WHOLE` times these, what each section begins with comes before what goes on in it.
    """
    found = {passage.id: passage for passage in passages}
    opening: dict[tuple[str, str], int] = {}
    for passage in found.values():
        opening.setdefault((passage.document_id, passage.section), passage.id)
    room, kept = (characters or 0) * WHOLE, set[int]()
    for identity in dict.fromkeys((*opening.values(), *found)):
        room -= len(found[identity].text)
        if characters is None or room >= 0 or not kept:
            kept.add(identity)
    told = (passage for passage in found.values() if passage.id in kept)
    return tuple(Block(n=n, passage=passage, score=0.0) for n, passage in enumerate(told, start=1))


def excluded(searches: Iterable[SearchResult], packed: Packed) -> tuple[Left, ...]:
    """Return what the searches and the packing left out, each passage once, with its reason."""
    kept = {block.passage.id for block in packed.blocks}
    out = {each.passage.id: each for each in packed.left}
    for search in searches:
        for hit in search.excluded:
            if hit.passage.id not in kept and hit.passage.id not in out:
                reason: Reason = "duplicate" if hit.passage.id in search.folded else "rank"
                out[hit.passage.id] = Left(passage=hit.passage, reason=reason)
    return tuple(out.values())


def titles(hits: Sequence[Hit], *, limit: int = 3) -> tuple[str, ...]:
    """Return the titles of the nearest documents, each once."""
    found = dict.fromkeys(hit.passage.title or hit.passage.document_id for hit in hits)
    return tuple(found)[:limit]

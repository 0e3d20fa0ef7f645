"""What is plain to see of a quote and a question: figures from which a fitted model reads how likely it answers."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agent.language.lexicon import pattern
from agent.reasoning.rules.answering import latent_semantics
from agent.reasoning.rules.answering.likelihood import Evidence
from agent.reasoning.rules.answering.passage_units import Shape
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.weighted_question import Asked, denies, numbers_in, terms_in, tokens_in
from agent.reasoning.rules.reading.answer_type import Kind
from agent.types import Block
from agent.values.names import calendar_words

Features = Mapping[str, float]

_NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+|@\w")
_DAY_OR_MONTH = re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(calendar_words()))})(?![A-Za-z])", re.IGNORECASE)
_LINK = re.compile(r"https?://|\]\(", re.IGNORECASE)


COMPARED = 0.5
"""Share of the blocks that must have been compared by meaning, for that to count."""


def evidence_of(blocks: Sequence[Block]) -> Evidence:
    """Return by what the blocks were compared with the question: words alone, meaning as well, or token by token."""
    enough = max(1.0, COMPARED * len(blocks))
    if sum(bool(block.matched) for block in blocks) >= enough:
        return "tokens"
    return "meaning" if sum(block.near is not None for block in blocks) >= enough else "words"


@dataclass(frozen=True, slots=True)
class Seen:
    """What all quotes of some blocks share: how these stand to the question, and to each other."""

    nowhere: float
    """Share of the question, by rarity, that no block speaks of."""
    spread: float
    """Share of the blocks that speak of the question's rarest term."""
    around: Mapping[int, float]
    """By number of a block, the share of the question that it speaks of."""
    documents: Mapping[str, float]
    """By id of a document, the share of all scores that its blocks have."""
    top: float
    """The highest score."""
    near: tuple[float, ...]
    """How near the blocks are in meaning, the nearest first; of those that were compared."""
    words: tuple[float, ...]
    """Their scores by words, the highest first."""
    matched: tuple[tuple[float, ...], tuple[float, ...]]
    """How well their pieces match token by token, the best first: by themselves, and in their thread."""
    space: latent_semantics.Space
    question: latent_semantics.Vector | None
    """Where the question is in that space."""
    asked: Mapping[int, frozenset[str]]
    """By number of a block, the terms of the way to ask for it that is nearest to the question."""


def seen(asked: Asked, blocks: Sequence[Block]) -> Seen:
    """Return what all quotes of these blocks share."""
    nearest = {block.n: _nearest(asked, block) for block in blocks}
    held = {block.n: terms_in(block.passage.text) | _headings(block) | nearest[block.n] for block in blocks}
    total = sum(block.score for block in blocks) or 1.0
    space = latent_semantics.Space(blocks)
    rarest = next(iter(asked.rarest), "")
    documents: dict[str, float] = defaultdict(float)
    for block in blocks:
        documents[block.passage.document_id] += block.score / total
    return Seen(
        nowhere=1 - asked.share(frozenset().union(*held.values())),
        spread=sum(rarest in terms for terms in held.values()) / max(1, len(held)),
        around={n: asked.share(terms) for n, terms in held.items()},
        documents=documents,
        top=max((block.score for block in blocks), default=0.0) or 1.0,
        near=tuple(sorted((block.near for block in blocks if block.near is not None), reverse=True)),
        words=tuple(sorted((block.words for block in blocks), reverse=True)),
        matched=(_best_first(blocks, 0), _best_first(blocks, 1)),
        space=space,
        question=space.of(tokens_in(asked.text)),
        asked=nearest,
    )


def _nearest(asked: Asked, block: Block) -> frozenset[str]:
    """Return the terms of the way to ask for a block that is nearest to the question."""
    return max(map(terms_in, block.passage.asked), key=asked.held, default=frozenset())


def features(asked: Asked, quote: Quote, seen: Seen) -> Features:
    """Return the figures of a quote, each within about -1..3; what there is no data for is 0."""
    passage = quote.block.passage
    text = quote.text
    inside = asked.meant(text)
    sentence = asked.meant(quote.sentence)
    near = seen.asked[quote.block.n]
    above = asked.meant(f"{passage.title}\n{passage.section}\n{quote.heading}") | near
    together = asked.share(inside | above)
    beside = asked.meant(f"{passage.innermost}\n{quote.heading}") | near
    weights, share = asked.weights, asked.share
    rare = asked.rarest[:3]
    order = tokens_in(text)
    pairs = set(pairwise(order))
    places = tokens_in(f"{passage.section} {quote.heading}")
    size = quote.size
    wants_number = bool(asked.kinds & {Kind.NUMBER, Kind.TIME})
    wants_steps = asked.wants_steps
    new = len(inside - asked.weights.keys())
    return {
        **_meaning(quote.block, seen.near),
        **_matching(quote, seen.matched),
        **_by_words(quote.block, seen.words),
        "latent": latent_semantics.cosine(seen.question, seen.space.of((*places, *order))),
        "inside": share(inside),
        "sentence": share(sentence),
        "above": share(above),
        "near": share(beside),
        "together": together,
        "despite": together * seen.nowhere,
        "sentence_headed": share(sentence | beside),
        "around": seen.around[quote.block.n],
        "nowhere": seen.nowhere,
        "spread": seen.spread,
        "rarest": float(bool(rare) and rare[0] in inside | above),
        "rarest_inside": float(bool(rare) and rare[0] in inside),
        "rare_inside": sum(term in inside for term in rare) / max(1, len(rare)),
        "rare_near": sum(term in inside | beside for term in rare) / max(1, len(rare)),
        "pairs": len(asked.pairs & pairs) / max(1, len(asked.pairs)),
        "matched": math.log1p(sum(term in inside for term in weights)),
        "terms": math.log1p(len(weights)),
        "rank": math.log1p(quote.rank),
        "first": float(quote.rank == 0),
        "score": quote.block.score / seen.top,
        "document": seen.documents[passage.document_id],
        "size": math.log1p(size) / 3,
        "short": float(size < 6),
        "whole": float(quote.whole),
        "list": float(quote.shape is Shape.ITEM),
        "row": float(quote.shape is Shape.ROW),
        "code": float(quote.shape is Shape.CODE),
        "steps": float(wants_steps and any(unit.ordered for unit in quote.units)),
        "steps_code": float(wants_steps and quote.shape is Shape.CODE),
        "steps_list": float(wants_steps and quote.shape is Shape.ITEM),
        "steps_headed": (Kind.STEPS in asked.kinds and quote.is_procedure) * share(above),
        **_told("number", wants_number, lambda: bool(numbers_in(text))),
        **_told("time", Kind.TIME in asked.kinds, lambda: has_cue("times", text) or bool(_DAY_OR_MONTH.search(text))),
        **_told("reason", Kind.REASON in asked.kinds, lambda: has_cue("reasons", text)),
        **_told("may", Kind.YES_NO in asked.kinds, lambda: has_cue("rules", text)),
        "who": float(Kind.PERSON in asked.kinds and (has_cue("people", text) or bool(_NAME.search(text)))),
        "where": float(Kind.PLACE in asked.kinds and (has_cue("places", text) or bool(_LINK.search(text)))),
        "numbers_held": _held(asked.numbers, f"{text} {passage.section} {passage.title}"),
        "numbers_missing": float(bool(asked.numbers)) - _held(asked.numbers, f"{text} {passage.section}"),
        "denies": float(asked.denies and denies(text)),
        "example": float(has_cue("examples", f"{quote.heading} {text[:60]}")),
        "history": float(has_cue("history", f"{passage.title} {passage.section} {quote.heading}")),
        "points_on": float(has_cue("points_on", text) and size < 30),
        "asks": float(text.rstrip().endswith("?")),
        "new": min(1.0, new / 30),
        "position": math.log1p(passage.position) / 3,
        "place": quote.units[0].start / max(1, len(passage.text)),
        "language": float(passage.language == asked.language),
        "long_question": min(1.0, len(asked.text) / 120),
    }


def _meaning(block: Block, near: Sequence[float]) -> Features:
    """Return how near a block is in meaning beside the others; a cosine by itself tells another thing in each model."""
    mine = near[-1] if near and block.near is None else block.near
    if mine is None or near[0] == near[-1]:
        return dict.fromkeys(("meaning_behind", "meaning_place", "meaning_ahead"), 0.0)
    width = near[0] - near[-1]
    return {
        "meaning_behind": (near[0] - mine) / width,
        "meaning_place": _place(near, mine),
        "meaning_ahead": (near[0] - near[1]) / width,
    }


def _best_first(blocks: Sequence[Block], column: int) -> tuple[float, ...]:
    return tuple(sorted((pair[column] for block in blocks for pair in block.matched), reverse=True))


_FURTHEST = 20
"""Place of the piece that is taken for one that does not answer."""


def _matching(quote: Quote, matched: Sequence[Sequence[float]]) -> Features:
    """Return how well a quote matches token by token beside the others; what stands for its thread is `thread_…`."""
    own, thread = matched
    if not own or quote.piece >= len(quote.block.matched):
        return dict.fromkeys(
            ("match", "match_top", "match_behind", "match_place", "thread_behind", "thread_place"), 0.0
        )
    mine, here = quote.block.matched[quote.piece]
    return {
        "match": mine,
        "match_top": own[0],
        "match_behind": _behind(own, mine),
        "match_place": _place(own, mine),
        "thread_behind": _behind(thread, here),
        "thread_place": _place(thread, here),
    }


def _place(others: Sequence[float], mine: float) -> float:
    return math.log1p(sum(each > mine for each in others))


def _behind(best_first: Sequence[float], mine: float) -> float:
    width = best_first[0] - best_first[min(_FURTHEST, len(best_first) - 1)]
    return (best_first[0] - mine) / width if width > 0 else 0.0


def _by_words(block: Block, words: Sequence[float]) -> Features:
    """Return how far a block is behind the best by words, 1 where these did not find it, and the best ahead of others.

    How the scores fall tells how well a search went (Shtok et al. 2012). Of a passage that is alone they are below 0.
    """
    best = words[0] if words else 0.0

    def behind(score: float) -> float:
        return 1 - score / best if best > 0 else 0.0

    ahead = {f"ahead_{place}": behind(words[min(place, len(words)) - 1]) if words else 0.0 for place in (2, 5, 8)}
    return {**ahead, "words_behind": behind(block.words) if block.words else 1.0}


def _told(name: str, wanted: bool, is_told: Callable[[], bool]) -> Features:
    """Return whether what is wanted is told, and whether it is missing."""
    told = wanted and is_told()
    return {name: float(told), f"no_{name}": float(wanted and not told)}


def has_cue(cue: str, text: str) -> bool:
    """Tell whether a text has words of a cue."""
    return pattern(f"answering.{cue}").search(text) is not None


def _headings(block: Block) -> frozenset[str]:
    return terms_in(f"{block.passage.title}\n{block.passage.section}")


def _held(wanted: frozenset[str], text: str) -> float:
    """Return the share of these numbers that a text has."""
    return len(wanted & numbers_in(text)) / len(wanted) if wanted else 0.0

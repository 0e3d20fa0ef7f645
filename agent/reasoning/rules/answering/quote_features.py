"""What is plain to see of a quote and a question: figures from which a fitted model reads how likely it answers."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agent.reasoning.rules.answering import latent_semantics
from agent.reasoning.rules.answering.passage_units import Shape
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.weighted_question import Asked, denies, numbers_in, terms_in
from agent.reasoning.rules.reading.answer_type import Kind
from agent.text import tokens
from agent.types import Block

Features = Mapping[str, float]

_EXAMPLE = re.compile(r"\b(?:for example|for instance|e\.g\.|examples?)\b|예를 들|예시|예컨대", re.IGNORECASE)
_HISTORY = re.compile(
    r"\b(?:change ?log|release notes?|what's new|history|deprecated|archive|v?\d+\.\d+\.\d+)\b"
    r"|부칙|개정|연혁|변경 ?(?:이력|내역)",
    re.IGNORECASE,
)
_POINTS_ON = re.compile(
    r"\b(?:see|refer to|learn more|read more|check out)\b|참고하|참조하|살펴보|알아보", re.IGNORECASE
)
_DIGIT = re.compile(r"\d")
_TIME = re.compile(
    r"\b(?:days?|weeks?|months?|years?|hours?|minutes?|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"january|february|march|april|june|july|august|september|october|november|december|deadline|daily|weekly|monthly)\b"
    r"|\d\s?(?:일|주|개월|달|년|시간|분|시|월)|매일|매주|매월|매년|이내|까지|전까지",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|in order to|due to|reason|why|therefore)\b|때문|위해|위하여|이유|므로", re.I
)
_MAY = re.compile(
    r"\b(?:can|cannot|can't|may|must|should|allowed|permitted|required|able|need|never|always|only|except|not)\b"
    r"|수 있|수 없|해야|하여야|아니|않|못|가능|불가|금지|다만|제외|의무",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+|@\w|(?i:\b(?:team|manager|lead|officer|contact)\b)|담당|팀|장이|장은|님|책임"
)
_WHERE = re.compile(r"https?://|\]\(|\b(?:in the|at the|on the|page|folder|channel|room)\b|에서|위치|경로|주소", re.I)


COMPARED = 0.5
"""Share of the blocks that must have been compared by meaning, for that to count."""


def by_meaning(blocks: Sequence[Block]) -> bool:
    """Tell whether the blocks were compared with the question by their meaning as well."""
    return bool(blocks) and sum(block.near is not None for block in blocks) >= COMPARED * len(blocks)


@dataclass(frozen=True, slots=True)
class Seen:
    """What all quotes of some blocks share: how these stand to the question, and to each other."""

    nowhere: float
    """Share of the question, by rarity, that no block speaks of."""
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
    space: latent_semantics.Space
    question: latent_semantics.Vector | None
    """Where the question is in that space."""


def seen(asked: Asked, blocks: Sequence[Block]) -> Seen:
    """Return what all quotes of these blocks share."""
    held = {block.n: terms_in(block.passage.text) | _headings(block) for block in blocks}
    total = sum(block.score for block in blocks) or 1.0
    space = latent_semantics.Space(blocks)
    documents: dict[str, float] = defaultdict(float)
    for block in blocks:
        documents[block.passage.document_id] += block.score / total
    return Seen(
        nowhere=1 - asked.share(frozenset().union(*held.values())),
        around={n: asked.share(terms) for n, terms in held.items()},
        documents=documents,
        top=max((block.score for block in blocks), default=0.0) or 1.0,
        near=tuple(sorted((block.near for block in blocks if block.near is not None), reverse=True)),
        words=tuple(sorted((block.words for block in blocks), reverse=True)),
        space=space,
        question=space.of(asked.text),
    )


def features(asked: Asked, quote: Quote, seen: Seen) -> Features:
    """Return the figures of a quote, each within about -1..3; what there is no data for is 0."""
    passage = quote.block.passage
    text = quote.text
    inside = terms_in(text)
    sentence = terms_in(quote.sentence)
    above = terms_in(f"{passage.title}\n{passage.section}\n{quote.heading}")
    beside = terms_in(f"{passage.section.rpartition(' > ')[2]}\n{quote.heading}")
    weights, share = asked.weights, asked.share
    rare = sorted(weights, key=lambda term: -weights[term])[:3]
    order = tokens(text)
    pairs = set(pairwise(order))
    size = quote.size
    wants_time = Kind.TIME in asked.kinds
    wants_number = bool(asked.kinds & {Kind.NUMBER, Kind.TIME})
    wants_steps = bool(asked.kinds & {Kind.STEPS, Kind.ADVICE})
    new = len(inside - asked.weights.keys())
    return {
        **_meaning(quote.block, seen.near),
        **_ahead(seen.words),
        "latent": latent_semantics.cosine(seen.question, seen.space.of(f"{passage.section} {quote.heading} {text}")),
        "inside": share(inside),
        "sentence": share(sentence),
        "above": share(above),
        "near": share(beside),
        "together": share(inside | above),
        "sentence_headed": share(sentence | beside),
        "around": seen.around[quote.block.n],
        "nowhere": seen.nowhere,
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
        "number": float(wants_number and bool(_DIGIT.search(text))),
        "no_number": float(wants_number and not _DIGIT.search(text)),
        "time": float(wants_time and bool(_TIME.search(text))),
        "no_time": float(wants_time and not _TIME.search(text)),
        "reason": float(Kind.REASON in asked.kinds and bool(_REASON.search(text))),
        "no_reason": float(Kind.REASON in asked.kinds and not _REASON.search(text)),
        "may": float(Kind.YES_NO in asked.kinds and bool(_MAY.search(text))),
        "no_may": float(Kind.YES_NO in asked.kinds and not _MAY.search(text)),
        "who": float(Kind.PERSON in asked.kinds and bool(_WHO.search(text))),
        "where": float(Kind.PLACE in asked.kinds and bool(_WHERE.search(text))),
        "numbers_held": _held(asked.numbers, numbers_in(f"{text} {passage.section} {passage.title}")),
        "numbers_missing": float(bool(asked.numbers)) - _held(asked.numbers, numbers_in(f"{text} {passage.section}")),
        "denies": float(asked.denies and denies(text)),
        "example": float(bool(_EXAMPLE.search(f"{quote.heading} {text[:60]}"))),
        "history": float(bool(_HISTORY.search(f"{passage.title} {passage.section} {quote.heading}"))),
        "points_on": float(bool(_POINTS_ON.search(text)) and size < 30),
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
        return {"meaning_behind": 0.0, "meaning_place": 0.0, "meaning_ahead": 0.0}
    width = near[0] - near[-1]
    return {
        "meaning_behind": (near[0] - mine) / width,
        "meaning_place": math.log1p(sum(each > mine for each in near)),
        "meaning_ahead": (near[0] - near[1]) / width,
    }


def _ahead(words: Sequence[float]) -> Features:
    """Return how far the best is ahead of others by words; that tells how well a search went (Shtok et al. 2012)."""
    best = words[0] if words else 0.0
    return {f"ahead_{place}": 1 - words[min(place, len(words)) - 1] / best if best > 0 else 0.0 for place in (2, 5, 8)}


def gives_reason(text: str) -> bool:
    """Tell whether a text has words of cause or purpose."""
    return bool(_REASON.search(text))


def _headings(block: Block) -> frozenset[str]:
    return terms_in(f"{block.passage.title}\n{block.passage.section}")


def _held(wanted: frozenset[str], held: frozenset[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 0.0

"""The quotes that answer one question, best first, and how likely they do."""

import math
import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from agent.reasoning.rules.answering import likelihood
from agent.reasoning.rules.answering.likelihood import Likelihood
from agent.reasoning.rules.answering.passage_units import Shape
from agent.reasoning.rules.answering.quote_features import evidence_of, features, seen
from agent.reasoning.rules.answering.quotes import Quote, quotes_of
from agent.reasoning.rules.answering.rows_by_key import holds_row_of
from agent.reasoning.rules.answering.weighted_question import Asked, terms_in
from agent.reasoning.rules.fitted.logistic_regression import expit, logit
from agent.reasoning.rules.reading.answer_type import Kind
from agent.reasoning.rules.reading.question_form import is_name
from agent.text import language_of
from agent.types import ATTACHED, Block, Passage

SOURCES = 3
"""Passages that an answer quotes."""
ROOM = 100
"""Words of the quotes of an answer that is sure; of one that is not there may be `WIDER` times as many."""
WIDER = 2.4
ALSO = 0.1
"""Share of the best quote's likelihood from which another one is told beside it in an answer that is sure."""
AS_LIKELY = 0.7
"""Share from which one is told although there is no room: of two pieces of a section the longer was left out."""
ROOMIER = 1.8
"""How many times the words of a sure answer there may be with these."""
MAYBE, MAYBE_ALSO = 0.02, 0.2
"""From which likelihood, and which share of the best one's, a quote is told beside it in one that is not: what is meant
then often stands lower."""
EVEN = 0.5
"""From which confidence on what is not told as an answer is said to be one probably."""
NOTE = 40
"""Words of a paragraph below a table that may be a note of it."""
LEAST_LIKELY = 0.02
"""What a quote counts at least: where few were found, those that are not there speak for nobody."""
ASKED = 0.5
"""Share of a question that the head of a document must speak of to be told: nobody asks for most of these."""
_VALUE = re.compile(r"[^\W\d_][^:：\n]{0,40}[:：]\s*\S")
"""A name with its value, which is a statement however short it is: `Default: 16`."""
IN_THREAD = ("thread_behind", "thread_place")
"""Figures of a quote that only count in a thread."""
OF_BEST = (
    "match", "match_top", "match_behind", "meaning_behind", "meaning_ahead", "ahead_2", "ahead_5", "ahead_8", "latent",
    "nowhere", "terms", "long_question", "document", "rank", "size", "whole", "near", "spread",
)  # fmt: skip
"""Figures of the best quote that are an answer's, too."""
OF_ANY = ("sentence", "together", "inside", "pairs", "rare_inside", "rarest")
"""Figures of an answer that are the highest among its quotes."""
TRANSLATED = 1.25
"""Log odds by which an answer to a question in the words of another language is less likely one to it. Chosen on 625
questions to three libraries of two sets each and to an invented one, where .75 to 1.5 tell as many."""
ALSO_ABROAD = 0.4
"""Share of the likelihood of what is told first from which what is in another language is told beside it."""
LEAST = 12
"""Words that must be left for another quote."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A quote, and how likely it tells a part of the answer."""

    quote: Quote
    figures: Mapping[str, float]
    likely: float


@dataclass(frozen=True, slots=True)
class Found:
    """What the evidence holds for a question."""

    asked: Asked
    rated: tuple[Rated, ...]
    """All quotes, the likeliest first."""
    told: tuple[Quote, ...]
    """Those that are told, the likeliest first."""
    likely: float
    """How likely the best of these tell the whole answer, within the words that a sure one has."""
    model: Likelihood
    """What it was weighed by."""
    verdict: bool | None = None
    """The yes or no that what is told first proves, where one is asked for."""
    doubted: bool = False
    """Whether it is told as what comes closest, however likely it is."""
    others: tuple[Rated, ...] = ()
    """What is told beside it unless it is sure: of what is in another language."""
    least: float = 0.0
    """From which likelihood on anything is told, where a pack asks for more than what was fitted."""

    def figures_of(self, quote: Quote) -> Mapping[str, float]:
        """Return the figures of one of the quotes."""
        return next(each.figures for each in self.rated if each.quote == quote)

    @property
    def sure(self) -> bool:
        """Tell whether it is told as an answer, without a word of doubt."""
        return not self.doubted and self.likely >= max(self.model.sure, self.least)

    @property
    def confidence(self) -> float:
        """How likely all that is told holds the answer: what is not sure is told in more than was found that likely."""
        is_wider = bool(self.told) and self.likely < self.model.sure
        return self.model.of_wider(self.likely) if is_wider else self.likely

    @property
    def probable(self) -> bool:
        """Tell whether what is told is likelier than not to hold the answer."""
        return not self.doubted and self.confidence >= EVEN

    @property
    def near(self) -> bool:
        """Tell whether it is told at all."""
        return bool(self.told) and self.likely >= max(self.model.near, self.least)


def find(
    asked: Asked,
    blocks: Sequence[Block],
    *,
    room: int = ROOM,
    model: Likelihood | None = None,
    in_thread: bool | None = None,
) -> Found:
    """Return the quotes for a question within this many words, and how likely they answer it.

    `in_thread`: whether turns before rest on some documents; None: where some of these blocks are of such.
    """
    model = model or likelihood.fitted(evidence_of(blocks))
    return _found(asked, rate(asked, blocks, model, in_thread=in_thread), room, model)


def _of_named(asked: Asked, rated: Sequence[Rated]) -> Sequence[Rated]:
    """Return quotes without the sections beside the one that the question names, where the likeliest stands in that.

    Who asks for one of several things is told nothing of the others.
    """
    first = rated[0].quote.block.passage
    name = terms_in(first.innermost) if is_name(first.innermost) else frozenset()
    if not name or not name <= asked.weights.keys():
        return rated

    def is_other(passage: Passage) -> bool:
        return passage.is_beside(first) and not terms_in(passage.innermost) & asked.weights.keys()

    return [each for each in rated if not is_other(each.quote.block.passage)]


def find_other(found: Found, apart: Collection[Quote], *, room: int = ROOM) -> Found:
    """Return what was found for a question without these quotes, and how likely that answers it."""
    other = _found(found.asked, [each for each in found.rated if each.quote not in apart], room, found.model)
    return replace(other, doubted=found.doubted, least=found.least)


def likelier(found: Found, foreign: Found) -> Found:
    """Return what was found in the question's own language, or in others: where nothing of the own is sure.

    The other is kept beside it where it is likely too. A question in other words is less surely the same one.
    """
    translated = [replace(each, likely=_discounted(each.likely)) for each in foreign.rated]
    least = foreign.model.near if foreign.near else 0.0  # what is told at all stays so
    foreign = replace(foreign, rated=tuple(translated), likely=max(least, _discounted(foreign.likely)))
    stays = found.sure and found.told[0].block.passage.language == found.asked.language
    first, second = (found, foreign) if stays or found.likely >= foreign.likely else (foreign, found)
    if not second.near or second.likely < ALSO_ABROAD * first.likely:
        return first
    return replace(first, others=tuple(each for each in second.rated if each.quote in second.told))


def with_others(found: Found, room: int = ROOM) -> Found:
    """Return what was found with what is told beside it where it is not sure: of either first what is likeliest."""
    if found.sure or not found.others:
        return found
    first, *mine = (next(each for each in found.rated if each.quote == quote) for quote in found.told)
    other, *more = found.others
    told = tuple(each.quote for each in chosen([first, other, *mine, *more], round(WIDER * room)))
    return replace(found, rated=(*found.rated, *found.others), told=told)


def _discounted(likely: float) -> float:
    return expit(logit(likely, least=LEAST_LIKELY) - TRANSLATED)


def with_theirs(found: Found, other: Found, names: Sequence[Set[str]]) -> Found:
    """Return what was found, and behind it what names what its asker told of themselves: that makes it no likelier.

    `other` was found in the same blocks with those words, of which `names` are the terms.
    """

    def is_theirs(quote: Quote) -> bool:
        passage = quote.block.passage
        held = terms_in(f"{passage.title}\n{passage.section}\n{quote.text}")
        return any(name <= held for name in names if name)

    near = [each for each in chosen(other.rated, ROOM) if each.likely >= MAYBE]
    more = [each for each in near if each.quote not in found.told and is_theirs(each.quote)]
    rated = (*found.rated, *(replace(each, likely=0.0) for each in more))
    return replace(found, rated=rated, told=(*found.told, *(each.quote for each in more)))


def _found(asked: Asked, rated: Sequence[Rated], room: int, model: Likelihood) -> Found:
    likely, told = weigh(asked, rated, room, model)
    return Found(asked, tuple(rated), tuple(each.quote for each in told), likely, model)


def weigh(asked: Asked, rated: Sequence[Rated], room: int, model: Likelihood) -> tuple[float, list[Rated]]:
    """Return how likely the best quotes tell the whole answer within the room, and which are told."""
    best = chosen(rated, room)
    if not best:
        return 0.0, []
    likely = model.answer.of(figures(asked, rated, best))
    rated = _of_named(asked, _explained(rated))
    if likely < model.sure:
        return likely, maybe(rated, room)
    told = [each for each in _of_named(asked, best) if each.likely >= ALSO * best[0].likely]
    as_likely = [each for each in rated if each.likely >= AS_LIKELY * best[0].likely]
    return likely, chosen(as_likely, round(ROOMIER * room), told)


def _explained(rated: Sequence[Rated]) -> list[Rated]:
    """Return quotes with what explains the best one right behind it: the piece below it.

    Below code that speaks of the question it tells what the code is about: who asks about a message of a program wants
    to know more than where it stands. Below a table it is a note that holds for its rows, where it is short and
    speaks of the question.
    """
    first, *rest = rated
    quote = first.quote
    shape = quote.units[quote.best].shape
    below = [
        each for each in rest
        if each.quote.rank == quote.rank and each.quote.piece == quote.piece + 1 and each.quote.heading == quote.heading
        and (shape is Shape.CODE or (shape is Shape.ROW and each.figures["inside"] and each.quote.size <= NOTE))
    ]  # fmt: skip
    kept = [replace(each, likely=max(first.likely, MAYBE)) for each in below]
    return [first, *kept, *(each for each in rest if each not in below)]


def maybe(rated: Sequence[Rated], room: int) -> list[Rated]:
    """Return what is told of an answer that is not sure: more than there is room for otherwise."""
    told = chosen(rated, round(WIDER * room))
    return told[:1] + [each for each in told[1:] if each.likely >= max(MAYBE, MAYBE_ALSO * told[0].likely)]


def rate(asked: Asked, blocks: Sequence[Block], model: Likelihood, *, in_thread: bool | None = None) -> list[Rated]:
    """Return all quotes of the blocks, the likeliest first."""
    rated, shared = [], seen(asked, blocks)
    in_thread = any(block.resumed for block in blocks) if in_thread is None else in_thread
    for rank, block in enumerate(blocks):
        for quote in quotes_of(asked, block, rank):
            told = features(asked, quote, shared)
            likely = model.quote.of(told)
            rated.append(Rated(quote, told, model.thread.of(resumed(likely, block, told)) if in_thread else likely))
    return sorted(_by_key(asked, rated), key=lambda each: -each.likely)


def _by_key(asked: Asked, rated: Sequence[Rated]) -> list[Rated]:
    """Return quotes with the row that the question names, by a code or by a cell, before text that only mentions it.

    So is what speaks of the question's rarest term in a file that came with it: who sends a file asks about that.
    """
    named: list[Rated] = []
    others: list[Rated] = []
    for each in rated:
        is_sent = each.quote.block.passage.collection == ATTACHED and each.figures["rarest_inside"] > 0
        (named if is_sent or holds_row_of(asked, each.quote) else others).append(each)
    most = max((each.likely for each in rated), default=0.0)
    return [*(replace(each, likely=most) for each in named), *others]


def resumed(likely: float, block: Block, figures: Mapping[str, float]) -> Mapping[str, float]:
    """Return what tells how likely a quote of a block answers in a thread, by how likely it does by itself."""
    return {
        "alone": logit(likely, least=LEAST_LIKELY),
        "resumed": _by_place(block.resumed),
        "told": _by_place(block.told),
        **{name: figures[name] for name in IN_THREAD},
    }


def _by_place(place: int) -> float:
    return 1 / place if place else 0.0


def chosen(rated: Sequence[Rated], room: int, told: Sequence[Rated] = ()) -> list[Rated]:
    """Return the likeliest quotes that fit beside what is told, of a few passages; nothing is told twice."""
    out = list(told)
    texts = [" ".join(each.quote.text.split()) for each in told]
    sources = {each.quote.rank for each in told}
    left = room - sum(each.quote.size for each in told)
    for each in rated:
        quote = each.quote
        text = " ".join(quote.text.split())
        if (out and quote.size > left) or _says_nothing(quote) or any(text in told for told in texts):
            continue
        if quote.rank not in sources and len(sources) == SOURCES:
            continue
        if (quote.is_letterhead and each.figures["inside"] < ASKED) or (quote.is_address and not each.figures["who"]):
            continue
        out.append(each)
        texts.append(text)
        sources.add(quote.rank)
        left -= quote.size
        if left < LEAST:
            break
    return out


def _says_nothing(quote: Quote) -> bool:
    """Tell whether a quote is no statement: too short (in Korean two words are one), leading to one, or a title."""
    passage = quote.block.passage
    is_title = quote.text.strip("#*_: ") in (passage.title, passage.innermost)
    is_short = quote.size < (2 if language_of(quote.text) == "ko" else 3) and not _VALUE.match(quote.text)
    return is_title or quote.leads_on or is_short


def figures(asked: Asked, rated: Sequence[Rated], told: Sequence[Rated]) -> Mapping[str, float]:
    """Return what is plain to see of an answer: of its best quote, of what comes after it, and of the question."""
    best = told[0]
    document = best.quote.block.passage.document_id
    odds = [logit(each.likely, least=LEAST_LIKELY) for each in rated[:8]]
    odds += [logit(0.0, least=LEAST_LIKELY)] * (3 - len(odds))
    mean = sum(odds) / len(odds)
    return {
        **{name: best.figures[name] for name in OF_BEST},
        **{name: max(each.figures[name] for each in told) for name in OF_ANY},
        "best": odds[0],
        "second": odds[1],
        "third": odds[2],
        "lead": odds[0] - odds[1],
        "mean": mean,
        "mean_squared": mean * mean,
        "none": sum(math.log(max(1e-6, 1 - each.likely)) for each in told),
        "expected": sum(each.likely for each in told),
        "one_document": sum(each.quote.block.passage.document_id == document for each in told) / len(told),
        "value": float(bool(asked.kinds & {Kind.NUMBER, Kind.TIME})),
        "steps": float(asked.wants_steps),
        "yes_no": float(Kind.YES_NO in asked.kinds),
        "listed": float(Kind.LIST in asked.kinds),
    }

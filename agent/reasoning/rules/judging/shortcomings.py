"""What an answer leaves to be desired although the evidence holds it: a part of the question."""

from collections.abc import Sequence

from agent.reasoning.rules.answering.composition import Part
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.weighted_question import terms_in
from agent.types import Sentence

TOLD = 0.5
"""Share of a part's content that a sentence must speak of to answer it."""


def missing(sentences: Sequence[Sentence], parts: Sequence[Part]) -> list[str]:
    """Return the parts of a question that have an answer in the evidence, and none in the draft."""
    left = unanswered(sentences, parts) if len(parts) > 1 else ()
    return [part.text for part in parts if part.found.sure and part.text in left]


def unanswered(sentences: Sequence[Sentence], parts: Sequence[Part]) -> tuple[str, ...]:
    """Return the parts of the question that a draft leaves open: those that its sentences are not of.

    Where its writer does not say what they are of, they must rest on what answers the part, or speak of it.
    """
    known = {part for sentence in sentences for part in sentence.part.split("\n") if part}
    return tuple(part.text for part in parts if not (part.text in known if known else _answers(sentences, part)))


def _answers(sentences: Sequence[Sentence], part: Part) -> bool:
    asked = part.found.asked
    for sentence in sentences:
        if part.found.near and any(_rests_on(sentence, quote) for quote in part.found.told):
            return True
        if asked.held(terms_in(sentence.text)) >= TOLD * asked.total:
            return True
    return False


def _rests_on(sentence: Sentence, quote: Quote) -> bool:
    """Tell whether a sentence rests on the one of a quote that answers."""
    best = quote.units[quote.best]
    return any(
        place.block == quote.block.n and place.start < best.end and best.start < place.end for place in sentence.support
    )

"""What an answer leaves to be desired although the evidence holds it: a part, the asker's language."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.reasoning.brief import Brief
from agent.reasoning.grounding.citation_support import check_sentence
from agent.reasoning.rules.answering import composition
from agent.reasoning.rules.answering.composition import Part
from agent.reasoning.rules.answering.cross_language import LANGUAGE
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.weighted_question import terms_in
from agent.reasoning.rules.reading.answer_type import Kind
from agent.text import tokens
from agent.types import Sentence

PART = "Answer this part of the question as well: "
REPEATS = "This only repeats the question, leave it out: "
TOLD = 0.5
"""Share of a part's content that a sentence must speak of to answer it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that another draft can do better, and what to tell its writer."""

    reason: str
    suggestion: str


def faults(sentences: Sequence[Sentence], brief: Brief, parts: Sequence[Part]) -> list[Fault]:
    """Return what is wrong with a draft that the blocks would allow to be right."""
    return [*_repeating(sentences, brief, parts), *_language(sentences, brief, parts), *_missing(sentences, parts)]


def _missing(sentences: Sequence[Sentence], parts: Sequence[Part]) -> Iterator[Fault]:
    """Yield the parts of the question that have an answer in the evidence, and none in the draft."""
    if len(parts) == 1:
        return
    left = unanswered(sentences, parts)
    for part in parts:
        if part.found.sure and part.text in left:
            yield Fault(f"a part is not answered: {part.text}", PART + part.text)


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


def _repeating(sentences: Sequence[Sentence], brief: Brief, parts: Sequence[Part]) -> Iterator[Fault]:
    """Yield the sentences that say nothing but the question, unless a yes to it is all that is wanted."""
    if any(Kind.YES_NO in part.found.asked.kinds for part in parts):
        return
    known = set(tokens(brief.question))
    for sentence in sentences:
        said = set(tokens(sentence.text))
        heads = sentence.text.startswith("**")  # what stands below it tells more
        if said and said <= known and not heads and not check_sentence(sentence, brief.blocks):
            yield Fault("a sentence repeats the question", REPEATS + sentence.text)


def _language(sentences: Sequence[Sentence], brief: Brief, parts: Sequence[Part]) -> Iterator[Fault]:
    """Yield a fault where an answer stands in passages of another language and some in the asker's answer as well."""
    languages = {block.n: block.passage.language for block in brief.blocks}
    used = {languages[place.block] for sentence in sentences for place in sentence.support if place.block in languages}
    if not used or brief.language in used:
        return
    own = [block for block in brief.blocks if block.passage.language == brief.language]
    if own and all(composition.found_for(part.text, brief, blocks=own).sure for part in parts):
        yield Fault(f"the answer is not in {brief.language}", LANGUAGE[brief.language])

"""What an answer leaves to be desired although the evidence holds it: a part, a value, the asker's language."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agent.reasoning.brief import Brief
from agent.reasoning.offline import advice, attempt, choose, compose, cues, evidence
from agent.reasoning.offline.evidence import Reading
from agent.reasoning.offline.parts import parts_of
from agent.reasoning.offline.question import FAINT, Kind
from agent.reasoning.support import check_sentence
from agent.text import tokens
from agent.types import Block, Sentence, Support

_VALUED = frozenset({Kind.NUMBER, Kind.TIME})
TOLD = 0.5
"""Share of a part's content that a sentence must speak of to answer it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that another draft can do better, and what to tell its writer."""

    reason: str
    suggestion: str


def faults(sentences: Sequence[Sentence], brief: Brief) -> list[Fault]:
    """Return what is wrong with a draft that the blocks would allow to be right."""
    return [*_repeating(sentences, brief), *_language(sentences, brief), *_parts(sentences, brief)]


def _parts(sentences: Sequence[Sentence], brief: Brief) -> Iterator[Fault]:
    """Yield the parts of the question that no sentence answers, and those that are answered without their value."""
    if len(parts_of(brief.question)) == 1 and not _may_lack_value(sentences, brief):
        return
    for part in compose.answers(replace(brief, suggestions=())):
        reading = attempt.read(part.text, brief.language, brief.blocks)
        if not part.known or not choose.is_answerable(reading):
            continue
        alone = part.text == brief.question
        mine = [sentence for sentence in sentences if alone or _answers(sentence, reading)]
        stands = any(not check_sentence(sentence, brief.blocks) for sentence in part.sentences)
        if not mine and stands:
            yield Fault(f"a part is not answered: {part.text}", advice.PART + part.text)
        elif mine and _lacks_value(mine, reading, brief.blocks):
            yield Fault(f"the value is not given: {part.text}", advice.VALUE + part.text)


def _answers(sentence: Sentence, reading: Reading) -> bool:
    """Tell whether a sentence speaks of a part, by its words or by where it stands."""
    terms = [term for term in reading.question.terms if term.weight > FAINT and not term.aside]
    if not terms:
        return True
    total = sum(term.weight for term in terms)
    said = evidence.match(terms, sentence.text)
    if sum(term.weight * share for term, share in zip(terms, said, strict=True)) >= TOLD * total:
        return True
    top = max((piece.coverage for piece in reading.pieces), default=0.0)
    return any(
        piece.coverage >= choose.ALSO * top and _covers(sentence.support, piece) for piece in reading.pieces if top
    )


def _covers(support: Sequence[Support], piece: evidence.Piece) -> bool:
    return any(
        place.block == piece.block.n and place.start < piece.unit.end and piece.unit.start < place.end
        for place in support
    )


def _may_lack_value(sentences: Sequence[Sentence], brief: Brief) -> bool:
    """Tell whether a value is asked for and the answer has no number at all: it is worth a closer look."""
    asked = attempt.asked(brief.question, brief.language, brief.blocks)
    return bool(asked.kinds & _VALUED) and not any(cues.holds(Kind.NUMBER, sentence.text) for sentence in sentences)


def _lacks_value(sentences: Sequence[Sentence], reading: Reading, blocks: Sequence[Block]) -> bool:
    """Tell whether a value was asked for, the answer has none, and what is likely the right piece has one."""
    asked = reading.question
    if not asked.kinds & _VALUED or asked.kinds & {Kind.STEPS, Kind.ADVICE, Kind.YES_NO}:
        return False
    texts = [sentence.text for sentence in sentences]
    known = {block.n: block.passage.text for block in blocks}
    texts += [
        known[place.block][place.start : place.end]
        for sentence in sentences for place in sentence.support if place.block in known
    ]  # fmt: skip
    if cues.has_form(asked, texts) or any(cues.holds(Kind.NUMBER, text) for text in texts):
        return False
    given = [group for group in choose.choose(reading, 1, valued=True)[:1] if group]
    return any(cues.has_form(asked, [evidence.shown(piece) for piece in group]) for group in given)


def _repeating(sentences: Sequence[Sentence], brief: Brief) -> Iterator[Fault]:
    """Yield the sentences that say nothing but the question, unless a yes to it is all that is wanted."""
    asked = attempt.asked(brief.question, brief.language, brief.blocks)
    if Kind.YES_NO in asked.kinds:
        return
    known = set(tokens(brief.question))
    for sentence in sentences:
        said = set(tokens(sentence.text))
        heads = sentence.text.startswith("**")  # what stands below it tells more
        if said and said <= known and not heads and not check_sentence(sentence, brief.blocks):
            yield Fault("a sentence repeats the question", advice.REPEATS + sentence.text)


def _language(sentences: Sequence[Sentence], brief: Brief) -> Iterator[Fault]:
    """Yield a fault where an answer stands in passages of another language and some in the asker's answer as well."""
    languages = {block.n: block.passage.language for block in brief.blocks}
    used = {languages[place.block] for sentence in sentences for place in sentence.support if place.block in languages}
    if not used or brief.language in used:
        return
    own = [block for block in brief.blocks if block.passage.language == brief.language]
    if own and all(_answerable(part, brief, own) for part in parts_of(brief.question)):
        yield Fault(f"the answer is not in {brief.language}", advice.LANGUAGE[brief.language])


def _answerable(part: str, brief: Brief, blocks: Sequence[Block]) -> bool:
    return choose.is_answerable(attempt.read(part, brief.language, blocks))

"""How good an answer is, by rules: long enough, covered by its evidence, and for the one who asks."""

from collections.abc import Sequence

from agent.packs.pack import Quality
from agent.reasoning.brief import Brief
from agent.reasoning.rules.answering import composition
from agent.reasoning.rules.answering.composition import Part
from agent.reasoning.rules.answering.quotes import words_in
from agent.reasoning.rules.answering.weighted_question import Asked, terms_in
from agent.reasoning.rules.planning.wants import parts_of
from agent.reasoning.rules.reading.answer_type import Kind, without_aside
from agent.reasoning.rules.reading.profile_match import bearing
from agent.reasoning.rules.reading.question_form import content_of, stands
from agent.text import tokens
from agent.types import Grade, QualityCheck, Remedy, Sentence

_FACTS = frozenset({Kind.NUMBER, Kind.TIME, Kind.PERSON, Kind.PLACE, Kind.YES_NO})
LIKELY = 0.9
"""How likely cases answer that hold all that was named, or a document that was named. A figure chosen, not fitted."""
_OPEN = frozenset({Kind.STEPS, Kind.ADVICE, Kind.OUTCOME, Kind.LIST, Kind.REASON})
SHORT = 30
"""Words up to which the answer to a question for a fact is a fact and nothing else."""
WANTED: dict[str, tuple[int, int]] = {"fact": (4, 180), "open": (12, 300), "other": (8, 200)}
"""Words that an answer of a kind should have, least and most, for each part of the question; chosen by reading."""
TOO_LONG = 0.5
"""What the length of an answer counts at least that is too long."""
TOLD = 0.5
"""Share of a part's content that a sentence must speak of to answer it."""


def grade(sentences: Sequence[Sentence], brief: Brief, grounding: QualityCheck) -> Grade:
    """Return the mean of the terms that have data, by the pack's weights; of a short fact the evidence alone.

    Evidence is the share of sentences that hold times the share of the question's words that the answer and the
    passages under it speak of. An answer of no sentence has the score 0 and is not written again: nothing was found.
    """
    if not sentences:
        return Grade(
            check=QualityCheck(is_valid=False, score=0.0, reason="nothing was claimed"),
            score=0.0,
            evidence=0.0,
            unanswered=parts_of(brief.question),
            final=brief.lookup is not None,
        )
    if brief.lookup is not None:  # cases are found by what they must hold; other words would find other cases
        held = round(grounding.score, 3)
        likely = round(held * LIKELY * brief.lookup.likely, 3)
        check = QualityCheck(is_valid=True, score=held)
        left = tuple(words for words, each in brief.lookup.asked if not each.cases)
        return Grade(check=check, score=held, evidence=held, confidence=likely, unanswered=left, final=True)
    if brief.whole:  # what it is to tell is the document that was named
        held = round(grounding.score, 3)
        check = QualityCheck(is_valid=True, score=held)
        return Grade(check=check, score=held, evidence=held, confidence=round(held * LIKELY, 3), final=True)
    parts = composition.answers(brief)
    asked = [part.found.asked for part in parts]
    supported = grounding.score * _coverage(asked, sentences, brief)
    length = None if brief.profile.preferences.length else _length(asked, sentences)
    personal = _personalization(sentences, brief)
    alone = _is_fact(asked) and _size(sentences) <= SHORT * len(asked)
    score = supported if alone else _mean(length, supported, personal, brief.pack.quality)
    left = _unanswered(sentences, parts) if len(parts) > 1 else ()
    untold = [part.text for part in parts if part.found.sure and part.text in left]
    return Grade(
        check=QualityCheck(
            is_valid=not untold,
            score=round(score, 3),
            reason="; ".join(f"a part is not answered: {part}" for part in untold),
            suggestions=tuple(Remedy("unanswered", part) for part in untold),
            needs_retry=bool(untold),
        ),
        score=round(score, 3),
        length=None if alone or length is None else round(length, 3),
        evidence=round(supported, 3),
        personalization=None if personal is None else round(personal, 3),
        confidence=round(grounding.score * _likely(parts), 3),
        unanswered=left,
    )


def _likely(parts: Sequence[Part]) -> float:
    """Return how likely the evidence holds what was asked for: of several parts the least likely one that is told."""
    return min((part.found.confidence for part in parts if part.found.near), default=0.0)


def _mean(length: float | None, supported: float, personal: float | None, quality: Quality) -> float:
    terms = ((quality.length, length), (quality.evidence, supported), (quality.personalization, personal))
    known = [(weight, value) for weight, value in terms if value is not None]
    total = sum(weight for weight, _ in known)
    return sum(weight * value for weight, value in known) / total if total else supported


def _is_fact(asked: Sequence[Asked]) -> bool:
    return all(each.kinds & _FACTS and not each.kinds & _OPEN for each in asked)


def _coverage(asked: Sequence[Asked], sentences: Sequence[Sentence], brief: Brief) -> float:
    """Return the share of the questions' content that the answer and the passages it cites speak of."""
    cited = {place.block for sentence in sentences for place in sentence.support}
    held: set[str] = set()
    for sentence in sentences:
        held |= terms_in(sentence.text)
    for block in brief.blocks:
        if block.n in cited:
            passage = block.passage
            held |= terms_in("\n".join((passage.title, passage.section, *passage.asked, passage.text)))
    shares = [each.share(held) if each.total else 1.0 for each in asked]
    return sum(shares) / len(shares)


def _length(asked: Sequence[Asked], sentences: Sequence[Sentence]) -> float:
    """Return how near the length of an answer is to what its questions want, 0..1."""
    least = most = 0
    for each in asked:
        kind = "open" if each.kinds & _OPEN else "fact" if each.kinds & _FACTS else "other"
        least, most = least + WANTED[kind][0], most + WANTED[kind][1]
    size = _size(sentences)
    if size < least:
        return size / least
    return 1.0 if size <= most else max(TOO_LONG, most / size)


def _size(sentences: Sequence[Sentence]) -> int:
    return sum(words_in(sentence.text) for sentence in sentences)


def _personalization(sentences: Sequence[Sentence], brief: Brief) -> float | None:
    """Return the share of what the asker told that the answer reflects, of what tells passages apart; None: nothing."""
    cited = {place.block for sentence in sentences for place in sentence.support}
    said = set(tokens(" ".join(sentence.text for sentence in sentences)))
    held = {
        block.n: set(tokens(f"{block.passage.title} {block.passage.section} {block.passage.text}"))
        for block in brief.blocks
    }
    reflected: list[bool] = []
    for names in bearing(brief):
        holding = {n for n, words in held.items() if any(name <= words for name in names)}
        if holding:  # otherwise the documents do not tell by it
            reflected.append(bool(holding & cited) or any(name <= said for name in names))
    return sum(reflected) / len(reflected) if reflected else None


def _unanswered(sentences: Sequence[Sentence], parts: Sequence[Part]) -> tuple[str, ...]:
    """Return the parts of the question that a draft leaves open: those that its sentences neither are of nor speak of.

    Where its writer does not say what they are of, it is enough that they rest on what answers the part.
    """
    known = {part for sentence in sentences for part in sentence.part.split("\n") if part}
    return tuple(
        part.text for part in parts
        if part.text not in known
        and not (_has_all(sentences, part) if known else _speaks_of(sentences, part) or _rests_on(sentences, part))
    )  # fmt: skip


def _has_all(sentences: Sequence[Sentence], part: Part) -> bool:
    """Tell whether one of the sentences has every word of what a part is about."""
    words = [term.word for term in content_of(without_aside(part.text))]
    held = [terms_in(sentence.text) for sentence in sentences]
    return bool(words) and any(all(stands(word, within=each) for word in words) for each in held)


def _speaks_of(sentences: Sequence[Sentence], part: Part) -> bool:
    """Tell whether one of the sentences has most of it."""
    asked = part.found.asked
    return any(asked.held(terms_in(sentence.text)) >= TOLD * asked.total for sentence in sentences)


def _rests_on(sentences: Sequence[Sentence], part: Part) -> bool:
    """Tell whether one of the sentences rests on what answers a part."""
    quotes = part.found.told if part.found.near else ()
    places = [(quote.block.n, quote.units[quote.best]) for quote in quotes]
    return any(
        place.block == n and place.start < best.end and best.start < place.end
        for sentence in sentences for place in sentence.support for n, best in places
    )  # fmt: skip

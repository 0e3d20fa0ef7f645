"""Which messages of a thread tell what is asked, where no document does."""

from collections.abc import Sequence, Set

from agent.addressing import puts_question
from agent.language.lexicon import pattern
from agent.reasoning.rules.reading.answer_type import Kind, Question, Term, read
from agent.reasoning.rules.thread.history import content
from agent.reasoning.rules.thread.pointed_target import named
from agent.text import sentences, tokens, words
from agent.types import Language, Said
from agent.values.amounts import amounts

MOST = 3
"""Messages that are told: of one that was taken back the later one must be among them."""
LEAST = 0.6
"""Share of what the question is about, by what its words count, that a message must speak of."""
ALSO = 0.85
"""Of the best message's share, from which another one is told beside it."""
_VALUES = frozenset((Kind.TIME, Kind.NUMBER))


def told_of(asked: str, language: Language, messages: Sequence[Said]) -> tuple[Said, ...]:
    """Return the messages, oldest first, that tell what is asked; of what somebody is asked about, only theirs.

    A message speaks of what it says, and of what the one before it asks, where that asks alike. Who asks for a time
    or a number is told no message without one.
    """
    question = read(asked, language)
    mine, _ = named([word for word, _, _ in words(asked)], messages)
    people = {word for each in messages for word, _, _ in words(each.author.name)}
    wanted = [term for term in _about(question) if not _names(term, people)]
    shares: list[float] = []
    for n, each in enumerate(messages):
        spoken = _terms(_stated(each.text))
        if n and messages[n - 1].author != each.author and _asks_alike(messages[n - 1].text, question, language):
            spoken |= _terms(messages[n - 1].text)
        fits = (not mine or each.author.id in mine) and _may_answer(_stated(each.text), question.kinds)
        shares.append(_share(wanted, spoken) if fits else 0.0)
    best = max(shares, default=0.0)
    if best < LEAST:
        return ()
    return tuple(each for each, share in zip(messages, shares, strict=True) if share >= ALSO * best)[-MOST:]


def speaks_of(asked: str, language: Language, text: str) -> float:
    """Return which part of what a question itself is about a text speaks of, 0..1; of a question about nothing 1."""
    wanted = _about(read(asked, language))
    return _share(wanted, _terms(text)) if wanted else 1.0


def _about(question: Question) -> list[Term]:
    """Return what a question itself is about: nothing that it takes from the conversation before it."""
    return [term for term in question.terms if term.tells and not term.aside]


def _share(wanted: Sequence[Term], spoken: Set[str]) -> float:
    total = sum(term.weight for term in wanted)
    return sum(term.weight for term in wanted if _speaks(spoken, term)) / total if total else 0.0


def _names(term: Term, people: Set[str]) -> bool:
    """Tell whether a term is the name of somebody who wrote in the thread."""
    return not people.isdisjoint((term.word.lower(), term.stem, pattern("answering.honorifics").sub("", term.stem)))


def _terms(text: str) -> set[str]:
    return {*tokens(text), *(word.key for word in content(text))}


def _speaks(spoken: Set[str], term: Term) -> bool:
    """Tell whether a term, or what may stand for it, is among what is spoken of; of Korean also within a compound."""
    if not spoken.isdisjoint({*tokens(term.word), term.stem, *term.similar}):
        return True
    return term.hangul and any(each.startswith(term.stem) for each in spoken)


def _stated(text: str) -> str:
    """Return the sentences of a message that ask nothing."""
    return " ".join(each for each in (text[start:end] for start, end in sentences(text)) if not puts_question(each))


def _asks_alike(text: str, question: Question, language: Language) -> bool:
    """Tell whether a text asks what a bare answer to it may tell whoever asks this: "30 days" tells nobody how."""
    if not puts_question(text):
        return False
    return not question.kinds.isdisjoint(_VALUES) or read(text, language).kinds.isdisjoint(_VALUES)


def _may_answer(text: str, kinds: frozenset[Kind]) -> bool:
    """Tell whether a text holds the kind of value that is asked for."""
    if not text.strip():
        return False
    if Kind.TIME in kinds:
        return pattern("answering.moments").search(text) is not None or bool(amounts(text))
    return bool(amounts(text)) if Kind.NUMBER in kinds else True

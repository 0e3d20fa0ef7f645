"""A yes or a no that a comparison of two numbers proves: what is asked for, and the limit that the documents set."""

from collections.abc import Sequence

from agent.language.lexicon import pattern
from agent.reasoning.grounding.figures import amounts_of, bounds_of
from agent.reasoning.grounding.polarity import clauses_of, negated
from agent.reasoning.grounding.wording import bare
from agent.reasoning.rules.answering.weighted_question import terms_in
from agent.reasoning.rules.reading.question_form import things_of
from agent.reasoning.rules.reading.trade_synonyms import Synonyms, all_named
from agent.text import terms_of
from agent.values.amounts import Amount
from agent.values.limits import Limit

_BACKWARDS = pattern("answering.backwards")
_NAMED = "month_name"
"""The unit of a month, which is no number to compare."""


def allowed(question: str, sentence: str) -> bool | None:
    """Tell whether a sentence allows the number that a question asks about; None where that is not proved.

    Proved is only what is plain: the question names one number, the sentence sets one limit to that unit and names no
    other number of it, and neither denies it ("not after 14 days" is no limit from below). 5 % and a twentieth are the
    same; a bare count is not compared with a share.
    """
    asked = [amount for amount in amounts_of(question) if amount.unit != _NAMED]
    if len(asked) != 1 or negated(question):
        return None
    mine = [amount for amount in amounts_of(sentence) if _comparable(amount, asked[0])]
    if any(amount.written in denied for denied in _denied(sentence) for amount in mine):
        return None
    if any(_BACKWARDS.match(sentence, amount.end) for amount in mine):
        return None  # up to two days before something is two days or more
    limits = [bound for bound in bounds_of(sentence) if any(map(bound.is_at, mine))]
    if len({amount.value for amount in mine}) != 1 or not limits or len({limit.low for limit in limits}) != 1:
        return None
    return _fits(asked[0], limits[0], [bound.low for bound in bounds_of(question) if bound.value == asked[0].value])


def _denied(sentence: str) -> list[str]:
    """Return the clauses of a sentence that deny, and those that go on from one: "not … until 24 hours have passed"."""
    clauses = clauses_of(sentence)
    before = (False, *(clause.negated for clause in clauses))
    return [clause.text for goes_on, clause in zip(before, clauses, strict=False) if goes_on or clause.negated]


def proving(question: str, sentences: Sequence[str], synonyms: Synonyms = ()) -> tuple[int, bool] | None:
    """Return which sentence is the first that proves a yes or a no and speaks of all that the question names."""
    for n, sentence in enumerate(sentences):
        verdict = allowed(question, sentence)
        if verdict is not None and _speaks_of_all(question, sentence, synonyms):
            return n, verdict
    return None


def _speaks_of_all(question: str, sentence: str, synonyms: Synonyms) -> bool:
    """Tell whether a sentence speaks of each thing that a question names, numbers apart, and that it names one."""
    rest = all_named(question, sentence, synonyms)
    if rest is None:
        return False
    things = [thing for thing in things_of(_without_numbers(rest)) if not _is_unit(thing.word)]
    held = terms_in(sentence)
    named = [set(terms_of(thing.stem if thing.hangul else thing.word)) for thing in things]
    return (bool(named) or rest != question) and all(terms & held for terms in named)


def _without_numbers(text: str) -> str:
    text = bare(text)
    for amount in reversed(amounts_of(text)):
        text = f"{text[: amount.start]} {text[amount.end :]}"
    return text


def _is_unit(word: str) -> bool:
    return any(amount.unit or amount.value != 1 for amount in amounts_of(f"1 {word}"))


def _comparable(one: Amount, other: Amount) -> bool:
    """Tell whether two amounts measure the same: the same unit, or both a share of a whole."""
    if one.unit != other.unit:
        return False
    return bool(one.unit) or (0 < one.value < 1 and 0 < other.value < 1)


def _fits(asked: Amount, limit: Limit, sides: list[bool]) -> bool | None:
    """Tell whether a number keeps to a limit. `sides`: "more than" and "up to" it, where the question says so.

    At the limit itself only where the words leave no doubt, and more than it keeps to one from below alone; "up to" a
    number tells nothing of a limit from below.
    """
    more, less = True in sides, False in sides
    if limit.low and less:
        return None
    if asked.value == limit.value:
        return limit.low if more else None if limit.strict is True else True
    return (asked.value > limit.value) is limit.low

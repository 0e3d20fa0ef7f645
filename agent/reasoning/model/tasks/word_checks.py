"""Rules for words of a model that people read: short, in their language, and with nothing that stands in no source."""

from collections.abc import Sequence

from agent.reasoning.grounding.figures import amounts_of, date_problems, number_problems
from agent.reasoning.grounding.wording import bare
from agent.reasoning.model.tasks.leaks import leaks
from agent.text import language_of
from agent.types import Language

_COUNTED = 10
"""Up to here a number in words and without a unit only counts: "two plans", "the first quarter"."""


def amiss(text: str, sources: Sequence[str], *, language: Language | None = None) -> str:
    """Return what is wrong with a text, in words for another try; empty when nothing is.

    Its numbers, dates and addresses must stand in one of the sources; a language, where given, must be its own.
    """
    source = "\n".join(sources)
    problems = [
        *number_problems(without_counting(text), source),
        *date_problems(text, source),
        *leaks(text, sources=sources),
    ]
    if language is not None and language_of(text, language) != language:
        problems.append("is not in the language that was asked for")
    return "; ".join(dict.fromkeys(problems))


def without_counting(text: str) -> str:
    """Return the text, without its marks of form and without numbers in words that only count."""
    plain = bare(text)
    for amount in amounts_of(text):
        if not amount.unit and amount.value <= _COUNTED and not any(map(str.isdigit, amount.written)):
            plain = plain[: amount.start] + " " * (amount.end - amount.start) + plain[amount.end :]
    return plain

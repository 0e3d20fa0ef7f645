"""What a grade asks to do better, in sentences that a model understands and that the rules act on themselves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.types import Language

PART = "Answer this part of the question as well: "
VALUE = "Give the number, date or name that is asked for: "
REPEATS = "This only repeats the question, leave it out: "
LANGUAGE: dict[Language, str] = {
    "en": "Answer from the passages in English, the language of the question.",
    "ko": "Answer from the passages in Korean, the language of the question.",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be done otherwise this time."""

    parts: tuple[str, ...] = ()
    """Parts of the question that must be answered."""
    value: bool = False
    """Whether the answer must hold a value."""
    language: Language | None = None
    """Of the passages to answer from."""
    without: tuple[str, ...] = ()
    """Remarks about sentences that are not to be said again."""


def wanted(suggestions: Iterable[str]) -> Wanted:
    """Return what the suggestions of earlier checks ask for."""
    given: Sequence[str] = tuple(suggestions)
    return Wanted(
        parts=tuple(told.removeprefix(PART) for told in given if told.startswith(PART)),
        value=any(told.startswith(VALUE) for told in given),
        language=next((language for language, words in LANGUAGE.items() if words in given), None),
        without=tuple(told for told in given if not told.startswith((PART, VALUE)) and told not in LANGUAGE.values()),
    )

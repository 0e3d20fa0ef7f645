"""Which choices of a question back were made: one, or several at once, as "both" and "1 and 3" are."""

from collections.abc import Sequence

from agent.types import Choice, Pending, Settled

_BETWEEN = " + "


def joined(choices: Sequence[Choice]) -> str:
    """Return the choices as the words of one answer (`Settled.detail`)."""
    return _BETWEEN.join(choice.label for choice in choices)


def several(detail: str, choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices that an answer is made of; none where it is anything but two or more of them."""
    said = detail.split(_BETWEEN)
    found = [choice for choice in choices if choice.label in said]
    return found if 1 < len(found) == len(said) else []


def chosen(pending: Pending, settled: Settled) -> list[Choice]:
    """Return the choices that were made; who only says yes gets the first: what would be assumed, or is offered."""
    if settled.kind == "detail":
        return several(settled.detail, pending.choices)
    number = 0 if settled.kind == "assume" else settled.choice
    return [pending.choices[number]] if 0 <= number < len(pending.choices) else []


def for_each(question: str, choices: Sequence[Choice]) -> str:
    """Return a question once for each choice, so that each is looked up and answered by itself."""
    asked = question.rstrip(" ?.!？")
    return " ".join(f"{asked} ({choice.label})?" for choice in choices)

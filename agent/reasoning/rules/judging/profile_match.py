"""What somebody told of themselves that may tell which passage is for them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent.packs.pack import SlotSpec
from agent.packs.slots import ChoiceSpec
from agent.reasoning.brief import Brief
from agent.reasoning.rules.reading.slots import named_values
from agent.text import tokens
from agent.types import Passage

_WORDS = 4
"""Words of a value that passages are told apart by; a longer one is a story."""


def bearing(brief: Brief) -> Iterator[list[set[str]]]:
    """Yield for each slot of the asker the terms of every name of its value.

    Not of numbers and dates, which no passage repeats, and not of a slot of which the question says otherwise.
    """
    for spec in brief.pack.slots:
        value = brief.profile.slots.get(spec.name)
        if spec.type in ("number", "date") or value in (None, "", []) or _said_otherwise(brief.question, spec, value):
            continue
        names = [
            set(tokens(name.replace("_", " ")))
            for each in (value if isinstance(value, list | tuple) else [value])
            if isinstance(each, str) and len(each.split()) <= _WORDS
            for name in (each, *_names(spec, each))
        ]
        yield [name for name in names if name]


def _names(spec: SlotSpec, value: str) -> tuple[str, ...]:
    choice: ChoiceSpec | None = next((choice for choice in spec.choices if choice.value == value), None)
    return choice.names if choice else ()


def _said_otherwise(question: str, spec: SlotSpec, value: object) -> bool:
    """Tell whether a question names another value of the slot."""
    named = named_values(question, spec)
    return bool(named) and not named <= set(value if isinstance(value, list | tuple) else [value])


_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def contradicts(passage: Passage, known: Mapping[str, Any], slots: Sequence[SlotSpec], question: str) -> bool:
    """Tell whether a passage is for others than the asker: its heading, or each of its sentences, names another value.

    Of slots with one value out of several alone, and not where the question itself names one.
    """
    for spec in slots:
        value = known.get(spec.name)
        if spec.type != "choice" or spec.filter or not value or named_values(question, spec):
            continue
        heading = named_values(f"{passage.title}\n{passage.section}", spec)
        if heading:
            if value not in heading:
                return True
            continue
        said = [named_values(part, spec) for part in _SENTENCE.split(passage.text) if part.strip()]
        if said and all(names and value not in names for names in said):
            return True
    return False

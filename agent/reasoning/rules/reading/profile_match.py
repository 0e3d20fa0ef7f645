"""What somebody told of themselves that may tell which passage is for them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent.packs.pack import SlotSpec
from agent.reasoning.brief import Brief
from agent.reasoning.rules.reading.own_facts import values_of
from agent.reasoning.rules.reading.slots import named_values, slots_of
from agent.text import tokens
from agent.types import Passage

_WORDS = 4
"""Words of a value that passages are told apart by; a longer one is a story."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def bears(spec: SlotSpec, question: str, value: Any) -> bool:
    """Tell whether the value of a slot may tell which passage is for who asks.

    Numbers and dates do not, which no passage repeats, nor a slot of which the question says otherwise: it speaks of
    another value, or says that this one is not the case.
    """
    known = set(values_of(value))
    if spec.type in ("number", "date") or not known:
        return False
    return named_values(question, spec) <= known.intersection(values_of(slots_of(question, (spec,)).get(spec.name)))


def names_of(spec: SlotSpec, value: Any, *, most: int | None = None) -> Iterator[str]:
    """Yield what a value is called, its own name first; of each at most so many names."""
    for each in values_of(value):
        if not isinstance(each, str) or not 0 < len(each.split()) <= _WORDS:
            continue
        names = next((choice.names for choice in spec.choices if choice.value == each), ())
        yield from (name.replace("_", " ") for name in (each, *names)[:most])


def bearing(brief: Brief) -> Iterator[list[set[str]]]:
    """Yield for each slot of the asker that bears on the question the terms of every name of its value."""
    for spec in brief.pack.slots:
        value = brief.profile.slots.get(spec.name)
        if bears(spec, brief.question, value):
            yield [terms for name in names_of(spec, value) if (terms := set(tokens(name)))]


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

"""What a conversation calls the things that a terminology knows, as names of the pack's slots.

A concept is found once and becomes one more name of the value that it stands for. What is denied, whose fact it is and
which passages fit is then read as for every other name.
"""

from collections.abc import Iterable, Sequence

from agent.packs.pack import Pack
from agent.packs.patterns import LONGEST
from agent.packs.slots import ChoiceSpec, SlotSpec
from agent.ports import Concepts
from agent.text import normalise
from agent.types import Concept

_SHORTEST = 2
_LONGEST_NAME = 300
"""Characters of a name."""


async def with_concepts(pack: Pack, texts: Sequence[str], concepts: Concepts) -> Pack:
    """Return the pack, its slots knowing what these texts call things. Raises ConceptsError."""
    if not pack.reads_concepts:
        return pack
    found = [each for text in texts for each in await concepts.find(normalise(text)[:LONGEST])]
    if not found:
        return pack
    return pack.model_copy(update={"slots": tuple(_knowing(slot, found) for slot in pack.slots)})


def _knowing(slot: SlotSpec, found: Iterable[Concept]) -> SlotSpec:
    """Return a slot, its choices having the words that the concepts were found by."""
    names = {choice.value: list(choice.names) for choice in slot.choices}
    taken = {_folded(name) for choice in slot.choices for name in (choice.value, *choice.names)}
    for concept in found:
        words, value = " ".join(concept.words.split()), _value(slot, concept)
        if value is None or not _SHORTEST <= len(words) <= _LONGEST_NAME or _folded(words) in taken:
            continue
        taken.add(_folded(words))
        names.setdefault(value, []).append(words)
    known = {choice.value: choice for choice in slot.choices}
    choices = tuple(
        known.get(value, ChoiceSpec(value=value)).model_copy(update={"names": tuple(called)})
        for value, called in names.items()
    )
    return slot if choices == slot.choices else slot.model_copy(update={"choices": choices})


def _value(slot: SlotSpec, concept: Concept) -> str | None:
    """Return the value of a slot that a concept stands for; of a kind that the slot takes all of, it is its own."""
    for choice in slot.choices:
        if concept.id in choice.concepts:
            return choice.value
    kinds = set(concept.types) & set(slot.concept_types)
    name = " ".join(concept.name.split()).casefold()
    return name if kinds and _SHORTEST <= len(name) <= _LONGEST_NAME else None


def _folded(name: str) -> str:
    return "".join(name.casefold().split())

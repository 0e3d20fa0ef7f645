"""How cases are searched for: all that hold what the question names, of the industry, code or kind that it tells."""

from collections.abc import Iterable
from dataclasses import replace

from agent.packs.pack import Pack
from agent.packs.slots import SlotSpec
from agent.types import Expansion, Query, SearchRequest, Understood

PASSAGES = 200
"""Passages that are looked at, so that one long case does not hide the others."""

ANY_CASE = 0.1
"""Weight of the words that all cases have in common: they find those of an industry that is all that was named."""


def for_cases(
    expansion: Expansion, request: SearchRequest, understood: Understood, pack: Pack
) -> tuple[Expansion, SearchRequest]:
    """Return the search as it is, or as one for cases where the question's intent looks these up."""
    spec = pack.cases_for(understood.intent.name)
    if spec is None:
        return expansion, request
    told = [(slot, _values(understood.slots[slot.name])) for slot in pack.slots if _filters(slot, understood)]
    names = tuple(value for _, values in told for value in values)
    apart = {name for slot, values in told for value in values for name in _called(slot, value)}
    wanted = expansion.must_have or expansion.should_have
    must = tuple(word for word in wanted if not spec.is_common(word) and word.casefold() not in apart)
    own = tuple(word for word in must if word in understood.question)
    must = own if own or names else must  # what a follow-up names itself goes before what it takes from its thread
    must = must if pack.flags.must_have_enabled else ()
    expansion = replace(expansion, must_have=must, filter=replace(expansion.filter, names=names))
    any_case = Query(text=" ".join(each.rstrip("*") for each in spec.common), weight=ANY_CASE, by_meaning=False)
    queries = (*request.queries, any_case) if names and not must else request.queries
    filter = replace(request.filter, names=names)
    return expansion, replace(request, queries=queries, k=PASSAGES, must_have=must, filter=filter)


def _filters(slot: SlotSpec, understood: Understood) -> bool:
    return slot.filter and understood.slots.get(slot.name) not in (None, "", [])


def _values(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)


def _called(slot: SlotSpec, value: str) -> Iterable[str]:
    """Yield what people call a value, and the words of it: these are the filter, and need not stand in the text."""
    for name in (value, *(name for choice in slot.choices if choice.value == value for name in choice.names)):
        yield name.casefold()
        yield from name.casefold().split()

"""What somebody wants forgotten of what they told: "forget that", "forget my blood pressure", "당뇨는 잊어줘"."""

from collections.abc import Mapping
from typing import Any

from agent.language.lexicon import pattern
from agent.packs.pack import Pack
from agent.reasoning.rules.reading.own_facts import Facts
from agent.reasoning.rules.reading.slots import named_values
from agent.text import tokens

_THAT = pattern("reading.forget_that")
_THING = pattern("reading.forget_thing")


def wants_unlearnt(text: str, pack: Pack) -> bool:
    """Tell whether a message wants forgotten what was told last, or one thing that it names."""
    return _THAT.search(text) is not None or (_THING.search(text) is not None and bool(_named(text, pack)))


def unlearnt(text: str, known: Mapping[str, Any], last: Facts, pack: Pack) -> dict[str, tuple[Any, ...]]:
    """Return the values that a message wants forgotten: those it names, else those that were told `last`."""
    named = _named(text, pack)
    if not named and _THAT.search(text):
        return {name: _values(value) for name, value in last.told.items()}
    wanted = {name: _meant(values, _values(known.get(name))) for name, values in named.items()}
    return {name: values for name, values in wanted.items() if values}


def _named(text: str, pack: Pack) -> dict[str, tuple[Any, ...]]:
    """Return the slots that a message names, each with the values that it names; none where it names all of them."""
    said = set(tokens(text))
    out: dict[str, tuple[Any, ...]] = {}
    for spec in pack.slots:
        values = named_values(text, spec)
        titles = [set(tokens(title)) for title in spec.title.texts.values()]
        if values:
            out[spec.name] = tuple(values)
        elif any(title and title <= said for title in titles):
            out[spec.name] = ()
    return out


def _meant(named: tuple[Any, ...], known: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what is known of what was named: all where no value was, a kind of it too (type 2 diabetes)."""
    words = [set(tokens(str(value))) for value in named]
    return tuple(
        value
        for value in known
        if not named or value in named or any(each <= set(tokens(str(value))) for each in words)
    )


def _values(value: Any) -> tuple[Any, ...]:
    if value in (None, "", []):
        return ()
    return tuple(value) if isinstance(value, list | tuple) else (value,)

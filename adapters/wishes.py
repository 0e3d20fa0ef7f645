"""How somebody wants to be answered, as the forms of the platforms ask for it: three choices, each with none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agent.language import say
from agent.language.registry import languages
from agent.types import Language, Preferences

ANY = "any"
"""The choice of no wish; a choice of a platform has a value."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """One choice: what it is called in a form, and what may be chosen, by value."""

    name: str
    label: str
    options: Mapping[str, str]
    chosen: str


def wishes(preferences: Preferences, language: Language) -> Sequence[Wish]:
    """Return what may be wished, each with none first, and what is wished now."""
    spoken = [code for code in languages() if code in ("en", "ko")]
    kinds = (
        ("language", spoken, preferences.language),
        ("length", ("short", "long"), preferences.length),
        ("format", ("list", "table"), preferences.format),
    )
    none = {ANY: say("desk_as_usual", language)}
    return [
        Wish(
            name=name,
            label=say(f"wish_{name}", language),
            options=none | {value: say(f"wish_{value}", language) for value in values},
            chosen=chosen or ANY,
        )
        for name, values, chosen in kinds
    ]


def preferences_of(chosen: Callable[[str], str]) -> Preferences:
    """Return what was chosen, by the name of the wish; what is no choice is no wish."""
    language, length, format = map(chosen, ("language", "length", "format"))
    return Preferences(
        language=language if language in languages() else None,
        length="short" if length == "short" else "long" if length == "long" else "",
        format="list" if format == "list" else "table" if format == "table" else "",
    )

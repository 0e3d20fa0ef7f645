"""What is known of somebody in a few lines: for themselves, and for what is written for them."""

from typing import Any

from agent.language import say
from agent.packs.pack import Pack
from agent.packs.slots import SlotSpec
from agent.text import clipped, normalise
from agent.types import Language, Preferences, Profile

_SHOWN = 200
"""Characters of a value."""
_LINES = 20


def profile_summary(profile: Profile, pack: Pack, language: Language) -> str:
    """Return a line for each thing that is known of somebody, empty where nothing is: "- Employment: intern".

    Slots come in the pack's order, under their titles; how they want to be answered comes last. A value is one line
    of at most 200 characters: what somebody wrote is data, and cannot begin a line of its own.
    """
    specs = {spec.name: spec for spec in pack.slots}
    order = {name: place for place, name in enumerate(specs)}
    known = sorted(profile.slots.items(), key=lambda item: order.get(item[0], len(order)))
    lines = [
        f"- {specs[name].title.of(language) if name in specs else name}: {shown(value, specs.get(name), language)}"
        for name, value in known
        if value not in (None, "", [])
    ]
    return "\n".join([*lines[:_LINES], *_wishes(profile.preferences, language)])


def shown(value: Any, spec: SlotSpec | None, language: Language) -> str:
    """Return a value in one line, a choice as a language calls it: what somebody wrote is data."""
    return clipped(normalise(_told(value, spec, language)), _SHOWN)


def _told(value: Any, spec: SlotSpec | None, language: Language) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_told(each, spec, language) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_told(each, None, language)}" for name, each in value.items())
    if spec is not None and isinstance(value, str):
        return spec.called(value, language)
    if spec is not None and spec.type == "number" and isinstance(value, int | float):
        return spec.counted(value)
    return str(value)


def _wishes(preferences: Preferences, language: Language) -> list[str]:
    wishes = (preferences.language, preferences.length, preferences.format)
    told = [say(f"wish_{wish}", language) for wish in wishes if wish]
    return [f"- {say('preferences', language)}: {', '.join(told)}"] if told else []

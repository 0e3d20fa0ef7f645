"""The form of `/weft settings`: how somebody wants to be answered."""

from typing import Any

import discord

from adapters.discord.components import Json
from adapters.wishes import preferences_of, wishes
from agent.language import say
from agent.types import Language, Preferences

SETTINGS = "weft_settings"
"""The custom id of the form."""
_LABEL, _MENU = 18, 3


def form(preferences: Preferences, language: Language) -> Json:
    """Return the form, with what is wished now (docs.discord.com, Components: String Select in a Label)."""
    return {
        "custom_id": SETTINGS,
        "title": say("settings_title", language)[:45],
        "components": [
            {
                "type": _LABEL,
                "label": wish.label[:45],
                "component": {
                    "type": _MENU,
                    "custom_id": wish.name,
                    "required": True,
                    "options": [
                        {"label": told[:100], "value": value, "default": value == wish.chosen}
                        for value, told in wish.options.items()
                    ],
                },
            }
            for wish in wishes(preferences, language)
        ],
    }


def chosen_in(interaction: discord.Interaction) -> Preferences | None:
    """Return what the form was sent with; None for any other interaction."""
    data: Any = interaction.data or {}
    if interaction.type is not discord.InteractionType.modal_submit or data.get("custom_id") != SETTINGS:
        return None
    parts: list[Json] = [label.get("component") or {} for label in data.get("components") or ()]
    given = {str(part.get("custom_id")): str(next(iter(part.get("values") or ()), "")) for part in parts}
    return preferences_of(lambda name: given.get(name, ""))

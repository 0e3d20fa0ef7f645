"""What people think of an answer, on Discord: a pair of buttons below it, and a form for why it was no help."""

import time
from typing import Any

import discord

from adapters.discord.components import Json
from adapters.discord.render import RATE
from agent.language import say
from agent.types import REASON_CHARACTERS, DeliveryRef, Language, Rating, Reason, ReasonKind

REASON = "weft_reason"
"""How the custom id of the form begins; the answer's message follows."""
_KIND, _WORDS = "kind", "words"
_LABEL, _MENU, _TEXT_INPUT, _PARAGRAPH = 18, 3, 4, 2


def thumb_of(interaction: discord.Interaction) -> bool | None:
    """Return whether a click calls an answer helpful; None for any other."""
    data: Any = interaction.data or {}
    return {f"{RATE}:up": True, f"{RATE}:down": False}.get(str(data.get("custom_id", "")))


def form(answer: DeliveryRef, language: Language) -> Json:
    """Return the form that asks what was wrong: a kind, and words if somebody likes."""
    kinds = [{"label": say(f"reason_{kind.value}", language), "value": kind.value} for kind in ReasonKind]
    menu = {"type": _MENU, "custom_id": _KIND, "options": kinds, "required": True}
    words = {"type": _TEXT_INPUT, "custom_id": _WORDS, "style": _PARAGRAPH, "required": False}
    return {
        "custom_id": f"{REASON}:{answer.channel_id}:{answer.message_id}",
        "title": say("reason_title", language)[:45],
        "components": [
            {"type": _LABEL, "label": say("reason_kind", language)[:45], "component": menu},
            {
                "type": _LABEL,
                "label": say("reason_words", language)[:45],
                "component": {**words, "max_length": REASON_CHARACTERS},
            },
        ],
    }


def reason_of(interaction: discord.Interaction) -> tuple[DeliveryRef, Rating] | None:
    """Return the reason that a form tells, and of which answer; None for any other interaction."""
    data: Any = interaction.data or {}
    name, _, rest = str(data.get("custom_id", "")).partition(":")
    if interaction.type is not discord.InteractionType.modal_submit or name != REASON:
        return None
    channel, _, message = rest.partition(":")
    given = {part.get("custom_id"): part for part in map(_part, data.get("components") or ())}
    kind = next(iter(given.get(_KIND, {}).get("values") or ()), "")
    reason = Reason(
        kind=ReasonKind(kind) if kind in {each.value for each in ReasonKind} else ReasonKind.OTHER,
        text=str(given.get(_WORDS, {}).get("value") or ""),
    )
    rating = Rating(user=str(interaction.user.id), helpful=False, at=time.time(), reason=reason)
    return DeliveryRef(channel_id=channel, message_id=message), rating


def _part(label: Json) -> Json:
    found: Json = label.get("component") or {}
    return found

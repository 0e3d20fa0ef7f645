"""Buttons below a question back: one for each choice, and what a click on one says."""

import time
from typing import Any

import discord

from adapters.discord.parse import APPLICATION_ID, INTERACTION_TOKEN, PLATFORM, STANDS_IN, Place
from adapters.discord.rest import Buttons
from agent.text import clipped
from agent.types import Author, Clarification, IncomingMessage, MessageKind, ThreadKey

CHOICE = "weft_choice"
_LABEL = 80  # characters, docs.discord.com/developers/components/reference#button


def buttons_of(clarification: Clarification, thread_id: str) -> Buttons:
    """Return the buttons for the choices; their ids tell which conversation they belong to."""
    return [
        (f"{CHOICE}:{number}:{thread_id}", clipped(label, _LABEL)) for number, label in enumerate(clarification.options)
    ]


def choice_of(interaction: discord.Interaction, place: Place) -> IncomingMessage | None:
    """Return what a click on a choice says; None for any other interaction.

    Clicks on one question back are one event: the first of them counts.
    """
    data: Any = interaction.data or {}
    name, _, rest = str(data.get("custom_id", "")).partition(":")
    message = interaction.message
    if interaction.type is not discord.InteractionType.component or name != CHOICE or message is None:
        return None
    label, thread_id = _label(message, str(data["custom_id"])), rest.partition(":")[2]
    if not label:
        return None
    return IncomingMessage(
        key=ThreadKey(
            platform=PLATFORM,
            workspace_id=place.workspace_id,
            channel_id=place.channel_id,
            thread_id=thread_id or place.stands_in,
        ),
        event_id=click_on(place.stands_in, str(message.id)),
        message_id=str(interaction.id),
        author=Author(id=str(interaction.user.id), name=interaction.user.display_name),
        text=label,
        kind=MessageKind.BUTTON,
        received_at=time.time(),
        private=place.private,
        locale=interaction.locale.value,
        extra={
            STANDS_IN: place.stands_in,
            INTERACTION_TOKEN: interaction.token,
            APPLICATION_ID: str(interaction.application_id),
        },
    )


def click_on(channel_id: str, message_id: str) -> str:
    """Return the event id of every click on the choices of a message."""
    return f"{PLATFORM}:{channel_id}:{message_id}:choice"


def _label(message: discord.Message, custom_id: str) -> str:
    for row in message.components:
        for part in getattr(row, "children", ()):
            if isinstance(part, discord.Button) and part.custom_id == custom_id:
                return part.label or ""
    return ""


def picked(message: discord.Message | None, label: str, user_id: int) -> str:
    """Return the question back with what was picked, and by whom."""
    text = message.content if message is not None else ""
    return f"{text}\n-# ☑️ {label} · <@{user_id}>"[-2000:]

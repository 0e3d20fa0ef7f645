"""Buttons below a question back: one for each choice, and what a click on one says."""

import time
from typing import Any

import discord

from adapters.discord.components import BUTTONS, Rows, button, menu, parts_of, rows
from adapters.discord.parse import APPLICATION_ID, INTERACTION_TOKEN, PLATFORM, STANDS_IN, Place
from agent.language import say
from agent.text import language_of
from agent.types import Author, Clarification, IncomingMessage, MessageKind, ThreadKey

CHOICE = "weft_choice"


def buttons_of(clarification: Clarification, thread_id: str) -> Rows:
    """Return the choices as buttons, or as a menu where there are many; ids tell which conversation they belong to."""
    labels = clarification.options
    if len(labels) > BUTTONS:
        placeholder = say("choose_one", language_of(clarification.question))
        return menu(f"{CHOICE}:menu:{thread_id}", labels, placeholder=placeholder)
    return rows([button(f"{CHOICE}:{number}:{thread_id}", label) for number, label in enumerate(labels)])


def choice_of(interaction: discord.Interaction, place: Place) -> IncomingMessage | None:
    """Return what a click on a choice says; None for any other interaction, and for a choice that is taken away.

    Clicks on one question back are one event: the first of them counts.
    """
    data: Any = interaction.data or {}
    name, _, rest = str(data.get("custom_id", "")).partition(":")
    message = interaction.message
    if interaction.type is not discord.InteractionType.component or name != CHOICE or message is None:
        return None
    label, thread_id = _label(message, data), rest.partition(":")[2]
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


def _label(message: discord.Message, data: Any) -> str:
    """Return the words of what was picked, as they stand on the message."""
    custom_id, value = data["custom_id"], next(iter(data.get("values") or ()), "")
    for row in parts_of(message):
        for part in getattr(row, "children", ()):
            if isinstance(part, discord.Button) and part.custom_id == custom_id:
                return part.label or ""
            if isinstance(part, discord.SelectMenu) and part.custom_id == custom_id:
                return next((option.label for option in part.options if option.value == value), "")
    return ""


def picked(message: discord.Message | None, label: str, user_id: int) -> str:
    """Return the question back with what was picked, and by whom."""
    text = message.content if message is not None else ""
    return f"{text}\n-# ☑️ {label} · <@{user_id}>"[-2000:]

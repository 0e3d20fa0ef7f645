"""What only its asker may read, on Discord: how it is shown to them, and what a press on "Share here" says."""

import time
from dataclasses import replace
from typing import Any

import discord

from adapters.discord.components import Rows, button, row
from adapters.discord.parse import APPLICATION_ID, INTERACTION_TOKEN, PLATFORM, STANDS_IN, Place
from adapters.discord.render import TEXT_LIMIT, answer_parts
from adapters.discord.rest import Rest, nonce_of
from adapters.sharing import SHARE, Remainder
from agent.language import say
from agent.types import Author, DeliveryRef, IncomingMessage, MessageKind

BUTTON = "weft_share"


def parts_of(remainder: Remainder, *, link: str = "") -> list[str]:
    """Return a remainder as the texts of messages; `link` leads to what was asked."""
    response = remainder.response
    about = f"{say('about_your_question', response.language, link=link)}\n\n" if link else ""
    return answer_parts(replace(response, answer=f"{about}🔒 **{remainder.heading}**\n\n{response.answer}"))


def buttons_of(remainder: Remainder, place: DeliveryRef) -> Rows:
    """Return the button; its id tells what it shares, and where that is posted."""
    label = say("share_here", remainder.response.language)
    return [row(button(f"{BUTTON}:{place.channel_id}:{remainder.token}", label))]


async def show(message: IncomingMessage, remainder: Remainder, rest: Rest, place: DeliveryRef) -> None:
    """Show a remainder to its asker: after the command that they gave, or else directly. Raises DeliveryError."""
    token, application_id = message.extra.get(INTERACTION_TOKEN, ""), message.extra.get(APPLICATION_ID, "")
    share, parts = buttons_of(remainder, place) if not remainder.closed else (), parts_of(remainder)
    for number, part in enumerate(parts):
        below = share if number == len(parts) - 1 else ()
        if not (token and await rest.follow_up(application_id, token, part, rows=below)):
            break
    else:
        return
    parts = parts_of(remainder, link=message.permalink)
    for number, part in enumerate(parts):
        below = share if number == len(parts) - 1 else ()
        nonce = nonce_of(message.turn_id, remainder.token, str(number))
        await rest.direct(message.author.id, part, nonce=nonce, rows=below)


def share_of(interaction: discord.Interaction, place: Place) -> IncomingMessage | None:
    """Return what a press on "Share here" says; None for any other interaction."""
    data: Any = interaction.data or {}
    name, _, rest = str(data.get("custom_id", "")).partition(":")
    if interaction.type is not discord.InteractionType.component or name != BUTTON:
        return None
    stands_in, _, token = rest.partition(":")
    who = str(interaction.user.id)
    return IncomingMessage(
        key=place.key(str(interaction.id)),
        event_id=f"{PLATFORM}:{token}:{who}:share",
        message_id=str(interaction.id),
        author=Author(id=who, name=interaction.user.display_name),
        text="",
        kind=MessageKind.BUTTON,
        received_at=time.time(),
        private=place.private,
        locale=interaction.locale.value,
        extra={
            SHARE: token,
            STANDS_IN: stands_in,
            INTERACTION_TOKEN: interaction.token,
            APPLICATION_ID: str(interaction.application_id),
        },
    )


def pressed(message: discord.Message | None, text: str) -> str:
    """Return what was shown to one person, with what became of its button."""
    note = f"\n-# ☑️ {text}"
    return (message.content if message is not None else "")[: TEXT_LIMIT - len(note)] + note

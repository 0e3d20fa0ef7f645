"""A question handed over to people, on Discord: its cards, and what a press on one of their buttons says."""

import time
from typing import Any

import discord

from adapters.contract import Deliveries
from adapters.delivery import digest_of, post_once
from adapters.discord.components import button, row
from adapters.discord.parse import APPLICATION_ID, INTERACTION_TOKEN, MAY_MANAGE, PLATFORM, STANDS_IN, Place
from adapters.discord.render import neutral
from adapters.discord.rest import Rest, nonce_of
from adapters.discord.threads import place_of_answer
from adapters.handing import HAND, IN_GROUP, TURN, Card
from agent.types import Author, DeliveryRef, IncomingMessage, MessageKind

BUTTON = "weft_person"
_TEXT_LIMIT = 2000


async def show(question: IncomingMessage, slot: str, card: Card, rest: Rest, deliveries: Deliveries) -> None:
    """Show a card where a question is answered, or change the one that is there."""
    turn = question.turn_id
    place = await place_of_answer(rest, question, deliveries)
    ping = f"<@&{card.group}> " if card.group.isdecimal() else ""
    text = (ping + neutral(card.text))[:_TEXT_LIMIT]
    below = [row(button(f"{BUTTON}:{card.step}:{turn}", card.label))] if card.step is not None else []

    async def send() -> DeliveryRef:
        pings = (card.group,) if ping else ()
        return await rest.send(place.channel_id, text, nonce=nonce_of(turn, slot), rows=below, pings=pings)

    await post_once(
        deliveries,
        turn,
        slot,
        digest_of(text, str(card.step)),
        send=send,
        edit=lambda ref: rest.edit(ref, text, rows=below),
        find=lambda: rest.find(place.channel_id, after=place.message_id, matches=lambda found: found.content == text),
    )


def press_of(interaction: discord.Interaction, place: Place) -> IncomingMessage | None:
    """Return what a press on one of the buttons says; None for any other interaction."""
    data: Any = interaction.data or {}
    name, _, rest = str(data.get("custom_id", "")).partition(":")
    if interaction.type is not discord.InteractionType.component or name != BUTTON:
        return None
    step, _, turn = rest.partition(":")
    channel = interaction.channel
    who, id = str(interaction.user.id), str(interaction.id)
    event = f"{PLATFORM}:{turn}:person_{step}"
    extra = {
        HAND: step,
        TURN: turn,
        STANDS_IN: place.stands_in,
        INTERACTION_TOKEN: interaction.token,
        APPLICATION_ID: str(interaction.application_id),
    }
    if isinstance(interaction.user, discord.Member):
        extra[IN_GROUP] = " ".join(str(role.id) for role in interaction.user.roles)
    if interaction.permissions.manage_channels:
        extra[MAY_MANAGE] = "yes"
    return IncomingMessage(
        key=place.key(id),
        event_id=event if step == "ask" else f"{event}:{who}:{id}",
        message_id=id,
        author=Author(id=who, name=interaction.user.display_name),
        text="",
        kind=MessageKind.BUTTON,
        received_at=time.time(),
        private=place.private or (isinstance(channel, discord.Thread) and channel.is_private()),
        locale=interaction.locale.value,
        extra=extra,
    )

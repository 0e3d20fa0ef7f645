"""Where a question is answered: its thread, made where there is none, over crashes only once."""

from datetime import UTC, datetime

import discord

from adapters.contract import BELOW, HEADING, Deliveries
from adapters.delivery import digest_of, post_once
from adapters.discord.parse import APPLICATION_ID, INTERACTION_TOKEN, STANDS_IN
from adapters.discord.render import anchor_text, thread_name
from adapters.discord.rest import Rest, nonce_of
from agent.types import DeliveryRef, IncomingMessage, MessageKind

ANCHOR = "anchor"
"""Slot of the message that quotes a question asked by command."""
THREAD = "thread"
"""Slot that notes where a turn is answered; its `channel_id` is the place, its `message_id` the question."""


def since(message: IncomingMessage) -> str:
    """Return the id after which everything posted for a message stands; what the clock asks has none of Discord's."""
    if message.message_id.isdecimal():
        return message.message_id
    return str(discord.utils.time_snowflake(datetime.fromtimestamp(message.received_at - 60, UTC)))


async def place_of_answer(rest: Rest, message: IncomingMessage, deliveries: Deliveries) -> DeliveryRef:
    """Return where the answer goes (`channel_id`) and the message that it belongs to, making what is missing.

    Where no thread can be made the place is the channel, and the answer replies to that message.
    """
    known = await deliveries.get(message.turn_id, THREAD)
    if known is not None and known.ref is not None:
        return known.ref
    if message.kind is MessageKind.NOTICE:  # it stands for itself, and begins no thread
        below = await deliveries.get(message.extra.get(BELOW, ""), THREAD)
        if below is not None and below.ref is not None:
            return below.ref
        return DeliveryRef(channel_id=message.key.thread_id or message.key.channel_id, message_id="")
    question = DeliveryRef(channel_id=message.extra.get(STANDS_IN, ""), message_id=message.message_id)
    if message.kind in (MessageKind.COMMAND, MessageKind.SCHEDULED):
        question = await _anchor(rest, message, deliveries)
    stands_in = question.channel_id or message.key.thread_id
    goes_on = message.key.thread_id not in ("", message.message_id)  # by replies, where no thread could be made
    if stands_in == message.key.channel_id and not message.private and not goes_on:
        made = await rest.start_thread(stands_in, question.message_id, thread_name(message.text))
        stands_in = question.message_id if made else stands_in
    place = DeliveryRef(channel_id=stands_in, message_id=question.message_id)
    await deliveries.record(message.turn_id, THREAD, place, "")
    return place


async def _anchor(rest: Rest, message: IncomingMessage, deliveries: Deliveries) -> DeliveryRef:
    """Post what is asked, as the command's own response while Discord still takes that."""
    text = anchor_text(message.author.id, message.text, heading=message.extra.get(HEADING, ""))
    place = message.extra.get(STANDS_IN, message.key.channel_id)
    token, application_id = message.extra.get(INTERACTION_TOKEN, ""), message.extra.get(APPLICATION_ID, "")

    async def send() -> DeliveryRef:
        ref = await rest.edit_original_response(application_id, token, text) if token else None
        return ref or await rest.send(place, text, nonce=nonce_of(message.turn_id, ANCHOR))

    return await post_once(
        deliveries,
        message.turn_id,
        ANCHOR,
        digest_of(text),
        send=send,
        edit=lambda ref: rest.edit(ref, text),
        find=lambda: rest.find(place, after=since(message), matches=lambda found: found.content == text),
    )

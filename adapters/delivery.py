"""Posting that can be repeated: the same slot of the same turn is one message, over crashes too."""

from collections.abc import Awaitable, Callable
from hashlib import sha256

from adapters.contract import Deliveries
from agent.errors import GoneError
from agent.types import DeliveryRef


def digest_of(*parts: str) -> str:
    """Return a short fingerprint of what a message shows."""
    return sha256("\0".join(parts).encode()).hexdigest()[:24]


async def edit_once(
    deliveries: Deliveries,
    turn_id: str,
    slot: str,
    digest: str,
    *,
    edit: Callable[[DeliveryRef], Awaitable[None]],
    find: Callable[[], Awaitable[DeliveryRef | None]],
) -> None:
    """Bring the message of a slot to a content where it is there; nothing is posted where it is not."""
    known = await deliveries.get(turn_id, slot)
    if known is None or (known.ref is not None and known.digest == digest):
        return
    ref = known.ref or await find()
    if ref is None:
        await deliveries.forget(turn_id, slot)
        return
    try:
        await edit(ref)
    except GoneError:
        await deliveries.forget(turn_id, slot)
    else:
        await deliveries.record(turn_id, slot, ref, digest)


async def post_once(
    deliveries: Deliveries,
    turn_id: str,
    slot: str,
    digest: str,
    *,
    send: Callable[[], Awaitable[DeliveryRef]],
    edit: Callable[[DeliveryRef], Awaitable[None]],
    find: Callable[[], Awaitable[DeliveryRef | None]],
) -> DeliveryRef:
    """Bring the message of a slot to the content that `digest` stands for, and return where it is.

    A message that is there is edited, unless it shows the content already; one that somebody deleted
    (`edit` raises GoneError) is sent anew. After a crash between sending and recording, `find` looks
    on the platform for the message first.
    """
    known = await deliveries.get(turn_id, slot)
    ref = None
    if known is not None:
        if known.ref is not None and known.digest == digest:
            return known.ref
        ref = known.ref or await find()
    if ref is not None:
        try:
            await edit(ref)
        except GoneError:
            await deliveries.forget(turn_id, slot)
        else:
            await deliveries.record(turn_id, slot, ref, digest)
            return ref
    await deliveries.begin(turn_id, slot)
    ref = await send()
    await deliveries.record(turn_id, slot, ref, digest)
    return ref

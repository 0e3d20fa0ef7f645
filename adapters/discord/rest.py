"""The few calls that answering takes, each safe to repeat, over discord.py's REST client."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import discord
from discord.http import Route, handle_message_parameters

from adapters.discord.components import Card, Cards, Rows, Shape, said
from adapters.discord.errors import (
    ARCHIVED,
    INVALID_FORM,
    NO_HISTORY,
    NO_MORE_FOLLOW_UPS,
    OLD_MESSAGE_EDITS,
    THREAD_EXISTS,
    UNKNOWN_WEBHOOK,
    translated,
)
from agent.errors import DeliveryError, GoneError, RateLimitedError, TokenError, UnreachableError
from agent.types import DeliveryRef

logger = logging.getLogger(__name__)
T = TypeVar("T")

_NEVER_PING = discord.AllowedMentions.none()
_FOR_ONE = discord.MessageFlags(ephemeral=True, suppress_embeds=True)
_UNKNOWN_MESSAGE = 10008
_LONGEST_WAIT = 60.0
"""Seconds; when Discord asks for more, the turn is tried again later as a whole."""
_LATE_TRIES = 4
"""How many of the pauses of `patience` a deferred answer that Discord does not know yet is given: 7.5 seconds."""
_ARCHIVE_AFTER: Final = 4320
"""Minutes without a message after which Discord hides a thread."""
ALT_LIMIT = 1024
"""Characters of a file's description (docs.discord.com, attachment object)."""
_LOOK_BACK = 100
"""Messages of a place in which a lost one is searched."""


class Rest:
    """Posts, edits and deletes. `patience` holds the seconds between the tries of what must arrive.

    discord.py itself repeats 429 and most 5xx, but neither 503 nor dropped connections.
    """

    def __init__(self, client: discord.Client, *, patience: Sequence[float], cards: Cards | None = None) -> None:
        self._client = client
        self._patience = tuple(patience)
        self._cards = cards or Cards()

    async def send(
        self,
        place: str,
        text: str,
        *,
        nonce: str,
        reply_to: str = "",
        file: tuple[str, Path, str] | None = None,
        rows: Rows = (),
        card: Card | None = None,
        pings: Sequence[str] = (),
        must_arrive: bool = True,
    ) -> DeliveryRef:
        """Post a message, or return the one that was posted with this nonce in the last minutes.

        With a card it is that, and the text where Discord takes no card; what it does not take below one is left out.
        `pings`: ids of roles that it may call; nobody else is called by anything in it.
        """
        allowed = _NEVER_PING
        if pings:
            roles = [discord.Object(int(role)) for role in pings]
            allowed = discord.AllowedMentions(everyone=False, users=False, replied_user=False, roles=roles)

        async def once() -> DeliveryRef:
            reply, shape = reply_to, Shape(text, rows, card if self._cards.taken else None)
            mark = nonce
            while True:
                try:
                    id, shown = await self._post(place, shape, mark, reply, file, allowed)
                except discord.HTTPException as error:
                    if error.code == _UNKNOWN_MESSAGE and error.status == 404 and mark == nonce:
                        mark = nonce_of(nonce, "again")  # that message was deleted a moment ago; it would not be made
                    elif error.code == NO_HISTORY and reply:
                        reply = ""  # rather no reply than none at all
                    elif error.code == INVALID_FORM and not shape.bare:
                        shape = self._bare(shape)
                    else:
                        raise
                else:
                    break
            if file is None and shown != shape.says:
                await self._edit(self._message(place, id), shape)
            return DeliveryRef(channel_id=place, message_id=id)

        return await (self.patiently(once) if must_arrive else self._try(once))

    async def _post(
        self,
        place: str,
        shape: Shape,
        nonce: str,
        reply_to: str,
        file: tuple[str, Path, str] | None,
        allowed: discord.AllowedMentions,
    ) -> tuple[str, str]:
        """Create a message; returns its id and what it says. A nonce makes discord.py set enforce_nonce."""
        reference: Any = {"message_id": reply_to, "channel_id": place, "fail_if_not_exists": False}
        with handle_message_parameters(
            content=shape.content or discord.utils.MISSING,
            nonce=nonce,
            flags=discord.MessageFlags(suppress_embeds=True),
            allowed_mentions=allowed,
            message_reference=reference if reply_to else discord.utils.MISSING,
            files=[_file(*file)] if file is not None else discord.utils.MISSING,
        ) as params:
            if params.payload is not None and not shape.bare:
                params.payload["components"] = list(shape.components)
                params.payload["flags"] |= shape.flags
            data = await self._client.http.send_message(int(place), params=params)
        return str(data["id"]), said({**data})

    def _bare(self, shape: Shape) -> Shape:
        """Return a message without what Discord does not take; once it took no card it is asked for none again."""
        if shape.card is not None:
            self._cards.taken = False
        logger.warning(
            "Discord takes no components there; plain text is shown.", extra={"action": "components_refused"}
        )
        return Shape(shape.text, (), None)

    async def edit(
        self,
        ref: DeliveryRef,
        text: str,
        *,
        must_arrive: bool = True,
        rows: Rows | None = None,
        card: Card | None = None,
    ) -> None:
        """Change a message of ours; without `rows` it keeps those that it has.

        Raises GoneError when it is not there, or has to be sent anew.
        """

        async def once() -> None:
            message = self._message(ref.channel_id, ref.message_id)
            try:
                await self._edit(message, Shape(text, rows, card if self._cards.taken else None))
            except discord.HTTPException as error:
                if error.code != OLD_MESSAGE_EDITS or not must_arrive:
                    raise
                await message.delete()
                raise GoneError("The message is too old to be edited now.") from error

        await (self.patiently(once) if must_arrive else self._try(once))

    async def _edit(self, message: discord.PartialMessage, shape: Shape) -> None:
        async def once(shape: Shape) -> None:
            # not `message.edit`: it would keep a view, and every question back with it, for as long as Weft runs
            with handle_message_parameters(content=shape.content, allowed_mentions=_NEVER_PING) as params:
                body = params.payload if params.payload is not None else {}  # there are no files
                if shape.card is not None:
                    body["flags"] = shape.flags
                if shape.card is not None or shape.rows is not None:
                    body["components"] = list(shape.components)
                await self._client.http.edit_message(message.channel.id, message.id, params=params)

        for _ in range(3):
            try:
                await once(shape)
            except discord.HTTPException as error:
                if error.code == INVALID_FORM and not shape.bare:
                    shape = self._bare(shape)
                elif error.code == ARCHIVED:
                    # unlike posting, editing does not open an archived thread again
                    await self._client.http.edit_channel(message.channel.id, archived=False)
                else:
                    raise
            else:
                return
        await once(shape)

    async def replace_file(self, ref: DeliveryRef, file: tuple[str, Path, str]) -> None:
        """Put another file into a message of ours."""

        async def once() -> None:
            message = self._message(ref.channel_id, ref.message_id)
            await message.edit(attachments=[_file(*file)], allowed_mentions=_NEVER_PING)

        await self.patiently(once)

    async def delete(self, ref: DeliveryRef) -> None:
        """Delete a message of ours; one that is gone already is fine."""

        async def once() -> None:
            try:
                await self._message(ref.channel_id, ref.message_id).delete()
            except discord.NotFound:
                logger.info("A message was gone before it was deleted.", extra={"action": "delete_skipped"})

        await self.patiently(once)

    async def find(
        self, place: str, *, after: str, matches: Callable[[discord.Message], bool], patient: bool = True
    ) -> DeliveryRef | None:
        """Return the newest message of ours that matches and was posted after this id."""

        async def once() -> DeliveryRef | None:
            me = self._client.user
            history = self._channel(place).history(
                limit=_LOOK_BACK, after=discord.Object(int(after)), oldest_first=False
            )
            async for message in history:
                if me is not None and message.author.id == me.id and matches(message):
                    return DeliveryRef(channel_id=place, message_id=str(message.id))
            return None

        try:
            return await (self.patiently(once) if patient else self._try(once))
        except GoneError:
            return None  # Weft may not read the history; then the nonce alone guards against a second message

    async def start_thread(self, channel_id: str, message_id: str, name: str) -> bool:
        """Make the thread of a message, unless it has one. False where Weft may not or cannot make it."""

        async def once() -> bool:
            try:
                await self._client.http.start_thread_with_message(
                    int(channel_id), int(message_id), name=name, auto_archive_duration=_ARCHIVE_AFTER
                )
            except discord.HTTPException as error:
                if error.code == THREAD_EXISTS:
                    return True
                if error.status in (401, 404, 429) or error.status >= 500:
                    raise
                logger.warning(
                    "No thread can be made there; the answer goes to the channel.",
                    extra={"action": "thread_refused", "code": error.code},
                )
                return False
            return True

        return await self.patiently(once)

    async def typing(self, place: str) -> None:
        """Show for ten seconds, or until something is posted there, that Weft is typing."""
        await self._try(lambda: self._client.http.send_typing(int(place)))

    async def edit_original_response(self, application_id: str, token: str, text: str) -> DeliveryRef | None:
        """Fill the deferred answer of an interaction; None when it was never deferred or its token is too old.

        Discord may not know it for some seconds after the deferral, so that is waited for.
        """
        late = iter(self._patience[:_LATE_TRIES])

        async def once() -> DeliveryRef | None:
            webhook = discord.Webhook.partial(int(application_id), token, client=self._client)
            try:
                message = await webhook.edit_message(cast(int, "@original"), content=text, allowed_mentions=_NEVER_PING)
            except discord.HTTPException as error:
                if error.code == UNKNOWN_WEBHOOK and (delay := next(late, None)) is not None:
                    await asyncio.sleep(delay)
                    return await once()
                if error.status in (401, 403, 404):
                    return None
                raise
            return DeliveryRef(channel_id=str(message.channel.id), message_id=str(message.id))

        return await self.patiently(once)

    async def follow_up(self, application_id: str, token: str, text: str, *, rows: Rows = ()) -> bool:
        """Tell who gave a command something that nobody else sees; False when it takes no more."""
        late = iter(self._patience[:_LATE_TRIES])

        async def once() -> bool:
            path = "/webhooks/{webhook_id}/{webhook_token}"
            route = Route("POST", path, webhook_id=application_id, webhook_token=token)
            body: dict[str, Any] = {"content": text, "flags": _FOR_ONE.value}
            body["allowed_mentions"] = _NEVER_PING.to_dict()
            if rows:
                body["components"] = list(rows)
            try:
                await self._client.http.request(route, json=body)
            except discord.HTTPException as error:
                if error.code == UNKNOWN_WEBHOOK and (delay := next(late, None)) is not None:
                    await asyncio.sleep(delay)
                    return await once()
                if error.status in (401, 403, 404) or error.code == NO_MORE_FOLLOW_UPS:
                    return False
                raise
            return True

        return await self.patiently(once)

    async def direct(self, user_id: str, text: str, *, nonce: str, rows: Rows = ()) -> None:
        """Write somebody a direct message. Raises GoneError where they take none."""
        with translated():
            channel = await self._client.http.start_private_message(int(user_id))
        await self.send(str(channel["id"]), text, nonce=nonce, rows=rows)

    async def patiently(self, operation: Callable[[], Awaitable[T]]) -> T:
        """Run an operation until Discord takes it, as long as patience lasts."""
        for delay in self._patience:
            try:
                return await self._try(operation)
            except TokenError:  # it is not given another one within seconds
                raise
            except UnreachableError:
                await asyncio.sleep(delay)
            except RateLimitedError as error:
                if error.retry_after > _LONGEST_WAIT:
                    raise
                await asyncio.sleep(error.retry_after)
        return await self._try(operation)

    async def _try(self, operation: Callable[[], Awaitable[T]]) -> T:
        with translated():
            return await operation()

    def _channel(self, id: str) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(int(id))

    def _message(self, channel_id: str, id: str) -> discord.PartialMessage:
        return self._channel(channel_id).get_partial_message(int(id))


def nonce_of(*parts: str) -> str:
    """Return what marks a send as the same as an earlier one; Discord takes 25 characters."""
    return "w" + sha256("\0".join(parts).encode()).hexdigest()[:24]


def _file(name: str, path: Path, shows: str) -> discord.File:
    try:
        return discord.File(path, filename=name, description=shows[:ALT_LIMIT] or None)
    except FileNotFoundError as error:
        raise DeliveryError(f"The file {name} is not there any more.") from error

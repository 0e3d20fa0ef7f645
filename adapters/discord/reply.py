"""How one turn is answered on Discord: a plan that is edited, and below it the answer, shown as it is written."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import discord

from adapters.contract import Deliveries, Failure, TodoList
from adapters.delivery import digest_of, edit_once, post_once
from adapters.discord.choices import buttons_of, click_on
from adapters.discord.components import Card, Rows, row, text_of
from adapters.discord.forum import SOLVED_TAG, solve_button
from adapters.discord.render import (
    answer_parts,
    below,
    clarification_parts,
    draft_text,
    notice_parts,
    todo_card,
    todo_heading,
    todo_text,
)
from adapters.discord.rest import Rest, nonce_of
from adapters.discord.threads import THREAD, place_of_answer, since
from adapters.drafts import GOES_ON, SLOT, Drafts, digest_of_draft, once_more
from agent.errors import DeliveryError, GoneError
from agent.language.registry import languages
from agent.types import Clarification, DeliveryRef, IncomingMessage, MessageKind, ProducedFile, Response

logger = logging.getLogger(__name__)

PROGRESS = "progress"
ANSWER = "answer:"
FILE = "file:"
_HEADINGS = tuple(
    todo_heading(status, language) for status in ("working", "done", "failed", "stopped") for language in languages()
)


class DiscordReply:
    """The messages of one turn; each has a slot, and is posted once."""

    def __init__(self, rest: Rest, drafts: Drafts, message: IncomingMessage, deliveries: Deliveries) -> None:
        self._rest = rest
        self._drafts = drafts
        self._message = message
        self._deliveries = deliveries
        self._known_place: DeliveryRef | None = None

    async def typing(self, todo: TodoList) -> None:
        """Show that somebody is typing, for ten seconds or until something is posted."""
        if self._message.kind is not MessageKind.EDIT:  # whose answer is there already
            await self._rest.typing((await self._place()).channel_id)

    async def show(self, todo: TodoList) -> None:
        """Show the plan, or bring the shown one up to date."""
        text, card = todo_text(todo), todo_card(todo)
        if todo.status == "working":  # the next update comes soon enough
            await self._post(PROGRESS, text, card=card, is_it=_is_list, must_arrive=False)
            return
        await edit_once(
            self._deliveries,
            self._message.turn_id,
            PROGRESS,
            digest_of(text),
            edit=lambda ref: self._rest.edit(ref, text, card=card),
            find=self._find_list,
        )

    async def _find_list(self) -> DeliveryRef | None:
        return await self._find(await self._place(), _is_list)

    async def stream(self, text: str) -> None:
        """Post the answer's message with its first words, later only edit it."""
        if await self._drafts.have_room(self._message, self._deliveries, text):
            await self._drafts.send(self._message.turn_id, self._draft(text or once_more(self._message)))

    async def ask(self, clarification: Clarification) -> None:
        """Ask back, in the place of the answer, with a button for each choice."""
        await self._deliver(clarification_parts(clarification), buttons_of(clarification, self._message.key.thread_id))

    async def close_choices(self, clarification: Clarification, first: Callable[[str], Awaitable[bool]]) -> None:
        """Take the buttons off the question back, as far as Discord lets it be edited."""
        parts = clarification_parts(clarification)
        slot, text = f"{ANSWER}{len(parts) - 1}", parts[-1]
        asked = await self._deliveries.get(self._message.turn_id, slot)
        ref = asked.ref if asked is not None else None
        if ref is None or not await first(click_on(ref.channel_id, ref.message_id)):
            return
        try:
            await self._rest.edit(ref, text, rows=())
        except DeliveryError as error:  # a click on them is too late all the same
            logger.warning("The choices stay to be seen: %s", error, extra={"action": "discord_choices_stay"})
        else:
            await self._deliveries.record(self._message.turn_id, slot, ref, digest_of(text))

    async def finish(self, response: Response) -> None:
        """Deliver the final answer; a later call edits, adds and deletes messages of it."""
        if response.only_asks and response.clarification is not None:
            await self.ask(response.clarification)
            return
        under, tag = list(below(response)), self._message.extra.get(SOLVED_TAG, "")
        if under and tag:
            under.append(row(solve_button(tag, response.language)))
        await self._deliver(answer_parts(response), under)

    async def fail(self, failure: Failure) -> None:
        """Say that there is no answer, and why."""
        await self._deliver(notice_parts(failure.text))

    async def attach(self, file: ProducedFile) -> None:
        """Deliver a file."""
        path = Path(file.path)
        place = await self._place()
        slot = FILE + file.name
        named = (file.name, path, file.text)
        await post_once(
            self._deliveries,
            self._message.turn_id,
            slot,
            await asyncio.to_thread(_fingerprint, file.name, path),
            send=lambda: self._rest.send(place.channel_id, "", nonce=nonce_of(self._message.turn_id, slot), file=named),
            edit=lambda ref: self._rest.replace_file(ref, named),
            find=lambda: self._find(place, lambda found: file.name in [a.filename for a in found.attachments]),
        )

    async def erase(self) -> None:
        """Delete what was posted for the turn, also a list or a draft whose confirmation was lost; its thread stays."""
        turn_id = self._message.turn_id
        posted = dict(await self._deliveries.slots(turn_id))
        place = posted.pop(THREAD).ref if THREAD in posted else None
        for slot, delivery in posted.items():
            ref = delivery.ref or (await self._lost(slot, place) if place is not None else None)
            if ref is not None:
                with suppress(GoneError):
                    await self._rest.delete(ref)
            await self._deliveries.forget(turn_id, slot)
        await self._deliveries.forget(turn_id, THREAD)

    async def _lost(self, slot: str, place: DeliveryRef) -> DeliveryRef | None:
        if slot == SLOT:
            return await self._find(place, lambda found: self._is_draft(found, place))
        return await self._find(place, _is_list) if slot == PROGRESS and self._in_thread(place) else None

    async def _draft(self, text: str) -> None:
        place = await self._place()
        shown = draft_text(text)
        await post_once(
            self._deliveries,
            self._message.turn_id,
            SLOT,
            digest_of_draft(digest_of(shown)),
            send=lambda: self._send(place, SLOT, shown, must_arrive=False),
            edit=lambda ref: self._edit_draft(ref, shown),
            find=lambda: self._find(place, lambda found: self._is_draft(found, place), patient=False),
        )

    async def _edit_draft(self, ref: DeliveryRef, text: str) -> None:
        try:
            await self._rest.edit(ref, text, must_arrive=False)
        except GoneError as error:  # it is not sent anew; the answer will be
            raise DeliveryError("The draft of the answer cannot be edited any more.") from error

    async def _deliver(self, parts: list[str], rows: Rows = ()) -> None:
        await self._drafts.give_way(self._message.turn_id, self._deliveries, lambda: self._fill(parts, rows))

    async def _fill(self, parts: list[str], rows: Rows) -> None:
        for i, text in enumerate(parts):
            await self._post(f"{ANSWER}{i}", text, rows=rows if i == len(parts) - 1 else ())
        for slot, delivery in await self._deliveries.slots(self._message.turn_id):
            if slot.startswith(ANSWER) and int(slot.removeprefix(ANSWER)) >= len(parts):
                if delivery.ref is not None:
                    await self._rest.delete(delivery.ref)
                await self._deliveries.forget(self._message.turn_id, slot)

    async def _post(
        self,
        slot: str,
        text: str,
        *,
        is_it: Callable[[discord.Message], bool] | None = None,
        must_arrive: bool = True,
        rows: Rows = (),
        card: Card | None = None,
    ) -> None:
        place = await self._place()

        def is_this(found: discord.Message) -> bool:
            return found.content == text.strip() or (slot == SLOT and self._is_draft(found, place))

        await post_once(
            self._deliveries,
            self._message.turn_id,
            slot,
            digest_of(text, json.dumps(rows) if rows else ""),
            send=lambda: self._send(place, slot, text, rows=rows, card=card, must_arrive=must_arrive),
            edit=lambda ref: self._rest.edit(
                ref, text, must_arrive=must_arrive, rows=rows if slot.startswith(ANSWER) else None, card=card
            ),
            find=lambda: self._find(place, is_it or is_this),
        )

    async def _send(
        self,
        place: DeliveryRef,
        slot: str,
        text: str,
        *,
        rows: Rows = (),
        card: Card | None = None,
        must_arrive: bool = True,
    ) -> DeliveryRef:
        return await self._rest.send(
            place.channel_id,
            text,
            nonce=nonce_of(self._message.turn_id, slot),
            reply_to="" if self._in_thread(place) else place.message_id,
            rows=rows,
            card=card,
            must_arrive=must_arrive,
        )

    def _in_thread(self, place: DeliveryRef) -> bool:
        return place.channel_id != self._message.key.channel_id or self._message.private

    def _is_draft(self, found: discord.Message, place: DeliveryRef) -> bool:
        """Tell whether a message is a draft of this turn: a thread has one turn at a time, a channel may have many."""
        mine = self._in_thread(place) or (
            found.reference is not None and str(found.reference.message_id) == place.message_id
        )
        return mine and found.content.endswith(GOES_ON.strip())

    async def _place(self) -> DeliveryRef:
        if self._known_place is None:
            self._known_place = await place_of_answer(self._rest, self._message, self._deliveries)
        return self._known_place

    async def _find(
        self, place: DeliveryRef, is_it: Callable[[discord.Message], bool], *, patient: bool = True
    ) -> DeliveryRef | None:
        return await self._rest.find(place.channel_id, after=since(self._message), matches=is_it, patient=patient)


def _is_list(found: discord.Message) -> bool:
    """Tell whether a message of ours is a list: nothing else is a card; as text it is told by how it begins."""
    return found.flags.components_v2 or text_of(found).startswith(_HEADINGS)


def _fingerprint(name: str, path: Path) -> str:
    try:
        return digest_of(name, sha256(path.read_bytes()).hexdigest())
    except OSError as error:
        raise DeliveryError(f"The file {name} cannot be read.") from error

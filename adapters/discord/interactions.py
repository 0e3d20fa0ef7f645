"""What comes as an interaction: commands, clicks and forms. What is to be answered is stored, then acknowledged."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import discord
from discord.http import Route

from adapters.aside import ASIDE
from adapters.contract import Adapter, Intake
from adapters.desk import Desk, Order
from adapters.discord import command, handing, settings
from adapters.discord.choices import CHOICE, choice_of, picked
from adapters.discord.command import data_of
from adapters.discord.errors import translated
from adapters.discord.feedback import form, reason_of, thumb_of
from adapters.discord.forum import SOLVE, TAGS
from adapters.discord.parse import MAY_MANAGE, NO_GUILD, TARGET, Place, to_command
from adapters.discord.render import STEPS, todo_text, whisper_parts
from adapters.discord.rest import Rest
from adapters.discord.sharing import pressed, share_of
from agent.errors import DeliveryError, StorageError
from agent.language import say
from agent.text import clipped, language_of_locale, normalise, says_anything
from agent.types import ChannelMode, DeliveryRef, IncomingMessage, Language, Pointer, Preferences, Rating

logger = logging.getLogger(__name__)

_DEFER_WITHIN = 10.0
"""Seconds after which a command's turn begins, though nobody came back to say that its interaction is acknowledged."""
_AT_ONCE = 1.5
"""Seconds that an answer from storage may take before Discord is told that it comes: it waits for three."""
_SUGGEST, _FORM = 8, 9
"""Types of answers: choices for an option, and a form (docs.discord.com, Interaction Callback Type)."""
_TARGET_CHARACTERS = 4_000


class Listener(Protocol):
    """The client that the interactions come to."""

    intake: Intake | None
    desk: Desk | None
    platform: Adapter | None
    rest: Rest | None

    @property
    def me(self) -> int:
        """The bot's own user id."""
        ...

    @property
    def http(self) -> Any:
        """discord.py's REST client."""
        ...

    @property
    def intents(self) -> discord.Intents:
        """What Discord was asked for."""
        ...

    async def place(self, channel: Any) -> Place | None:
        """Return where a channel is."""
        ...

    async def accepted(self, message: IncomingMessage, *, hold: float = 0.0) -> bool | None:
        """Store a message and tell whether it is new; None when it could not be stored."""
        ...


class Interactions:
    """Takes what people do with commands, buttons, menus and forms."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    async def take(self, interaction: discord.Interaction) -> None:
        """Take one. Raises DeliveryError where Discord does not take its answer, and StorageError."""
        with translated():
            match interaction.type:
                case discord.InteractionType.application_command:
                    await self._command(interaction)
                case discord.InteractionType.autocomplete:
                    await self._suggest(interaction)
                case discord.InteractionType.component:
                    await self._click(interaction)
                case discord.InteractionType.modal_submit:
                    await self._form(interaction)

    # --- commands

    async def _command(self, interaction: discord.Interaction) -> None:
        data = data_of(interaction)
        name, about = data.get("name"), command.target(data)
        if about is not None:
            await self._ask(interaction, "", about=about)
        elif name == command.ASK:
            await self._ask(interaction, str(command.option(data, command.QUESTION) or ""))
        elif name in (command.WEFT, command.CHANNEL):
            await self._desk(interaction, data)

    async def _ask(self, interaction: discord.Interaction, question: str, *, about: Any = None) -> None:
        place, outside = await self._where(interaction)
        if place is None:
            await self._tell(interaction, "not_taken")
            return
        listener, data = self._listener, data_of(interaction)
        alone = outside or about is not None or command.option(data, command.PRIVATE) is True
        asked = to_command(interaction, place, question, listener.me, alone=alone, outside=outside)
        asked = replace(asked, attachments=command.attached(data))
        if about is not None:
            asked = self._about(asked, about, outside=outside)
        elif not asked.attachments and not says_anything(question):
            await self._tell(interaction, "empty_question")  # nobody else need see that nothing was asked
            return
        if not place.private and listener.intake is not None and await listener.intake.is_off(place.key("")):
            await self._tell(interaction, "off_here")
            return
        if not await listener.accepted(asked, hold=_DEFER_WITHIN):
            await self._tell(interaction, "not_taken")
            return
        try:
            await interaction.response.defer(ephemeral=ASIDE in asked.extra)
        finally:
            if listener.intake is not None:
                await listener.intake.let_go(asked)  # its turn fills the response, which is there only now

    def _about(self, asked: IncomingMessage, about: Any, *, outside: bool) -> IncomingMessage:
        """Return a question about the message whose menu was opened; what Weft could not read again goes along."""
        pointer = Pointer(kind="reply", channel_id=str(about["channel_id"]), message_id=str(about["id"]))
        asked = replace(asked, points_at=(pointer,))
        if self._listener.intents.message_content and not outside:
            return asked
        kept = {key: about[key] for key in ("id", "channel_id", "type", "timestamp", "author") if key in about}
        kept["content"] = str(about.get("content") or "")[:_TARGET_CHARACTERS]
        return replace(asked, extra={**asked.extra, TARGET: json.dumps(kept)})

    async def _suggest(self, interaction: discord.Interaction) -> None:
        """Offer questions to begin with, or packs by their names and titles, while an option is written."""
        language, desk, data = _language(interaction), self._listener.desk, data_of(interaction)
        begun = normalise(command.written(data)).casefold()
        offered: list[tuple[str, str]] = []
        if desk is not None and data.get("name") == command.CHANNEL:
            offered = [
                (name, name if name == title else clipped(f"{name} — {title}", command.SUGGESTION))
                for name, title in desk.packs(language)
            ]
        elif desk is not None:
            offered = [(prompt, prompt) for prompt in desk.prompts(language)]
        fitting = [each for each in offered if begun in each[1].casefold() and len(each[0]) <= command.SUGGESTION]
        choices = [{"name": shown, "value": value} for value, shown in fitting[: command.SUGGESTIONS]]
        await self._answer(interaction, _SUGGEST, {"choices": choices})

    async def _desk(self, interaction: discord.Interaction, data: dict[str, Any]) -> None:
        desk, platform = self._listener.desk, self._listener.platform
        place, outside = await self._where(interaction)
        if place is None or desk is None or platform is None:
            await self._tell(interaction, "not_taken")
            return
        asker = to_command(interaction, place, "", self._listener.me, outside=outside)
        if data.get("name") == command.CHANNEL:
            if interaction.permissions.manage_channels:
                asker = replace(asker, extra={**asker.extra, MAY_MANAGE: "yes"})
            await self._tell_when_known(interaction, _set(desk, asker, data, platform))
        elif command.subcommand(data) == Order.SETTINGS:
            await self._open_settings(interaction, desk, asker)
        else:
            await self._tell_when_known(interaction, desk.carry_out(Order(command.subcommand(data)), asker))

    async def _open_settings(self, interaction: discord.Interaction, desk: Desk, asker: IncomingMessage) -> None:
        """Open the form of settings; where storage takes long they are told: a form must be the first answer."""
        finding = asyncio.ensure_future(desk.remembered(asker, most=1))
        await asyncio.wait({finding}, timeout=_AT_ONCE)
        if finding.done() and finding.exception() is None:
            await self._answer(interaction, _FORM, settings.form(finding.result().preferences, _language(interaction)))
            return
        finding.cancel()
        await self._tell_when_known(interaction, desk.carry_out(Order.SETTINGS, asker))

    async def _where(self, interaction: discord.Interaction) -> tuple[Place | None, bool]:
        """Return where an interaction came from, and whether Weft is there only for who used it.

        Somebody may have added Weft for themselves: then it has no place in that server, or in direct messages between
        others, and nothing but the interaction to answer by.
        """
        owners, guild = interaction._integration_owners, interaction.guild_id
        elsewhere = guild is None and isinstance(interaction.channel, discord.GroupChannel)
        private = interaction.context.private_channel is True and not interaction.context.dm_channel
        if (guild is not None and owners and 0 not in owners) or elsewhere or private:
            workspace = str(guild) if guild is not None else NO_GUILD
            return Place(workspace_id=workspace, channel_id=str(interaction.channel_id)), True
        return await self._listener.place(interaction.channel), False

    # --- clicks and forms

    async def _click(self, interaction: discord.Interaction) -> None:
        helpful = thumb_of(interaction)
        if helpful is not None:
            await self._rate(interaction, helpful=helpful)
            return
        if data_of(interaction).get("custom_id") == STEPS:
            await self._show_steps(interaction)
            return
        if str(data_of(interaction).get("custom_id", "")).startswith(f"{SOLVE}:"):
            await self._tell_when_known(interaction, self._solved(interaction))
            return
        place = await self._listener.place(interaction.channel)
        choice = choice_of(interaction, place) if place is not None else None
        if choice is not None:
            text = picked(interaction.message, choice.text, interaction.user.id)
            await self._take_click(interaction, choice, text, "choice_settled")  # or answered in words meanwhile
        elif place is not None and (press := share_of(interaction, place)) is not None:
            text = pressed(interaction.message, say("share_here", _language(interaction)))
            await self._take_click(interaction, press, text, "share_again")
        elif place is not None and (press := handing.press_of(interaction, place)) is not None:
            await self._take_person(interaction, press)
        elif str(data_of(interaction).get("custom_id", "")).startswith(f"{CHOICE}:"):
            await self._tell(interaction, "choice_settled")  # its buttons were taken away before the click came

    async def _take_person(self, interaction: discord.Interaction, press: IncomingMessage) -> None:
        """Hand in a press for people; what came of it is told to who pressed, or shown to all."""
        new = await self._listener.accepted(press, hold=_DEFER_WITHIN)
        if new is None:
            await self._tell(interaction, "not_taken")
            return
        try:
            await interaction.response.defer()
        finally:
            if new and self._listener.intake is not None:
                await self._listener.intake.let_go(press)

    async def _take_click(self, interaction: discord.Interaction, click: IncomingMessage, text: str, late: str) -> None:
        """Hand in a click; of several on one message the first counts, which leaves this text without buttons."""
        new = await self._listener.accepted(click, hold=_DEFER_WITHIN)
        if new is None:
            await self._tell(interaction, "not_taken")
        elif not new:
            await self._tell(interaction, late)
        else:
            try:
                await interaction.response.edit_message(
                    content=text, view=None, allowed_mentions=discord.AllowedMentions.none()
                )
            finally:
                if self._listener.intake is not None:
                    await self._listener.intake.let_go(click)  # what it has to say to who clicked follows that

    async def _rate(self, interaction: discord.Interaction, *, helpful: bool) -> None:
        answer = _message_of(interaction)
        rating = Rating(user=str(interaction.user.id), helpful=helpful, at=time.time())
        kept = await self._kept(answer, rating)
        if not kept:
            await self._tell(interaction, "answer_not_kept" if kept is False else "not_taken")
        elif helpful:
            await self._tell(interaction, "web_rating_kept")
        else:
            await self._answer(interaction, _FORM, form(answer, _language(interaction)))

    async def _form(self, interaction: discord.Interaction) -> None:
        """Take a form that was sent; the same one sent again changes nothing more."""
        wanted, desk = settings.chosen_in(interaction), self._listener.desk
        if wanted is None or desk is None:
            await self._reason(interaction)
            return
        place, outside = await self._where(interaction)
        if place is None:
            await self._tell(interaction, "not_taken")
            return
        asker = to_command(interaction, place, "", self._listener.me, outside=outside)
        await self._tell_when_known(interaction, _preferred(desk, asker, wanted))

    async def _reason(self, interaction: discord.Interaction) -> None:
        found = reason_of(interaction)
        if found is None:
            return
        kept = await self._kept(*found)
        key = "web_reason_kept" if kept else "answer_not_kept" if kept is False else "not_taken"
        await self._tell(interaction, key)

    async def _kept(self, answer: DeliveryRef, rating: Rating) -> bool | None:
        """Keep a rating; False where its answer is not kept any more, None where it could not be stored."""
        if self._listener.intake is None:
            return None
        try:
            kept = await self._listener.intake.rate(answer, rating)
        except StorageError as error:
            logger.error("A rating could not be stored: %s", error, extra={"action": "discord_not_rated"})
            return None
        logger.info("An answer was rated.", extra={"action": "discord_rated"})
        return kept

    async def _solved(self, interaction: discord.Interaction) -> str:
        """Give a post its tag for what is solved, where who asks for it wrote it or manages its forum; tell of it."""
        tag, http = str(data_of(interaction)["custom_id"]).partition(":")[2], self._listener.http
        language = _language(interaction)
        try:
            with translated():
                post = {**await http.get_channel(interaction.channel_id)}
                own = str(post.get("owner_id")) == str(interaction.user.id)
                if not own and not interaction.permissions.manage_threads:
                    return say("solved_not_yours", language)
                tags = [each for each in post.get("applied_tags") or () if str(each) != tag]
                await http.edit_channel(interaction.channel_id, applied_tags=[*tags[: TAGS - 1], tag])
        except DeliveryError as error:
            logger.warning("A post could not be marked as solved: %s", error, extra={"action": "discord_not_solved"})
            return say("solved_refused", language)
        return say("solved_marked", language)

    async def _show_steps(self, interaction: discord.Interaction) -> None:
        intake = self._listener.intake
        todo = await intake.plan_of(_message_of(interaction)) if intake is not None else None
        if todo is None:
            await self._tell(interaction, "answer_not_kept")
        else:
            await interaction.response.send_message(todo_text(todo), ephemeral=True)

    # --- answers that only who did it sees

    async def _tell(self, interaction: discord.Interaction, key: str) -> None:
        """Answer an interaction so that only its author sees it."""
        await interaction.response.send_message(say(key, _language(interaction)), ephemeral=True)

    async def _tell_when_known(self, interaction: discord.Interaction, told: Awaitable[str]) -> None:
        """Tell what storage or Discord says; where that takes long Discord is told first that it comes."""
        finding = asyncio.ensure_future(told)
        await asyncio.wait({finding}, timeout=_AT_ONCE)
        if not finding.done():
            await interaction.response.defer(
                ephemeral=True, thinking=True
            )  # as a message, also behind a form or button
        try:
            parts: Sequence[str] = whisper_parts(await finding)
        except StorageError as error:
            logger.error("A command could not be answered: %s", error, extra={"action": "discord_desk_failed"})
            parts = [say("not_taken", _language(interaction))]
        rest, token = self._listener.rest, interaction.token
        application_id = str(interaction.application_id)
        if not interaction.response.is_done():
            await interaction.response.send_message(parts[0], ephemeral=True)
        elif rest is not None:
            await rest.edit_original_response(application_id, token, parts[0])
        for part in parts[1:]:
            if rest is not None:
                await rest.follow_up(application_id, token, part)

    async def _answer(self, interaction: discord.Interaction, type: int, data: dict[str, Any]) -> None:
        """Answer with what discord.py would keep in memory until it comes back, or cannot say."""
        path = "/interactions/{webhook_id}/{webhook_token}/callback"
        route = Route("POST", path, webhook_id=interaction.id, webhook_token=interaction.token)
        await self._listener.http.request(route, json={"type": type, "data": data})


async def _set(desk: Desk, asker: IncomingMessage, data: dict[str, Any], platform: Adapter) -> str:
    """Set what a command says of its channel, and return what to tell; without a word, how it is set."""
    mode, pack = command.option(data, command.MODE), command.option(data, command.PACK)
    if mode is None and pack is None:
        return await desk.carry_out(Order.SETTINGS, asker)
    told = [await desk.set_mode(asker, ChannelMode(str(mode)), platform)] if mode is not None else []
    told += [await desk.set_pack(asker, str(pack), platform)] if pack is not None else []
    return "\n".join(told)


async def _preferred(desk: Desk, asker: IncomingMessage, wanted: Preferences) -> str:
    """Set how somebody wants to be answered, and return how everything is set now."""
    await desk.prefer(asker, wanted)
    return await desk.carry_out(Order.SETTINGS, asker)


def _message_of(interaction: discord.Interaction) -> DeliveryRef:
    message = interaction.message
    id = str(message.id) if message is not None else ""
    return DeliveryRef(channel_id=str(interaction.channel_id), message_id=id)


def _language(interaction: discord.Interaction) -> Language:
    return language_of_locale(interaction.locale.value)

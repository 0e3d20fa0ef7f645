"""The Discord adapter: one client that answers over REST, and listens on the gateway where asked to."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from adapters.aside import ASIDE, AsideReply
from adapters.contract import LIST_AFTER, Capabilities, Deliveries, Excerpt, Intake, Reply
from adapters.desk import Desk
from adapters.discord import command, handing, sharing
from adapters.discord.components import Cards
from adapters.discord.errors import translated
from adapters.discord.files import DiscordFiles
from adapters.discord.gateway import Gateway
from adapters.discord.history import History
from adapters.discord.parse import APPLICATION_ID, INTERACTION_TOKEN, MAY_MANAGE, PLATFORM
from adapters.discord.render import TEXT_LIMIT, answer_parts, notice_parts, whisper_parts
from adapters.discord.reply import DiscordReply
from adapters.discord.rest import Rest, nonce_of
from adapters.discord.sharding import ShardedGateway, Shards
from adapters.discord.threads import place_of_answer
from adapters.drafts import Drafts
from adapters.handing import IN_GROUP, Card
from adapters.sharing import Remainder
from agent.errors import DeliveryError, SettingsError, UnreachableError
from agent.task_group import end
from agent.types import Attachment, IncomingMessage, MessageKind, Pointer, ThreadKey

logger = logging.getLogger(__name__)

_API, _GATEWAY = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
CATCH_UP_HOURS = 24.0
"""How long ago a question may have been asked, while nobody listened, that is answered all the same."""
_PATIENCE = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


class DiscordAdapter:
    """Weft on Discord. One in a process: discord.py keeps the addresses of its API for the whole process."""

    def __init__(
        self,
        *,
        token: str,
        api_base_url: str = "",
        gateway_url: str = "",
        message_content: bool = True,
        patience: Sequence[float] = _PATIENCE,
        identify_pause: float = 5.0,
        list_after: float = LIST_AFTER,
        catch_up_hours: float = CATCH_UP_HOURS,
        settle: float = 2.0,
        mark_every: float = 1.0,
        desk: Desk | None = None,
        shards: str = "",
    ) -> None:
        if not token.strip():
            raise SettingsError("DISCORD_TOKEN is empty: set it to the bot's token from the developer portal.")
        self._token = token
        self._api_base_url = api_base_url.rstrip("/")
        self._gateway_url = gateway_url
        self._patience = patience
        self._files = DiscordFiles(api_base_url=self._api_base_url, pause=patience[0] if patience else 0.5)
        self._identify_pause = identify_pause
        self._list_after = list_after
        self._catch_up_seconds = catch_up_hours * 3600.0
        self._settle = settle
        self._mark_every = mark_every
        self._desk = desk
        self._shards = Shards.parse(shards)
        self._intents = discord.Intents.none()
        self._intents.guilds = self._intents.guild_messages = self._intents.dm_messages = True
        self._intents.guild_reactions = self._intents.dm_reactions = True
        self._intents.message_content = message_content
        self._client: Gateway | None = None
        self._drafts = Drafts()
        self._cards = Cards()

    @property
    def name(self) -> str:
        """The `platform` of its thread keys."""
        return PLATFORM

    @property
    def capabilities(self) -> Capabilities:
        """What its messages can do. Discord lets a bot edit about five messages in five seconds a channel."""
        return Capabilities(text_limit=TEXT_LIMIT, edit_interval=1.2, streaming=True, list_after=self._list_after)

    async def connect(self) -> None:
        """Log in over REST, which is all that answering needs."""
        if self._client is not None:
            return
        _tame_logs()
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        Route.BASE = self._api_base_url or _API
        client = self._client_for(self._shards)
        try:
            with translated():
                await client.login(self._token)
                DiscordWebSocket.DEFAULT_GATEWAY = await self._gateway(client)
        except BaseException:
            await client.close()
            raise
        self._client = client
        logger.info("Discord: connected as %s.", client.user, extra={"action": "discord_connected"})

    def _client_for(self, shards: Shards | None) -> Gateway:
        options: dict[str, Any] = {
            "intents": self._intents,
            "identify_pause": self._identify_pause,
            "catch_up_seconds": self._catch_up_seconds,
            "settle": self._settle,
            "mark_every": self._mark_every,
        }
        if shards is None:
            return Gateway(**options)
        return ShardedGateway(shards=shards, **options)

    async def _gateway(self, client: Gateway) -> URL:
        if self._gateway_url:
            return URL(self._gateway_url)
        if self._api_base_url:  # another API has another gateway; the public one must not see its token
            return URL((await client.http.get_bot_gateway())[1])
        return _GATEWAY

    async def listen(self, intake: Intake) -> None:
        """Hand in what the gateway tells until cancelled."""
        await self.connect()
        client = self._connected()
        try:
            await command.sync(client)
        except DeliveryError as error:
            logger.warning("The commands could not be registered: %s", error, extra={"action": "commands_failed"})
        client.desk, client.platform, client.rest = self._desk, self, self._rest()
        await client.attendance.begin(intake)
        client.intake = intake
        beside = [asyncio.create_task(client.attendance.write_marks()), asyncio.create_task(client.look_after())]
        try:
            with translated():
                await self._stay_connected(client)
        finally:
            await end(*beside)
            await client.hang_up()
            await client.handled()
            client.intake = None

    async def _stay_connected(self, client: Gateway) -> None:
        while True:
            try:
                await client.connect(reconnect=True)
                return
            except AttributeError:
                # discord.py asks the socket for its session after a failure, also when there never was a socket;
                # it has waited already
                if client.ever_connected:
                    raise
                logger.warning("The gateway cannot be reached; trying again.", extra={"action": "gateway_waiting"})

    async def open_thread(self, message: IncomingMessage, deliveries: Deliveries) -> ThreadKey:
        """Return the key of the thread that answers this message, making the thread where there is none."""
        key = message.key
        begins = (MessageKind.MENTION, MessageKind.COMMAND, MessageKind.SCHEDULED)
        if message.kind not in begins or ASIDE in message.extra:
            return key
        place = await place_of_answer(self._rest(), message, deliveries)
        if key.thread_id:
            return key
        return ThreadKey(
            platform=key.platform,
            workspace_id=key.workspace_id,
            channel_id=key.channel_id,
            thread_id=place.message_id,
        )

    def reply(self, message: IncomingMessage, deliveries: Deliveries) -> Reply:
        """Return the way to answer this message."""
        if ASIDE in message.extra:
            return AsideReply(
                message,
                deliveries,
                answer=answer_parts,
                notice=notice_parts,
                tell=lambda number, part: self._tell_alone(message, number, part),
            )
        return self._posting(message, deliveries)

    def _posting(self, message: IncomingMessage, deliveries: Deliveries) -> DiscordReply:
        return DiscordReply(self._rest(), self._drafts, message, deliveries)

    async def _tell_alone(self, message: IncomingMessage, number: int, part: str) -> None:
        """Show one message of an answer to its asker alone: as the command's response, after it, or directly."""
        rest, token, application_id = self._rest(), message.extra[INTERACTION_TOKEN], message.extra[APPLICATION_ID]
        if number == 0 and await rest.edit_original_response(application_id, token, part) is not None:
            return
        if number == 0 or not await rest.follow_up(application_id, token, part):
            await rest.direct(message.author.id, part, nonce=nonce_of(message.turn_id, ASIDE, str(number)))

    async def offer(self, message: IncomingMessage, remainder: Remainder, deliveries: Deliveries) -> None:
        """Show an asker alone what only they may read: after their command, or else directly."""
        place = await place_of_answer(self._rest(), message, deliveries)
        await sharing.show(message, remainder, self._rest(), place)

    async def close_offer(self, press: IncomingMessage, remainder: Remainder) -> None:
        """Do nothing: the answer to the press has taken the button off."""

    async def show_card(self, question: IncomingMessage, slot: str, card: Card, deliveries: Deliveries) -> None:
        """Show where a question is answered that it may be put to people, or is."""
        await handing.show(question, slot, card, self._rest(), deliveries)

    async def is_in_group(self, press: IncomingMessage, group: str) -> bool:
        """Tell whether the author of a press has a role: Discord told with the press."""
        return group in press.extra.get(IN_GROUP, "").split()

    async def settle(self, message: IncomingMessage) -> None:
        """Wait until no draft of this turn is under way."""
        await self._drafts.through(message.turn_id)

    async def erase(self, message: IncomingMessage, deliveries: Deliveries) -> None:
        """Delete what was posted for the turn of this message."""
        await self.settle(message)
        await self._posting(message, deliveries).erase()

    async def fetch(self, message: IncomingMessage, attachment: Attachment, *, most: int) -> bytes:
        """Return a file that came with this message. Raises AttachmentError."""
        return await self._files.fetch(self._connected(), message, attachment, most=most)

    async def may_manage(self, message: IncomingMessage) -> bool:
        """Tell whether the author of a message may manage its channel: the gateway noted it with the message."""
        return MAY_MANAGE in message.extra

    async def around(self, message: IncomingMessage, *, most: int, patient: bool = True) -> Excerpt:
        """Return what was written before a message where it stands. Raises UnreadableError.

        Discord counts by channel, and a thread is one: no turn waits here for what others read.
        """
        return await self._history().around(message, most=most)

    async def pointed_at(self, message: IncomingMessage, pointer: Pointer, *, most: int) -> Excerpt:
        """Return the message that another one points at. Raises UnreadableError."""
        return await self._history().pointed_at(message, pointer, most=most)

    async def whisper(self, message: IncomingMessage, text: str) -> None:
        """Tell the author of a message something: as an answer to the command, or else in direct messages."""
        rest = self._rest()
        token, application_id = message.extra.get(INTERACTION_TOKEN, ""), message.extra.get(APPLICATION_ID, "")
        for number, part in enumerate(whisper_parts(text)):
            if not (token and await rest.follow_up(application_id, token, part)):
                nonce = nonce_of(message.turn_id, "whisper", str(number))
                await rest.direct(message.author.id, part, nonce=nonce)

    async def close(self) -> None:
        """Let go of connections."""
        await self._drafts.close()
        client, self._client = self._client, None
        if client is not None:
            await client.close()
            await asyncio.sleep(0)  # the transports close in the next round of the loop

    def _connected(self) -> Gateway:
        if self._client is None:
            raise UnreachableError("Discord is not connected.")
        return self._client

    def _history(self) -> History:
        client = self._connected()
        return History(client, client.me)

    def _rest(self) -> Rest:
        return Rest(self._connected(), patience=self._patience, cards=self._cards)


def _tame_logs() -> None:
    """Hold discord.py's logger above DEBUG, where it prints messages and the tokens of interactions."""
    log = logging.getLogger("discord")
    log.setLevel(max(log.getEffectiveLevel(), logging.INFO))
    client_log = logging.getLogger("discord.client")
    if _one_line not in client_log.filters:
        client_log.addFilter(_one_line)


def _one_line(record: logging.LogRecord) -> bool:
    """Turn the stack trace of a lost connection, logged at every try, into its last line."""
    if record.exc_info and record.exc_info[0] is not None:
        record.msg = f"{record.getMessage()}: {record.exc_info[0].__name__}"
        record.args, record.exc_info = (), None
    return True

"""From what discord.py hands over to `IncomingMessage`. Nothing here asks the network."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import discord

from adapters.aside import ASIDE
from adapters.discord.forum import SOLVED_TAG, solved_tag, titled
from adapters.discord.pointing import POINTERS, linked, pointers_of
from agent.types import Attachment, Author, IncomingMessage, MessageKind, ThreadKey

PLATFORM = "discord"
NO_GUILD = "@me"
"""The workspace of direct messages, as Discord's own links call it."""

STANDS_IN = "stands_in"
"""Key in `extra`: the channel, thread or direct messages in which the question itself stands."""
MAY_MANAGE = "may_manage"
"""Key in `extra`: set where the author may manage the channel, which only the gateway can tell."""
TARGET = "target"
"""Key in `extra`: a message that Weft could not read again, as Discord sent it with the command about it (JSON)."""
INTERACTION_TOKEN = "interaction_token"  # noqa: S105
APPLICATION_ID = "application_id"

_WRITTEN_BY_PEOPLE = (discord.MessageType.default, discord.MessageType.reply)
_USER = re.compile(r"<@!?(\d{1,20})>")
_ROLE = re.compile(r"<@&(\d{1,20})>")
_CHANNEL = re.compile(r"<#(\d{1,20})>")
_EMOJI = re.compile(r"<a?:(\w{1,40}):\d{1,20}>")
_COMMAND = re.compile(r"</([^:<>\n]{1,100}):\d{1,20}>")
_TIME = re.compile(r"<t:(-?\d{1,13})(?::[tTdDfFRsS])?>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where something stands. In a channel every message begins a thread of its own id."""

    workspace_id: str
    channel_id: str
    thread_id: str = ""
    private: bool = False

    @property
    def stands_in(self) -> str:
        """The id to which a message would be posted to appear right here."""
        return self.thread_id or self.channel_id

    def key(self, message_id: str) -> ThreadKey:
        """Return the conversation that a message of this id belongs to."""
        return ThreadKey(
            platform=PLATFORM,
            workspace_id=self.workspace_id,
            channel_id=self.channel_id,
            thread_id=self.thread_id or message_id,
        )


def place_of(channel: object) -> Place | None:
    """Return where a channel is; None for one that is not known well enough."""
    if isinstance(channel, discord.DMChannel):
        id = str(channel.id)
        return Place(workspace_id=NO_GUILD, channel_id=id, thread_id=id, private=True)
    if isinstance(channel, discord.Thread):
        return Place(workspace_id=str(channel.guild.id), channel_id=str(channel.parent_id), thread_id=str(channel.id))
    if isinstance(channel, discord.abc.GuildChannel):
        return Place(workspace_id=str(channel.guild.id), channel_id=str(channel.id))
    return None


def by_a_person(message: discord.Message) -> bool:
    """Tell whether somebody wrote the message: no bot, no webhook, no notice of the system."""
    return not message.author.bot and message.webhook_id is None and message.type in _WRITTEN_BY_PEOPLE


def mentions_me(message: discord.Message, me: int) -> bool:
    """Tell whether the message addresses the bot, by its name, by its own role, or by a reply that pings it."""
    if any(user.id == me for user in message.mentions):
        return True
    role = message.guild.self_role if message.guild is not None else None
    return role is not None and role.id in message.raw_role_mentions


def called(message: discord.Message, me: int) -> tuple[str, ...]:
    """Return the ids of the people and roles that a message mentions, Weft aside, and of the other whom it answers."""
    own_role = _own_role(message.guild)
    users = (id for id in message.raw_mentions if id != me)
    roles = (id for id in message.raw_role_mentions if id != own_role)
    everybody = ("everyone",) if message.mention_everyone else ()
    answered = _answered(message)
    other = (answered,) if answered not in (None, me, message.author.id) else ()
    return tuple(dict.fromkeys(str(id) for id in (*users, *roles, *everybody, *other)))


def _answered(message: discord.Message) -> int | None:
    """Return whose message a reply answers, where Discord tells."""
    found = message.reference.resolved if message.reference is not None else None
    return found.author.id if isinstance(found, discord.Message) else None


def manages_channel(message: discord.Message) -> bool:
    """Tell whether the author may manage the channel, by roles and overwrites as they are known now."""
    channel, author = message.channel, message.author
    if not isinstance(author, discord.Member) or not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return False
    if isinstance(channel, discord.Thread) and channel.parent is None:
        return author.guild_permissions.manage_channels
    return channel.permissions_for(author).manage_channels


def to_message(message: discord.Message, place: Place, kind: MessageKind, me: int) -> IncomingMessage:
    """Return a message that somebody wrote, as the rest of Weft knows it."""
    id = str(message.id)
    return IncomingMessage(
        key=place.key(id),
        event_id=f"{PLATFORM}:{place.stands_in}:{id}",
        message_id=id,
        author=Author(id=str(message.author.id), name=message.author.display_name),
        text=titled(message, to_markdown(message.content, _names(message), me, _own_role(message.guild))),
        kind=kind,
        received_at=time.time(),
        private=place.private,
        permalink=message.jump_url,
        calls=called(message, me),
        replies_to_weft=_answered(message) == me,
        attachments=tuple(
            Attachment(
                id=str(file.id), name=file.filename, media_type=file.content_type or "", size=file.size, url=file.url
            )
            for file in message.attachments
        ),
        points_at=pointers_of(message, me),
        extra={
            STANDS_IN: place.stands_in,
            **({MAY_MANAGE: "yes"} if manages_channel(message) else {}),
            **({SOLVED_TAG: tag} if (tag := solved_tag(message)) else {}),
        },
    )


def to_edit(message: discord.Message, place: Place, me: int) -> IncomingMessage:
    """Return the edited form of a message; each edit is an event of its own."""
    edited = message.edited_at.isoformat() if message.edited_at is not None else ""
    parsed = to_message(message, place, MessageKind.EDIT, me)
    at = message.edited_at.timestamp() if message.edited_at is not None else 0.0
    return replace(parsed, event_id=f"{parsed.event_id}:edit:{edited}", edited=at)


def to_deletion(message_id: int, author: discord.abc.User | None, place: Place) -> IncomingMessage:
    """Return the news that a message is gone; its author is only known while discord.py remembers it."""
    id = str(message_id)
    return IncomingMessage(
        key=place.key(id),
        event_id=f"{PLATFORM}:{place.stands_in}:{id}:delete",
        message_id=id,
        author=Author(id=str(author.id), name=author.display_name) if author is not None else Author(id=""),
        text="",
        kind=MessageKind.DELETE,
        received_at=time.time(),
        private=place.private,
        extra={STANDS_IN: place.stands_in},
    )


def to_command(
    interaction: discord.Interaction,
    place: Place,
    question: str,
    me: int,
    *,
    alone: bool = False,
    outside: bool = False,
) -> IncomingMessage:
    """Return a question asked by command; in a channel its thread is still to be opened.

    `alone`: only its asker shall see the answer, which is a conversation of its own. `outside`: its place is none of
    Weft's; whoever asks there counts as a guest.
    """
    id, aside = str(interaction.id), alone and not place.private
    guild = interaction.guild
    return IncomingMessage(
        key=replace(place.key(id), thread_id=id if aside else place.thread_id),
        event_id=f"{PLATFORM}:{place.stands_in}:{id}",
        message_id=id,
        author=Author(id=str(interaction.user.id), name=interaction.user.display_name),
        text=to_markdown(question, _guild_names(guild), me, _own_role(guild)),
        kind=MessageKind.COMMAND,
        received_at=time.time(),
        private=place.private or aside,
        guests=outside,
        author_is_guest=True if outside else None,
        locale=interaction.locale.value,
        points_at=tuple(linked(question)[:POINTERS]),
        extra={
            STANDS_IN: place.stands_in,
            INTERACTION_TOKEN: interaction.token,
            APPLICATION_ID: str(interaction.application_id),
            **({ASIDE: "yes"} if aside else {}),
        },
    )


# --- mark-up -----------------------------------------------------------------------------------

Names = Callable[[str, int], str]
"""From ("user" | "role" | "channel", id) to a name, or nothing."""


def to_markdown(content: str, names: Names, me: int, my_role: int | None = None) -> str:
    """Return Discord's mark-up as Markdown: names for ids, and without the mentions of the bot itself."""
    text = _USER.sub(lambda m: " " if int(m[1]) == me else f"@{names('user', int(m[1])) or m[1]}", content)
    text = _ROLE.sub(lambda m: " " if int(m[1]) == my_role else f"@{names('role', int(m[1])) or m[1]}", text)
    text = _CHANNEL.sub(lambda m: f"#{names('channel', int(m[1])) or m[1]}", text)
    text = _EMOJI.sub(r":\1:", text)
    text = _COMMAND.sub(r"/\1", text)
    text = _TIME.sub(lambda m: _iso_time(int(m[1])) or m[0], text)
    return re.sub(r"(?<=\S) {2,}(?=\S)", " ", text).strip() if text != content else text.strip()


def _iso_time(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, OSError, ValueError):
        return ""


def _names(message: discord.Message) -> Names:
    users = {user.id: user.display_name for user in message.mentions}
    known = _guild_names(message.guild)
    return lambda kind, id: users.get(id, "") if kind == "user" and id in users else known(kind, id)


def _guild_names(guild: discord.Guild | None) -> Names:
    def name(kind: str, id: int) -> str:
        if guild is None:
            return ""
        if kind == "user":
            member = guild.get_member(id)
            return member.display_name if member is not None else ""
        found = guild.get_role(id) if kind == "role" else guild.get_channel_or_thread(id)
        return found.name if found is not None else ""

    return name


def _own_role(guild: discord.Guild | None) -> int | None:
    role = guild.self_role if guild is not None else None
    return role.id if role is not None else None

"""The first words in a server that Weft was added to: what it does there, and what it lacks."""

import logging

import discord

from adapters.discord.probe import invitation, lacking
from adapters.discord.render import notice_parts
from adapters.discord.rest import Rest, nonce_of
from agent.errors import DeliveryError
from agent.language import say
from agent.text import language_of_locale

logger = logging.getLogger(__name__)


async def welcome(guild: discord.Guild, rest: Rest, application_id: str) -> None:
    """Greet a server where Weft may write, or else whoever owns it directly. That nobody can be told is a warning."""
    language = language_of_locale(guild.preferred_locale.value)
    lines = [say("server_welcome", language)]
    missing = lacking(guild.me.guild_permissions.value)
    if missing:
        link = f"<{invitation(application_id)}>"
        lines.append("⚠️ " + say("server_lacks", language, permissions=", ".join(missing), link=link))
    nonce = nonce_of("welcome", str(guild.id), str(guild.me.joined_at))
    [text, *_] = notice_parts("\n\n".join(lines))
    try:
        channel = _place(guild)
        if channel is not None:
            await rest.send(str(channel.id), text, nonce=nonce)
        elif guild.owner_id is not None:
            await rest.direct(str(guild.owner_id), f"**{guild.name}**\n{text}", nonce=nonce)
    except DeliveryError as error:
        logger.warning("A new server could not be greeted: %s", error, extra={"action": "discord_not_welcomed"})


def _place(guild: discord.Guild) -> discord.TextChannel | None:
    """Return where a server has its notices, or the first channel, of those that Weft may write in."""
    notices = [guild.system_channel] if guild.system_channel is not None else []
    for channel in [*notices, *guild.text_channels]:
        may = channel.permissions_for(guild.me)
        if may.view_channel and may.send_messages:
            return channel
    return None

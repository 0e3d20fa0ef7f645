"""Files that people attach on Discord. They lie on its CDN, where no token is needed and none is sent."""

import aiohttp
import discord
from yarl import URL

from adapters.discord.errors import translated
from adapters.discord.parse import STANDS_IN
from adapters.download import download
from agent.errors import AttachmentError, DeliveryError
from agent.types import Attachment, IncomingMessage

_CDN = ("cdn.discordapp.com", "media.discordapp.net")


class DiscordFiles:
    """Fetches files from the CDN, or from the host of another API where one is configured."""

    def __init__(self, *, api_base_url: str, pause: float) -> None:
        self._base = URL(api_base_url) if api_base_url else None
        self._pause = pause

    async def fetch(
        self, client: discord.Client, message: IncomingMessage, attachment: Attachment, *, most: int
    ) -> bytes:
        """Return the bytes of a file. Raises AttachmentError."""
        url = self._own(attachment.url)
        async with aiohttp.ClientSession(trust_env=False) as session:
            try:
                return (await download(session, url, most=most, pause=self._pause)).data
            except AttachmentError as error:
                if error.reason not in ("gone", "closed"):
                    raise
            # An address is good for a day; a message that waited longer tells a new one.
            fresh = self._own(await _address(client, message, attachment.id))
            if fresh == url:
                raise AttachmentError("The file is not there any more.", reason="gone")
            return (await download(session, fresh, most=most, pause=self._pause)).data

    def _own(self, address: str) -> URL:
        try:
            url = URL(address)
            own = self._base is not None and url.origin() == self._base.origin()
        except ValueError:
            raise AttachmentError("Discord gave no proper address for the file.", reason="elsewhere") from None
        if own or (url.scheme == "https" and url.port == 443 and url.host in _CDN):
            return url
        raise AttachmentError("The file does not lie on Discord's own hosts.", reason="elsewhere")


async def _address(client: discord.Client, message: IncomingMessage, identity: str) -> str:
    """Return where a file of a message lies now."""
    place = message.extra.get(STANDS_IN, "")
    try:
        with translated():
            told = await client.http.get_message(int(place), int(message.message_id))
    except (DeliveryError, ValueError) as error:
        raise AttachmentError("The message of the file is not there any more.", reason="gone") from error
    found = next((each for each in told["attachments"] if str(each["id"]) == identity), None)
    if found is None:
        raise AttachmentError("The file was taken off its message.", reason="gone")
    return str(found["url"])

"""Files that people attach on Slack. Slack gives them to whoever shows the bot token, so that goes to Slack alone."""

import re
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from adapters.download import Downloaded, download
from adapters.slack.api import patiently, slack_errors
from agent.errors import AttachmentError, DeliveryError
from agent.types import Attachment

_PAGE = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)", re.IGNORECASE)
_NOT_THERE = ("file_not_found", "file_deleted")


class SlackFiles:
    """Fetches files from Slack's own hosts: the API's, and `files.` before it."""

    def __init__(self, client: AsyncWebClient, *, base_url: str, retry_pause: float) -> None:
        self._client = client
        self._base = URL(base_url)
        self._pause = retry_pause

    async def fetch(self, session: aiohttp.ClientSession, attachment: Attachment, *, most: int) -> bytes:
        """Return the bytes of a file. Raises AttachmentError."""
        # In a channel that is shared with others, an event tells no more of a file than its id.
        url = self._own(attachment.url or await self._address(attachment.id))
        found = await download(
            session,
            url,
            most=most,
            headers={"Authorization": f"Bearer {self._client.token}"},
            proxy=self._client.proxy,
            pause=self._pause,
        )
        if _is_login(found, attachment):
            raise AttachmentError(
                "Slack shows a login page instead of the file: give the app the scope files:read and install it again.",
                reason="closed",
            )
        return found.data

    def _own(self, address: str) -> URL:
        try:
            url = URL(address)
            own = url.origin() == self._base.origin()
        except ValueError:
            raise AttachmentError("Slack gave no proper address for the file.", reason="elsewhere") from None
        if own or (url.scheme == "https" and url.port == 443 and url.host == f"files.{self._base.host}"):
            return url
        raise AttachmentError("The file does not lie on Slack's own hosts.", reason="elsewhere")

    async def _address(self, identity: str) -> str:
        async def ask() -> dict[str, Any]:
            with slack_errors("files.info"):
                answer = await self._client.files_info(file=identity)
            return dict(answer.get("file") or {})

        try:
            file = await patiently(ask, pause=self._pause)
        except DeliveryError as error:
            gone = any(code in str(error) for code in _NOT_THERE)
            raise AttachmentError(str(error), reason="gone" if gone else "closed") from error
        if file.get("is_external"):
            raise AttachmentError("The file does not lie on Slack.", reason="elsewhere")
        return str(file.get("url_private_download") or file.get("url_private") or "")


def _is_login(found: Downloaded, attachment: Attachment) -> bool:
    """Tell whether a page came in the place of a file that is none."""
    if attachment.media_type in ("text/html", "application/xhtml+xml") and "attachment" in found.disposition:
        return False
    return found.content_type == "text/html" and _PAGE.match(found.data[:2_000]) is not None

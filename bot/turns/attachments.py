"""The files of a question: fetched from its platform, read, kept with its turn, and told about where they cannot be."""

import asyncio
import logging
import mimetypes
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from adapters.contract import Adapter
from agent.errors import AttachmentError, RefusedFileError, where
from agent.language import say
from agent.types import AttachedFile, Attachment, IncomingMessage, Language
from bot.process_lock import workspace
from storage.attachment_names import display_name
from storage.attachment_reading import UnknownTypeError, check_type, read_attachment
from storage.attachments import SqlAttachments
from storage.ingest.sources import FORMATS

logger = logging.getLogger(__name__)

FETCH_SECONDS = 60.0
"""Until the download of one file is given up."""
_NAMES = 5
"""Names of files that are told to be too many."""
_FETCHING = {
    "gone": "attached_gone",
    "too_large": "attached_too_large",
    "closed": "attached_closed",
    "elsewhere": "attached_elsewhere",
    "away": "attached_away",
}
# What is said of a file, by the words of the reader that refused it.
_REASONS = (
    (r"picture", "attached_picture"),
    (r"encrypt|password", "attached_locked"),
    (r"old (?:Word|Excel|PowerPoint|program)|Hangul file|Outlook|rich text|web archive", "attached_old"),
    (r"no text|nothing in it|empty", "attached_empty"),
    (r"takes longer|memory|the limit|too large|too many|nested", "attached_too_much"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Attached:
    """The files that a turn is given, and what its asker should know of those that it is not."""

    files: tuple[AttachedFile, ...] = ()
    notices: tuple[str, ...] = ()


class Attachments:
    """Gets and keeps the files of questions. `folder` is the data folder, where they pass through."""

    def __init__(
        self, store: SqlAttachments, *, folder: Path, most_bytes: int = 50_000_000, most_files: int = 5
    ) -> None:
        self._store = store
        self._folder = folder
        self._most_bytes = most_bytes
        self._most_files = most_files

    async def of(self, message: IncomingMessage, adapter: Adapter, language: Language) -> Attached:
        """Return the latest files of the thread, those of this message first. Raises StorageError."""
        notices: list[str] = []
        known = await self._store.known(message.turn_id) if message.attachments else frozenset()
        for attachment in message.attachments[: self._most_files]:
            if _id(attachment) not in known:  # a turn may run again
                notices += await self._take(message, attachment, adapter, language)
        left = [display_name(each.name) for each in message.attachments[self._most_files :]]
        if left:
            names = ", ".join(left[:_NAMES]) + (" …" if len(left) > _NAMES else "")
            notices.append(say("attached_too_many", language, count=self._most_files, names=names))
        files = await self._store.latest(str(message.key), turn_id=message.turn_id)
        return Attached(files=files, notices=tuple(notices))

    async def forget(self, turn_id: str) -> None:
        """Delete the files of a turn."""
        await self._store.forget(turn_id)

    async def _take(
        self, message: IncomingMessage, attachment: Attachment, adapter: Adapter, language: Language
    ) -> Sequence[str]:
        """Fetch, read and keep a file; returns what is to be said of it."""
        name = display_name(attachment.name)
        try:
            file = await self._read(message, attachment, adapter)
        except (AttachmentError, RefusedFileError) as error:
            logger.warning(
                "An attached file is left out: %s",
                error,
                extra={"action": "attachment_left_out", "turn_id": message.turn_id},
            )
            return [self._why(error, name, attachment.media_type, language)]
        await self._store.put(
            file,
            turn_id=message.turn_id,
            thread=str(message.key),
            message_id=message.message_id,
            file_id=_id(attachment),
            at=time.time(),
        )
        cut = next((sheet for sheet in file.sheets if not sheet.whole), None)
        if cut is not None:
            return [say("attached_cut_rows", language, name=name, rows=f"{len(cut.rows):,}")]
        return [] if file.whole else [say("attached_cut", language, name=name)]

    async def _read(self, message: IncomingMessage, attachment: Attachment, adapter: Adapter) -> AttachedFile:
        if attachment.size > self._most_bytes:
            raise AttachmentError("It is larger than the limit.", reason="too_large")
        check_type(attachment.name, attachment.media_type)
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                data = await adapter.fetch(message, attachment, most=self._most_bytes)
        except TimeoutError:
            raise AttachmentError("Its download takes too long.", reason="away") from None
        key = sha256(f"{message.turn_id}\0{_id(attachment)}".encode()).hexdigest()[:8]
        with workspace(self._folder) as place:
            try:
                return await read_attachment(
                    data, name=attachment.name, media_type=attachment.media_type, key=key, folder=place
                )
            except OSError as error:
                raise AttachmentError(f"It could not be kept while it was read: {where(error)}.") from error

    def _why(self, error: AttachmentError | RefusedFileError, name: str, media_type: str, language: Language) -> str:
        if isinstance(error, AttachmentError):
            return say(_FETCHING[error.reason], language, name=name, **self._limit(error))
        if isinstance(error, UnknownTypeError):
            if (media_type or mimetypes.guess_type(name)[0] or "").startswith("image/"):
                return say("attached_picture", language, name=name)
            return say("attached_type", language, name=name, known=", ".join(dict.fromkeys(FORMATS.values())))
        key = next((key for words, key in _REASONS if re.search(words, str(error))), "attached_broken")
        return say(key, language, name=name)

    def _limit(self, error: AttachmentError) -> dict[str, str]:
        return {"limit": f"{self._most_bytes / 1_000_000:g}"} if error.reason == "too_large" else {}


def _id(attachment: Attachment) -> str:
    return attachment.id or attachment.url or attachment.name

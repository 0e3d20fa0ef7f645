"""Files made for answers, a folder a turn, until they are forgotten with it (`agent.ports.Files`)."""

import asyncio
import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from agent.errors import StorageError
from agent.types import ProducedFile

LARGEST = 20_000_000
"""Bytes of one file."""
_LONGEST_NAME = 180
"""Bytes of a name; file systems take 255."""
_TURN = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
_ENDING = re.compile(r"(?<=[^.\s])\s*+\.[A-Za-z0-9]{1,10}$")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


class TurnFiles:
    """Files below one folder, `FOLDER/TURN/NAME`; the folder is made when the first file is kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, turn_id: str, name: str, media_type: str, data: bytes, *, text: str = "") -> ProducedFile:
        """Keep a file of a turn, in place of the one of its name. Raises StorageError."""
        if len(data) > LARGEST:
            raise StorageError(f"a file of {len(data)} bytes is too large; at most {LARGEST} are kept")
        place = self._place(turn_id) / safe_name(name)
        try:
            await asyncio.to_thread(_write, place, data)
        except OSError as error:
            raise StorageError(f"{place.parent}: {error.strerror or type(error).__name__}") from error
        return ProducedFile(name=place.name, media_type=media_type, path=str(place), text=text)

    async def here(self, turn_id: str, files: Sequence[ProducedFile]) -> tuple[ProducedFile, ...]:
        """Return the files of a turn as they are: they were made on this machine."""
        return tuple(files)

    async def forget(self, turn_id: str) -> None:
        """Delete the files of a turn. Raises StorageError."""
        await asyncio.to_thread(_remove, self._place(turn_id))

    async def prune(self, *, older_than: float) -> int:
        """Delete the files of turns that wrote none since this time (seconds since the epoch); returns how many turns.

        Raises StorageError.
        """
        return await asyncio.to_thread(self._prune, older_than)

    def _prune(self, older_than: float) -> int:
        if not self._folder.is_dir():
            return 0
        old = [place for place in self._folder.iterdir() if _latest(place) < older_than]
        for place in old:
            _remove(place)
        return len(old)

    def _place(self, turn_id: str) -> Path:
        if not is_turn(turn_id):
            raise StorageError(f"no files can be kept for a turn named {turn_id!r}")
        return self._folder / turn_id


def is_turn(turn_id: str) -> bool:
    """Tell whether a turn's id can name a folder."""
    return _TURN.fullmatch(turn_id) is not None


def safe_name(name: str) -> str:
    """Return a file's name that leads nowhere else and that every system takes: its ending stays."""
    seen = "".join(" " if unicodedata.category(ch)[0] in "CZ" else ch for ch in unicodedata.normalize("NFC", name))
    plain = " ".join(re.sub(r'[/\\:*?"<>|]', "-", seen).split()).strip(" .")
    match = _ENDING.search(plain)
    stem, ending = (plain[: match.start()], match.group().strip()) if match else (plain, "")
    stem = stem.encode()[:_LONGEST_NAME].decode(errors="ignore").strip(" .") or "file"
    return f"_{stem}{ending}" if _RESERVED.match(f"{stem}.") else stem + ending


def _write(place: Path, data: bytes) -> None:
    """Write the file beside its place and move it there: nobody reads half of it."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=".", suffix=".part", dir=place.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _latest(place: Path) -> float:
    """Return when something was last written here, seconds since the epoch."""
    try:
        inside = list(place.iterdir()) if place.is_dir() else []
        return max(each.stat().st_mtime for each in (place, *inside))
    except FileNotFoundError:  # forgotten meanwhile
        return float("inf")


def _remove(place: Path) -> None:
    try:
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageError(f"{place}: {error.strerror or type(error).__name__}") from error

"""The word index and its file: reading it, making it anew, telling how it is.

The file (`lexical.idx`) holds nothing that `weft.db` does not: it saves reading every passage when a
process starts. One that the database does not know, or of another tokenizer, is stale and not
looked at; a damaged one is refused until somebody asks for a new one.
"""

import fcntl
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agent.errors import CorruptError, LockedError, StorageError
from agent.text import TOKENS_VERSION
from storage import snapshot
from storage.generation import Generation, generation
from storage.holdings import Contents, Holdings, Part
from storage.segment import Segment, read_segments
from storage.sql import Connection, SqlDatabase

logger = logging.getLogger(__name__)

FILE = "lexical.idx"
_KNOWN = 90 * 86_400.0
"""Seconds for which a file is known after it was made."""
_WAIT = 120.0
"""Seconds that a rebuild waits for another process that makes the file, which takes it a few."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """How the word index and its file are."""

    path: Path
    passages: int
    """In the database."""
    exists: bool
    """While passages are few there need be no file: every start reads them all."""
    sound: bool = True
    """Whether the checksum holds; False asks for `weft reindex`."""
    stale: bool = False
    """Whether the file is of another database, another time of it, or another tokenizer: it is passed over."""
    covered: int = 0
    """Passages in the file, some of which may be removed since."""
    behind: int = 0
    """Passages that were added since."""
    removed: int = 0
    """Passages that were removed since."""
    size: int = 0
    """Bytes."""
    made_at: float = 0.0
    """Seconds since the epoch."""
    tokens: int = 0
    """The version of the tokenizer that the file is of."""


class Upkeep:
    """Works on the file beside the searches, on connections of its own. Call it on a thread."""

    def __init__(self, database: SqlDatabase, *, wait: float = _WAIT) -> None:
        self._database = database
        self._wait = wait
        self.path = database.path.with_name(FILE)

    def load(self) -> Holdings:
        """Return all that is stored, from the file as far as it goes. Raises CorruptError, StorageError."""
        with self._database.moment() as connection:
            now = generation(connection)
            holdings = Holdings(seen=now)
            since = Generation()
            found = snapshot.load(self.path)
            if found is not None:
                header, segment = found
                holdings.found = header.snapshot
                if self._fits(connection, header, now):
                    holdings.snapshot, since = header.snapshot, header.generation
                    holdings.add(segment)
                    holdings.remove_since(connection, since.removal, now.removal)
            for segment in read_segments(connection, since.passage, now.passage):
                holdings.add(segment)
        return holdings

    def write(self, contents: Contents) -> tuple[Segment, str] | None:
        """Put a file of these contents in place; returns it with its id.

        None where another process is at it, or the folder takes no file: the one that is there goes on.
        """
        try:
            with self._locked(0.0):
                return self._write(contents)
        except LockedError:
            return None
        except (OSError, StorageError) as error:
            logger.warning(
                "The word index could not be written, and is kept in memory: %s",
                error,
                extra={"action": "snapshot_failed"},
            )
            return None

    def rebuild(self) -> int:
        """Make the file anew from the passages, whatever it holds; returns how many these are.

        The live file stays until the new one takes its place. Raises StorageError, LockedError.
        """
        try:
            with self._locked(self._wait):
                with self._database.moment() as connection:
                    now = generation(connection)
                    parts = [Part.whole(segment) for segment in read_segments(connection, 0, now.passage)]
                self._write(Contents(now, parts, [part.alive for part in parts]))
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {error.strerror or error}.") from error
        return sum(len(part.segment) for part in parts)

    def check(self) -> Check:
        """Tell how the index is. Raises StorageError."""
        with self._database.moment() as connection:
            now = generation(connection)
            (passages,) = connection.execute("SELECT count(*) FROM passages").fetchone()
            check = Check(path=self.path, passages=passages, exists=self.path.exists())
            if not check.exists:
                return replace(check, behind=passages)
            size = self.path.stat().st_size
            try:
                found = snapshot.load(self.path)
            except CorruptError:
                return replace(check, sound=False, size=size)
            if found is None:
                return replace(check, exists=False, behind=passages)
            header = found[0]
            (behind,) = connection.execute("SELECT count(*) FROM passages WHERE id>?", (header.passage,)).fetchone()
            (removed,) = connection.execute(
                "SELECT count(DISTINCT passage) FROM removed WHERE seq>? AND passage<=?",
                (header.removal, header.passage),
            ).fetchone()
            return replace(
                check,
                stale=not self._fits(connection, header, now),
                covered=header.passages,
                behind=behind,
                removed=removed,
                size=size,
                made_at=header.made_at,
                tokens=header.tokens,
            )

    def current(self) -> str:
        """Return the id of the file in place; empty where there is none. Raises CorruptError."""
        header = snapshot.peek(self.path)
        return header.snapshot if header else ""

    def _write(self, contents: Contents) -> tuple[Segment, str]:
        header = snapshot.new_header(generation=contents.generation, tokens=TOKENS_VERSION)
        part = snapshot.write(self.path, header, [part.segment for part in contents.parts], contents.kept)
        try:
            self._announce(header.snapshot, header.removal)
            snapshot.put_in_place(part, self.path)
        finally:
            part.unlink(missing_ok=True)
        found = snapshot.load(self.path)
        if found is None:
            raise StorageError(f"{self.path} disappeared")
        return found[1], header.snapshot

    def _announce(self, snapshot_id: str, removal: int) -> None:
        """Let the database know the file before it is in place: an unknown one would be of another time of it."""
        try:
            old = self.current()
        except CorruptError:
            old = ""
        with self._database.moment() as connection:
            # Other machines that share a database have files of their own.
            connection.execute("DELETE FROM snapshots WHERE id<>? AND made_at<?", (old, time.time() - _KNOWN))
            connection.execute("INSERT INTO snapshots(id, made_at) VALUES(?,?)", (snapshot_id, time.time()))
            # A reader that is behind the file counts these terms itself.
            connection.execute("UPDATE removed SET terms=NULL WHERE seq<=? AND terms IS NOT NULL", (removal,))
            connection.execute("COMMIT")

    def _fits(self, connection: Connection, header: snapshot.Header, now: Generation) -> bool:
        """Tell whether a file is of this database, no later than it is now, and made as we would make it."""
        known = connection.execute("SELECT 1 FROM snapshots WHERE id=?", (header.snapshot,)).fetchone()
        seen = header.generation
        return (
            known is not None
            and header.usable
            and header.tokens == TOKENS_VERSION
            and (seen.passage <= now.passage and seen.removal <= now.removal)
        )

    @contextmanager
    def _locked(self, wait: float) -> Iterator[None]:
        """Keep other processes from making the file at the same time. Raises LockedError after `wait` seconds."""
        lock = os.open(self.path.with_name(FILE + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + wait
        try:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= until:
                        raise LockedError(f"another process is making {self.path}: try again when it is done") from None
                    time.sleep(0.05)
            yield
        finally:
            os.close(lock)

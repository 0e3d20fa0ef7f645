"""`weft doctor`, the data folder: its databases and indexes, the documents in it, the messages that wait."""

import asyncio
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from fcntl import LOCK_NB, LOCK_SH, flock
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.errors import CorruptError, StorageError, WeftError
from bot.calendar.clock import due_at
from bot.doctor.check import Check, failed, fine, problem, warning
from bot.models.embedders import CACHE
from bot.models.vector_sync import FILE as VECTORS
from storage import damage, examination
from storage.contracts import Schedule
from storage.embedding_cache import EMBEDDINGS
from storage.installations import FILE as INSTALLATIONS
from storage.installations import SCHEMA as INSTALLED
from storage.schema import INBOX, PEOPLE, WEFT

LITTLE = 1_000_000_000
TOO_LITTLE = 100_000_000
"""Bytes that should be free."""
_NONE: NDArray[np.int64] = np.empty(0, dtype=np.int64)
_NAMED = 3
LATE = 600.0
"""Seconds after which a message that nobody has answered is remarkable."""

_DATABASES: dict[str, Sequence[str]] = {
    "weft.db": WEFT,
    "inbox.db": INBOX,
    "people.db": PEOPLE,
    "checkpoints.db": (),
    "board.db": (),
    CACHE: EMBEDDINGS,
    INSTALLATIONS: INSTALLED,
}
"""By file: what brings it to the schema that this Weft writes, where it numbers its versions."""


def folder(path: Path) -> Iterator[Check]:
    """Tell whether the data folder can be used."""
    name = "data folder"
    if not path.exists():
        parent = next(each for each in path.absolute().parents if each.exists())
        if not os.access(parent, os.W_OK | os.X_OK):
            yield problem(
                name, f"{path} does not exist, and {parent} takes no new folder", "choose another with --data"
            )
            return
        yield warning(name, f"{path} does not exist yet", "`weft ingest PATH` or `weft serve` makes it")
        return
    if not path.is_dir() or not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        why = "cannot be written" if path.is_dir() else "is no folder"
        yield problem(name, f"{path} {why}", "choose another with --data, or change its permissions")
        return
    free = shutil.disk_usage(path).free
    detail = f"{path.absolute()}, {free / 1e9:,.1f} GB free"
    if free < TOO_LITTLE:
        yield problem(name, detail, "make room: nothing can be stored soon")
    elif free < LITTLE:
        yield warning(name, detail, "make room")
    elif path.stat().st_mode & 0o077:
        yield warning(name, f"{detail}; other users of this machine may look into it", f"run `chmod 700 {path}`")
    else:
        yield fine(name, detail)


def databases(path: Path) -> Iterator[Check]:
    """Tell how each database file is."""
    for name, migrations in _DATABASES.items():
        file = path / name
        if not file.exists():
            continue
        try:
            version = examination.schema_of(file, migrations)
        except CorruptError as error:
            yield problem(name, str(error).removesuffix(f": {damage.advice(file)}"), damage.advice(file))
        except StorageError as error:
            yield problem(name, str(error), "stop what holds it, or see its permissions")
        else:
            if not version and not file.stat().st_size:
                yield warning(name, f"{file} is empty", f"{damage.advice(file)}; else the next start begins it anew")
            else:
                yield _of_version(name, version, len(migrations) or None)


def current(path: Path, checks: Sequence[Check]) -> bool:
    """Tell whether `weft.db` is there, whole as the checks of the databases say, and of this version."""
    file = path / "weft.db"
    if not file.exists() or any(check.name == file.name and check.status == "problem" for check in checks):
        return False
    try:
        return examination.version_of(file) == len(WEFT)
    except StorageError:
        return False


def words(path: Path) -> Iterator[Check]:
    """Tell how the index of words is; `weft.db` must be current."""
    from storage import snapshot
    from storage.database import Database
    from storage.upkeep import Upkeep

    name = "word index"
    check = Upkeep(Database(path / "weft.db")).check()
    if not check.sound:
        yield problem(name, f"{check.path} is damaged", "run `weft reindex`")
    elif not check.exists:
        yield fine(name, f"no file yet: {check.passages:,} passages are read at every start")
    elif check.stale:
        yield warning(name, f"{check.path} is of another state of the documents", "it is made anew by itself")
    else:
        header = snapshot.peek(check.path)
        generation = f"{header.passage}/{header.removal}" if header else "unknown"
        yield fine(
            name,
            f"{check.covered:,} passages at generation {generation}, checksum holds, "
            f"{_age(time.time() - check.made_at)} old; {check.behind:,} added and {check.removed:,} removed since",
        )


async def vectors(path: Path, embedding: str, *, counted: bool) -> Sequence[Check]:
    """Tell how the vectors are; `embedding`: the name of the one that is set, empty where none can be used.

    `counted`: compare them with the passages of a current `weft.db`.
    """
    name, file = "vectors", path / VECTORS
    try:
        ids = await asyncio.to_thread(examination.passage_ids, path / "weft.db") if counted else _NONE
        if not file.exists():
            if not embedding or not len(ids):
                return []
            return [warning(name, f"none of {len(ids):,} passages has a vector", "run `weft reindex`")]
        made_by, there = await _vectors_of(file)
    except (WeftError, OSError) as error:
        return [failed(name, error)]
    if not embedding:
        return [warning(name, f"made by {made_by!r}, and not in use", "set WEFT_EMBEDDING_MODEL, or delete the file")]
    if made_by != embedding:
        return [problem(name, f"made by {made_by!r}, but {embedding!r} is set", "set it back, or run `weft reindex`")]
    missing = len(np.setdiff1d(ids, there))
    detail = f"{len(there):,} of {embedding}, checksum holds"
    if file.with_name(file.name + ".new").exists():
        return [
            warning(name, f"{detail}; a reindex was interrupted", "run `weft reindex` again, it goes on from there")
        ]
    if missing:
        advice = "the next `weft ingest` makes them, so does `weft reindex`"
        return [warning(name, f"{detail}; {missing:,} of {len(ids):,} passages have none", advice)]
    return [fine(name, detail)]


def documents(path: Path) -> Iterator[Check]:
    """Tell what is stored, and what of it looks forgotten; `weft.db` must be current."""
    name = "documents"
    held = examination.holdings(path / "weft.db")
    stored = f"{held.documents:,} in {held.collections:,} collections, {held.passages:,} passages"
    yield fine(name, stored) if held.documents else warning(name, "none yet", "run `weft ingest PATH`")
    if held.empty:
        detail = f"{held.empty:,} without a passage: {_some(held.some_empty, held.empty)}"
        yield warning("empty documents", detail, "look at their files: nothing in them can be found")
    if held.gone:
        detail = f"{held.gone:,} are gone: {_some(held.some_gone, held.gone)}"
        yield warning("source files", detail, "`weft ingest` of their folder or `weft documents remove` removes them")


def inbox(path: Path) -> Iterator[Check]:
    """Tell which messages wait for their answer; `inbox.db` must be there and whole."""
    name = "inbox"
    held = examination.waiting(path / "inbox.db")
    detail = f"{held.todo:,} waiting, {held.doing:,} in work, {held.dead:,} given up"
    if held.closed:
        detail += f"; {held.closed:,} in a day might not be posted where they were asked for"
        advice = "the log tells the places (place_closed): invite Weft there, or give it the right to write"
        yield warning(name, detail, advice)
        return
    if held.unposted:
        detail += f"; {held.unposted:,} wait because their platform is away or refuses its token"
        yield warning(name, detail, "see what is said of the platforms below")
        return
    if held.oldest > LATE:
        detail += f"; the oldest has waited {_age(held.oldest)}"
        yield warning(name, detail, "is `weft serve` or `weft worker` running, with the platforms of these messages?")
    elif held.dead:
        yield warning(name, detail, "those were tried again and again: the log of that time tells why they failed")
    else:
        yield fine(name, detail)


def calendar(path: Path) -> Iterator[Check]:
    """Tell how what is done by the clock goes, where there is any; `weft.db` must be current."""
    yield from calendar_of(*examination.calendar(path / "weft.db"))


def calendar_of(entries: Sequence[Schedule], damaged: Sequence[int]) -> Iterator[Check]:
    """Tell how these entries go, and which numbers cannot be read."""
    name, now = "calendar", time.time()
    if not entries and not damaged:
        return
    late = max((now - (due_at(each, now) or now) for each in entries), default=0.0)
    detail = f"{len(entries):,} entries, {sum(each.paused for each in entries):,} paused"
    failing = [each for each in entries if each.failures]
    if damaged:
        detail += f"; not readable: {', '.join(map(str, damaged[:_NAMED]))}"
        yield warning(name, detail, "run `weft schedule remove NUMBER` and set it again")
    elif failing:
        told = "; ".join(f"{each.id}: {each.problem}" for each in failing[:_NAMED])
        detail += f"; {len(failing):,} fail: {told}"
        yield warning(name, detail, "see `weft schedule list` and `weft watch list`")
    elif late > LATE:
        detail += f"; one has been due for {_age(late)}"
        yield warning(name, detail, "run `weft serve` or `weft clock`: without a clock nothing is asked")
    else:
        yield fine(name, detail)


def running(path: Path) -> Iterator[Check]:
    """Tell whether a process serves this folder."""
    lock = path / "clock.lock"
    try:
        descriptor = os.open(lock, os.O_RDONLY)
    except FileNotFoundError:
        yield fine("processes", "`weft serve` does not run on this folder")
        return
    try:
        flock(descriptor, LOCK_SH | LOCK_NB)
        yield fine("processes", "`weft serve` does not run on this folder")
    except BlockingIOError:
        owner = os.read(descriptor, 32).decode(errors="replace").strip()
        yield fine("processes", f"`weft serve` or `weft clock` is running (process {owner or 'unknown'})")
    finally:
        os.close(descriptor)


async def _vectors_of(file: Path) -> tuple[str, NDArray[np.int64]]:
    """Return which embedding made a vector file, and which ids are in it. Raises StorageError."""
    from storage import vector_format
    from storage.vectors import VectorFile

    def read() -> str:
        with file.open("rb") as opened:
            return vector_format.read_header(opened, file).embedding

    made_by = await asyncio.to_thread(read)
    opened = VectorFile(file, embedding=made_by)
    try:
        return made_by, await opened.ids()
    finally:
        await opened.close()


def _of_version(name: str, version: int, newest: int | None) -> Check:
    if newest is None:
        return fine(name, "in order")
    if version > newest:
        return problem(name, f"written by a newer Weft (schema {version})", "update Weft")
    if version < newest:
        return fine(name, f"in order, schema {version}: the next start brings it to {newest}")
    return fine(name, f"in order, schema {version}")


def _some(names: Sequence[str], count: int) -> str:
    return ", ".join(names) + (", …" if count > len(names) else "")


def _age(seconds: float) -> str:
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{max(0.0, seconds):.0f} seconds"

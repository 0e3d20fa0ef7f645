"""Where Weft keeps everything: files in the data folder, or PostgreSQL where `WEFT_DATABASE_URL` names one.

The stores are the same; what differs is what they stand on, and who sees to it that only one process does a thing.
"""

import asyncio
import importlib.util
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from agent.errors import SettingsError, StorageError
from bot.process_lock import FolderLocks
from bot.settings import Settings
from storage.board import BoardStore
from storage.contracts import Checkpoints, KeptFiles
from storage.database import Database
from storage.files import TurnFiles
from storage.inbox import SqlInbox
from storage.profiles import SqlProfiles
from storage.ratings import SqlRatings
from storage.schedules import SqlSchedules
from storage.schema import BOARD, INBOX, PEOPLE, WEFT
from storage.sql import SqlDatabase

if TYPE_CHECKING:
    from storage.installations import SqlInstallations

File = Literal["weft.db", "inbox.db", "people.db", "board.db"]
_SCHEMAS = {"weft.db": WEFT, "inbox.db": INBOX, "people.db": PEOPLE, "board.db": BOARD}


class Locks(Protocol):
    """What only one process may be at; on files of the data folder, or in the database."""

    def ingesting(
        self, collection: str, *, waiting: Callable[[], None] = lambda: None
    ) -> AbstractAsyncContextManager[None]:
        """Wait until nobody else brings documents into this collection; `waiting` is called if there is to wait."""
        ...

    def held(self, name: str, *, what: str) -> AbstractAsyncContextManager[None]:
        """Hold a lock while the body runs. Raises LockedError when another process does."""
        ...

    async def lead(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Run work while holding the lock, until cancelled."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Stores:
    """What is opened of the place where everything is kept."""

    folder: Path
    """The data folder; on PostgreSQL for what can be made anew, such as the index of words."""
    database: SqlDatabase
    documents: SqlDatabase
    """The same tables as `database`, on PostgreSQL over a connection of its own: no turn waits for an ingest."""
    inbox: SqlInbox
    checkpoints: Checkpoints
    profiles: SqlProfiles
    ratings: SqlRatings
    schedules: SqlSchedules
    files: KeptFiles
    locks: Locks
    shared: bool = False
    """Whether processes on other machines may be at the same."""


def database_url(settings: Settings) -> str:
    """Return where PostgreSQL is; empty where everything is kept in files. Raises SettingsError."""
    url = settings.database_url.get_secret_value()
    if not url:
        return ""
    if not url.startswith(("postgresql://", "postgres://")):
        raise SettingsError("WEFT_DATABASE_URL is no address: write postgresql://USER:PASSWORD@HOST:5432/DATABASE")
    if importlib.util.find_spec("psycopg") is None:
        raise SettingsError("WEFT_DATABASE_URL needs the extra `postgres`: install weft[postgres]")
    return url


def data_folder(settings: Settings) -> Path:
    """Return the data folder, made where it is missing. Raises StorageError."""
    folder = settings.data
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise StorageError(f"the data folder {folder} cannot be used ({why}): choose another with --data") from error
    return folder


@asynccontextmanager
async def open_database(settings: Settings, name: File = "weft.db") -> AsyncIterator[SqlDatabase]:
    """Open the tables of one file, wherever they are. Raises StorageError."""
    folder, url = data_folder(settings), database_url(settings)
    database: SqlDatabase
    if url:
        from storage.postgres.database import PostgresDatabase
        from storage.postgres.migrate import check

        await check(url)
        database = await PostgresDatabase.open(url, folder=folder, name=name)
    else:
        database = await Database.open(folder / name, _SCHEMAS[name], durable=name == "inbox.db")
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def open_installations(settings: Settings) -> AsyncIterator["SqlInstallations"]:
    """Open what is kept of the Slack workspaces in which Weft is installed. Raises StorageError."""
    from storage.installations import FILE, SqlInstallations

    url = database_url(settings)
    if not url:
        installations = await SqlInstallations.open(settings.data / FILE)
    else:
        from storage.postgres.database import PostgresDatabase

        installations = SqlInstallations(await PostgresDatabase.open(url, folder=settings.data, name="installations"))
    try:
        yield installations
    finally:
        await installations.close()


@asynccontextmanager
async def open_board(settings: Settings) -> AsyncIterator[BoardStore]:
    """Open the playground's board. Raises StorageError."""
    url = database_url(settings)
    if not url:
        board = await BoardStore.open(settings.data / "board.db")
        try:
            yield board
        finally:
            await board.close()
        return
    from storage.postgres.database import PostgresDatabase
    from storage.postgres.listening import listening

    async with listening(url) as listener:
        database = await PostgresDatabase.open(url, folder=settings.data, name="board", events=listener.event)
        board = await BoardStore.on(database)
        try:
            yield board
        finally:
            await board.close()


@asynccontextmanager
async def open_stores(settings: Settings) -> AsyncIterator[Stores]:
    """Open everything but the board. Raises StorageError, SettingsError."""
    url = database_url(settings)
    async with _on_postgres(settings, url) if url else _in_files(settings) as stores:
        yield stores


@asynccontextmanager
async def _in_files(settings: Settings) -> AsyncIterator[Stores]:
    from storage.checkpoints import SqliteCheckpoints

    folder = data_folder(settings)
    async with AsyncExitStack() as stack:
        database = await Database.open(folder / "weft.db", WEFT)
        stack.push_async_callback(database.close)
        inbox = await SqlInbox.open(folder / "inbox.db")
        stack.push_async_callback(inbox.close)
        checkpoints = await SqliteCheckpoints.open(folder / "checkpoints.db")
        stack.push_async_callback(checkpoints.close)
        ratings, schedules = SqlRatings(database), SqlSchedules(database)
        profiles = await SqlProfiles.open(folder / "people.db", beside=[ratings.forget, schedules.forget])
        stack.push_async_callback(profiles.close)
        yield Stores(
            folder=folder,
            database=database,
            documents=database,
            inbox=inbox,
            checkpoints=checkpoints,
            profiles=profiles,
            ratings=ratings,
            schedules=schedules,
            files=TurnFiles(folder / "files"),
            locks=FolderLocks(folder),
        )


@asynccontextmanager
async def _on_postgres(settings: Settings, url: str) -> AsyncIterator[Stores]:
    from storage.postgres.checkpoints import PostgresCheckpoints
    from storage.postgres.database import PostgresDatabase
    from storage.postgres.files import SharedFiles
    from storage.postgres.listening import listening
    from storage.postgres.locks import PostgresLocks
    from storage.postgres.migrate import check

    folder = data_folder(settings)
    await check(url)
    async with AsyncExitStack() as stack:
        listener = await stack.enter_async_context(listening(url))

        async def opened(name: str, events: Callable[[str], asyncio.Event] | None = None) -> PostgresDatabase:
            database = await PostgresDatabase.open(url, folder=folder, name=name, events=events)
            stack.push_async_callback(database.close)
            return database

        database, queue = await opened("turns"), await opened("inbox", listener.event)
        ratings, schedules = SqlRatings(database), SqlSchedules(database)
        checkpoints = await PostgresCheckpoints.open(url)
        stack.push_async_callback(checkpoints.close)
        yield Stores(
            folder=folder,
            database=database,
            documents=await opened("documents"),
            inbox=SqlInbox(queue),
            checkpoints=checkpoints,
            profiles=SqlProfiles(await opened("people"), beside=[ratings.forget, schedules.forget]),
            ratings=ratings,
            schedules=schedules,
            files=SharedFiles(database, folder / "files"),
            locks=PostgresLocks(url),
            shared=True,
        )

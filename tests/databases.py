"""Both databases that the stores run on, for suites that hold on either: a fixture each, parametrized."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from storage.database import Database
from storage.postgres.database import PostgresDatabase, connect
from storage.postgres.failures import place_of
from storage.schema import WEFT
from storage.sql import SqlDatabase
from tests.servers.postgres import PostgresServer

KINDS = ("sqlite", "postgres")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A cluster for this process, with a database for each test."""
    server = PostgresServer()
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
async def postgres_url(postgres: PostgresServer) -> AsyncIterator[str]:
    """The address of a database of this test, with Weft's tables."""
    name = await postgres.ready()
    yield postgres.url(name)
    postgres.drop(name)


@asynccontextmanager
async def on_postgres(server: PostgresServer, folder: Path) -> AsyncIterator[PostgresDatabase]:
    """Give a connection to a new database with Weft's tables."""
    name = await server.ready()
    opened = await PostgresDatabase.open(server.url(name), folder=folder, patience=5.0)
    yield opened
    await opened.close()
    server.drop(name)


@pytest.fixture
async def postgres_database(postgres: PostgresServer, tmp_path: Path) -> AsyncIterator[PostgresDatabase]:
    """A connection to a database of this test."""
    async with on_postgres(postgres, tmp_path) as opened:
        yield opened


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The name of the database that a test runs on."""
    return str(request.param)


@pytest.fixture
async def new_database(
    kind: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> AsyncIterator[Callable[[], Awaitable[SqlDatabase]]]:
    """Makes empty databases with the tables of `weft.db`."""
    async with AsyncExitStack() as stack:

        async def new() -> SqlDatabase:
            folder = tmp_path_factory.mktemp("data")
            if kind == "sqlite":
                opened = await Database.open(folder / "weft.db", WEFT)
                stack.push_async_callback(opened.close)
                return opened
            return await stack.enter_async_context(on_postgres(request.getfixturevalue("postgres"), folder))

        yield new


@pytest.fixture
async def database(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[SqlDatabase]:
    """An empty database with the tables of `weft.db`."""
    opened: SqlDatabase
    if kind == "sqlite":
        opened = await Database.open(tmp_path / "weft.db", WEFT)
        yield opened
        await opened.close()
        return
    async with on_postgres(request.getfixturevalue("postgres"), tmp_path) as opened:
        yield opened


@pytest.fixture
async def sqlite_database(tmp_path: Path) -> AsyncIterator[Database]:
    """An empty `weft.db`, for what only a file can suffer."""
    opened = await Database.open(tmp_path / "weft.db", WEFT)
    yield opened
    await opened.close()


@asynccontextmanager
async def another(database: SqlDatabase) -> AsyncIterator[SqlDatabase]:
    """Give another connection to the same database, as another process has one; on PostgreSQL on another machine."""
    opened: SqlDatabase
    if isinstance(database, PostgresDatabase):
        folder = database.path.parent / "elsewhere"
        folder.mkdir(exist_ok=True)
        opened = await PostgresDatabase.open(database.url, folder=folder, patience=5.0)
    else:
        opened = await Database.open(database.path, WEFT)
    yield opened
    await opened.close()


def rows(database: SqlDatabase, statement: str) -> list[tuple[Any, ...]]:
    """Return what a statement without values gives, over a connection of its own."""
    if isinstance(database, PostgresDatabase):
        with connect(database.url, place_of(database.url)) as connection:
            connection.execute("SET weft.operator = 'on'")
            return connection.execute(statement.encode()).fetchall()
    with closing(sqlite3.connect(database.path)) as lite:
        return lite.execute(statement).fetchall()

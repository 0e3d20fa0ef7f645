"""The SQLite board: the contract, and what only a file can suffer."""

import sqlite3

import pytest

from agent.errors import CorruptError, StorageError
from storage.board import BoardStore
from tests.contracts.board import BoardContract
from tests.databases import another


class TestSqliteBoard(BoardContract):
    @pytest.fixture
    async def board(self, tmp_path):
        opened = await BoardStore.open(tmp_path / "weft.db")
        yield opened
        await opened.close()

    @pytest.fixture
    async def other(self, board, tmp_path):
        opened = await BoardStore.open(tmp_path / "weft.db")
        yield opened
        await opened.close()


class TestPostgresBoard(BoardContract):
    @pytest.fixture
    async def board(self, postgres_database):
        return await BoardStore.on(postgres_database)

    @pytest.fixture
    async def other(self, postgres_database):
        async with another(postgres_database) as opened:
            yield await BoardStore.on(opened)


async def test_what_was_posted_outlives_the_process(tmp_path):
    first = await BoardStore.open(tmp_path / "weft.db")
    await first.create_thread("t1", "A question")
    await first.post("t1", "q", "user", {"text": "?"})
    cursor = await first.cursor()
    await first.close()

    second = await BoardStore.open(tmp_path / "weft.db")
    assert [post.id for post in await second.posts("t1")] == ["q"]
    assert await second.cursor() == cursor
    assert not (await second.changes_since(cursor)).reset
    await second.close()


async def test_deleted_words_are_gone_from_the_tables(tmp_path):
    board = await BoardStore.open(tmp_path / "weft.db")
    await board.create_thread("t1", "secret title")
    await board.post("t1", "q", "user", {"text": "secret question"})
    await board.create_thread("t2", "kept")
    await board.post("t2", "a", "answer", {"text": "secret answer"})
    await board.delete_thread("t1")
    await board.remove("t2", "a")
    await board.close()
    with sqlite3.connect(tmp_path / "weft.db") as connection:
        rows = connection.execute(
            "SELECT title FROM board_threads UNION ALL SELECT payload FROM board_posts"
        ).fetchall()
    connection.close()
    assert "secret" not in str(rows)


async def test_a_file_from_before_its_tables_had_a_number_is_taken_over(tmp_path):
    first = await BoardStore.open(tmp_path / "board.db")
    await first.create_thread("t1", "A question")
    await first.close()
    with sqlite3.connect(tmp_path / "board.db") as connection:
        connection.execute("PRAGMA user_version=0")
    connection.close()
    again = await BoardStore.open(tmp_path / "board.db")
    assert [thread.id for thread in await again.threads()] == ["t1"]
    await again.close()


async def test_a_file_that_is_no_database_is_named(tmp_path):
    (tmp_path / "weft.db").write_text("this is not a database, whatever its name says. " * 50)
    with pytest.raises(CorruptError, match=r"weft\.db"):
        await BoardStore.open(tmp_path / "weft.db")


async def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StorageError, match="nowhere"):
        await BoardStore.open(tmp_path / "nowhere" / "weft.db")


async def test_a_closed_board_says_so(tmp_path):
    board = await BoardStore.open(tmp_path / "weft.db")
    await board.close()
    with pytest.raises(StorageError, match="closed"):
        await board.threads()
    with pytest.raises(StorageError, match="closed"):
        await board.create_thread("t1", "x")

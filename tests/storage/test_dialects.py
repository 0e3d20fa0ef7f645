import sqlite3
from contextlib import closing
from pathlib import Path

from storage.database import Database
from storage.dialects import SqlDialects
from storage.schema import WEFT

BEFORE = next(number for number, script in enumerate(WEFT) if "CREATE TABLE dialects" in script)


async def test_the_last_text_about_a_model_is_kept(database: Database) -> None:
    store = SqlDialects(database, "host:443/v1")
    assert await store.load() == {}
    await store.keep("모델", "one", 1.5)
    await store.keep("모델", "two", 2.5)
    await store.keep("other", "three", 3.5)
    assert await store.load() == {"모델": ("two", 2.5), "other": ("three", 3.5)}


async def test_endpoints_are_apart(database: Database) -> None:
    await SqlDialects(database, "a").keep("m", "of a", 1.0)
    await SqlDialects(database, "b").keep("m", "of b", 2.0)
    assert await SqlDialects(database, "a").load() == {"m": ("of a", 1.0)}
    assert await SqlDialects(database, "c").load() == {}


async def test_rows_that_are_damaged_hide_no_others(sqlite_database: Database) -> None:
    store = SqlDialects(sqlite_database, "a")
    await store.keep("good", "text", 1.0)
    damaged = [(b"\xff", "text", 1.0), ("x", b"\xff", 1.0), ("y", "text", "soon"), ("z", "text", b"\xff\xff")]
    sql = "INSERT INTO dialects(endpoint, model, dialect, until) VALUES('a',?,?,?)"
    await sqlite_database.write(lambda c: c.executemany(sql, damaged).close())
    assert await store.load() == {"good": ("text", 1.0)}


async def test_an_older_database_gets_the_table_and_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old = await Database.open(path, WEFT[:BEFORE])
    await old.write(lambda c: c.execute("INSERT INTO groups VALUES('team', 'user:x')").close())
    await old.close()
    new = await Database.open(path, WEFT)
    await SqlDialects(new, "a").keep("m", "text", 1.0)
    assert await new.read(lambda c: c.execute("SELECT * FROM groups").fetchall()) == [("team", "user:x")]
    await new.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(WEFT),)

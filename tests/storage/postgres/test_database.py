"""PostgreSQL as such: migrations, lost connections, who may read, what only one may be at, a line for each trouble."""

import asyncio
import signal
import threading

import psycopg
import pytest

from agent.errors import LockedError, StorageError
from agent.types import Audience, Query, SearchFilter
from storage.documents import SqlLibrary
from storage.inbox import SqlInbox
from storage.postgres.database import PostgresDatabase
from storage.postgres.listening import listening
from storage.postgres.locks import PostgresLocks
from storage.postgres.migrate import check, migrate
from storage.postgres.schema import MIGRATIONS
from storage.postgres.statements import translated
from tests.contracts.inbox import message
from tests.databases import another, rows
from tests.servers.postgres import PostgresServer
from tests.storage.test_lexical import document

OPERATOR = Audience(principals=frozenset(), operator=True)


def test_statements_are_translated_but_not_what_stands_in_texts():
    assert translated("SELECT ?, '?:x''y?', \"a?\" || ?") == ("SELECT $1, '?:x''y?', \"a?\" || $2", ())
    assert translated("a=:b AND c=:c OR d=:b") == ("a=$1 AND c=$2 OR d=$1", ("b", "c"))


async def test_what_is_in_a_list_is_looked_up_and_no_table_is_read_whole_for_it(postgres_database):
    await postgres_database.write(
        lambda c: c.execute("INSERT INTO terms(term) SELECT 'word' || n FROM generate_series(1, 20000) n").close()
    )
    await postgres_database.read(lambda c: c.execute("ANALYZE terms").close())
    sql = "SELECT id FROM terms WHERE term IN (SELECT value FROM json_each(:terms))"
    wanted = {"terms": '["word7", "none", "word19999"]'}
    found = await postgres_database.read(lambda c: c.execute(sql, wanted).fetchall())
    plan = await postgres_database.read(lambda c: c.execute(f"EXPLAIN {sql}", wanted).fetchall())
    assert sorted(found) == [(7,), (19999,)]
    assert "Seq Scan on terms" not in str(plan) and "terms_term_key" in str(plan)


# --- migrations


async def test_migrating_twice_and_by_two_at_once_does_it_once(postgres):
    name = postgres.empty()
    url = postgres.url(name)
    found = await asyncio.gather(migrate(url), migrate(url))
    assert sorted(found) == [(0, len(MIGRATIONS)), (len(MIGRATIONS), len(MIGRATIONS))]
    assert await migrate(url) == (len(MIGRATIONS), len(MIGRATIONS))
    await check(url)
    postgres.drop(name)


async def test_a_migration_that_fails_leaves_nothing(postgres):
    name = postgres.empty()
    with pytest.raises(StorageError):
        await migrate(postgres.url(name), (*MIGRATIONS, "CREATE TABLE more(x int); SELECT 1/0;"))
    with pytest.raises(StorageError, match="has none of Weft's tables yet: run `weft migrate`"):
        await check(postgres.url(name))
    await migrate(postgres.url(name))
    postgres.drop(name)


async def test_an_old_schema_and_a_newer_one_are_told_with_what_to_do(postgres_url):
    now, more = len(MIGRATIONS), (*MIGRATIONS, "CREATE TABLE more(x int)")
    earlier = rf"of an earlier Weft \(schema {now}, this one has {now + 1}\): run `weft migrate`"
    newer = rf"by a newer Weft \(schema {now + 1}, this one knows {now}\): update Weft"
    with pytest.raises(StorageError, match=earlier):
        await check(postgres_url, more)
    await migrate(postgres_url, more)
    for work in (check, migrate):
        with pytest.raises(StorageError, match=newer):
            await work(postgres_url)


async def test_a_server_without_pgvector_is_told(postgres):
    name = postgres.empty()
    postgres.superuser("DROP EXTENSION vector", database=name)
    with pytest.raises(StorageError, match="lacks the extension pgvector: install it"):  # the role may not make it
        await migrate(postgres.url(name))
    postgres.drop(name)


async def test_an_extension_or_a_server_that_is_too_old_is_told(postgres, postgres_url, monkeypatch):
    name = postgres_url.rpartition("/")[2]
    old = "SET allow_system_table_mods=on; UPDATE pg_extension SET extversion='0.7.4' WHERE extname='vector'"
    postgres.superuser(old, database=name)
    for work in (check, migrate):
        with pytest.raises(StorageError, match=r"is version 0\.7\.4: Weft needs 0\.8 or later, install it"):
            await work(postgres_url)
    postgres.superuser("DROP EXTENSION vector CASCADE", database=name)
    with pytest.raises(StorageError, match="lacks the extension pgvector: install it"):
        await check(postgres_url)
    monkeypatch.setattr("storage.postgres.migrate.OLDEST_SERVER", 99)
    for work in (check, migrate):
        with pytest.raises(StorageError, match=r"is version \d\d: Weft needs 99 or later, upgrade the server"):
            await work(postgres_url)


# --- one line for each trouble


async def test_who_cannot_come_in_is_told_what_to_correct(postgres, postgres_url, tmp_path):
    for url, said in (
        (
            postgres_url.replace("loopback", "secret-guess"),
            "refuses the user or the password: correct WEFT_DATABASE_URL",
        ),
        (postgres.url("nowhere"), "has no database 127.0.0.1:.*/nowhere: make it"),
        (postgres.url("x", port=1), "cannot be reached .*: start it, or correct WEFT_DATABASE_URL"),
    ):
        with pytest.raises(StorageError, match=said) as raised:
            await PostgresDatabase.open(url, folder=tmp_path, patience=0.0)
        assert (
            "\n" not in str(raised.value) and "secret" not in str(raised.value) and "loopback" not in str(raised.value)
        )


async def test_a_server_that_takes_no_more_connections_is_told(postgres, postgres_url, tmp_path):
    postgres.superuser("ALTER ROLE weft CONNECTION LIMIT 2")
    try:
        first = await PostgresDatabase.open(postgres_url, folder=tmp_path)
        async with another(first) as second:
            with pytest.raises(StorageError, match="takes no more connections: raise its max_connections"):
                await PostgresDatabase.open(postgres_url, folder=tmp_path, patience=0.0)
            assert await second.read(lambda c: c.execute("SELECT 1").fetchone()) == (1,)
        await first.close()
    finally:
        postgres.superuser("ALTER ROLE weft CONNECTION LIMIT -1")


# --- connections that are lost


async def test_a_connection_cut_in_the_middle_of_a_claim_loses_and_doubles_nothing(postgres, postgres_database):
    inbox = SqlInbox(postgres_database)
    await inbox.add(message("e1"))
    cut = threading.Event()

    class Cutting:
        """The database, whose first claim loses its connection after the row was taken."""

        def __getattr__(self, name):
            return getattr(postgres_database, name)

        async def write(self, work, *, alone="", lasting=True):
            def cutting(connection):
                found = work(connection)
                if not cut.is_set():
                    cut.set()
                    (pid,) = connection.execute("SELECT pg_backend_pid()").fetchone()
                    postgres.superuser(f"SELECT pg_terminate_backend({pid}, 5000)")
                    connection.execute("SELECT 1")
                return found

            return await postgres_database.write(cutting, alone=alone, lasting=lasting)

    row = await SqlInbox(Cutting()).claim("w1", lease=30.0, platforms=["slack"])
    assert cut.is_set() and row is not None and (row.attempts, row.deaths) == (0, 0)
    assert await inbox.claim("w2", lease=30.0, platforms=["slack"]) is None
    assert await inbox.finish(row)
    assert await inbox.counts() == {"todo": 0, "doing": 0, "done": 1, "dead": 0}


async def test_a_server_that_is_started_again_is_waited_for(tmp_path):
    server = PostgresServer()
    try:
        server.create()
        server.start()
        database = await PostgresDatabase.open(server.url(await server.ready()), folder=tmp_path, patience=60.0)
        inbox = SqlInbox(database)
        await inbox.add(message("e1"))
        server.stop(signal.SIGQUIT)
        adding = asyncio.create_task(inbox.add(message("e2", "T2")))
        await asyncio.sleep(0)
        await asyncio.to_thread(server.start)
        assert await adding
        assert await inbox.counts() == {"todo": 2, "doing": 0, "done": 0, "dead": 0}
        await database.close()
    finally:
        server.remove()


async def test_a_server_that_stays_away_is_told_after_a_while(tmp_path):
    server = PostgresServer()
    try:
        server.create()
        server.start()
        database = await PostgresDatabase.open(server.url(await server.ready()), folder=tmp_path, patience=0.0)
        server.stop()
        with pytest.raises(StorageError, match="PostgreSQL at 127"):
            await database.read(lambda c: c.execute("SELECT 1").fetchone())
        await database.close()
    finally:
        server.remove()


# --- several processes


async def test_many_workers_claim_each_message_once_and_one_of_a_thread_at_a_time(postgres_database):
    async with another(postgres_database) as b, another(postgres_database) as c:
        inboxes = [SqlInbox(database) for database in (postgres_database, b, c)]
        await asyncio.gather(*(inboxes[n % 3].add(message(f"e{n}", f"T{n % 10}")) for n in range(60)))
        done: list[tuple[str, str]] = []
        running: set[str] = set()

        async def work(inbox, name):
            while len(done) < 60:
                row = await inbox.claim(name, lease=60.0, platforms=["slack"])
                if row is None:
                    await inbox.wait(0.05)
                    continue
                thread = row.message.key.thread_id
                assert thread not in running
                running.add(thread)
                await asyncio.sleep(0)
                running.discard(thread)
                done.append((thread, row.message.event_id))  # once it is finished another worker may take the next
                assert await inbox.finish(row)

        async with asyncio.timeout(60):
            await asyncio.gather(*(work(inbox, f"w{n}") for n, inbox in enumerate(inboxes)))
        assert len(set(done)) == 60
        stored = rows(postgres_database, "SELECT event_id FROM inbox ORDER BY id")
        for n in range(10):
            order = [event for (event,) in stored if int(event[1:]) % 10 == n]
            assert [event for thread, event in done if thread == f"T{n}"] == order


async def test_a_message_that_another_process_added_wakes_who_waits(postgres_url, tmp_path):
    async with listening(postgres_url) as listener:
        database = await PostgresDatabase.open(postgres_url, folder=tmp_path, events=listener.event)
        waiting, other = SqlInbox(database, poll=600.0), await PostgresDatabase.open(postgres_url, folder=tmp_path)
        async with asyncio.timeout(60):
            await listener.heard.wait()
            told = listener.event("inbox")  # later than what is set when it begins to listen
            await SqlInbox(other).add(message("e1"))
            await told.wait()
            await waiting.wait(600.0)
        await database.close()
        await other.close()


async def test_the_end_of_a_turn_wakes_others_where_somebody_waits_in_its_thread_and_else_nobody(
    postgres_url, tmp_path
):
    """Word comes in the order of the commits: where `after` is the first that is heard, the end told nothing."""
    inbox = SqlInbox(await PostgresDatabase.open(postgres_url, folder=tmp_path))
    tell = inbox._database
    async with listening(postgres_url) as listener, asyncio.timeout(60):
        await listener.heard.wait()
        heard, after = listener.event("inbox"), listener.event("after")
        for event, thread in (("alone", "T1"), ("first", "T2"), ("second", "T2")):
            await inbox.add(message(event, thread))
        rows = [await inbox.claim("w", lease=30.0, platforms=["slack"]) for _ in range(2)]
        for row, wakes in zip(rows, (False, True), strict=True):
            await tell.write(lambda c: c.execute("SELECT pg_notify('weft', 'after')").close())
            await after.wait()
            heard.clear()
            after.clear()
            assert await inbox.finish(row)
            await tell.write(lambda c: c.execute("SELECT pg_notify('weft', 'after')").close())
            await after.wait()
            after.clear()
            assert heard.is_set() == wakes
    await inbox.close()


async def test_ids_of_two_ingests_at_once_grow_with_their_commits(postgres_database):
    async with another(postgres_database) as other:
        libraries = [SqlLibrary(postgres_database), SqlLibrary(other)]
        reader = SqlLibrary(postgres_database)
        await asyncio.gather(
            *(
                libraries[n % 2].put("documents", [document(f"d{n}", *(f"vpn {n} {m}" for m in range(5)))])
                for n in range(20)
            )
        )
        everything = await reader.ids()
        assert len(everything) == 100
        found = await reader.index.search(Query(text="vpn"), k=200, filter=SearchFilter(), audience=OPERATOR)
        assert sorted(id for id, _ in found) == everything.tolist()


async def test_one_leads_and_another_takes_over_when_it_dies(postgres, postgres_url):
    led: asyncio.Queue[str] = asyncio.Queue()

    async def lead(name):
        await led.put(name)
        await asyncio.Event().wait()

    first, second = PostgresLocks(postgres_url, look=0.02), PostgresLocks(postgres_url, look=0.02)
    one = asyncio.create_task(first.lead("clock", lambda: lead("first")))
    async with asyncio.timeout(60):
        assert await led.get() == "first"
        two = asyncio.create_task(second.lead("clock", lambda: lead("second")))
        with pytest.raises(LockedError, match="weft clock is already running on 127"):
            async with second.held("clock", what="weft clock"):
                pass
        assert led.empty()
        one.cancel()
        assert await led.get() == "second"
        # and where only the connection is lost, what was led is ended before anybody leads again
        postgres.superuser("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name='weft lock'")
        assert await led.get() == "second"
        two.cancel()
        await asyncio.gather(one, two, return_exceptions=True)


async def test_an_ingest_waits_for_the_one_of_another_machine(postgres_url):
    locks, told = PostgresLocks(postgres_url), []
    async with asyncio.timeout(60):
        async with locks.ingesting("a"):
            async with locks.ingesting("b", waiting=lambda: told.append("b")):
                pass
            task = asyncio.create_task(locks.ingesting("a", waiting=lambda: told.append("a")).__aenter__())
            while not told:
                await asyncio.sleep(0.01)
            assert told == ["a"] and not task.done()
        await task


# --- the second fence


async def test_postgres_itself_keeps_back_what_an_audience_may_not_read(postgres_database):
    library = SqlLibrary(postgres_database)
    await library.put("open", [document("a", "for all")])
    await library.put("closed", [document("b", "for few")])
    await postgres_database.write(
        lambda c: c.execute("UPDATE collections SET readers='[\"user:s:w:kim\"]' WHERE name='closed'").close()
    )

    async def seen(audience):
        sql = "SELECT text FROM passages ORDER BY id"  # asks of nobody's rights
        return [
            text for (text,) in await postgres_database.read(lambda c: c.execute(sql).fetchall(), audience=audience)
        ]

    assert await seen(None) == []
    assert await seen(Audience(principals=frozenset())) == []
    assert await seen(Audience(principals=frozenset({"*"}))) == ["for all"]
    assert await seen(Audience(principals=frozenset({"*", "user:s:w:kim"}))) == ["for all", "for few"]
    assert await seen(OPERATOR) == ["for all", "for few"]
    assert await seen(None) == []  # nothing of it outlives its transaction
    with psycopg.connect(postgres_database.url) as connection:
        assert connection.execute("SELECT count(*) FROM passages").fetchone() == (0,)

"""What waits for the disk, and what does not."""

import sqlite3

import pytest

from agent.errors import StorageError
from storage.database import Database
from storage.inbox import SqlInbox
from storage.schema import INBOX
from tests.contracts.inbox import message

WAITS, GOES_ON = 2, 1
"""What SQLite calls FULL and NORMAL (sqlite.org/pragma.html#pragma_synchronous)."""


def synchronous(connection) -> int:
    return connection.execute("PRAGMA synchronous").fetchone()[0]


async def test_in_a_durable_file_only_what_is_lasting_waits_for_the_disk(tmp_path):
    database = await Database.open(tmp_path / "a.db", (), durable=True)

    def broken(connection):
        raise sqlite3.OperationalError("no")

    assert await database.write(synchronous) == WAITS
    assert await database.write(synchronous, lasting=False) == GOES_ON
    with pytest.raises(StorageError):
        await database.write(broken, lasting=False)
    assert await database.write(synchronous) == WAITS
    await database.close()


async def test_an_accepted_message_waits_for_the_disk_and_who_works_on_it_does_not(tmp_path):
    database = await Database.open(tmp_path / "inbox.db", INBOX, durable=True)
    noted: list[int] = []

    class Noting:
        def __getattr__(self, name):
            return getattr(database, name)

        async def write(self, work, **kwargs):
            def noting(connection):
                noted.append(synchronous(connection))
                return work(connection)

            return await database.write(noting, **kwargs)

    inbox = SqlInbox(Noting())
    await inbox.add(message("e1"))
    row = await inbox.claim("w", lease=30.0, platforms=["slack"])
    assert row is not None and await inbox.renew(row, lease=30.0) and await inbox.finish(row)
    assert noted == [WAITS, GOES_ON, GOES_ON, GOES_ON]
    await inbox.stop(row.message.key)
    assert noted[-1] == WAITS
    await database.close()

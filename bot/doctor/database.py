"""Whether PostgreSQL can be used, and what it holds: for `weft doctor`."""

import time
from collections.abc import Sequence
from typing import Any

from agent.errors import SettingsError, StorageError
from bot.doctor import data_folder
from bot.doctor.check import Check, fine, problem, warning
from bot.settings import Settings
from bot.stores import database_url
from storage.schedules import read_entries
from storage.sql import EVERYTHING, Connection

NAME = "database"
_FEW = 16
"""Connections left, from which on another process or two will not find any."""
_LATE = 600.0
_COUNTS = (
    """SELECT (SELECT count(*) FROM collections), (SELECT count(*) FROM documents), (SELECT count(*) FROM passages)"""
)
_ROOM = """SELECT CAST(current_setting('max_connections') AS BIGINT)
- (SELECT count(*) FROM pg_stat_activity WHERE backend_type='client backend')"""
_BYPASS = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname=current_user"


async def checks(settings: Settings) -> Sequence[Check]:
    """Return how the database is. What cannot be had is a problem, with what to do."""
    try:
        url = database_url(settings)
        from storage.postgres.database import PostgresDatabase
        from storage.postgres.failures import place_of
        from storage.postgres.migrate import check

        await check(url)
        database = await PostgresDatabase.open(url, folder=settings.data, name="doctor", patience=0.0)
    except (StorageError, SettingsError) as error:
        what, _, advice = str(error).partition(": ")
        return [problem(NAME, what, advice)]
    try:
        return [
            fine(NAME, f"{place_of(url)}, of this Weft's schema"),
            *await database.read(_contents, audience=EVERYTHING),
        ]
    except StorageError as error:
        return [problem(NAME, str(error), "see the log of the server")]
    finally:
        await database.close()


def _contents(connection: Connection) -> Sequence[Check]:
    def one(statement: str) -> Any:
        return connection.execute(statement).fetchone()

    collections, documents, passages = one(_COUNTS)
    found = [fine("documents", f"{collections:,} collections, {documents:,} documents, {passages:,} passages")]
    (room,) = one(_ROOM)
    if room < _FEW:
        found.append(warning("connections", f"{room} are left", "raise the server's max_connections"))
    if one(_BYPASS)[0]:
        advice = "let Weft use a role of its own: then PostgreSQL keeps audiences apart, too"
        found.append(warning("audiences", "the database user passes row-level security", advice))
    waiting, dead, oldest = one(
        """SELECT sum(CASE WHEN status='dead' THEN 0 ELSE 1 END), sum(CASE WHEN status='dead' THEN 1 ELSE 0 END),
        min(CASE WHEN status='dead' THEN NULL ELSE created END)
        FROM inbox WHERE status IN ('todo', 'doing', 'dead')"""
    )
    if dead:
        found.append(warning("inbox", f"{dead} messages were given up", "see `weft inbox list`"))
    found += data_folder.calendar_of(*read_entries(connection))
    late = time.time() - oldest if oldest else 0.0
    if late > _LATE:
        found.append(warning("inbox", f"{waiting} wait, the first for {late / 60:.0f} minutes", "run `weft worker`"))
    elif not dead:
        found.append(fine("inbox", f"{waiting or 0} messages wait"))
    return found

"""Files that were given to the page, until the turn that they belong to has read them."""

import time

import aiosqlite

SCHEMA = """CREATE TABLE IF NOT EXISTS board_uploads(
  id TEXT PRIMARY KEY, name TEXT NOT NULL, media_type TEXT NOT NULL, data BLOB NOT NULL, created REAL NOT NULL)"""
KEPT_SECONDS = 24 * 3600.0
"""A message that waits longer has lost its file; the asker is told so."""
KEPT_BYTES = 500_000_000
"""Of all files together; the oldest go first."""


async def put(
    connection: aiosqlite.Connection, upload_id: str, name: str, media_type: str, data: bytes, *, now: float = 0.0
) -> None:
    """Keep a file within the transaction, and let go of what is old or more than there is room for."""
    now = now or time.time()
    await connection.execute("DELETE FROM board_uploads WHERE created < ?", (now - KEPT_SECONDS,))
    await connection.execute(
        """DELETE FROM board_uploads WHERE id IN (SELECT id FROM (
            SELECT id, sum(length(data)) OVER (ORDER BY created DESC, id) AS together FROM board_uploads)
            WHERE together > ?)""",
        (KEPT_BYTES - len(data),),
    )
    sql = "INSERT OR REPLACE INTO board_uploads(id, name, media_type, data, created) VALUES(?,?,?,?,?)"
    await connection.execute(sql, (upload_id, name, media_type, data, now))

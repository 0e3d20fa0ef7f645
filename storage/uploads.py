"""Files that were given to the page, until the turn that they belong to has read them."""

import time

from storage.sql import Connection

KEPT_SECONDS = 24 * 3600.0
"""A message that waits longer has lost its file; the asker is told so."""
KEPT_BYTES = 500_000_000
"""Of all files together; the oldest go first."""


def put(connection: Connection, upload_id: str, name: str, media_type: str, data: bytes, *, now: float = 0.0) -> None:
    """Keep a file within the transaction, and let go of what is old or more than there is room for."""
    now = now or time.time()
    connection.execute("DELETE FROM board_uploads WHERE created < ?", (now - KEPT_SECONDS,))
    connection.execute(
        """DELETE FROM board_uploads WHERE id IN (SELECT id FROM (
            SELECT id, sum(length(data)) OVER (ORDER BY created DESC, id) AS together FROM board_uploads) AS sums
            WHERE together > ?)""",
        (KEPT_BYTES - len(data),),
    )
    sql = """INSERT INTO board_uploads(id, name, media_type, data, created) VALUES(?,?,?,?,?)
    ON CONFLICT(id) DO UPDATE SET name=excluded.name, media_type=excluded.media_type, data=excluded.data,
    created=excluded.created"""
    connection.execute(sql, (upload_id, name, media_type, data, now))

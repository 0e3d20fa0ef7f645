"""How a message comes into the inbox: which others of its own, and of its thread, it changes.

Platforms deliver late and out of order: a deletion may come before its message, a reply before the
question that it follows. Each function is a part of one transaction.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from agent.types import IncomingMessage, MessageKind
from storage.sql import Connection

EARLY_SECONDS = 600.0
"""How long what follows an unknown message waits for it: the last delivery of an event comes after some six minutes."""
ARRIVALS = "arrivals"
"""What only one may be at: an order that all see, and what is decided by what came before."""
TALK = "talk"
"""In the column `error`: a message that was none of Weft's."""
DELETED = 2
"""In the column `stop`: the question of this turn is gone."""

_MESSAGE = TypeAdapter(IncomingMessage)
_FOLLOWING = (MessageKind.THREAD_REPLY, MessageKind.EDIT, MessageKind.DELETE)


def arrive(connection: Connection, message: IncomingMessage, now: float, *, due: float = 0.0) -> bool:
    """Store a message for a worker, who may take it when it is due; False when its event is known."""
    connection.execute("DELETE FROM inbox WHERE status='early' AND created<?", (now - EARLY_SECONDS,))
    if connection.execute("SELECT 1 FROM inbox WHERE event_id=?", (clean(message.event_id),)).fetchone():
        return False
    lane = lane_of(message)
    known = is_known(connection, lane)
    waits = not known and message.kind in _FOLLOWING
    latest = max(_said(connection, message.turn_id), key=lambda said: said.edited, default=message)
    if _is_deleted(connection, message.turn_id):
        return _insert(connection, message, "", "early" if waits else "done", now)
    if message.kind is MessageKind.EDIT and (latest.edited > message.edited or _changed(connection, message)):
        return _insert(connection, message, "", "early" if waits else "done", now)
    if message.kind is MessageKind.DELETE:
        _withdraw(connection, message.turn_id)
    elif latest.edited > message.edited:
        message = _reworded(message, latest)
    _insert(connection, message, written(message), "early" if waits else "todo", now, due)
    if not known and not waits:
        _begin(connection, lane)
    return True


def note(connection: Connection, message: IncomingMessage, now: float) -> bool:
    """Remember an event that needs no answer, without its words; False when it was known."""
    return _insert(connection, message, "", "done", now)


def is_known(connection: Connection, lane: str) -> bool:
    """Tell whether a message of this thread was accepted that was heard, or still waits."""
    sql = "SELECT 1 FROM inbox WHERE thread=? AND status<>'early' AND error<>? LIMIT 1"
    return connection.execute(sql, (lane, TALK)).fetchone() is not None


def _insert(
    connection: Connection, message: IncomingMessage, payload: str, status: str, now: float, due: float = 0.0
) -> bool:
    values = (
        clean(message.event_id), message.key.platform, lane_of(message), message.turn_id, message.kind, payload, now,
        status, due,
    )  # fmt: skip
    sql = """INSERT INTO inbox(id, event_id, platform, thread, turn, kind, payload, created, status, run_at)
    VALUES((SELECT coalesce(max(id), 0)+1 FROM inbox),?,?,?,?,?,?,?,?,?) ON CONFLICT(event_id) DO NOTHING"""
    return connection.execute(sql, values).rowcount == 1


def _said(connection: Connection, turn: str) -> Iterator[IncomingMessage]:
    """Yield what is known of a message: as it was asked, and as it was edited."""
    sql = "SELECT payload FROM inbox WHERE turn=? AND payload<>''"
    for (payload,) in connection.execute(sql, (turn,)).fetchall():
        if (message := readable(payload)) is not None:
            yield message


def _is_deleted(connection: Connection, turn: str) -> bool:
    sql = "SELECT 1 FROM inbox WHERE turn=? AND kind=?"
    return connection.execute(sql, (turn, MessageKind.DELETE)).fetchone() is not None


def _changed(connection: Connection, edit: IncomingMessage) -> bool:
    """Put the words of an edit into the message that is not answered yet; False where there is none."""
    sql = """SELECT id, kind, payload FROM inbox WHERE turn=? AND status IN ('todo','doing','early') AND kind<>'delete'
    AND payload<>'' ORDER BY id DESC LIMIT 1"""
    row = connection.execute(sql, (edit.turn_id,)).fetchone()
    if row is None:
        return False
    identity, kind, payload = row
    before = readable(payload)
    if before is None:
        return False
    replaces = None if kind == MessageKind.EDIT else MessageKind(kind)
    message = dataclasses.replace(_reworded(before, edit), kind=MessageKind.EDIT, replaces=replaces)
    sql = """UPDATE inbox SET payload=?, changed=1, stop=0, attempts=0, deaths=0, run_at=0
    WHERE id=? AND status IN ('todo','doing','early')"""  # its turn may have ended just now
    return connection.execute(sql, (written(message), identity)).rowcount == 1


def _reworded(message: IncomingMessage, edit: IncomingMessage) -> IncomingMessage:
    return dataclasses.replace(
        message,
        text=edit.text,
        attachments=edit.attachments,
        points_at=edit.points_at,
        edited=edit.edited,
        guests=message.guests or edit.guests,
    )


def _withdraw(connection: Connection, turn: str) -> None:
    """Take back what waits of a message, and have the turn that runs cut off."""
    waiting = "UPDATE inbox SET status='done', error='withdrawn', payload='' WHERE turn=? AND status='todo'"
    connection.execute(waiting, (turn,))
    connection.execute("UPDATE inbox SET payload='' WHERE turn=? AND status='early'", (turn,))
    connection.execute("UPDATE inbox SET stop=? WHERE turn=? AND status='doing'", (DELETED, turn))


def _begin(connection: Connection, lane: str) -> None:
    """Let the replies follow that came before the message that began their thread."""
    sql = "SELECT id FROM inbox WHERE thread=? AND status='early' AND kind=? AND payload<>'' ORDER BY id"
    for (identity,) in connection.execute(sql, (lane, MessageKind.THREAD_REPLY)).fetchall():
        later = "UPDATE inbox SET status='todo', id=(SELECT max(id)+1 FROM inbox) WHERE id=?"
        connection.execute(later, (identity,))


def lane_of(message: IncomingMessage) -> str:
    """Return the lane of a message; one whose thread is still to be opened has a lane of its own."""
    if message.key.thread_id:
        return str(message.key)
    return f"{message.key}@{message.event_id}"


def readable(payload: str) -> IncomingMessage | None:
    """Return a message as it was written; None for a row that is damaged, or of a later version."""
    try:
        return _MESSAGE.validate_json(payload)
    except ValidationError:  # its words quote the message
        return None


def written(message: IncomingMessage) -> str:
    """Return a message as a row holds it."""
    try:
        return _MESSAGE.dump_json(message).decode()
    except PydanticSerializationError:  # half of a surrogate pair somewhere: text that no encoding can hold
        return json.dumps(clean(_MESSAGE.dump_python(message, mode="python")), ensure_ascii=False)


def clean(value: Any) -> Any:
    """Return a value whose texts can be encoded."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {key: clean(item) for key, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, list | tuple) else value

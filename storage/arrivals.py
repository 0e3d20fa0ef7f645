"""How a message comes into the inbox: which others of its own, and of its thread, it changes.

Platforms deliver late and out of order: a deletion may come before its message, a reply before the
question that it follows. Each function is a part of one transaction.
"""

import dataclasses
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from agent.types import IncomingMessage, MessageKind
from storage import overlap
from storage.contracts import Rates
from storage.payloads import clean, readable, written
from storage.sql import Connection

EARLY_SECONDS = 600.0
"""How long what follows an unknown message waits for it: the last delivery of an event comes after some six minutes."""
ARRIVALS = "arrivals"
"""What only one may be at: an order that all see, and what is decided by what came before."""
TALK = "talk"
"""In the column `error`: a message that was none of Weft's."""
DELETED = 2
"""In the column `stop`: the question of this turn is gone."""

_FOLLOWING = (MessageKind.THREAD_REPLY, MessageKind.EDIT, MessageKind.DELETE)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class How:
    """How a message goes with those before it: see `storage.contracts.Inbox.add`."""

    due: float = 0.0
    burst: float = 0.0
    joins_only: bool = False
    replaces: bool = False
    rates: Rates | None = None


def arrive(connection: Connection, message: IncomingMessage, now: float, how: How | None = None) -> bool:
    """Store a message for a worker, who may take it when it is due; False when its event is known."""
    how = how or How()
    connection.execute("DELETE FROM inbox WHERE status='early' AND created<?", (now - EARLY_SECONDS,))
    if connection.execute("SELECT 1 FROM inbox WHERE event_id=?", (clean(message.event_id),)).fetchone():
        return False
    if message.kind in (MessageKind.EDIT, MessageKind.DELETE) and overlap.head_of(connection, message.turn_id):
        return _change_line(connection, message, now, how)
    lane = lane_of(message)
    known = is_known(connection, lane)
    waits = not known and message.kind in _FOLLOWING
    latest = max(_said(connection, message.turn_id), key=lambda said: said.edited, default=message)
    if _is_deleted(connection, message.turn_id):
        if not waits:  # the deletion came first, and is not forgotten with what still waits
            came = "UPDATE inbox SET status='done' WHERE turn=? AND kind=? AND status='early'"
            connection.execute(came, (message.turn_id, MessageKind.DELETE))
        return _insert(connection, message, "", "early" if waits else "done", now)
    if message.kind is MessageKind.EDIT and (
        latest.edited > message.edited or _says_no_more(latest, message) or _changed(connection, message)
    ):
        return _insert(connection, message, "", "early" if waits else "done", now)
    if message.kind is MessageKind.DELETE:
        _withdraw(connection, message.turn_id)
        overlap.behead(connection, latest)
    elif latest.edited > message.edited:
        message = _reworded(message, latest)
    if waits:
        return _insert(connection, message, written(message), "early", now)
    if not _take(connection, message, now, how):
        return False
    if not known:
        _begin(connection, message)
    return True


def _take(connection: Connection, message: IncomingMessage, now: float, how: How) -> bool:
    """Store a message that may be answered, as what it is to those before it; False for one that is none of Weft's."""
    typed = message.kind in overlap.TYPED and (message.addressed or not message.calls)
    head = overlap.typing(connection, message, now) if how.burst and typed else None
    if how.joins_only and head is None:
        return False
    _insert(connection, message, written(message), "todo", now, how.due)
    if head is not None and overlap.join(connection, head, message, now + how.burst):
        return True
    if how.replaces and message.addressed and message.kind in overlap.TYPED:
        overlap.take_place(connection, message)
    open_until = now + how.burst if how.burst and typed else 0.0
    slot, stop = 0.0, 0
    if how.rates is not None and message.kind in overlap.COUNTED:
        slot = overlap.slot(connection, message, now, how.rates)
        if slot > now + overlap.LONGEST_DELAY:
            # An edit has an answer, and who did not call Weft is told nothing: both wait as long as anything may.
            may_tell = message.addressed and message.kind is not MessageKind.EDIT
            slot, stop = (0.0, overlap.REFUSED) if may_tell else (now + overlap.LONGEST_DELAY, 0)
    sql = "UPDATE inbox SET slot=?, stop=?, open_until=?, run_at=max(run_at, ?) WHERE event_id=?"
    due = slot if slot > now else 0.0
    connection.execute(sql, (slot, stop, open_until, max(due, open_until), clean(message.event_id)))
    return True


def _change_line(connection: Connection, message: IncomingMessage, now: float, how: How) -> bool:
    """Take over that a line behind the first one of a question was edited or deleted: the question is edited."""
    turn = message.turn_id
    before = max(_said(connection, turn), key=lambda said: said.edited, default=None)
    gone = message.kind is MessageKind.DELETE
    if before is None or (not gone and before.edited > message.edited):
        return note(connection, message, now)
    overlap.put(connection, None if gone else _reworded(before, message), turn)
    head = max(_said(connection, overlap.head_of(connection, turn)), key=lambda said: said.edited, default=None)
    if head is None:
        return note(connection, message, now)
    at = max(head.edited, message.edited)
    edit = dataclasses.replace(head, kind=MessageKind.EDIT, replaces=None, event_id=message.event_id, edited=at)
    edit = dataclasses.replace(edit, received_at=message.received_at)
    if gone:  # so that the line is not taken for one that is still to come
        note(connection, dataclasses.replace(message, event_id=f"{message.event_id}:line"), now)
    if _changed(connection, edit):
        return note(connection, edit, now)
    return _take(connection, edit, now, how)


def note(connection: Connection, message: IncomingMessage, now: float) -> bool:
    """Remember an event that needs no answer, without its words; False when it was known."""
    return _insert(connection, message, "", "done", now)


def is_known(connection: Connection, lane: str) -> bool:
    """Tell whether a message of this thread was accepted that was heard, or still waits, and is not deleted."""
    sql = """SELECT 1 FROM inbox i WHERE thread=? AND status<>'early' AND error<>?
    AND NOT EXISTS(SELECT 1 FROM inbox d WHERE d.turn=i.turn AND d.kind='delete') LIMIT 1"""
    return connection.execute(sql, (lane, TALK)).fetchone() is not None


def _insert(
    connection: Connection, message: IncomingMessage, payload: str, status: str, now: float, due: float = 0.0
) -> bool:
    person = place = ""
    if payload:
        person, place = overlap.person_of(message), overlap.place_of(message)
    values = (
        clean(message.event_id), message.key.platform, lane_of(message), message.turn_id, message.kind, payload, now,
        status, due, clean(person), clean(place), message.key.thread_id in ("", message.message_id),
    )  # fmt: skip
    sql = """INSERT INTO inbox(id, event_id, platform, thread, turn, kind, payload, created, status, run_at, person,
    place, on_top) VALUES((SELECT coalesce(max(id), 0)+1 FROM inbox),?,?,?,?,?,?,?,?,?,?,?,?)
    ON CONFLICT(event_id) DO NOTHING"""
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
    AND payload<>'' AND stop NOT IN (?,?) ORDER BY id DESC LIMIT 1"""
    row = connection.execute(sql, (edit.turn_id, overlap.REPLACED, overlap.REFUSED)).fetchone()
    if row is None:
        return False
    identity, kind, payload = row
    before = readable(payload)
    if before is None:
        return False
    replaces = None if kind == MessageKind.EDIT else MessageKind(kind)
    message = dataclasses.replace(_reworded(before, edit), kind=MessageKind.EDIT, replaces=replaces)
    sql = """UPDATE inbox SET payload=?, changed=1, stop=0, attempts=0, deaths=0, run_at=max(slot, open_until)
    WHERE id=? AND status IN ('todo','doing','early')"""  # its turn may have ended just now
    return connection.execute(sql, (written(message), identity)).rowcount == 1


def _says_no_more(known: IncomingMessage, edit: IncomingMessage) -> bool:
    """Tell whether an edit is known: what was asked while nobody listened is first read as it was edited."""
    return known is not edit and all(
        getattr(known, name) == getattr(edit, name) for name in ("text", "attachments", "points_at")
    )


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


def _begin(connection: Connection, first: IncomingMessage) -> None:
    """Let the replies follow that came before the message that began Weft's part of their thread.

    What people wrote to each other before that message is none.
    """
    sql = "SELECT id, payload FROM inbox WHERE thread=? AND status='early' AND kind=? AND payload<>'' ORDER BY id"
    for identity, payload in connection.execute(sql, (lane_of(first), MessageKind.THREAD_REPLY)).fetchall():
        reply = readable(payload)
        if reply is not None and not _was_written_before(reply, first):
            later = "UPDATE inbox SET status='todo', id=(SELECT max(id)+1 FROM inbox) WHERE id=?"
            connection.execute(later, (identity,))


def _was_written_before(one: IncomingMessage, other: IncomingMessage) -> bool:
    """Tell it by the ids, which are times on Slack and Discord (snowflakes); False where they tell nothing."""
    try:
        return Decimal(one.message_id) < Decimal(other.message_id)
    except InvalidOperation:
        return False


def lane_of(message: IncomingMessage) -> str:
    """Return the lane of a message; one whose thread is still to be opened has a lane of its own."""
    if message.key.thread_id:
        return str(message.key)
    return f"{message.key}@{message.event_id}"

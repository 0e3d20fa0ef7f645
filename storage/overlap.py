"""Messages that come while another one waits or runs: lines of one question, replacements, and how many are too many.

Lines that one person types within a pause are one question: its first line is its head, whose row is claimed and whose
turn answers all of it; the others are done, and name it. What is asked is put together when the head is claimed, so
that a line that is edited or deleted changes the whole. Each function is a part of one transaction
(`storage.arrivals`).
"""

import dataclasses
import re
import sqlite3
from collections.abc import Iterator

from agent.types import IncomingMessage, MessageKind
from storage.contracts import Rates
from storage.payloads import readable, written

TYPED = (MessageKind.MENTION, MessageKind.DIRECT, MessageKind.THREAD_REPLY, MessageKind.CHANNEL)
"""Messages that people type as they go; a command or a click stands for itself."""
COUNTED = (*TYPED, MessageKind.COMMAND, MessageKind.SHORTCUT, MessageKind.EDIT)
"""What a rate counts."""
LONGEST_BURST = 60.0
"""Seconds from the first line after which another question begins: who never stops typing is answered too."""
LONGEST_DELAY = 600.0
"""Seconds that a message over its rate may wait; one that would have to wait longer is not taken, and that is told."""
REPLACED = 3
"""In the column `stop`: another question takes the place of this one."""
REFUSED = 4
"""In the column `stop`: it came over its rate, and is not taken."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def person_of(message: IncomingMessage) -> str:
    """Return whose rate a message counts for."""
    return f"{message.key.platform}:{message.key.workspace_id}:{message.author.id}"


def place_of(message: IncomingMessage) -> str:
    """Return the channel whose rate a message counts for."""
    return f"{message.key.platform}:{message.key.workspace_id}:{message.key.channel_id}"


# --- lines of one question


def typing(connection: sqlite3.Connection, message: IncomingMessage, now: float) -> tuple[int, str] | None:
    """Return row and turn of the question that the author of this message is typing in its place; None: of none.

    In its thread, or where both stand at the top of their channel.
    """
    on_top = message.key.thread_id in ("", message.message_id)
    sql = """SELECT id, turn FROM inbox WHERE status='todo' AND stop=0 AND open_until>? AND open_until<=?
    AND created>? AND person=? AND place=? AND (thread=? OR (? AND on_top)) ORDER BY id DESC LIMIT 1"""
    values = (now, now + LONGEST_BURST, now - LONGEST_BURST, person_of(message), place_of(message))
    row = connection.execute(sql, (*values, str(message.key), on_top)).fetchone()
    return (row[0], row[1]) if row else None


def join(connection: sqlite3.Connection, head: tuple[int, str], message: IncomingMessage, until: float) -> None:
    """Let a question go on with a line, which is stored, until then. A line that calls Weft makes it call Weft."""
    identity, turn = head
    (payload,) = connection.execute("SELECT payload FROM inbox WHERE id=?", (identity,)).fetchone()
    first = readable(payload)
    if first is not None and message.addressed and not first.addressed:
        first = dataclasses.replace(first, kind=message.kind)
        connection.execute("UPDATE inbox SET kind=?, payload=? WHERE id=?", (first.kind, written(first), identity))
    connection.execute("UPDATE inbox SET open_until=?, run_at=max(run_at, ?) WHERE id=?", (until, until, identity))
    line = "UPDATE inbox SET head=?, status='done', run_at=0, open_until=0 WHERE event_id=?"
    connection.execute(line, (turn, message.event_id))


def whole(connection: sqlite3.Connection, message: IncomingMessage) -> IncomingMessage:
    """Return a question with all of its lines, in the order in which they were written."""
    if message.kind not in (*TYPED, MessageKind.EDIT):
        return message
    lines = [message, *_lines(connection, message.turn_id)]
    if len(lines) == 1:
        return message
    if all(_NUMBER.fullmatch(line.message_id) for line in lines):
        lines.sort(key=lambda line: float(line.message_id))
    return dataclasses.replace(
        message,
        text="\n".join(line.text for line in lines if line.text),
        attachments=tuple(file for line in lines for file in line.attachments),
        points_at=tuple(pointer for line in lines for pointer in line.points_at),
        calls=tuple(dict.fromkeys(who for line in lines for who in line.calls)),
        guests=any(line.guests for line in lines),
        replies_to_weft=any(line.replies_to_weft for line in lines),
    )


def head_of(connection: sqlite3.Connection, turn: str) -> str:
    """Return the turn of the question that a message is a line of, and not its first; nothing where it is none."""
    row = connection.execute("SELECT head FROM inbox WHERE turn=? AND head<>'' LIMIT 1", (turn,)).fetchone()
    return row[0] if row else ""


def put(connection: sqlite3.Connection, line: IncomingMessage | None, turn: str) -> None:
    """Give a line, by its turn, other words; None: it is gone."""
    sql = "UPDATE inbox SET payload=? WHERE turn=? AND head<>''"
    connection.execute(sql, (written(line) if line is not None else "", turn))


def behead(connection: sqlite3.Connection, head: IncomingMessage) -> None:
    """Let the next line begin a question whose first line was deleted: it is asked anew without that.

    Where only the first line called Weft, nobody calls it any more: the others are forgotten.
    """
    sql = "SELECT id, turn, payload FROM inbox WHERE head=? AND payload<>'' ORDER BY id LIMIT 1"
    row = connection.execute(sql, (head.turn_id,)).fetchone()
    first = readable(row[2]) if row else None
    if first is None or not (first.addressed or first.kind in (head.kind, MessageKind.THREAD_REPLY)):
        forget_lines(connection, head.turn_id)
        return
    connection.execute("UPDATE inbox SET head='', status='todo', run_at=0 WHERE id=?", (row[0],))
    connection.execute("UPDATE inbox SET head=? WHERE head=?", (row[1], head.turn_id))


def forget_lines(connection: sqlite3.Connection, turn: str, *, error: str = "") -> None:
    """Forget the words of the lines behind the first one of a question."""
    connection.execute("UPDATE inbox SET payload='', error=? WHERE head=?", (error, turn))


def _lines(connection: sqlite3.Connection, turn: str) -> Iterator[IncomingMessage]:
    sql = "SELECT payload FROM inbox WHERE head=? AND payload<>'' ORDER BY id"
    for (payload,) in connection.execute(sql, (turn,)).fetchall():
        if (line := readable(payload)) is not None:
            yield line


# --- replacements


def take_place(connection: sqlite3.Connection, message: IncomingMessage) -> None:
    """Have what its author asked before in the thread of a message, and is not answered, end without a word."""
    sql = f"""UPDATE inbox SET stop=?, changed=0, run_at=0 WHERE thread=? AND person=? AND status IN ('todo','doing')
    AND stop=0 AND kind IN ({",".join("?" * len(TYPED))}) AND event_id<>?"""
    values = (REPLACED, str(message.key), person_of(message), *TYPED, message.event_id)
    connection.execute(sql, values)


# --- rates


def slot(connection: sqlite3.Connection, message: IncomingMessage, now: float, rates: Rates) -> float:
    """Return when a message is taken, so that no window of time holds more than its rate.

    With at most n in a window, it is taken no earlier than one window after the n-th latest that was given a time. That
    is a sliding window log: exact, and in the file, so that it holds for all processes and over restarts.
    """
    found = now
    for column, value, most in (
        ("person", person_of(message), rates.person),
        ("place", place_of(message), rates.channel),
    ):
        if most:
            sql = f"SELECT slot FROM inbox WHERE {column}=? AND slot>0 AND slot<=? ORDER BY slot DESC LIMIT 1 OFFSET ?"
            # What lies further ahead was given before the clock was set back.
            row = connection.execute(sql, (value, now + LONGEST_DELAY, most - 1)).fetchone()
            found = max(found, row[0] + rates.seconds) if row else found
    return found

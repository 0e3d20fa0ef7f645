"""The board's feed as server-sent events.

Each event's id is the cursor behind it: a page that comes back with `Last-Event-ID` misses nothing
and hears nothing twice.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator

from adapters.playground.board import Wall
from adapters.playground.present import change_view

PING_SECONDS = 15.0
"""Between two signs of life, so that a page notices a connection that died silently."""


async def events(wall: Wall, cursor: str, thread_id: str, closing: asyncio.Event) -> AsyncIterator[str]:
    """Yield what changed behind the cursor, then what changes, until `closing` is set."""
    yield "retry: 1000\n\n"
    closed = asyncio.ensure_future(closing.wait())
    try:
        while not closing.is_set():
            changes = await wall.changes_since(cursor, thread_id=thread_id)
            cursor = changes.cursor
            if changes.reset:
                yield event("reset", {}, cursor)
            epoch = cursor.partition(".")[0]
            for change in changes.items:
                name, data = change_view(change, time.time())
                yield event(name, data, f"{epoch}.{change.version}")
            changed = asyncio.ensure_future(wall.wait(cursor))
            try:
                await asyncio.wait((changed, closed), timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if changed.done():
                    changed.result()  # a board that cannot be read ends the stream; the page comes back
                elif not closed.done():
                    yield event("ping", {}, cursor)
            finally:
                changed.cancel()
    finally:
        closed.cancel()


def event(name: str, data: dict[str, object], cursor: str) -> str:
    """Return one server-sent event."""
    return f"id: {cursor}\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"

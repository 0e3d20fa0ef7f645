"""The threads in which discord.py keeps its connections alive."""

import asyncio
import threading

from discord.gateway import KeepAliveHandler
from discord.state import ConnectionState

_SECONDS = 5.0


async def end_heartbeats(connection: ConnectionState) -> None:
    """End the threads of a client that is closed, and wait for them.

    A connection that is broken off before it is ready leaves its thread, and one that was just about to send would find
    the event loop closed.
    """
    threads = [
        thread
        for thread in threading.enumerate()
        if isinstance(thread, KeepAliveHandler) and thread.ws._connection is connection
    ]
    for thread in threads:
        thread.stop()
    await asyncio.gather(*(asyncio.to_thread(thread.join, _SECONDS) for thread in threads))

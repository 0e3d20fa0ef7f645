"""The end of a loopback server: what it still has to send to somebody who reads no more is not waited for."""

import asyncio

from aiohttp import web


async def stop(runner: web.AppRunner) -> None:
    """Stop a server and let go of its connections, also of those that cannot be closed in order."""
    server = runner.server
    transports = [each.transport for each in server.connections if each.transport] if server is not None else []
    await runner.cleanup()
    for transport in transports:
        transport.abort()
    await asyncio.sleep(0)

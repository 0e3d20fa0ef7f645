"""The time of an event loop, put forward: what ends when its time is over need not be waited for."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator


def pass_time(seconds: float) -> None:
    """Let so many seconds pass at once for all that waits in the running loop."""
    loop = asyncio.get_running_loop()
    time = loop.time
    loop.time = lambda: time() + seconds  # type: ignore[method-assign]


@contextlib.asynccontextmanager
async def hurried(seconds: float) -> AsyncIterator[None]:
    """Let so many seconds pass again and again, until the body has ended: whatever it waits for, it waits no longer."""

    async def hurry() -> None:
        while True:
            await asyncio.sleep(0)
            pass_time(seconds)
            await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.02)

    task = asyncio.create_task(hurry())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def sleep_through(seconds: float) -> None:
    """Sleep so long without taking the time for it. What was to end before ends before this."""
    asyncio.get_running_loop().call_soon(pass_time, seconds + 1)
    await asyncio.sleep(seconds)

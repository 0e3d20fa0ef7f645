"""The time of an event loop, put forward: what ends when its time is over need not be waited for."""

import asyncio


def pass_time(seconds: float) -> None:
    """Let so many seconds pass at once for all that waits in the running loop."""
    loop = asyncio.get_running_loop()
    time = loop.time
    loop.time = lambda: time() + seconds  # type: ignore[method-assign]


async def sleep_through(seconds: float) -> None:
    """Sleep so long without taking the time for it. What was to end before ends before this."""
    asyncio.get_running_loop().call_soon(pass_time, seconds + 1)
    await asyncio.sleep(seconds)

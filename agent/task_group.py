"""Tasks side by side, of which none is left running."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Answer = TypeVar("Answer")


async def together(*askings: Coroutine[Any, Any, Answer]) -> list[Answer]:
    """Return what all of them return, in their order. Raises the first error, once the others are given up."""
    tasks = [asyncio.ensure_future(asking) for asking in askings]
    try:
        return await asyncio.gather(*tasks)
    finally:
        await end(*tasks)


async def end(*tasks: "asyncio.Task[Any]") -> None:
    """Cancel what of these is not done, and wait until it is; what comes of them then is nobody's concern."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

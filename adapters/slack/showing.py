"""What is shown beside the answers: it may come later than the acknowledgement, which Slack waits three seconds for."""

import asyncio
from collections.abc import Coroutine
from typing import Any

SETTLED_WITHIN = 5.0
"""Seconds that what is still being shown has at the end."""


class Showing:
    """What is being shown now."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def begin(self, showing: Coroutine[Any, Any, object]) -> None:
        """Begin to show something."""
        task = asyncio.create_task(showing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """Wait for what is still being shown."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=SETTLED_WITHIN)

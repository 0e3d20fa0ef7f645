"""A reply whose workspace is looked up when it is used: `Adapter.reply` cannot wait, and a store has to be asked."""

import asyncio
from collections.abc import Awaitable, Callable

from adapters.contract import Failure, Reply, TodoList
from agent.types import Clarification, ProducedFile, Response


class LateReply:
    """The `Reply` that is found at its first use, and the same one from then on."""

    def __init__(self, real: Callable[[], Awaitable[Reply]]) -> None:
        self._find = real
        self._found: Reply | None = None
        self._finding = asyncio.Lock()

    async def _real(self) -> Reply:
        async with self._finding:
            if self._found is None:
                self._found = await self._find()
            return self._found

    async def typing(self, todo: TodoList) -> None:
        """Show that Weft is at it."""
        await (await self._real()).typing(todo)

    async def show(self, todo: TodoList) -> None:
        """Show the plan."""
        await (await self._real()).show(todo)

    async def stream(self, text: str) -> None:
        """Show the answer so far."""
        await (await self._real()).stream(text)

    async def ask(self, clarification: Clarification) -> None:
        """Ask back."""
        await (await self._real()).ask(clarification)

    async def close_choices(self, clarification: Clarification, first: Callable[[str], Awaitable[bool]]) -> None:
        """Take the buttons off this turn's question back."""
        await (await self._real()).close_choices(clarification, first)

    async def finish(self, response: Response) -> None:
        """Deliver the final answer."""
        await (await self._real()).finish(response)

    async def attach(self, file: ProducedFile) -> None:
        """Deliver a file."""
        await (await self._real()).attach(file)

    async def fail(self, failure: Failure) -> None:
        """Say that there is no answer."""
        await (await self._real()).fail(failure)

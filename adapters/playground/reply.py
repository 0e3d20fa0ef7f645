"""How a turn is answered in the playground: as posts on the board.

A turn has one TODO post and one answer post; draft, question back, answer and failure take the
same place, one after the other. Put up twice they are there once, so no record of deliveries is needed.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from adapters.contract import Failure, TodoList
from adapters.playground.board import Desk
from agent.errors import DeliveryError, GoneError, StorageError
from agent.types import Clarification, IncomingMessage, ProducedFile, Response


def todo_post(turn_id: str) -> str:
    """Return the id of the post with the TODO list of a turn."""
    return f"{turn_id}:todo"


def answer_post(turn_id: str) -> str:
    """Return the id of the post with what came out of a turn."""
    return f"{turn_id}:answer"


class PlaygroundReply:
    """Writes what one turn has to show."""

    def __init__(self, desk: Desk, message: IncomingMessage) -> None:
        self._desk = desk
        self._thread = message.key.thread_id
        self._turn = message.turn_id

    async def typing(self, todo: TodoList) -> None:
        """Leave it: the list is there at once."""

    async def show(self, todo: TodoList) -> None:
        """Show the plan, or bring the shown one up to date."""
        payload = {
            "status": todo.status,
            "language": todo.language,
            "elapsed_ms": round(todo.elapsed_ms),
            "waits": todo.waits,
            "phase": todo.phase,
            "steps": [
                {
                    "id": step.id,
                    "task": step.task,
                    "status": step.status.value,
                    "result": step.result,
                    "error": step.error,
                    "sources": list(step.sources),
                    "progress": step.progress,
                    "started_at": step.started_at,
                    "completed_at": step.completed_at,
                }
                for step in todo.steps
            ],
        }
        await self._put(todo_post(self._turn), "todo", payload)

    async def stream(self, text: str) -> None:
        """Show the answer so far. Empty text: withdrawn."""
        await self._put(answer_post(self._turn), "answer", {"draft": True, "text": text})

    async def ask(self, clarification: Clarification) -> None:
        """Ask back."""
        await self._put(answer_post(self._turn), "clarification", asdict(clarification))

    async def close_choices(self, clarification: Clarification, first: Callable[[str], Awaitable[bool]]) -> None:
        """Leave them: on the page a choice is said in words, as any message."""

    async def finish(self, response: Response) -> None:
        """Deliver the final answer; a later call edits what is there."""
        if response.only_asks and response.clarification is not None:
            await self.ask(response.clarification)
            return
        payload = {
            "text": response.answer,
            "language": response.language,
            "response_type": response.response_type,
            "route": response.route,
            "nearest": list(response.nearest),
            "citations": [asdict(citation) for citation in response.citations],
            "warnings": list(response.warnings),
            "total_ms": round(response.total_ms),
        }
        role = "error" if response.response_type == "error" else "answer"
        await self._put(answer_post(self._turn), role, payload)

    async def attach(self, file: ProducedFile) -> None:
        """Deliver a file: the page offers it for download."""
        await self._put(f"{self._turn}:file:{file.name}", "file", asdict(file))

    async def fail(self, failure: Failure) -> None:
        """Say that there is no answer, and why."""
        await self._put(answer_post(self._turn), "error", {"text": failure.text, "language": failure.language})

    async def _put(self, post_id: str, role: str, payload: Mapping[str, Any]) -> None:
        async with delivering():
            if not await self._desk.post(self._thread, post_id, role, {"turn": self._turn, **payload}):
                raise GoneError("the thread was deleted in the playground")


@asynccontextmanager
async def delivering() -> AsyncIterator[None]:
    """Turn a failure of the board into the one that callers of a platform know."""
    try:
        yield
    except StorageError as error:
        raise DeliveryError(f"the playground's board: {error}") from error

"""One turn of a conversation: a request in, a stream of events out."""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import cast

from langchain_core.runnables import RunnableConfig

from agent.context import KEPT_TURNS, Context, TurnRequest
from agent.errors import ConceptsError, TurnTimeoutError, WeftError
from agent.events import Event, FinalResponse
from agent.graph import Graph
from agent.language import say
from agent.nodes.remember import placed, summarised
from agent.reasoning.contract import Conversing
from agent.reasoning.rules.reading.concept_names import with_concepts
from agent.reasoning.rules.thread.history import without_words_of
from agent.state import Input, State
from agent.task_group import end
from agent.text import asked_in
from agent.types import Pending, Response, Summary, TurnRecord

logger = logging.getLogger(__name__)

# One environment variable must not be enough to send what people write to a tracing service.
for _name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"):
    os.environ[_name] = "false"


_OUTCOME = ("response", "timings", "path")
"""What of the state is read behind each step; that of the last one is what the turn comes to."""


class Agent:
    """Answers in conversations. Never call it twice at once for one thread: messages would be lost."""

    def __init__(self, graph: Graph, context: Callable[[TurnRequest], Context], *, summariser: Conversing) -> None:
        self._graph = graph
        self._context = context
        self._summariser = summariser

    async def run(self, request: TurnRequest) -> AsyncIterator[Event]:
        """Yield what happens; the last event is the final response. Raises TurnTimeoutError, StorageError."""
        started = time.perf_counter()
        told: asyncio.Queue[Event | None] = asyncio.Queue()
        context = replace(self._context(request), tell=told.put_nowait)
        try:
            async with asyncio.timeout(context.pack.limits.deadline_seconds):
                context = await self._knowing_names(request, context)
                running = asyncio.create_task(self._through(request, context))
                running.add_done_callback(lambda _: told.put_nowait(None))
                try:
                    while (event := await told.get()) is not None:
                        yield event
                    state = await running
                finally:
                    await end(running)
        except TimeoutError as error:
            raise TurnTimeoutError from error
        yield FinalResponse(response=_final(state, started))

    async def _through(self, request: TurnRequest, context: Context) -> dict[str, object]:
        """Return what the graph comes to; on the way its nodes tell the context what happens."""
        found = await self._graph.ainvoke(
            Input(turn_id=request.turn_id),
            _config(str(request.key)),
            context=context,
            output_keys=_OUTCOME,
            durability="exit" if self._graph.checkpointer else None,
        )
        return cast(dict[str, object], found)

    async def _knowing_names(self, request: TurnRequest, context: Context) -> Context:
        """Return the context with a pack that knows what this conversation calls the things of a terminology."""
        if context.concepts is None or not context.pack.reads_concepts:
            return context
        said = [turn.question for turn in await self.turns(str(request.key))]
        try:
            pack = await with_concepts(context.pack, [*said, request.text], context.concepts)
        except ConceptsError as error:
            logger.warning("Names were not read: %s", error, extra={"action": "concepts_failed"})
            notice = say("concepts_failed", asked_in(request.text, request.locale))
            return replace(context, notices=lambda: (*context.notices(), notice))
        return replace(context, pack=pack)

    async def turns(self, thread: str) -> Sequence[TurnRecord]:
        """Return what the conversation keeps, oldest first."""
        return (await self._kept(thread)).turns

    async def pending(self, thread: str) -> Pending | None:
        """Return the question back that waits for its answer."""
        return (await self._kept(thread)).pending

    async def note(self, thread: str, record: TurnRecord) -> None:
        """Put a turn into a conversation that was not run: in the place of the one for its message, or at the end."""
        kept = await self._kept(thread)
        await self._keep(thread, placed(kept.turns, record), kept.summary)

    async def rebuild(self, thread: str, records: Sequence[TurnRecord]) -> None:
        """Begin a conversation of which nothing is kept with these turns, oldest first."""
        await self._keep(thread, records, None)

    async def forget(
        self, thread: str, message_id: str, *, now: str | None = None, older: Sequence[TurnRecord] = ()
    ) -> None:
        """Take the turn of a message out of its conversation, and out of the summary, which is made anew.

        Later turns that were read with its words have their own alone then. `now` is what the message says instead,
        where it was edited: its turn keeps its place. `older` are the turns of the thread as they were stored, oldest
        first: what the summary is made from.
        """
        kept = await self._kept(thread)
        turns, pending, summary = kept.turns, kept.pending, kept.summary
        update: dict[str, object] = {}
        place = next((n for n, turn in enumerate(turns) if turn.message_id == message_id), None)
        if place is not None:
            gone, behind = turns[place], turns[place + 1 :]
            edited = [replace(gone, question=now, standalone=now)] if now is not None else []
            first = [*turns[:place], *([gone] if now is not None else [])]
            update["turns"] = [*first, *without_words_of(gone, behind, [*turns[:place], *edited])]
        if pending is not None and pending.message_id == message_id and now is None:
            update["pending"] = None
        covered = [turn for turn in older if summary is not None and turn.at <= summary.until]
        if any(turn.message_id == message_id for turn in covered):
            left = [turn for turn in covered if turn.message_id != message_id]
            update["summary"] = await summarised(None, left, self._summariser)
        if update:
            await self._graph.aupdate_state(_config(thread), update, as_node="remember")

    async def _kept(self, thread: str) -> State:
        """Return what is kept of a conversation; what cannot be read counts as not there."""
        kept = (await self._graph.aget_state(_config(thread))).values
        pending, summary = kept.get("pending"), kept.get("summary")
        return State(
            turns=[turn for turn in kept.get("turns", ()) if isinstance(turn, TurnRecord)],
            pending=pending if isinstance(pending, Pending) else None,
            summary=summary if isinstance(summary, Summary) else None,
        )

    async def _keep(self, thread: str, turns: Sequence[TurnRecord], before: Summary | None) -> None:
        """Keep the latest of these turns, the others in a summary with those `before`; nothing waits for an answer."""
        summary = await summarised(before, turns[:-KEPT_TURNS], self._summariser)
        update = {"turns": list(turns[-KEPT_TURNS:]), "summary": summary, "pending": None}
        await self._graph.aupdate_state(_config(thread), update, as_node="remember")


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def _final(state: dict[str, object], started: float) -> Response:
    response = state.get("response")
    if not isinstance(response, Response):
        raise WeftError("the turn ended without a response")
    timings = cast(dict[str, float], state.get("timings", {}))
    total = (time.perf_counter() - started) * 1000
    return replace(
        response,
        receipt={**response.receipt, "path": list(cast(Sequence[object], state.get("path", ())))},
        timings={name: round(ms, 3) for name, ms in timings.items()},
        total_ms=round(total, 3),
    )

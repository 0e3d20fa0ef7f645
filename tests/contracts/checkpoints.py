"""What keeps conversations' checkpoints does. A test class inherits `CheckpointsContract` and gives `checkpoints`."""

import operator
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from langgraph.graph import END, START, StateGraph

from agent.errors import StorageError
from agent.types import Choice


@dataclass
class State:
    words: Annotated[list[Any], operator.add] = field(default_factory=list)
    version: int = 1


@dataclass
class Foreign:
    """A type that no checkpoint may bring to life."""

    name: str = "x"


async def run(checkpoints: Any, word: Any, thread: str = "T") -> Any:
    """Run a graph that adds a word to those of its thread."""
    builder = StateGraph(State)
    builder.add_node("say", lambda state: {"words": [word]})
    builder.add_edge(START, "say")
    builder.add_edge("say", END)
    graph = builder.compile(checkpointer=checkpoints.saver)
    config = {"configurable": {"thread_id": thread}}
    return await graph.ainvoke({"words": [], "version": 1}, config, durability="exit")


class CheckpointsContract:
    """The suite."""

    async def test_a_thread_goes_on_where_it_was_also_after_pruning(self, checkpoints) -> None:
        assert await checkpoints.readable("T", version=1) is None
        for word in "abcd":
            await run(checkpoints, word)
            await checkpoints.prune("T")
        await run(checkpoints, "x", thread="other")
        assert (await run(checkpoints, "e"))["words"] == list("abcde")

    async def test_what_is_of_a_later_version_counts_as_unreadable(self, checkpoints) -> None:
        await run(checkpoints, "a")
        assert await checkpoints.readable("T", version=1) is True
        assert await checkpoints.readable("T", version=2) is True
        assert await checkpoints.readable("T", version=0) is False

    async def test_idle_threads_are_those_used_before_and_go_when_forgotten(self, checkpoints) -> None:
        for thread in ("T", "other"):
            await run(checkpoints, "a", thread=thread)
            await checkpoints.prune(thread)
        assert await checkpoints.idle(since=0.0) == []
        assert sorted(await checkpoints.idle(since=9e18)) == ["T", "other"]
        await checkpoints.forget("T")
        assert await checkpoints.idle(since=9e18) == ["other"] and await checkpoints.readable("T", version=1) is None
        assert (await run(checkpoints, "b", thread="other"))["words"] == ["a", "b"]

    async def test_a_type_that_is_not_ours_does_not_come_back(self, checkpoints) -> None:
        await run(checkpoints, Foreign())
        found = await checkpoints.saver.aget_tuple({"configurable": {"thread_id": "T"}})
        assert not any(isinstance(word, Foreign) for word in found.checkpoint["channel_values"]["words"])

    async def test_ours_come_back_as_they_were(self, checkpoints) -> None:
        choice = Choice(label="VPN", documents=("a",))
        await run(checkpoints, choice)
        assert (await run(checkpoints, "b"))["words"] == [choice, "b"]

    async def test_what_goes_wrong_names_where_it_is_kept(self, checkpoints) -> None:
        await self.spoil(checkpoints)
        for work in (
            checkpoints.prune("T"),
            checkpoints.forget("T"),
            checkpoints.idle(since=0.0),
            run(checkpoints, "a"),
        ):
            with pytest.raises(StorageError, match=self.place):
                await work

    place = ""

    async def spoil(self, checkpoints: Any) -> None:
        """Make it so that nothing can be read or written any more."""
        raise NotImplementedError

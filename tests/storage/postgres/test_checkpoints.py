"""Checkpoints on PostgreSQL: one is kept of a thread, strict about types, forgotten whole."""

import operator
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from langgraph.graph import END, START, StateGraph

from agent.errors import StorageError
from agent.types import Choice
from storage.postgres.checkpoints import PostgresCheckpoints
from tests.databases import rows


@dataclass
class State:
    words: Annotated[list[Any], operator.add] = field(default_factory=list)
    version: int = 1


@dataclass
class Foreign:
    """A type that no checkpoint may bring to life."""

    name: str = "x"


def graph(saver, word):
    builder = StateGraph(State)
    builder.add_node("say", lambda state: {"words": [word]})
    builder.add_edge(START, "say")
    builder.add_edge("say", END)
    return builder.compile(checkpointer=saver)


@pytest.fixture
async def checkpoints(postgres_database):
    opened = await PostgresCheckpoints.open(postgres_database.url)
    yield opened
    await opened.close()


async def run(checkpoints, word, thread="T"):
    config = {"configurable": {"thread_id": thread}}
    return await graph(checkpoints.saver, word).ainvoke({"words": [], "version": 1}, config, durability="exit")


async def test_pruning_keeps_the_latest_and_what_it_needs(checkpoints, postgres_database):
    database = postgres_database
    assert await checkpoints.readable("T", version=1) is None
    for word in "abcd":
        await run(checkpoints, word)
        await checkpoints.prune("T")
    assert (await run(checkpoints, "e"))["words"] == list("abcde")
    await checkpoints.prune("T")
    await run(checkpoints, "x", thread="other")
    assert rows(database, "SELECT count(*) FROM checkpoints WHERE thread_id='T'") == [(1,)]
    assert rows(database, "SELECT count(*) FROM checkpoint_blobs WHERE thread_id='T' AND channel='words'") == [(1,)]
    assert await checkpoints.readable("T", version=1) is True
    assert await checkpoints.readable("T", version=0) is False
    assert await checkpoints.idle(since=0.0) == [] and await checkpoints.idle(since=9e18) == ["T"]
    await checkpoints.forget("T")
    for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
        assert rows(database, f"SELECT count(*) FROM {table} WHERE thread_id='T'") == [(0,)]
    assert rows(database, "SELECT count(*) FROM checkpoints") == [(1,)]


async def test_a_type_that_is_not_ours_does_not_come_back(checkpoints, caplog):
    await run(checkpoints, Foreign())
    found = await checkpoints.saver.aget_tuple({"configurable": {"thread_id": "T"}})
    assert found is not None and not any(isinstance(w, Foreign) for w in found.checkpoint["channel_values"]["words"])


async def test_ours_come_back_as_they_were(checkpoints):
    choice = Choice(label="VPN", documents=("a",))
    await run(checkpoints, choice)
    assert (await run(checkpoints, "b"))["words"] == [choice, "b"]


async def test_a_server_that_is_away_is_told(checkpoints):
    await checkpoints.close()
    with pytest.raises(StorageError, match="PostgreSQL at 127"):
        await checkpoints.prune("T")

"""The whole topology of a turn; whatever changes the order of its steps is changed here or in `routes.py`.

recall ─ understand ─┬─ direct, decline ───────────────────────────────── respond ─┐
   │                 ├─ what somebody wants of their memory ───────────── personal ┤
   │                 ├─ clarify (a detail is missing) ──────────┐                  │
   │                 ├─ followup, explain ─ evidence ─┬─────────┼── compose        │
   │                 │              (holds it not) ── rewrite ─ plan               │
   │                 ├─ contextualize ─ rewrite ──┐             │                  │
   │                 └─ research ─────────────── plan ─┬─ search ─┐                │
   │                                                   └─ search ─┴─ collect       │
   │          (every group of steps side by side, until none is left) │            │
   │                      pack_context ─ clarify ─ compose ─ ground   │            │
   │                                        │        └── retry ──┘    │            │
   └─ mode llm ─ respond                    └ (asks back) ───────── remember ──────┘
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent import routes
from agent.context import Context
from agent.nodes.clarify import clarify
from agent.nodes.collect import collect
from agent.nodes.compose import compose
from agent.nodes.evidence import evidence
from agent.nodes.ground import ground
from agent.nodes.pack import pack_context
from agent.nodes.personal import personal
from agent.nodes.plan import plan
from agent.nodes.recall import recall
from agent.nodes.remember import remember
from agent.nodes.respond import respond
from agent.nodes.rewrite import rewrite
from agent.nodes.understand import understand
from agent.state import Input, State, Update
from agent.teams.search import search

Graph = CompiledStateGraph[State, Context, Input, State]
Node = Callable[[Any, Runtime[Context]], Awaitable[Update]]

_STEPS: Sequence[Node] = (
    recall, understand, evidence, rewrite, plan, search, collect, pack_context, clarify, compose, ground,
    respond, personal, remember,
)  # fmt: skip


def build_graph(checkpointer: BaseCheckpointSaver[Any] | None) -> Graph:
    """Return the graph of a turn, to be run with a `Context`."""
    graph: StateGraph[State, Context, Input, State] = StateGraph(State, context_schema=Context, input_schema=Input)
    for step in _STEPS:
        graph.add_node(step.__name__, cast(Any, timed(step)))  # the library's node type wants one state type
    graph.add_edge(START, "recall")
    graph.add_conditional_edges("recall", routes.after_recall)
    graph.add_conditional_edges("understand", routes.after_understanding)
    graph.add_conditional_edges("evidence", routes.after_evidence)
    graph.add_edge("rewrite", "plan")
    graph.add_conditional_edges("plan", routes.next_group, ["search", "pack_context"])
    graph.add_edge("search", "collect")
    graph.add_conditional_edges("collect", routes.next_group, ["search", "pack_context"])
    graph.add_edge("pack_context", "clarify")
    graph.add_conditional_edges("clarify", routes.after_clarifying)
    graph.add_edge("compose", "ground")
    graph.add_conditional_edges("ground", routes.after_grounding)
    graph.add_edge("respond", "remember")
    graph.add_edge("personal", "remember")
    graph.add_edge("remember", END)
    return graph.compile(checkpointer=checkpointer)


def timed(node: Node) -> Node:
    """Add the node's own milliseconds to what it returns."""

    async def run(state: Any, runtime: Runtime[Context]) -> Update:
        started = time.perf_counter()
        update = await node(state, runtime)
        return {**update, "timings": {node.__name__: (time.perf_counter() - started) * 1000}}

    return run

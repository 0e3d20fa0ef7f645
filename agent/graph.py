"""The whole topology of a turn; whatever changes the order of its steps is changed here or in `routes.py`.

recall ─ understand ─┬─ direct, decline ───────────────────────────────── respond ─┐
   │                 ├─ what somebody wants of their memory ───────────── personal ┤
   │                 ├─ clarify (a detail is missing) ──────────┐                  │
   │                 ├─ followup, explain ─ evidence ─┬─────────┼── compose        │
   │                 │              (holds it not) ── rewrite ─ plan               │
   │                 ├─ contextualize ─ rewrite ──┐             │                  │
   │                 └─ research ─────────────── plan ─┬─ search ───┐              │
   │                                                   ├─ document ─┤              │
   │                                                   └─ analysis ─┴─ collect     │
   │       (every group of steps side by side, until none is left)      │          │
   │      ┌─────────────── pack_context ────────────────────────────────┘          │
   │      │                  │                                                     │
   │   clarify ─ compose ─ ground ─ grade ─ (good) ──────────────── remember ──────┤
   │      │         └── retry ─┴──────┘ ├─ (weak) refine ─ pack_context            │
   │      │                              └─ (unsure, in a thread) overhear ─ compose ┤
   ├─ mode llm ─ respond   └ (asks back) ───────────────────────── remember ───────┤
   └─ point (at messages of others) ─┬─ understand, as above                       │
                                     ├─ plan (a statement or question of theirs)   │
                                     ├─ compose (a summary of them)                │
                                     └─ (nothing to read) ──────── remember ───────┘
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, wraps
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import RetryPolicy

from agent import routes
from agent.context import Context
from agent.errors import StorageError
from agent.events import Phase, PhaseBegan
from agent.nodes.clarify import clarify
from agent.nodes.compose import compose
from agent.nodes.evidence import evidence
from agent.nodes.grade import grade
from agent.nodes.ground import ground
from agent.nodes.overhear import overhear
from agent.nodes.pack import pack_context
from agent.nodes.personal import personal
from agent.nodes.plan import collect, plan
from agent.nodes.point import point
from agent.nodes.recall import recall
from agent.nodes.refine import refine
from agent.nodes.remember import remember
from agent.nodes.respond import respond
from agent.nodes.understand import rewrite, understand
from agent.state import Input, State, Update
from agent.teams.analysis.team import analysis
from agent.teams.document.team import document
from agent.teams.search import search
from agent.trace import MOST, transition

Graph = CompiledStateGraph[State, Context, Input, State]
Node = Callable[[Any, Runtime[Context]], Awaitable[Update]]

_STEPS: Sequence[Node] = (
    recall, point, understand, evidence, rewrite, plan, search, document, analysis, collect, pack_context, clarify,
    compose, ground, grade, refine, overhear, respond, personal, remember,
)  # fmt: skip


_STORED: Sequence[Node] = (recall, evidence, remember)
"""What reads or writes files and may be done twice: tried once more, for a file that was locked for a moment."""
_TEAMS = ("search", "document", "analysis")
_PHASES: dict[str, Phase] = {
    "rewrite": "planning", "plan": "planning", "search": "searching", "compose": "writing", "ground": "checking",
}  # fmt: skip


def build_graph(checkpointer: BaseCheckpointSaver[Any] | None) -> Graph:
    """Return the graph of a turn, to be run with a `Context`."""
    return _compiled().copy({"checkpointer": checkpointer})


@cache
def _compiled() -> Graph:
    """Return it without a checkpointer, made once in a process: LangGraph reads the code of every node for it."""
    graph: StateGraph[State, Context, Input, State] = StateGraph(State, context_schema=Context, input_schema=Input)
    for step in _STEPS:
        retried = RetryPolicy(max_attempts=2, initial_interval=0.1, retry_on=StorageError) if step in _STORED else None
        graph.add_node(step.__name__, cast(Any, timed(step)), retry_policy=retried)  # wants one state type

    def branch(node: str, route: Callable[..., Any], ends: list[str] | None = None) -> None:
        graph.add_conditional_edges(node, at_once(route), ends)

    graph.add_edge(START, "recall")
    branch("recall", routes.after_recall)
    branch("point", routes.after_pointing)
    branch("understand", routes.after_understanding)
    branch("evidence", routes.after_evidence)
    graph.add_edge("rewrite", "plan")
    branch("plan", routes.next_group, [*_TEAMS, "pack_context"])
    for team in _TEAMS:
        graph.add_edge(team, "collect")
    branch("collect", routes.next_group, [*_TEAMS, "pack_context"])
    graph.add_edge("pack_context", "clarify")
    branch("clarify", routes.after_clarifying)
    graph.add_edge("compose", "ground")
    branch("ground", routes.after_grounding)
    branch("grade", routes.after_grading)
    branch("refine", routes.after_refining)
    branch("overhear", routes.after_overhearing)
    graph.add_edge("respond", "remember")
    graph.add_edge("personal", "remember")
    graph.add_edge("remember", END)
    return graph.compile()


def at_once(route: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Return a decision as what the graph asks in its own thread: a plain function is sent to another one."""

    @wraps(route)
    async def decide(*args: Any, **kwargs: Any) -> Any:
        return route(*args, **kwargs)

    return decide


def timed(node: Node) -> Node:
    """Say what the node is at, and add to what it returns its milliseconds, and what it changed."""
    phase = _PHASES.get(node.__name__)

    async def run(state: Any, runtime: Runtime[Context]) -> Update:
        started = time.perf_counter()
        if phase is not None:
            runtime.context.tell(PhaseBegan(phase=phase))
        update = await node(state, runtime)
        took, path = (time.perf_counter() - started) * 1000, getattr(state, "path", ())
        told: Update = {**update, "timings": {node.__name__: took}}
        if len(path) < MOST:
            before = path[-1]["to"] if path else ""
            told["path"] = (transition(before, node.__name__, runtime.context.now(), took, state, update),)
        return told

    return run

"""`/metrics`: what it tells, in Prometheus' text format, and whom."""

import re

import httpx

from agent.events import FinalResponse
from agent.types import Response
from bot.platform_state import Standing
from bot.processes.metrics import Metrics
from bot.processes.web import create_web
from storage.sql import SqlDatabase
from storage.usage import SqlUsage
from tests.contracts.usage import call

LINE = re.compile(r'(?:# (?:HELP|TYPE) weft_\w+ .+|weft_[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})? [\d.e+-]+)')


def response(kind: str = "answer", **fields) -> Response:
    return Response(
        **{
            "thread_id": "t", "turn_id": "t1", "pack": "p", "mode": "agent", "language": "en", "route": "research",
            "answer": "SECRET-WORDS", "response_type": kind, "total_ms": 1200, **fields,
        }
    )  # fmt: skip


async def told(database: SqlDatabase, metrics: Metrics, standing: Standing) -> str:
    cost = call(user="U-SECRET", model='my "model"', cost=0.25)
    await SqlUsage(database).add([cost, cost])
    return await metrics.text(
        standing=standing, waiting={"todo": 2, "doing": 1, "done": 9, "dead": 0}, oldest=12.5, database=database,
        connections=3, closed={"slow": 4, "crowded": 0},
    )  # fmt: skip


async def test_every_line_is_of_the_format_and_nothing_that_was_said_is_in_it(database):
    metrics, standing = Metrics(), Standing()
    metrics.observe(FinalResponse(response=response(timings={"plan": 500.0, "compose": 250.0})))
    metrics.observe(FinalResponse(response=response("not_found", total_ms=90_000, timings={"plan": 500.0})))
    standing.errors["ModelError"] += 1
    standing.limited["slack"] += 2
    text = await told(database, metrics, standing)
    assert all(LINE.fullmatch(line) for line in text.splitlines()), text
    assert "SECRET" not in text
    for line in (
        'weft_turns_total{type="answer"} 1',
        'weft_turn_seconds_bucket{le="2.5"} 1',
        'weft_turn_seconds_bucket{le="+Inf"} 2',
        "weft_turn_seconds_count 2",
        'weft_node_seconds_total{node="plan"} 1',
        'weft_node_runs_total{node="compose"} 1',
        'weft_turn_errors_total{kind="ModelError"} 1',
        'weft_rate_limit_waits_total{platform="slack"} 2',
        'weft_model_calls_total{model="my \\"model\\"",role="large",outcome="ok"} 2',
        'weft_model_cost_total{model="my \\"model\\"",role="large",outcome="ok"} 0.5',
        "weft_inbox_todo 2",
        "weft_inbox_oldest_seconds 12.5",
        'weft_connections_closed_total{why="slow"} 4',
    ):
        assert line in text.splitlines(), line


async def test_from_elsewhere_they_are_told_to_who_has_the_token():
    async def metrics() -> str:
        return "weft_x 1\n"

    async def asked(token: str, **headers: str) -> httpx.Response:
        app = create_web(routes=[], metrics=metrics, token=token, allowed_hosts=["weft.example"])
        transport = httpx.ASGITransport(app, client=("203.0.113.9", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://weft.example") as client:
            return await client.get("/metrics", headers=headers)

    assert (await asked("")).status_code == 403
    assert (await asked("right")).status_code == 401
    assert (await asked("right", Authorization="Bearer wrong")).status_code == 401
    answer = await asked("right", Authorization="Bearer right")
    assert (answer.status_code, answer.text) == (200, "weft_x 1\n")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")

"""While a model reads a message, the list says so; the plan takes its place."""

import asyncio

import pytest

from agent.context import Context
from agent.events import PlanReady, TodoUpdated
from agent.language import say
from agent.nodes.understand import PATIENCE
from tests.agent.test_graph import Bench
from tests.clock import sleep_through


class WithModel(Bench):
    def context(self, request):
        return Context(
            request=request, pack=self.pack, reasoner=self.reasoner, knowledge=self.knowledge,
            without_model=self.reasoner,
        )  # fmt: skip


def slow(bench: Bench) -> Bench:
    plain = bench.reasoner.understand

    async def understand(message):
        await sleep_through(2 * PATIENCE)
        return await plain(message)

    bench.reasoner.understand = understand
    return bench


def steps(events) -> list[tuple[str, str]]:
    return [(e.step.id, e.step.status.value) for e in events if isinstance(e, TodoUpdated) and e.step.id == "reading"]


async def test_a_model_that_reads_shows_as_a_step_before_the_plan():
    events = await slow(WithModel()).events("annual leave days")
    assert steps(events) == [("reading", "in_progress"), ("reading", "completed")]
    planned = next(n for n, e in enumerate(events) if isinstance(e, PlanReady))
    told = [e.step.task for e in events[:planned] if isinstance(e, TodoUpdated)]
    assert told == [say("step_reading", "en")] * 2
    assert [step.id for step in events[-1].response.plan.steps] == ["step_0"]


@pytest.mark.parametrize("bench", [lambda: slow(Bench()), WithModel], ids=["rules", "a quick model"])
async def test_what_is_read_at_once_or_by_rules_shows_nothing(bench, monkeypatch):
    monkeypatch.setattr("agent.nodes.understand.PATIENCE", 30.0)  # what is quick is so on any machine
    assert steps(await bench().events("annual leave days")) == []


async def test_a_reading_that_fails_leaves_no_task_behind():
    bench = slow(WithModel())

    async def broken(message):
        await asyncio.sleep(0.01)
        raise RuntimeError("broken")

    bench.reasoner.understand = broken
    before = asyncio.all_tasks()
    with pytest.raises(RuntimeError):
        await bench.events("annual leave days")
    assert asyncio.all_tasks() <= before

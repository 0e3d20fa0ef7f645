"""While a model reads a message, it is said what the turn is at."""

import pytest

from agent.context import Context
from agent.events import PhaseBegan
from tests.agent.test_graph import Bench


class WithModel(Bench):
    def context(self, request):
        return Context(
            request=request, pack=self.pack, reasoner=self.reasoner, knowledge=self.knowledge,
            without_model=self.reasoner,
        )  # fmt: skip


@pytest.mark.parametrize(("bench", "times"), [(WithModel, 2), (Bench, 1)], ids=["a model", "rules"])
async def test_a_model_that_reads_is_planning_before_the_plan_is_made(bench, times):
    events = await bench().events("annual leave days")
    assert [event.phase for event in events if isinstance(event, PhaseBegan)].count("planning") == times

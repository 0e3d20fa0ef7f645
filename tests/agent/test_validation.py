"""The state of a turn that is over: whether it holds together."""

from dataclasses import replace

import pytest

from agent.packs.pack import Limits
from agent.trace import validation
from agent.types import Plan, Step, StepStatus
from tests.storage.turns import stored

STEP = Step(id="a", team="search", task="t", description="d", status=StepStatus.COMPLETED, progress=100)
RESPONSE = replace(stored("t1", at=1.0).response, plan=Plan(steps=(STEP,)), retry_count=0, iteration_count=0)


def test_a_turn_that_ended_as_it_should_is_valid():
    assert validation(RESPONSE, Limits()) == {"is_valid": True, "errors": []}


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"plan": Plan(steps=(replace(STEP, status=StepStatus.IN_PROGRESS),))}, "step a is in_progress at the end"),
        ({"plan": Plan(steps=(replace(STEP, progress=40),))}, "step a is completed at 40 %"),
        ({"plan": Plan(steps=(replace(STEP, dependencies=("b",)),))}, "step a waits for b, which there is not"),
        ({"retry_count": 4}, "4 retries, 3 allowed"),
        ({"iteration_count": 3}, "3 searches again, 2 allowed"),
        ({"confidence": 1.5}, "a confidence of 1.5"),
    ],
)
def test_what_cannot_be_is_told_by_name(changed, error):
    assert validation(replace(RESPONSE, **changed), Limits()) == {"is_valid": False, "errors": [error]}

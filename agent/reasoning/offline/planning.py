"""The steps of an answer: one search, or one for each thing that was asked."""

from agent.reasoning.offline.parts import parts_of
from agent.types import Language, Plan, Standalone, Step
from agent.words import say

_SHOWN = 60
"""Characters of a question that a step of the TODO list shows."""


def plan(question: Standalone, language: Language) -> Plan:
    """Return one search step, or parallel ones when the question clearly asks several things."""
    parts = parts_of(question.text)
    task = say("step_search", language)
    if len(parts) == 1:
        only = Step(id="step_0", team="search", task=task, description=question.text)
        return Plan(steps=(only,), parallel_groups=((only.id,),))
    steps = tuple(
        Step(id=f"step_{i}", team="search", task=f"{task}: {_short(part)}", description=part)
        for i, part in enumerate(parts)
    )
    return Plan(steps=steps, strategy="parallel", parallel_groups=(tuple(step.id for step in steps),))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1].rsplit(" ", 1)[0] + "…"

"""The steps of an answer, laid out by a model: what it may choose is checked, what people see is the catalogue's."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator, BaseModel

from agent.language import say
from agent.packs.pack import Pack
from agent.reasoning.grounding.citation_support import overlap
from agent.reasoning.model.tasks.untrusted_text import Quoting, line
from agent.reasoning.model.tasks.word_checks import amiss
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.text import normalise
from agent.types import Language, Plan, Standalone, Step

MOST = 8
"""Steps of a plan, however many a pack allows: what people read at a glance."""
HELD = 0.5
"""Share of the question's words that its steps must hold. Chosen, not measured: the wording may differ a little."""
TYPES = ("trend", "comparison", "distribution", "summary")
"""What an analysis may be of."""
_TOKENS = 120
_EXAMPLES = 2
_QUESTION_CHARACTERS = 4000
_TASK_CHARACTERS = 500
_SHOWN = 60
"""Characters of a task that a step of the TODO list shows."""


class Item(BaseModel):
    """One step, as the model tells it."""

    team: str
    task: Annotated[str, AfterValidator(normalise)]
    subject: str = ""
    needs: list[int] = []
    for_answer: bool = True


class Steps(BaseModel):
    """The model's answer."""

    steps: list[Item]


def single(question: Standalone, language: Language) -> Plan:
    """Return the plan of one question: one search."""
    step = Step(id="step_0", team="search", task=say("step_search", language), description=question.text)
    return Plan(steps=(step,), parallel_groups=((step.id,),))


async def plan(endpoint: Endpoint, question: Standalone, language: Language, pack: Pack) -> Plan:
    """Return the model's plan. Raises ModelError, also for one that names what is not there or leaves something out."""
    most = min(MOST, pack.limits.max_steps)
    answer = await endpoint.ask(
        "small",
        request(question, language, pack, most),
        shape=Steps,
        tokens=_TOKENS * (most + 1),
        objection=objection(question, pack, most),
    )
    return planned(answer.steps, question, language, pack, most)


def request(question: Standalone, language: Language, pack: Pack, most: int) -> list[Said]:
    """Return what the model is asked about a message."""
    quoting = Quoting()
    asked = quoting.block("message", question.text[:_QUESTION_CHARACTERS])
    return quoting.request("plan", [asked], topic=pack.title.of(language), teams=_teams(pack, language), most=most)


def objection(question: Standalone, pack: Pack, most: int) -> Callable[[Steps], str]:
    """Return what names the faults of a plan."""

    def faults(answer: Steps) -> str:
        if not answer.steps:
            return "steps: must not be empty"
        if len(answer.steps) > most:
            return f"steps: must not be more than {most}"
        found = [_fault(n, item, question, pack) for n, item in enumerate(answer.steps, start=1)]
        if not any(found) and overlap(question.text, "\n".join(item.task for item in answer.steps)) < HELD:
            found.append("steps: leave out most of the message")
        return "; ".join(filter(None, found))

    return faults


def _fault(n: int, item: Item, question: Standalone, pack: Pack) -> str:
    teams, templates = _known(pack), [template.name for template in pack.templates]
    if item.team not in teams:
        return f"step {n}: team must be one of {', '.join(teams)}"
    if not item.task or len(item.task) > _TASK_CHARACTERS:
        return f"step {n}: task must not be empty, nor longer than {_TASK_CHARACTERS} characters"
    if item.team == "document" and item.subject not in templates:
        return f"step {n}: subject must be one of {', '.join(templates)}"
    if any(not 1 <= need < n for need in item.needs):
        return f"step {n}: needs must name earlier steps"
    wrong = amiss(item.task, [question.text])
    return f"step {n}: task: {wrong}" if wrong else ""


def _known(pack: Pack) -> list[str]:
    """Return the teams that can do something for this pack."""
    return [team for team in pack.teams if team != "document" or pack.templates]


def _teams(pack: Pack, language: Language) -> str:
    lines = []
    for team in _known(pack):
        if team == "search":
            lines.append("- `search`: finds what the documents say about one question.")
        elif team == "analysis":
            lines.append(
                "- `analysis`: computes figures from tables and draws them. Its subject is its type: "
                f"{', '.join(f'`{name}`' for name in TYPES)}."
            )
        else:
            lines.append("- `document`: writes a document from one of these templates, its subject:")
            lines += [
                f"  - `{each.name}`: {each.title.of(language)}, such as {'; '.join(each.examples[:_EXAMPLES])}"
                for each in pack.templates
            ]
    return "\n".join(lines)


def planned(items: Sequence[Item], question: Standalone, language: Language, pack: Pack, most: int) -> Plan:
    """Return steps that were found sound as a plan."""
    if len(items) == 1 and items[0].team == "search":
        return single(question, language)
    steps: list[Step] = []
    ids: list[str] = []
    room = most - len(items)
    for item in items:
        needs = tuple(dict.fromkeys(ids[need - 1] for need in item.needs))
        searched = any(step.team == "search" and step.id in needs for step in steps)
        if item.team == "document" and room and not searched:
            # what a document says comes from the documents: without a search it would be empty
            search = Item(team="search", task=item.task, for_answer=False)
            steps.append(_step(len(steps), search, needs, language, pack))
            needs, room = (*needs, steps[-1].id), room - 1
        steps.append(_step(len(steps), item, needs, language, pack))
        ids.append(steps[-1].id)
    return Plan(steps=_told(steps), strategy="parallel" if len(steps) > 1 else "sequential")


def _told(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps; a search that no other waits for is told in the answer, whatever the model says."""
    needed = {name for step in steps for name in step.dependencies}
    return tuple(step if step.id in needed else replace(step, purpose="answer") for step in steps)


def _step(n: int, item: Item, needs: tuple[str, ...], language: Language, pack: Pack) -> Step:
    subject = item.subject if item.team == "document" or (item.team == "analysis" and item.subject in TYPES) else ""
    if item.team == "document":
        title = next(template.title.of(language) for template in pack.templates if template.name == subject)
        shown = say("step_document", language, title=title)
    else:
        told = say("step_search" if item.team == "search" else "step_analysis", language)
        shown = f"{told}: {line(item.task, _SHOWN)}"
    return Step(
        id=f"step_{n}", team=item.team, task=shown, description=item.task, subject=subject,
        purpose="evidence" if item.team == "search" and not item.for_answer else "answer",
        priority=1 if item.team == "search" else 2, dependencies=needs,
    )  # fmt: skip

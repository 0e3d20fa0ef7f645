"""The steps of an answer: a search for each thing that is asked, documents and analyses that were ordered."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from agent.language import say
from agent.language.lexicon import pattern
from agent.packs.pack import Pack
from agent.reasoning.rules.planning.clauses import Clause, clauses_of
from agent.reasoning.rules.planning.subquestions import LONG, holds, parts_of
from agent.reasoning.rules.planning.template_choice import fitting, ordered
from agent.reasoning.rules.reading.comparison import compared
from agent.reasoning.rules.reading.work_orders import Order
from agent.reasoning.rules.thread import standalone_question
from agent.text import shortened
from agent.types import Language, Plan, Standalone, Step, StepStatus

MOST = 8
"""Steps of a plan."""
_SHOWN = 60
"""Characters of a question that a step of the TODO list shows."""
_TYPES = ("trend", "distribution", "comparison")
"""Of an analysis, in the order in which words of theirs are looked for."""


def plan(question: Standalone, language: Language, pack: Pack) -> Plan:
    """Return the steps for a message: searches side by side, and what is made from them after them.

    A document is made from a template of the pack and an analysis by its team; where the pack has neither, the
    order is searched for like a question.
    """
    clauses = wants_of(question.text, pack)
    if len(clauses) == 1 and clauses[0].order is None and len(parts_of(question.text)) == 1:
        only = Step(id="step_0", team="search", task=say("step_search", language), description=question.text)
        return Plan(steps=(only,), parallel_groups=((only.id,),))
    made = _Steps(language, pack)
    for clause, following in zip(clauses, [*clauses[1:], None], strict=True):
        if following is not None and _is_for(clause, following):
            made.remark(clause.text)
        else:
            made.add(clause, goes_on=following is not None)
    return made.plan()


def _is_for(clause: Clause, following: Clause) -> bool:
    """Tell whether a question is what the analysis ordered after it finds: "what stands out here? as a chart"."""
    if clause.order is not None or following.order is None:
        return False
    return (
        following.order.kind == "analysis"
        and not following.order.topic
        and bool(pattern("planning.findings").search(clause.text))
    )


def wants_of(text: str, pack: Pack) -> list[Clause]:
    """Return what a message wants of this pack: questions, and the orders that it can carry out."""
    return [_possible(clause, pack) for clause in clauses_of(text)]


def _possible(clause: Clause, pack: Pack) -> Clause:
    """Return the clause, its order taken for a question where nobody can carry it out."""
    if clause.order is None:
        order = ordered(clause.text, pack.templates) if "document" in pack.teams else None
        return clause if order is None else replace(clause, order=order)
    if clause.order.kind not in pack.teams:
        return Clause(clause.text, None, clause.after)
    if clause.order.kind == "document" and fitting(clause.order, pack.templates) is None:
        return Clause(clause.text, None, clause.after)
    return clause


class _Steps:
    """Puts the steps of a plan together, clause by clause."""

    def __init__(self, language: Language, pack: Pack) -> None:
        self._language = language
        self._pack = pack
        self._steps: list[Step] = []
        self._topics: list[str] = []
        """What the message was about up to here."""
        self._remark = ""
        self._asked: list[str] = []
        """Ids of the steps whose answers a document may rest on."""
        self._left: list[str] = []
        """What no step is free for."""

    def remark(self, text: str) -> None:
        """Keep a question for the analysis that is ordered next."""
        self._remark = text

    def add(self, clause: Clause, *, goes_on: bool) -> None:
        """Add the steps of a clause."""
        waits = tuple(step.id for step in self._steps if step.purpose == "answer") if clause.after else ()
        if clause.order is None:
            self._ask(clause.text, waits, goes_on=goes_on)
        elif clause.order.kind == "document":
            self._document(clause.order, waits)
        else:
            self._analysis(clause.order, waits)

    def plan(self) -> Plan:
        """Return the plan, at most `MOST` steps to do, with the groups that its dependencies allow.

        What is left out is a step more, which is not done.
        """
        if self._left:
            text, why = "; ".join(self._left), say("step_left_out", self._language)
            self._steps.append(
                Step(id=f"step_{MOST}", team="search", task=shortened(text, _SHOWN), description=text,
                     status=StepStatus.SKIPPED, error=why)
            )  # fmt: skip
        groups = grouped([step for step in self._steps if not step.status.final])
        several = any(len(group) > 1 for group in groups)
        if len(self._steps) == 1:
            self._steps[0] = self._renamed(self._steps[0])
        return Plan(steps=tuple(self._steps), strategy="parallel" if several else "sequential", parallel_groups=groups)

    def _ask(self, text: str, waits: tuple[str, ...], *, goes_on: bool) -> None:
        if self._topics and len(text) <= LONG:  # "... and tell me who approves it"
            alone = standalone_question.after(text, self._topics[-1])
            text = alone if holds((alone,), text) else text
        for part in parts_of(text, goes_on=goes_on):
            if self._steps and self._steps[-1].team == "analysis" and pattern("planning.findings").search(part):
                told = f"{self._steps[-1].description.rstrip('.!? ')}; {part}"
                self._steps[-1] = replace(self._steps[-1], description=told)
                continue
            if any(_said(step.description) == _said(part) for step in self._steps if step.team == "search"):
                continue
            made = self._new("search", say("step_search", self._language) + f": {shortened(part, _SHOWN)}", part, waits)
            if made is not None:
                self._asked.append(made.id)
        self._topics.extend(compared(text) or (parts_of(text) if len(text) <= LONG else ()))

    def _document(self, order: Order, waits: tuple[str, ...]) -> None:
        template = fitting(order, self._pack.templates)
        assert template is not None  # noqa: S101 - asked before
        title = template.title.of(self._language)
        needs = list(dict.fromkeys((*self._asked, *waits)))
        if not self._asked:  # what was analysed is all that there is
            needs += [step.id for step in self._steps if step.team == "analysis" and step.id not in needs]
        if not self._asked or (order.topic and not self._covers(order.topic)):
            if len(self._steps) >= MOST - 1:
                needs = needs or [step.id for step in self._steps if step.team == "search"]
            else:
                topic = order.topic or self._topic() or order.text
                task = say("step_search", self._language) + f": {shortened(topic, _SHOWN)}"
                found = self._new("search", task, topic, (), purpose="evidence")
                needs += [found.id] if found is not None else []
        self._new(
            "document", say("step_document", self._language, title=title), self._alone(order), tuple(needs),
            subject=template.name, priority=2,
        )  # fmt: skip
        if order.topic:
            self._topics.append(order.topic)

    def _analysis(self, order: Order, waits: tuple[str, ...]) -> None:
        if not order.topic and self._steps and self._steps[-1].team == "analysis" and self._steps[-1].id not in waits:
            before = self._steps[-1]  # "analyse the prices and chart them" is one thing
            both = f"{before.description.rstrip('.!? ')}; {order.text}"
            self._steps[-1] = replace(before, description=both, subject=_type_of(both))
            return
        description = self._alone(order)
        if self._remark:
            description, self._remark = f"{description.rstrip('.!? ')}; {self._remark}", ""
        self._new(
            "analysis",
            say("step_analysis", self._language) + f": {shortened(order.topic or self._topic() or order.text, _SHOWN)}",
            description, waits, subject=_type_of(description), priority=2,
        )  # fmt: skip
        if order.topic:
            self._topics.append(order.topic)
        if order.topic and pattern("planning.told_in_words").search(order.topic):
            self._ask(
                order.topic, (), goes_on=False
            )  # figures know of no risks; what documents say of them is told too

    def _new(
        self, team: str, task: str, description: str, needs: tuple[str, ...], *,
        subject: str = "", purpose: str = "answer", priority: int = 1,
    ) -> Step | None:  # fmt: skip
        """Add a step; None where the plan is full."""
        if len(self._steps) >= MOST:
            self._left.append(description.strip())
            return None
        step = Step(
            id=f"step_{len(self._steps)}", team=team, task=task, description=description.strip(), subject=subject,
            purpose="evidence" if purpose == "evidence" else "answer", priority=priority, dependencies=needs,
        )  # fmt: skip
        self._steps.append(step)
        return step

    def _renamed(self, step: Step) -> Step:
        if step.team != "search":
            return step
        return Step(id=step.id, team="search", task=say("step_search", self._language), description=step.description)

    def _topic(self) -> str:
        """Return what the message was about so far, as a few words."""
        return "; ".join(dict.fromkeys(topic.rstrip("?.! ") for topic in self._topics))[:400]

    def _alone(self, order: Order) -> str:
        """Return the order so that it stands alone: with the topic that an earlier part of the message gave."""
        topic = self._topic() if not order.topic else ""
        alone = (
            f"{pattern('planning.pointing_back').sub('', order.text.rstrip('.!? '))}: {topic}" if topic else order.text
        )
        return f"{alone.rstrip('.!?: ')}: {order.context}" if order.context else alone

    def _covers(self, topic: str) -> bool:
        """Tell whether what is asked in words is what a document is to be about."""
        mine = {word for word in _said(topic).split() if len(word) > 2 or not word.isascii()}
        told = _said(" ".join(self._topics))
        return bool(mine) and sum(word in told for word in mine) >= 0.6 * len(mine)


def without_refused(plan: Plan, refused: Callable[[str], bool], language: Language) -> Plan:
    """Return the plan without the questions that are refused, where others are left: each is said not to be done."""
    names = {
        step.id for step in plan.steps
        if step.team == "search" and step.purpose == "answer" and not step.status.final and refused(step.description)
    }  # fmt: skip
    if not names or len(names) == sum(not step.status.final for step in plan.steps):
        return plan
    steps = tuple(
        replace(step, status=StepStatus.SKIPPED, error=say("step_refused", language)) if step.id in names
        else replace(step, dependencies=tuple(name for name in step.dependencies if name not in names))
        for step in plan.steps
    )  # fmt: skip
    return replace(plan, steps=steps, parallel_groups=grouped([step for step in steps if not step.status.final]))


def grouped(steps: Sequence[Step]) -> tuple[tuple[str, ...], ...]:
    """Return the ids of steps that may be done side by side, group after group."""
    level: dict[str, int] = {}
    for step in steps:  # a step waits only for steps before it
        level[step.id] = 1 + max((level[name] for name in step.dependencies), default=-1)
    return tuple(
        tuple(name for name, at in level.items() if at == n) for n in range(max(level.values(), default=-1) + 1)
    )


def _type_of(text: str) -> str:
    """Return what an analysis is of: trend, comparison, distribution or summary."""
    return next((name for name in _TYPES if pattern(f"planning.{name}s").search(text)), "summary")


def _said(text: str) -> str:
    return " ".join(text.casefold().rstrip("?.! ").split())

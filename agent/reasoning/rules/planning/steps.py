"""The steps of an answer: a search for each thing that is asked, documents and analyses that were ordered."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from agent.language import say
from agent.language.lexicon import pattern
from agent.packs.pack import Pack
from agent.packs.template import Template
from agent.reasoning.rules.planning.template_choice import fitting, ordered
from agent.reasoning.rules.planning.things import things_in
from agent.reasoning.rules.planning.wants import LONG, Want, alone, wants_in
from agent.reasoning.rules.reading.work_orders import Order, order_of
from agent.reasoning.rules.thread.standalone_question import of_answer
from agent.text import shortened
from agent.types import Language, Plan, Standalone, Step, StepStatus

_SHOWN = 60
"""Characters of a question that a step of the TODO list shows."""
_TYPES = ("trend", "distribution", "comparison")
"""Of an analysis, in the order in which words of theirs are looked for."""


def plan(question: Standalone, language: Language, pack: Pack) -> Plan:
    """Return the steps for a message: searches side by side, and what is made from them after them.

    A document is made from a template of the pack and an analysis by its team; an order that neither can carry out is
    searched for like a question, and of a document is said that none was made. How many of the steps are done is not
    decided here.
    """
    before = question.thread.split("\n")[:-1] if of_answer(question.text) else []
    asked = [text for text in before if not of_answer(text)][-1:]
    figures = [want for text in asked for want in wants_of(text, pack) if _analyses(want)]  # a file of a chart has them
    made = _Steps(language, pack, [] if figures else asked)
    for want in _merged([*figures, *wants_of(question.text, pack)]):
        made.add(want)
    return made.plan()


def wants_of(text: str, pack: Pack) -> list[Want]:
    """Return what a message wants of this pack: questions, and the orders that it can carry out."""
    return [_possible(want, pack) for want in wants_in(text)]


def _possible(want: Want, pack: Pack) -> Want:
    """Return the want, its order taken for a question where nobody can carry it out."""
    if want.order is None:
        order = ordered(want.text, pack.templates) if "document" in pack.teams else None
        return replace(want, order=order)
    return want if want.order.kind in pack.teams else replace(want, order=None)


def _merged(wants: Sequence[Want]) -> list[Want]:
    """Return the wants with what an analysis finds put to the analysis beside it, and with it its chart.

    "Analyse the prices and chart them" is one thing, and so is "what stands out here? show it as a chart".
    """
    out: list[Want] = []
    for want in wants:
        last = out[-1] if out else None
        if last is not None and _analyses(last) and (_is_of_findings(want) or (_is_bare(want) and not want.after)):
            out[-1] = _with(last, want.text)
        elif last is not None and _is_of_findings(last) and _is_bare(want):
            out[-1] = _with(want, last.text)
        else:
            out.append(want)
    return out


def _analyses(want: Want) -> bool:
    return want.order is not None and want.order.kind == "analysis"


def _is_bare(want: Want) -> bool:
    """Tell whether an analysis is ordered without a word of what."""
    return _analyses(want) and want.order is not None and not want.order.topic


def _is_of_findings(want: Want) -> bool:
    """Tell whether a question is about what an analysis finds."""
    return want.order is None and pattern("planning.findings").search(want.text) is not None


def _with(want: Want, told: str) -> Want:
    """Return an order with more that is wanted of it."""
    assert want.order is not None  # noqa: S101 - asked before
    return replace(want, order=replace(want.order, text=f"{want.order.text.rstrip('.!? ')}; {told}"))


class _Steps:
    """Puts the steps of a plan together, want by want."""

    def __init__(self, language: Language, pack: Pack, topics: list[str]) -> None:
        self._language = language
        self._pack = pack
        self._steps: list[Step] = []
        self._topics = topics
        """What the message was about up to here: what was asked before, where it is an order that names nothing."""

    def add(self, want: Want) -> None:
        """Add the steps of what is wanted."""
        done = [step for step in self._steps if step.purpose == "answer" and not step.error]
        waits = tuple(step.id for step in done) if want.after else ()
        if want.order is None:
            self._ask(want.text, waits)
        elif want.order.kind == "document":
            template = fitting(want.order, self._pack.templates)
            if template is not None:
                self._document(want.order, template, waits)
                return
            self._ask(want.text, waits)
            task = say("step_document", self._language, title=want.order.noun)
            self._new("document", task, want.text, (), error=say("step_no_template", self._language))
        else:
            self._analysis(want.order, waits)

    def plan(self) -> Plan:
        """Return the plan; which steps may be done side by side their dependencies tell."""
        steps = self._steps
        if len(steps) == 1 and steps[0].team == "search":
            steps = [replace(steps[0], task=say("step_search", self._language))]
        return Plan(steps=tuple(steps), strategy="parallel")

    def _ask(self, text: str, waits: tuple[str, ...]) -> None:
        if self._topics and len(text) <= LONG:  # "... and tell me who approves it"
            text = alone(text, self._topics[-1])
        things = things_in(text)
        for thing in things:
            if all(_said(step.description) != _said(thing) for step in self._steps if step.team == "search"):
                self._search(thing, waits)
        self._topics += things if len(text) <= LONG else ()

    def _document(self, order: Order, template: Template, waits: tuple[str, ...]) -> None:
        figures = template.figures or pattern("planning.analysed").search(order.text)
        if figures and "analysis" in self._pack.teams and not any(step.team == "analysis" for step in self._steps):
            self._analysis(replace(order, kind="analysis", text=order.topic or order.text), waits)
        asked = [step.id for step in self._steps if step.team == "search" and step.purpose == "answer"]
        needs = list(dict.fromkeys((*asked, *waits)))
        if not asked:  # what was analysed is all that there is
            needs += [step.id for step in self._steps if step.team == "analysis" and step.id not in needs]
        if not asked or (order.topic and not self._covers(order.topic)):
            about = order.topic or self._topic() or order.context or order.text
            needs.append(self._search(about, (), for_evidence=True))
        task = say("step_document", self._language, title=template.title.of(self._language))
        self._new("document", task, self._alone(order), tuple(needs), subject=template.name, priority=2)
        if order.topic:
            self._topics.append(order.topic)

    def _analysis(self, order: Order, waits: tuple[str, ...]) -> None:
        about, wanted = order.topic or self._topic() or order.text, self._alone(order)
        task = f"{say('step_analysis', self._language)}: {shortened(about, _SHOWN)}"
        self._new("analysis", task, wanted, waits, subject=_type_of(wanted), priority=2)
        if order.topic and pattern("planning.told_in_words").search(order.topic):
            self._ask(order.topic, ())  # figures know of no risks; what documents say of them is told too
        elif order.topic:
            self._topics.append(order.topic)

    def _search(self, text: str, waits: tuple[str, ...], *, for_evidence: bool = False) -> str:
        task = f"{say('step_search', self._language)}: {shortened(text, _SHOWN)}"
        return self._new("search", task, text, waits, for_evidence=for_evidence)

    def _new(
        self, team: str, task: str, description: str, needs: tuple[str, ...], *,
        subject: str = "", for_evidence: bool = False, priority: int = 1, error: str = "",
    ) -> str:  # fmt: skip
        """Add a step, and return its id; with an error it is not done."""
        step = Step(
            id=f"step_{len(self._steps)}", team=team, task=task, description=description.strip(), subject=subject,
            purpose="evidence" if for_evidence else "answer", priority=priority, dependencies=needs,
            status=StepStatus.SKIPPED if error else StepStatus.PENDING, error=error,
        )  # fmt: skip
        self._steps.append(step)
        return step.id

    def _topic(self) -> str:
        """Return what the message was about so far, as a few words."""
        return "; ".join(dict.fromkeys(topic.rstrip("?.! ") for topic in self._topics))[:400]

    def _alone(self, order: Order) -> str:
        """Return the order so that it stands alone: with the topic that an earlier part of the message gave."""
        topic = self._topic() if not order.topic else ""
        text = order.text.rstrip(".!? ")
        bare = pattern("planning.pointing_back").sub("", text)
        if order.kind == "analysis" or order_of(bare) is not None:  # "make a file" of that is no order without it
            text = bare
        alone = f"{text}: {topic}" if topic else order.text
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
        if step.team == "search" and step.purpose == "answer" and refused(step.description)
    }  # fmt: skip
    if not names or len(names) == len(plan.steps):
        return plan
    steps = tuple(
        replace(step, status=StepStatus.SKIPPED, error=say("step_refused", language)) if step.id in names
        else replace(step, dependencies=tuple(name for name in step.dependencies if name not in names))
        for step in plan.steps
    )  # fmt: skip
    return replace(plan, steps=steps)


def _type_of(text: str) -> str:
    """Return what an analysis is of: trend, comparison, distribution or summary."""
    return next((name for name in _TYPES if pattern(f"planning.{name}s").search(text)), "summary")


def _said(text: str) -> str:
    return " ".join(text.casefold().rstrip("?.! ").split())

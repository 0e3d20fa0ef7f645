"""A TODO list as Slack's own plan: chunks of a stream (docs.slack.dev/reference/methods/chat.appendStream).

What is reported by who uses them, and kept to: 256 characters in each text of a chunk, 50 tasks in a plan, and a
text that is sent again for a task is appended to the one before. So what came out of a step is sent once, at its end.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adapters.contract import SHORT_MS, TodoList
from agent.language import say
from agent.text import clipped, normalise
from agent.types import Citation, Language, Response, Step, StepStatus

Chunk = dict[str, Any]

TEXT_LIMIT = 256
TASKS = 45
SOURCES = 5
"""Links of one task, and titles that are told of one step."""
_STATUS = {
    StepStatus.PENDING: "pending",
    StepStatus.IN_PROGRESS: "in_progress",
    StepStatus.COMPLETED: "complete",
    StepStatus.FAILED: "error",
    StepStatus.SKIPPED: "complete",
}
_TITLE = ""
"""Under which the title of the plan is kept among its tasks."""


class Plan:
    """What a stream shows of a list, so that only what changes is sent."""

    def __init__(self) -> None:
        self._shown: dict[str, Chunk] = {}
        self.steps: tuple[Step, ...] = ()

    def copy(self) -> "Plan":
        """Return one that shows the same."""
        other = Plan()
        other._shown, other.steps = dict(self._shown), self.steps
        return other

    def __bool__(self) -> bool:
        """Tell whether there is anything to see."""
        return bool(self._shown)

    def changes(self, todo: TodoList) -> list[Chunk]:
        """Return what brings the plan to this list, and take it as sent."""
        self.steps = todo.steps[:TASKS]
        return self._new({_TITLE: {"type": "plan_update", "title": _text(title(todo))}} | _tasks(self.steps))

    def end(self, response: Response | None, language: Language) -> list[Chunk]:
        """Return what ends the plan: each task at its end, with the links of what the answer cites of it.

        Without a response there is no answer: what was begun has failed.
        """
        if not self:
            return []
        answered = response is not None and response.plan is not None
        steps = response.plan.steps[:TASKS] if response is not None and response.plan is not None else self.steps
        left = StepStatus.SKIPPED if answered else StepStatus.FAILED
        ended = [step if step.status.final else replace(step, status=left) for step in steps]
        wanted = _tasks(ended)
        for step in ended:
            links = _links(step, response.citations if response is not None else ())
            if links:
                wanted[step.id]["sources"] = links
        todo = TodoList(
            steps=tuple(ended),
            language=language,
            status="done" if response is not None and response.status == "completed" else "failed",
            elapsed_ms=response.total_ms if response is not None else 0.0,
        )
        return self._new({_TITLE: {"type": "plan_update", "title": _text(title(todo))}} | wanted)

    def _new(self, wanted: Mapping[str, Chunk]) -> list[Chunk]:
        changed = []
        for name, chunk in wanted.items():
            before = self._shown.get(name, {})
            if chunk == before:
                continue
            changed.append({key: value for key, value in chunk.items() if key != "output" or "output" not in before})
            self._shown[name] = before | chunk
        return changed


def title(todo: TodoList) -> str:
    """Return what a list says of the turn as a whole."""
    text = say({"working": "working", "done": "done", "failed": "failed", "stopped": "stopped"}[todo.status],
               todo.language)  # fmt: skip
    if todo.waits:
        text = todo.waits
    elif todo.phase is not None:
        text += f" · {todo.at}"
    if todo.status != "working" and todo.elapsed_ms >= SHORT_MS:
        text += " · " + say("elapsed", todo.language, seconds=f"{todo.elapsed_ms / 1000:.1f}")
    return text


def sources_of(step: Step) -> str:
    """Return the titles of what a step rests on, each once; nothing of a step that is not over."""
    if step.status is not StepStatus.COMPLETED:
        return ""
    titles = list(dict.fromkeys(clipped(normalise(each), 60) for each in step.sources if normalise(each)))
    return ", ".join(titles[:SOURCES]) + (" …" if len(titles) > SOURCES else "")


def _tasks(steps: Iterable[Step]) -> dict[str, Chunk]:
    return {step.id: _task(step) for step in steps}


def _task(step: Step) -> Chunk:
    name = normalise(step.task) or step.team
    task = {"type": "task_update", "id": step.id, "title": _text(name), "status": _STATUS[step.status]}
    if step.status is StepStatus.SKIPPED:
        task["title"] = _text(f"⏭️ {name}")
    told = " · ".join(each for each in (normalise(step.error or step.result), sources_of(step)) if each)
    if step.status.final and told:
        task["output"] = _text(told)
    return task


def _links(step: Step, citations: Sequence[Citation]) -> list[dict[str, str]]:
    titles = {normalise(each) for each in step.sources}
    found = {
        each.source: {"type": "url", "url": each.source, "text": _text(normalise(each.title))}
        for each in citations
        if normalise(each.title) in titles and re.match(r"https?://[^\s/]", each.source) and len(each.source) <= 1_000
    }
    return list(found.values())[:SOURCES]


def _text(text: str) -> str:
    return clipped(text, TEXT_LIMIT)

"""The way that a turn took: the log of its nodes, whether its state held together, a receipt of what it considered.

The log tells which fields changed, and of texts how long they are: what people and documents say stays out of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

from agent.language import say
from agent.packs.pack import Limits
from agent.retrieval.pack import Left
from agent.types import Block, Citation, Language, Response, StepStatus

MOST = 60
"""Nodes of a turn that are logged: more are only in `timings`."""
_LEFT = {"duplicate": "left_duplicate", "no_room": "left_no_room", "rank": "left_rank", "profile": "left_profile"}
_CONSIDERED = 50
"""Passages that a receipt holds."""
_NAMED = 8
"""Documents that a receipt names."""


def transition(before: str, node: str, at: float, milliseconds: float, state: object, update: Mapping[str, Any]) -> Any:
    """Return what a node changed: each field as it was and as it is now, masked."""
    changed = {
        name: [masked(getattr(state, name, None)), masked(value)] for name, value in update.items() if name != "timings"
    }
    return {"at": round(at, 3), "from": before, "to": node, "ms": round(milliseconds, 3), "changed": changed}


def masked(value: Any) -> Any:
    """Return what may stand in a log of a value: numbers and switches as they are, of texts their length."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, str):
        return f"{len(value)} characters"
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return f"{len(value)} items"
    return type(value).__name__ if is_dataclass(value) else "a value"


def validation(response: Response, limits: Limits) -> dict[str, object]:
    """Return `is_valid` and `errors`, a line for each thing that cannot be; no words of people or documents."""
    errors: list[str] = []
    steps = response.plan.steps if response.plan else ()
    names = {step.id for step in steps}
    for step in steps:
        if not step.status.final:
            errors.append(f"step {step.id} is {step.status.value} at the end")
        if step.status is StepStatus.COMPLETED and step.progress != 100:
            errors.append(f"step {step.id} is completed at {step.progress} %")
        missing = [name for name in step.dependencies if name not in names]
        errors += [f"step {step.id} waits for {name}, which there is not" for name in missing]
    if response.retry_count > limits.max_retries:
        errors.append(f"{response.retry_count} retries, {limits.max_retries} allowed")
    if response.iteration_count > limits.max_refine_iterations:
        errors.append(f"{response.iteration_count} searches again, {limits.max_refine_iterations} allowed")
    if response.citations and not response.answer:
        errors.append("citations without an answer")
    if not 0 <= response.confidence <= 1:
        errors.append(f"a confidence of {response.confidence}")
    return {"is_valid": not errors, "errors": errors}


def receipt(
    reason: str, blocks: Sequence[Block], citations: Sequence[Citation], left: Sequence[Left]
) -> dict[str, Any]:
    """Return what a turn considered, as it is stored with its response."""
    cited = {(each.collection, each.passage_id) for each in citations}
    passages = [
        {
            "reference": block.passage.reference,
            "collection": block.passage.collection,
            "document_id": block.passage.document_id,
            "title": block.passage.title,
            "section": block.passage.section,
            "score": round(block.score, 4),
            "cited": (block.passage.collection, block.passage.public_id) in cited,
        }
        for block in blocks[:_CONSIDERED]
    ]
    return {"reason": reason, "passages": passages, "left_out": dict(Counter(each.reason for each in left))}


def told(response: Response, language: Language, *, readable: frozenset[str]) -> str:
    """Return the way of an answer for its asker: what was searched, considered, left out, checked, and how sure it is.

    Only passages with these references are named: those that may be read now, by all who read along. Where there were
    others nothing is counted.
    """
    lines = [say("way_read", language, question=response.standalone_query)]
    tasks = [step.task for step in response.plan.steps if step.team == "search"] if response.plan else []
    if tasks:
        searched = say("way_searched", language, tasks=", ".join(dict.fromkeys(tasks)))
        if response.iteration_count:
            searched = f"{searched} {say('way_again', language, times=response.iteration_count)}"
        lines.append(searched)
    considered = response.receipt.get("passages", ())
    passages = [each for each in considered if each["reference"] in readable]
    counted = len(passages) == len(considered)
    if response.search_strategy and counted:
        lines.append(response.search_strategy)
    told = dict.fromkeys(each["title"] for each in passages if each["cited"] and each["title"])
    beside = dict.fromkeys(each["title"] for each in passages if each["title"] and each["title"] not in told)
    for titles, key in ((told, "way_rests"), (beside, "way_considered")):
        if titles:
            lines.append(say(key, language, titles=", ".join([*titles][:_NAMED])))
    left = response.receipt.get("left_out", {})
    if left and counted:
        reasons = [
            f"{say(_LEFT[reason], language)} {count}" for reason, count in sorted(left.items()) if reason in _LEFT
        ]
        lines.append(say("way_left", language, reasons=", ".join(reasons)))
    if response.grounding is not None and response.citations:
        lines.append(say("way_checked", language, share=round(100 * response.grounding.score)))
    if response.citations:
        lines.append(say("way_sure", language, share=round(100 * response.confidence)))
    if response.web_search_performed:
        lines.append(say("way_web", language))
    lines += response.warnings
    return "\n".join(f"- {' '.join(line.split())}" for line in lines if line)

"""What `weft trace` does: tell the way that a turn took, from what is stored of it."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

import click

from agent.errors import UsageError
from bot.operator.snippets import printable
from bot.settings import Settings
from bot.stores import open_database
from storage.turns import SqlTurns, StoredTurn
from storage.usage import SqlUsage


async def print_trace(settings: Settings, turn_id: str, *, as_json: bool) -> int:
    """Print the way of a turn; returns the exit code. Raises UsageError for a turn that is not kept, StorageError."""
    async with open_database(settings) as database:
        stored = await SqlTurns(database).get(turn_id)
        calls = [asdict(row) for row in await SqlUsage(database).of_turn(turn_id)]
    if stored is None:
        raise UsageError(f"there is no turn {turn_id!r}: it was never there, was deleted, or is older than keep_days")
    way = trace(stored, calls)
    if as_json:
        click.echo(json.dumps(way, ensure_ascii=False, default=str))
        return 0
    click.echo("\n".join(_lines(way)))
    return 0


def trace(stored: StoredTurn, calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the way of a turn, as `weft trace --json` prints it."""
    response = stored.response
    about = {
        "turn_id": response.turn_id,
        "thread": stored.thread,
        "at": stored.at,
        "pack": response.pack,
        "mode": response.mode,
        "question": response.standalone_query,
        "route": response.route,
        "reason": response.receipt.get("reason", ""),
        "intent": asdict(response.intent) if response.intent else None,
        "slots": response.slots,
    }
    searched = {
        "searches": [
            {
                "step": each.step_id,
                "queries": [query.text for query in each.queries],
                "must_have": list(each.must_have),
                "related_terms": list(each.related_terms),
                "filter": {name: value for name, value in asdict(each.filter).items() if value},
            }
            for each in response.expansion
        ],
        "strategy": response.search_strategy,
        "passages": response.receipt.get("passages", []),
        "left_out": response.receipt.get("left_out", {}),
        "excluded": list(response.excluded_blocks),
    }
    came = {
        "status": response.status,
        "response_type": response.response_type,
        "confidence": response.confidence,
        "grounding": asdict(response.grounding) if response.grounding else None,
        "grade": asdict(response.grade) if response.grade else None,
        "quality": response.quality,
        "retries": response.retry_count,
        "searched_again": response.iteration_count,
        "warnings": list(response.warnings),
        "errors": list(response.errors),
    }
    cost = {
        "steps": [
            {"id": step.id, "team": step.team, "task": step.task, "status": step.status.value, "result": step.result}
            for step in (response.plan.steps if response.plan else ())
        ],
        "calls": calls,
        "timings": response.timings,
        "total_ms": response.total_ms,
        "path": response.receipt.get("path", []),
        "validation": response.receipt.get("validation"),
    }
    return about | searched | came | cost


def _lines(way: Mapping[str, Any]) -> list[str]:
    """Return a trace as text."""
    intent = way["intent"] or {"name": "none", "confidence": 0.0}
    at = datetime.fromtimestamp(way["at"]).astimezone().isoformat(timespec="seconds")
    lines = [
        f"{way['turn_id']} at {at}, pack {way['pack']}, mode {way['mode']}",
        f"question: {way['question']}",
        f"intent {intent['name']} ({intent['confidence']:.2f}), route {way['route']}: {way['reason']}",
    ]
    lines += [f"step {step['id']} ({step['team']}): {step['task']}, {step['status']}" for step in way["steps"]]
    for search in way["searches"]:
        lines.append(f"searched: {' | '.join(search['queries'])}")
        for name in ("must_have", "related_terms"):
            if search[name]:
                lines.append(f"  {name}: {', '.join(search[name])}")
        if search["filter"]:
            lines.append(f"  filter: {json.dumps(search['filter'], ensure_ascii=False, default=str)}")
    if way["strategy"]:
        lines.append(f"strategy: {way['strategy']}")
    for passage in way["passages"]:
        mark = "cited" if passage["cited"] else "considered"
        lines.append(
            f"  {mark} {passage['score']:.3f} {passage['title']} › {passage['section']} ({passage['document_id']})"
        )
    if way["left_out"]:
        lines.append(f"left out: {', '.join(f'{count} ({reason})' for reason, count in way['left_out'].items())}")
    lines.append(
        f"came to: {way['response_type']}, confidence {way['confidence']:.2f}, {way['retries']} times written anew"
    )
    if way["searched_again"]:
        lines.append(f"searched again: {way['searched_again']} times")
    lines += [f"check: {way['grounding']['reason']}"] if way["grounding"] and way["grounding"]["reason"] else []
    lines += [f"warning: {text}" for text in way["warnings"]] + [f"error: {text}" for text in way["errors"]]
    lines.append(f"calls of a model: {len(way['calls'])}")
    lines += [
        f"  {call['role']} {call['model']}: {call['outcome']}, {call['tokens_in']}+{call['tokens_out']} tokens"
        for call in way["calls"]
    ]
    lines.append(f"took {way['total_ms']:.0f} ms")
    if way["validation"] is not None:
        lines.append(f"state: {'; '.join(way['validation']['errors']) or 'valid'}")
    for step in way["path"]:
        changed = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in step["changed"].items())
        lines.append(f"  {step['from'] or 'start'} -> {step['to']} {step['ms']:.1f} ms: {changed}")
    return [printable(line) for line in lines]

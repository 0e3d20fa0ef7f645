"""`weft eval --from-threads`: questions that people asked, as a file for `weft eval` that somebody confirms."""

import json
import time
from collections.abc import Iterator, Sequence

import click

from agent.packs.load import load_packs
from agent.packs.pack import Pack
from agent.reasoning.rules.reading.own_facts import facts_of
from agent.text import normalise
from agent.values.amounts import amounts
from bot.app import data_folder, pack_folder
from bot.operator.snippets import printable
from bot.settings import Settings
from storage.asked import AskedTurn, asked_turns
from storage.database import Database
from storage.schema import WEFT

FACTS = 2
"""Figures of an answer that are proposed as what it must hold."""
_DAY = 86_400.0
_SHOWN = 160
"""Characters of an answer that stand beside its question."""
_HEAD = (
    "# Questions that people asked, the latest first, with what was answered: a proposal. Confirm or change each: what",
    "# stands under `facts` and `file` is what was answered, not what is right. Nobody is named here, but these are",
    "# people's own words: read them before you pass the file on. Who told something of themselves is left out.",
)


async def propose(settings: Settings, *, days: int, most: int) -> int:
    """Print a file of questions; returns the exit code. Raises StorageError, PackError."""
    packs = load_packs([pack_folder(name) for name in settings.packs])
    database = await Database.open(data_folder(settings) / "weft.db", WEFT)
    try:
        asked = await asked_turns(database, since=time.time() - days * _DAY)
    finally:
        await database.close()
    chosen = list(worth_asking(asked, packs))[:most]
    if not chosen:
        click.echo(f"weft: nothing was looked up in the last {days} days", err=True)
        return 1
    click.echo("\n".join([*_HEAD, "questions:", *(line for turn in chosen for line in entry(turn))]))
    return 0


def worth_asking(asked: Sequence[AskedTurn], packs: Sequence[Pack]) -> Iterator[AskedTurn]:
    """Yield each question once, without those that tell something of who asked."""
    slots = [slot for pack in packs for slot in pack.slots if not slot.filter]
    seen: set[str] = set()
    for turn in asked:
        key = normalise(turn.question).casefold().rstrip("?. !")
        facts = facts_of(normalise(turn.question), slots)
        if key in seen or facts.told or facts.gone or len(turn.question) > 2_000:
            continue
        seen.add(key)
        yield turn


def entry(turn: AskedTurn) -> Iterator[str]:
    """Yield the lines of a question."""
    doubts = {"passages": "told with doubt", "not_found": "nothing was found", "declined": "declined"}
    remarks = [doubts.get(turn.kind, "told"), f"confidence {turn.confidence:.2f}"]
    if turn.disliked:
        remarks.append("somebody called it not helpful")
    said = " ".join(turn.answer.split())
    yield f"  # {', '.join(remarks)}: {printable(said[:_SHOWN])}{'…' if len(said) > _SHOWN else ''}"
    yield f"  - question: {_scalar(turn.question)}"
    if turn.intent:
        yield f"    kind: {_scalar(turn.intent[:40])}"
    if not turn.file:
        yield "    answered: false"
        return
    yield f"    file: {_scalar(turn.file)}"
    facts = facts_in(turn)
    if facts:
        yield f"    facts: [{', '.join(map(_scalar, facts))}]"


def facts_in(turn: AskedTurn) -> tuple[str, ...]:
    """Return the first figures of an answer that stand in what it cites."""
    quoted = "".join(turn.quote.split())
    found = (each.written.strip() for each in amounts(turn.answer))
    told = [text for text in found if len(text) > 1 and "".join(text.split()) in quoted]
    return tuple(dict.fromkeys(told))[:FACTS]


def _scalar(text: str) -> str:
    """Return a text as YAML on one line: JSON is that."""
    return json.dumps(text, ensure_ascii=False)

"""Turns that were read with the words of a message which is gone, as they are kept from then on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agent.ports import Profiles
from agent.reasoning.rules.thread.history import without_words_of
from agent.types import ThreadKey, TurnRecord
from bot.turns.recovery import record_of
from storage.profiles import MOST_MEMORIES
from storage.turns import SqlTurns, StoredTurn


def records_of(
    stored: Iterable[StoredTurn], kept: Iterable[TurnRecord], words: Mapping[str, str], *, gone: str
) -> list[TurnRecord]:
    """Return all turns of a thread in the order in which they were asked, each with its own words where they are kept.

    `kept` are those that the conversation has word for word, `words` what the inbox has of each; of the one that is
    `gone` it has the new words.
    """
    known = {turn.turn_id: turn for turn in kept}
    older = [record_of(turn) for turn in stored if turn.response.turn_id not in known]
    own = [replace(each, question=words[each.turn_id]) if _has_words(each, words, gone) else each for each in older]
    place = {turn_id: number for number, turn_id in enumerate(words)}
    return sorted([*own, *known.values()], key=lambda turn: place.get(turn.turn_id, -1))


def _has_words(turn: TurnRecord, words: Mapping[str, str], gone: str) -> bool:
    return turn.turn_id in words and turn.turn_id != gone


def without(turns: Sequence[TurnRecord], gone: str, *, now: str | None = None) -> list[TurnRecord]:
    """Return the turns of a thread; those that took up words of the one that is gone have their own alone.

    `now`: what that one says instead, where it was edited.
    """
    place = next((n for n, turn in enumerate(turns) if turn.turn_id == gone), None)
    if place is None:
        return list(turns)
    old, before = turns[place], list(turns[:place])
    instead = [replace(old, question=now, standalone=now)] if now is not None else []
    return [*before, old, *without_words_of(old, turns[place + 1 :], [*before, *instead])]


async def reword(turn: StoredTurn, question: str, *, turns: SqlTurns, profiles: Profiles) -> None:
    """Keep a turn, and its asker's memory of it, under its own words alone. Raises StorageError.

    Its answer was given and stays; how it was read, planned and searched goes.
    """
    said = turn.response
    steps = [replace(step, description="") for step in said.plan.steps] if said.plan else []
    plan = replace(said.plan, steps=tuple(steps)) if said.plan else None
    own = replace(
        said, standalone_query=question, plan=plan, expansion=(), search_strategy="", keyword_freq={},
        keyword_block_counts={}, receipt={},
    )  # fmt: skip
    await turns.put(replace(turn, response=own))
    key = ThreadKey.parse(turn.thread)
    user = f"{key.platform}:{key.workspace_id}:{turn.asked_by}"
    for memory in await profiles.memories(user, said.pack, "", k=MOST_MEMORIES):
        if memory.turn_id == said.turn_id:
            await profiles.keep(user, said.pack, replace(memory, question=question))

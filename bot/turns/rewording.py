"""A turn that was read with the words of a message which is gone, as it is kept from then on."""

from dataclasses import replace

from agent.ports import Profiles
from agent.types import ThreadKey
from storage.profiles import MOST_MEMORIES
from storage.turns import SqlTurns, StoredTurn


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

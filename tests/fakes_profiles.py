"""What is remembered of people, in memory: what the contract suite compares the real ones with."""

from collections import defaultdict
from dataclasses import replace

from agent.text import tokens
from agent.types import Preferences, Profile

MOST = 200


class MemoryProfiles:
    """Fits `agent.ports.Profiles`."""

    def __init__(self) -> None:
        self.slots = defaultdict(dict)
        self.told: dict[tuple[str, str, str], str] = {}
        self.preferences: dict[str, Preferences] = {}
        self.kept: dict[str, tuple] = {}

    async def load(self, user, pack) -> Profile:
        return Profile(slots=dict(self.slots[user, pack]), preferences=self.preferences.get(user, Preferences()))

    async def fill(self, user, pack, slots, *, turn_id="") -> None:
        known = self.slots[user, pack]
        known.update(slots)
        self.told |= {(user, pack, name): turn_id for name in slots}
        for name in [name for name, value in known.items() if value is None]:
            del known[name]

    async def prefer(self, user, preferences) -> None:
        self.preferences[user] = replace(preferences)

    async def keep(self, user, pack, memory) -> None:
        self.kept[memory.turn_id] = (user, pack, memory)
        for old in (await self.memories(user, pack, "", k=len(self.kept)))[MOST:]:
            del self.kept[old.turn_id]

    async def memories(self, user, pack, text, *, k):
        mine = [m for who, where, m in self.kept.values() if (who, where) == (user, pack)]
        mine.sort(key=lambda m: -m.at)
        if text:
            shared = {m.turn_id: len(set(tokens(text)) & set(tokens(f"{m.question} {m.answer}"))) for m in mine}
            mine = sorted((m for m in mine if shared[m.turn_id]), key=lambda m: -shared[m.turn_id])
        return mine[:k]

    async def drop(self, turn_id) -> None:
        self.kept.pop(turn_id, None)
        for user, pack, name in [slot for slot, turn in self.told.items() if turn == turn_id and turn]:
            self.slots[user, pack].pop(name, None)

    async def forget(self, user) -> int:
        mine = [turn for turn, (who, _, _) in self.kept.items() if who == user]
        count = len(mine) + (self.preferences.pop(user, None) is not None)
        count += sum(len(self.slots.pop(key)) for key in [key for key in self.slots if key[0] == user])
        for turn in mine:
            del self.kept[turn]
        return count

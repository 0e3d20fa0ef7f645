"""What is remembered of people, in memory: what the contract suite compares the real ones with."""

from collections import defaultdict
from dataclasses import replace

from agent.ports import NOTHING
from agent.text import tokens
from agent.types import MOST_VALUES, Preferences, Profile

MOST = 200


class MemoryProfiles:
    """Fits `agent.ports.Profiles`."""

    def __init__(self) -> None:
        self.slots = defaultdict(dict)
        self.told: dict[tuple, str] = {}
        self.preferences: dict[str, Preferences] = {}
        self.kept: dict[str, tuple] = {}

    async def load(self, user, pack) -> Profile:
        return Profile(slots=dict(self.slots[user, pack]), preferences=self.preferences.get(user, Preferences()))

    async def fill(self, user, pack, slots, *, gone=NOTHING, turn_id=""):
        known, full = self.slots[user, pack], []
        for name, values in gone.items():
            self._take(user, pack, name, values)
        for name, value in slots.items():
            if isinstance(value, list):
                old = known.get(name, [])
                kept = [each for each in old if each not in value] if isinstance(old, list) else []
                known[name] = [*kept, *value][-MOST_VALUES:]
                full += [name] if len(kept) + len(value) > MOST_VALUES else []
                self.told |= {(user, pack, name, each): turn_id for each in value}
            elif value is None:
                known.pop(name, None)
            else:
                known[name] = value
                self.told[user, pack, name] = turn_id
        return full

    def _take(self, user, pack, name, values):
        known = self.slots[user, pack]
        left = known.get(name)
        left = [each for each in left if each not in values] if isinstance(left, list) else left
        if not left or left in values:
            known.pop(name, None)
        else:
            known[name] = left

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
        for user, pack, name, *value in [slot for slot, turn in self.told.items() if turn == turn_id and turn]:
            if value:
                self._take(user, pack, name, value)
            else:
                self.slots[user, pack].pop(name, None)

    async def forget(self, user) -> int:
        mine = [turn for turn, (who, _, _) in self.kept.items() if who == user]
        count = len(mine) + (self.preferences.pop(user, None) is not None)
        for key in [key for key in self.slots if key[0] == user]:
            count += sum(len(value) if isinstance(value, list) else 1 for value in self.slots.pop(key).values())
        for turn in mine:
            del self.kept[turn]
        return count

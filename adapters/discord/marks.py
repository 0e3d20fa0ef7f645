"""How far each place was heard, and which places are behind because a session ended."""

import asyncio
from collections.abc import Callable, Iterable, Mapping

from adapters.discord.parse import NO_GUILD, PLATFORM, Place
from agent.types import ThreadKey


class Marks:
    """By place the id of the last message that was handed in, or was none to hand in.

    A place that is behind keeps its mark until it is caught up: what is heard there meanwhile does not move it.
    """

    def __init__(self, kept: Mapping[ThreadKey, str]) -> None:
        self._marks = {place: int(message) for place, message in kept.items() if message.isdecimal()}
        self._behind: set[ThreadKey] = set()
        self._unwritten: set[ThreadKey] = set()
        self._unread: set[str] = set()
        """Servers whose places nobody looked at since a session began, those without a mark among them."""
        self.sessions = 0
        """How often a session began."""
        self._changed = asyncio.Event()

    def leave(self, guild: Callable[[int], bool]) -> None:
        """Note that what was said in these servers may have been missed; direct messages go by 0."""
        self.sessions += 1
        left = {
            place for place in self._marks if guild(0 if place.workspace_id == NO_GUILD else int(place.workspace_id))
        }
        self._behind |= left
        self._unread |= {place.workspace_id for place in left if place == _whole(place.workspace_id)}

    def heard(self, place: Place, message_id: int) -> None:
        """Note that a message was dealt with."""
        key = mark_of(place)
        if not self.is_behind(place) and message_id > self._marks.get(key, 0):
            self._put(key, message_id)

    def is_behind(self, place: Place) -> bool:
        """Tell whether something may have been missed in a place."""
        key = mark_of(place)
        return key in self._behind or (key not in self._marks and key.workspace_id in self._unread)

    def behind(self, place: Place) -> int | None:
        """Return after which message a place is to be read; None where nobody knows, or nothing was missed."""
        key = mark_of(place)
        return self._marks.get(key) if key in self._behind else None

    def look_at(self, guild_id: int, places: Iterable[tuple[Place, int]]) -> None:
        """Note the places that a server has: those without a mark may be behind, from this message on."""
        for place, after in places:
            key = mark_of(place)
            if key not in self._marks and self.is_behind(place):
                self._marks[key] = after
                self._behind.add(key)
        self._unread.discard(str(guild_id))

    def reached(self, place: Place, message_id: int, *, session: int) -> None:
        """Note that a place was read up to a message, by what was known in a session: a later one left it again."""
        key = mark_of(place)
        if session == self.sessions:
            self._behind.discard(key)
        self._put(key, max(message_id, self._marks.get(key, 0)))

    def know(self, guild_id: int, since: int) -> None:
        """Note that a server is heard; one that is new, from messages with this id on."""
        if _whole(guild_id) not in self._marks:
            self._put(_whole(guild_id), since)

    def known_since(self, place: Place) -> int:
        """Return from which message on the server of a place is heard; 0: from before that was kept."""
        return 0 if place.workspace_id == NO_GUILD else self._marks.get(_whole(int(place.workspace_id)), 0)

    def direct(self) -> list[int]:
        """Return the direct messages that are behind, the latest first."""
        found = [place for place in self._behind if place.workspace_id == NO_GUILD]
        return [int(place.channel_id) for place in sorted(found, key=self._marks.__getitem__, reverse=True)]

    async def unwritten(self) -> Mapping[ThreadKey, str]:
        """Wait until marks have changed, and return them once."""
        await self._changed.wait()
        return self.take_unwritten()

    def take_unwritten(self) -> Mapping[ThreadKey, str]:
        """Return the marks that have changed since they were returned last."""
        self._changed.clear()
        changed, self._unwritten = self._unwritten, set()
        return {place: str(self._marks[place]) for place in changed}

    def _put(self, key: ThreadKey, message_id: int) -> None:
        self._marks[key] = message_id
        self._unwritten.add(key)
        self._changed.set()


def mark_of(place: Place) -> ThreadKey:
    """Return the key under which a place is marked."""
    thread = "" if place.private else place.thread_id
    return ThreadKey(platform=PLATFORM, workspace_id=place.workspace_id, channel_id=place.channel_id, thread_id=thread)


def _whole(guild_id: int | str) -> ThreadKey:
    return ThreadKey(platform=PLATFORM, workspace_id=str(guild_id), channel_id="", thread_id="")

"""How the Latin terms of `weft.db` sound: found by what a Korean word may be written for."""

from collections.abc import Collection
from zlib import crc32

import numpy as np

from agent.language.ko.loanwords import sound_of
from storage.sql import Connection


class Sounds:
    """The sounds of all terms there are, as two numbers a term; made at the first question, and then followed."""

    def __init__(self) -> None:
        self._last = 0
        self._terms = np.empty(0, dtype=np.int64)
        self._sounds = np.empty(0, dtype=np.uint32)

    def terms(self, connection: Connection, sounds: Collection[str]) -> dict[str, int]:
        """Return the terms that sound like this, with their numbers."""
        self._follow(connection)
        wanted = np.array([_number(sound) for sound in sounds], dtype=np.uint32)
        numbers = self._terms[np.isin(self._sounds, wanted)].tolist()
        if not numbers:
            return {}
        found = connection.execute(
            f"SELECT term, id FROM terms WHERE id IN ({','.join('?' * len(numbers))})", numbers
        ).fetchall()
        return {term: number for term, number in found if sound_of(term) in sounds}

    def _follow(self, connection: Connection) -> None:
        rows = connection.execute("SELECT id, term FROM terms WHERE id>? ORDER BY id", (self._last,)).fetchall()
        if not rows:
            return
        self._last = rows[-1][0]
        heard = [(number, _number(sound)) for number, term in rows if (sound := sound_of(term))]
        self._terms = np.append(self._terms, np.array([number for number, _ in heard], dtype=np.int64))
        self._sounds = np.append(self._sounds, np.array([sound for _, sound in heard], dtype=np.uint32))


def _number(sound: str) -> int:
    return crc32(sound.encode())

"""The terms of passages in `weft.db`: each word as a number, and with every passage the numbers that it holds."""

import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

import numpy as np

from agent.text import TOKENS_VERSION, tokens
from storage.sql import Connection, SqlDatabase

logger = logging.getLogger(__name__)

_AT_ONCE = 500
"""Passages whose terms are made anew in one transaction, which takes about 50 ms."""
HEADINGS = 2
"""How often the words of title and section count."""
_ADDRESS = re.compile(r"\]\(https?://[^()\s]{1,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?\)")
_STATE = "INSERT INTO facts(name, value) VALUES(?,?) ON CONFLICT(name) DO UPDATE SET value=excluded.value"
_MOST = 65_535
"""Of one term in one passage; more is not counted."""


class Terms:
    """Sees to it that the stored terms are those of this tokenizer."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database
        self._ours = False

    async def renew(self) -> None:
        """Make all stored terms anew where another version of the tokenizer made them.

        Every transaction takes the next passages, so that several processes may do it side by side,
        and one that is killed leaves nothing half done.
        """
        if self._ours:
            return
        version = await self._database.read(_version)
        if version != TOKENS_VERSION:
            done = 0
            while some := await self._database.write(_renew_some, alone="library"):
                done += some
            if done:
                logger.warning(
                    "The terms of %d passages were made anew: words are told apart by version %d, no longer %d.",
                    done,
                    TOKENS_VERSION,
                    version,
                    extra={"action": "terms_renewed"},
                )
        self._ours = True


def counted(title: str, section: str, text: str, asked: Sequence[str] = ()) -> Counter[str]:
    """Return how often each term stands in a passage.

    Title and section are part of what a passage says, "20 days" under "Parental leave" is about leave, and say it in
    few words: they count twice, which found more on every set of real documents that was measured. The address of
    another site is not: its words would count as much as those that the link stands for. A path within the same
    documents is: it tends to say what it leads to (measured on technical documentation). What stands only in notes of
    how people ask counts 0: it finds the passage, which does not say it.
    """
    said = _ADDRESS.sub("]", text) if "](" in text else text
    terms = Counter(tokens(f"{title}\n{section}\n" * HEADINGS + said))
    terms.update(dict.fromkeys({term for line in asked for term in tokens(line)} - terms.keys(), 0))
    return terms


class Numbers(dict[str, int]):
    """The numbers of the terms of one transaction; terms that have none get one.

    What is `known` is only read: a transaction that is rolled back takes the new numbers with it.
    """

    def __init__(self, connection: Connection, known: Mapping[str, int]) -> None:
        super().__init__()
        self._connection = connection
        self._known = known

    def __missing__(self, term: str) -> int:
        self.learn((term,))
        return self[term]

    def learn(self, terms: Iterable[str]) -> None:
        """Find the numbers of these terms, and give one to those that have none, all at once."""
        wanted = dict.fromkeys(terms)
        self.update((term, self._known[term]) for term in wanted if term in self._known)
        wanted = {term: None for term in wanted if term not in self}
        if not wanted:
            return
        self.update(vocabulary(self._connection, wanted))
        fresh = [term for term in wanted if term not in self]
        if fresh:
            sql = "INSERT INTO terms(term) SELECT value FROM json_each(?) WHERE true ON CONFLICT(term) DO NOTHING"
            self._connection.execute(sql, (json.dumps(fresh, ensure_ascii=False),)).close()
            self.update(vocabulary(self._connection, fresh))


def postings(found: Mapping[str, int], numbers: Numbers) -> tuple[bytes, bytes]:
    """Return the numbers of the terms and their counts, as they are stored."""
    terms = np.fromiter(map(numbers.__getitem__, found), dtype=np.int32, count=len(found))
    counts = np.fromiter(map(min, found.values(), repeat(_MOST)), dtype=np.uint16, count=len(found))
    return terms.tobytes(), counts.tobytes()


def vocabulary(connection: Connection, terms: Iterable[str]) -> dict[str, int]:
    """Return the numbers of those of these terms that any passage ever had."""
    sql = "SELECT term, id FROM terms WHERE term IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(sql, (json.dumps(list(terms), ensure_ascii=False),)).fetchall())


def _fact(connection: Connection, name: str) -> str:
    row = connection.execute("SELECT value FROM facts WHERE name=?", (name,)).fetchone()
    return str(row[0]) if row else ""


def _version(connection: Connection) -> int:
    return int(_fact(connection, "tokens") or 0)


def _renew_some(connection: Connection) -> int:
    """Make the terms of the next passages anew; returns how many, 0 when all are done."""
    if _version(connection) == TOKENS_VERSION:
        return 0
    version, _, last = _fact(connection, "tokens_renewed").partition(":")
    sql = """SELECT p.id, d.title, p.section, p.text, p.asked FROM passages p JOIN documents d ON d.id=p.document
    WHERE p.id>? ORDER BY p.id LIMIT ?"""
    after = int(last) if version == str(TOKENS_VERSION) else 0
    rows = connection.execute(sql, (after, _AT_ONCE)).fetchall()
    if not rows:
        connection.execute(_STATE, ("tokens", str(TOKENS_VERSION)))
        connection.execute("DELETE FROM facts WHERE name='tokens_renewed'")
        connection.execute("DELETE FROM snapshots")
        return 0
    numbers = Numbers(connection, {})
    for passage, title, section, text, asked in rows:
        terms, counts = postings(counted(title, section, text, json.loads(asked)), numbers)
        connection.execute("UPDATE passages SET terms=?, counts=? WHERE id=?", (terms, counts, passage))
    mark = f"{TOKENS_VERSION}:{rows[-1][0]}"
    connection.execute(_STATE, ("tokens_renewed", mark))
    return len(rows)

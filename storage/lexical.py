"""BM25 over the passages of `weft.db`, on postings arrays (`agent.ports.LexicalIndex`).

The scores are those of `rank_bm25.BM25Okapi`: its idf and its parameters run over our counts. What
differs is the work: a query touches few of the postings of its own terms, and a passage can be added
or removed in place.

Each search first asks how far the passages have moved on, so that what another process ingested is
found at once. Reading them all takes seconds where they are many, so most of them come from a file
(`storage.upkeep`), which is made anew beside the searches from time to time.
"""

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from agent.edits import edits
from agent.errors import WeftError
from agent.text import tokens
from agent.types import Audience, Query, SearchFilter, TermCounts
from storage import snapshot
from storage.admission import readable
from storage.holdings import NEARBY, Holdings
from storage.scoring import Admitted
from storage.sounds import Sounds
from storage.sql import Connection, SqlDatabase
from storage.terms import Terms, vocabulary
from storage.upkeep import Check, Upkeep

logger = logging.getLogger(__name__)

T = TypeVar("T")

NEAREST = 5
"""Terms near another one that are told."""
SOUNDING = 200
"""Terms that sound alike which are told."""
_PAUSE = 60.0
"""Seconds until a file that could not be made is tried again."""


class SqlLexicalIndex:
    """BM25 over `weft.db`; one is enough for all who search a database."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database
        self._upkeep = Upkeep(database)
        self._terms = Terms(database)
        self._sounds = Sounds()
        self._holdings: Holdings | None = None
        """Belongs to the thread of the database, where all searches run."""
        self._loading = asyncio.Lock()
        self._folding: asyncio.Task[None] | None = None
        self._not_before = 0.0

    # --- searching

    async def search(
        self, query: Query, *, k: int, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (passage id, BM25 score), best first, all within filter and audience.

        Every passage with a matching term is ranked, also where Okapi's idf is zero or below, as it
        is in tiny collections; between equal scores more matching terms win, then the older passage.
        """
        weights = weighted_terms(query)
        if not weights or k < 1:
            return []

        def work(connection: Connection, holdings: Holdings) -> list[tuple[int, float]]:
            known = vocabulary(connection, weights)
            wanted = {identity: weights[term] for term, identity in known.items()}
            admitted = holdings.admitted(connection, filter, readable(connection, audience, filter))
            return holdings.best(wanted, admitted, k)

        return await self._on_current(work)

    async def counts(self, terms: Collection[str], *, audience: Audience) -> TermCounts:
        """Return how many readable passages there are, and how many hold each of these terms."""

        def work(connection: Connection, holdings: Holdings) -> TermCounts:
            everything = SearchFilter()
            admitted = holdings.admitted(connection, everything, readable(connection, audience, everything))
            known = vocabulary(connection, terms)
            holding = {term: holdings.count(known[term], admitted) if term in known else 0 for term in terms}
            return TermCounts(passages=holdings.count_all(admitted), holding=holding)

        return await self._on_current(work)

    async def near(self, terms: Collection[str], *, audience: Audience) -> Mapping[str, Sequence[str]]:
        """Return for each of these terms those of readable passages that are a slip of a letter away.

        Each is looked for by itself, some hundreds of them: few milliseconds, however many terms there are.
        """

        def work(connection: Connection, holdings: Holdings) -> Mapping[str, Sequence[str]]:
            everything = SearchFilter()
            admitted = holdings.admitted(connection, everything, readable(connection, audience, everything))
            out = {}
            for term in terms:
                known = vocabulary(connection, set(edits(term)) - {term})
                out[term] = _most_frequent(known, holdings, admitted)[:NEAREST]
            return out

        return await self._on_current(work)

    async def sounding(self, sounds: Collection[str], *, audience: Audience) -> Sequence[str]:
        """Return the terms of readable passages that sound like this, the most frequent first."""

        def work(connection: Connection, holdings: Holdings) -> Sequence[str]:
            everything = SearchFilter()
            admitted = holdings.admitted(connection, everything, readable(connection, audience, everything))
            return _most_frequent(self._sounds.terms(connection, sounds), holdings, admitted)[:SOUNDING]

        return await self._on_current(work)

    async def documents_holding(
        self, words: Sequence[str], *, filter: SearchFilter, audience: Audience
    ) -> Sequence[NDArray[np.int64]]:
        """Return for each word the documents (`Passage.document`, ascending) in which it stands."""

        def work(connection: Connection, holdings: Holdings) -> list[NDArray[np.int64]]:
            admitted = holdings.admitted(connection, filter, readable(connection, audience, filter))
            return [holdings.documents_of(terms, admitted) for terms in _terms_of_each(connection, words)]

        return await self._on_current(work)

    async def admitted(self, filter: SearchFilter, audience: Audience) -> NDArray[np.int64] | None:
        """Return the ids of the passages within filter and audience, ascending; None: every passage there is."""

        def work(connection: Connection, holdings: Holdings) -> NDArray[np.int64] | None:
            return holdings.ids(holdings.admitted(connection, filter, readable(connection, audience, filter)))

        return await self._on_current(work)

    # --- the file

    async def verify(self) -> None:
        """Read the file through, without opening it for searches. Raises CorruptError, StorageError."""
        await asyncio.to_thread(snapshot.load, self._upkeep.path)

    async def settle(self) -> None:
        """Make the file anew if much is new, so that the next process opens quickly: for the end of an ingest."""
        await self._on_current(lambda connection, holdings: None)
        if self._folding is not None:
            await self._folding

    async def rebuild(self) -> int:
        """Make the file anew from the stored passages, whatever it holds; returns how many these are.

        Raises StorageError; LockedError where another process is making it for too long.
        """
        await self._terms.renew()
        made = await asyncio.to_thread(self._upkeep.rebuild)
        await self._load()
        return made

    async def check(self) -> Check:
        """Tell how the index and its file are. Raises StorageError."""
        return await asyncio.to_thread(self._upkeep.check)

    # --- following

    async def _on_current(self, work: Callable[[Connection, Holdings], T]) -> T:
        """Run work on what the database holds now."""
        await self._terms.renew()

        def attempt(connection: Connection, most: int) -> tuple[T, bool] | None:
            holdings = self._holdings
            if holdings is None or not holdings.follow(connection, most):
                return None
            return work(connection, holdings), holdings.due

        known = self._holdings
        done = await self._database.read(lambda connection: attempt(connection, NEARBY))
        while done is None:
            async with self._loading:  # many searches may notice at once; one of them does the work
                if self._holdings is known:
                    await self._load()
            known = self._holdings  # by now there is more again, while others ingest: it is taken in at any rate
            done = await self._database.read(lambda connection: attempt(connection, sys.maxsize))
        result, due = done
        if due and self._folding is None and time.monotonic() >= self._not_before:
            self._folding = asyncio.create_task(self._fold())
        return result

    async def _load(self) -> Holdings:
        holdings = await asyncio.to_thread(self._upkeep.load)

        def take(_: Connection) -> Holdings:
            self._holdings = holdings
            return holdings

        return await self._database.read(take)

    async def _fold(self) -> None:
        """Make the file anew, or take up the one that another process made."""
        try:
            holdings = self._holdings
            if holdings is None or await asyncio.to_thread(self._upkeep.current) != holdings.found:
                holdings = await self._load()
            if holdings.due and not await self._write(holdings):
                self._not_before = time.monotonic() + _PAUSE
        except WeftError as error:
            self._not_before = time.monotonic() + _PAUSE
            logger.warning("The word index could not be brought up: %s", error, extra={"action": "snapshot_failed"})
        finally:
            self._folding = None

    async def _write(self, holdings: Holdings) -> bool:
        contents = await self._database.read(lambda _: holdings.hold())
        try:
            made = await asyncio.to_thread(self._upkeep.write, contents)
            if made is not None:
                await self._database.read(lambda _: holdings.replace(contents, *made))
            return made is not None
        finally:
            holdings.held = False


def _most_frequent(known: Mapping[str, int], holdings: Holdings, admitted: Sequence[Admitted]) -> list[str]:
    """Return those of these terms that admitted passages hold, the most frequent first."""
    counts = {term: holdings.count(number, admitted) for term, number in known.items()}
    return [term for _, term in sorted((-count, term) for term, count in counts.items() if count)]


def weighted_terms(query: Query) -> dict[str, float]:
    """Return each term of a query with its weight, a term repeated in the text as often, times its factor."""
    weights: dict[str, float] = {}
    for term in tokens(query.text):
        weights[term] = weights.get(term, 0.0) + 1.0
    for extra in query.terms:
        for term in tokens(extra.text):
            weights[term] = weights.get(term, 0.0) + extra.weight
    for term, factor in query.factors:
        if term in weights:
            weights[term] *= factor
    return weights


def _terms_of_each(connection: Connection, words: Sequence[str]) -> list[set[int]]:
    """Return the terms of each word; -1 stands for those that no passage ever had."""
    wanted = [set(tokens(word)) for word in words]
    known = vocabulary(connection, {term for terms in wanted for term in terms})
    return [{known.get(term, -1) for term in terms} for terms in wanted]

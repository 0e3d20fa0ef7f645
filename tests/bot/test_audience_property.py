"""Nothing outside the audience ever comes back, whoever may read what, whoever asks and whatever is asked.

Every document says a word of its own, in its text, title, section, source and entities. Whatever Weft gives out is
searched for the words of documents that its readers may not read.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from agent.retrieval.search import KnowledgeBase
from agent.text import tokens
from agent.types import (
    Author,
    Category,
    IncomingMessage,
    MessageKind,
    Passage,
    Query,
    SearchFilter,
    SearchRequest,
    ThreadKey,
)  # fmt: skip
from bot.app import PageReader, open_engine
from bot.audience import OPERATOR, PLAYGROUND, audience_of
from bot.settings import Settings
from bot.turns.private_hits import beyond
from storage.access import SqlAccess
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.vector_index import VectorIndexOnFile
from storage.vectors import VectorFile
from tests.fakes import RecordingAdapter

PACK = """
name: rules
title: {en: Rules, ko: 규정}
description: {en: The rules., ko: 규정입니다.}
suggested_prompts:
  - {en: "How many days of annual leave are there?", ko: "연차 휴가는 며칠인가요?"}
"""
MEMBERS = ("user:slack:T1:U1", "user:slack:T1:U2", "channel:slack:T1:C1", "channel:slack:T1:C2", "user:discord:G1:7")
READERS = (
    "*", "workspace:slack:T1", "workspace:slack:T2", "workspace:playground:local", "group:finance", "group:guests",
    *MEMBERS,
)  # fmt: skip
QUESTIONS = (
    "How many days of annual leave are there?",
    "연차 휴가는 며칠인가요?",
    "What is the rule on travel, and how many days of leave are there?",
    "travel",
    "hello",
    "What have I asked you about leave?",
    "What do you know about me?",
    "Who won the football cup?",
)
FOLLOW_UPS = (
    "why?", "shorter please", "where does it say that?", "and in Korean?", "and for travel?", "the second one",
    "as a table please", "더 자세히 알려줘", "forget what you know of me", *QUESTIONS,
)  # fmt: skip


@dataclass(frozen=True)
class Rules:
    """Who may read: the readers of each collection, the members of each group."""

    readers: tuple[frozenset[str], ...]
    groups: dict[str, frozenset[str]]


@dataclass(frozen=True)
class Place:
    """Where something is asked, and by whom."""

    platform: str
    workspace: str
    channel: str
    user: str
    private: bool
    guests: bool = False
    """Whether somebody asks, or reads along, who is not of the workspace."""

    def message(self, text: str, thread: str, number: int, kind: MessageKind) -> IncomingMessage:
        return IncomingMessage(
            key=ThreadKey(
                platform=self.platform, workspace_id=self.workspace, channel_id=self.channel, thread_id=thread
            ),
            event_id=f"{thread}:{number}", message_id=f"{thread}-{number}", author=Author(id=self.user), text=text,
            kind=kind, received_at=time.time(), private=self.private, guests=self.guests,
        )  # fmt: skip

    def holds(self, rules: Rules) -> frozenset[str]:
        """Return what everybody holds who reads along here: the rule of `docs/audience.md` in other words."""
        if self.platform == "discord":
            own = "user:discord:G1:7"
        else:
            own = f"user:slack:T1:{self.user}" if self.private else f"channel:slack:T1:{self.channel}"
        groups = {name for name, members in rules.groups.items() if own in members}
        groups |= {"guests"} if self.guests else set()
        known = self.platform == "slack" and "guests" not in groups
        return frozenset({"*", own, *(f"group:{g}" for g in groups), *(["workspace:slack:T1"] if known else [])})


PLACES = (
    Place("slack", "T1", "D1", "U1", True),
    Place("slack", "T1", "D2", "U2", True),
    Place("slack", "T1", "C1", "U1", False),
    Place("slack", "T1", "C2", "U1", False),
    Place("slack", "T1", "C1", "U1", False, guests=True),
    Place("slack", "T1", "D9", "U9", True, guests=True),
    Place("discord", "@me", "900", "7", True),
)

rules_of = st.builds(
    Rules,
    readers=st.tuples(*[st.frozensets(st.sampled_from(READERS), max_size=3)] * 3),
    groups=st.fixed_dictionaries({}, optional={g: st.frozensets(st.sampled_from(MEMBERS), min_size=1, max_size=3)
                                               for g in ("finance", "guests")}),
)  # fmt: skip


def secret(collection: int, document: int) -> str:
    """Return the word that only this document says; nothing that is made of it by a stemmer differs."""
    return f"zq{'abc'[collection]}{'xyz'[document]}wk"


def document(collection: int, number: int) -> ParsedDocument:
    word, days = secret(collection, number), 11 + 10 * collection + number
    texts = (
        f"Everybody has {days} days of annual leave under rule {word}. Unused days of annual leave lapse by {word}.",
        f"연차 휴가는 {days}일입니다. 규칙 {word}에 따릅니다.",
        f"Travel is booked by {word}. The travel allowance is {days} euros.",
    )
    passages = tuple(
        ParsedPassage(
            text=text, position=n, section=f"Annual leave > {word}", page=n + 1, category=Category.PARAGRAPH,
            language="ko" if n == 1 else "en", entities=(word,), kind="finding" if n == 2 else "chunk",
        )
        for n, text in enumerate(texts)
    )  # fmt: skip
    identity = f"{word}.md" if number < 2 else "shared.md"  # one document id in every collection
    return ParsedDocument(
        document_id=identity, title=f"Leave {word}", source=f"/{word}", origin=f"/{word}", passages=passages,
        language="en", content_hash=word, metadata={"who": word}, date=f"2025-01-0{number + 1}",
    )  # fmt: skip


class Meaning:
    """Embeds by counting letters: everything is a little near to everything."""

    name = "letters"

    async def embed(self, texts):
        rows = np.array([[1.0, *(text.count(c) for c in "aeintz")] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class World:
    """A whole engine with three collections of three documents, whose readers change."""

    def __init__(self, engine, vectors: VectorFile) -> None:
        self.engine = engine
        self.access = SqlAccess(engine.database)
        self.adapters = [RecordingAdapter(edit_interval=0.0), RecordingAdapter(edit_interval=0.0)]
        self.adapters[0].name, self.adapters[1].name = "slack", "discord"
        self.turns = engine.turns_on(self.adapters)
        index = VectorIndexOnFile(vectors, engine.library.admitted)
        self.by_meaning = KnowledgeBase(
            lexical=engine.library.index, passages=engine.library, vectors=index, embeddings=Meaning()
        )
        self.vectors = index
        self.passages: list[Passage] = []
        self.threads = 0

    async def obey(self, rules: Rules) -> None:
        for n, readers in enumerate(rules.readers):
            await self.access.change_readers(f"c{n}", lambda _, readers=readers: readers)
        for name, members in (await self.access.groups()).items():
            await self.access.remove_members(name, members)
        for name, members in rules.groups.items():
            await self.access.add_members(name, members)

    def hidden(self, rules: Rules, holds: frozenset[str]) -> set[str]:
        """Return the words that nobody who holds just this may ever see."""
        closed = [n for n, readers in enumerate(rules.readers) if not readers & holds]
        return {secret(n, d) for n in closed for d in range(3)}

    async def ask(self, message: IncomingMessage) -> str:
        """Return all that anybody gets to see of a turn."""
        events: list[object] = []
        await self.turns.run(message, events.append)
        (adapter,) = [a for a in self.adapters if a.name == message.key.platform]
        return repr(events) + repr(adapter.of(message))


@asynccontextmanager
async def a_world(rules: Rules) -> AsyncIterator[World]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pack").mkdir()
        (folder / "pack" / "pack.yaml").write_text(PACK)
        vectors = VectorFile(folder / "vectors", embedding="letters")
        async with open_engine(Settings.load(data=folder / "data", pack=str(folder / "pack"))) as engine:
            world = World(engine, vectors)
            for n in range(3):
                await world.access.create(f"c{n}", ())
                await engine.library.put(f"c{n}", [document(n, d) for d in range(3)])
            await world.obey(rules)
            ids = (await engine.library.ids()).tolist()
            world.passages = list(await engine.library.get(ids, audience=OPERATOR))
            await vectors.add(np.array(ids, dtype=np.int64), await Meaning().embed([p.text for p in world.passages]))
            yield world
        await vectors.close()


def examples(count: int):
    # Not shrunk: an example costs a whole engine, and a failing one says which word was told to whom.
    phases = (Phase.generate,)
    return settings(max_examples=count, deadline=None, database=None, derandomize=True, phases=phases)


def seen_in(text: str, words: set[str]) -> set[str]:
    return {word for word in words if word in text}


@examples(12)
@given(
    before=rules_of,
    after=rules_of,
    place=st.sampled_from(PLACES),
    other=st.sampled_from(PLACES),
    question=st.sampled_from(QUESTIONS),
    follow_ups=st.lists(st.sampled_from(FOLLOW_UPS), min_size=1, max_size=2),
)
async def test_no_turn_tells_what_its_readers_may_not_read(before, after, place, other, question, follow_ups):
    async with a_world(before) as world:
        told = await world.ask(place.message(question, "T", 0, MessageKind.DIRECT))
        assert not seen_in(told, world.hidden(before, place.holds(before)))
        await world.obey(after)  # now others may read what the thread was answered from
        for number, text in enumerate(follow_ups, start=1):
            told = await world.ask(place.message(text, "T", number, MessageKind.MENTION))
            assert not seen_in(told, world.hidden(after, place.holds(after))), text
        told = await world.ask(other.message(question, "T", 9, MessageKind.DIRECT))
        assert not seen_in(told, world.hidden(after, other.holds(after)))


async def check_ports(world, rules, place, texts, must, filter, k) -> None:
    engine, message = world.engine, place.message(" ".join(texts), "T", 0, MessageKind.DIRECT)
    audience = await audience_of(message, world.access)
    hidden = world.hidden(rules, place.holds(rules))
    open_ones = [p for p in world.passages if p.title.split()[1] not in hidden]
    ids, documents = {p.id for p in open_ones}, {p.document for p in open_ones}
    every = [p.id for p in world.passages]

    request = SearchRequest(
        queries=tuple(Query(text=text) for text in texts), k=k, filter=filter, must_have=tuple(sorted(must))
    )
    for knowledge in (engine.knowledge, world.by_meaning):
        result = await knowledge.search(request, audience)
        held = [*result.hits, *result.findings, *result.excluded, *(h for g in result.sections for h in g.hits)]
        assert {hit.passage.id for hit in held} <= ids
        assert result.target_documents <= len(documents)
        assert not hidden & set(result.must_have)
        assert all(word not in hidden for word, count in result.keyword_freq.items() if count)
        assert await knowledge.empty(audience, SearchFilter()) == (not ids)

    lexical, words = engine.library.index, [*texts, *sorted(hidden)]
    for text in texts:
        found = await lexical.search(Query(text=text), k=99, filter=filter, audience=audience)
        assert {identity for identity, _ in found} <= ids
        (row,) = await Meaning().embed([text])
        near = await world.vectors.search(row, k=99, filter=filter, audience=audience)
        assert {identity for identity, _ in near} <= ids
    seen = await lexical.counts({term for word in words for term in tokens(word)}, audience=audience)
    assert seen.passages == len(ids) and all(count <= len(ids) for count in seen.holding.values())
    assert not any(all(seen.holding[term] for term in tokens(word)) for word in words[len(texts) :])
    for numbers in await lexical.documents_holding(words, filter=SearchFilter(), audience=audience):
        assert set(numbers.tolist()) <= documents
    assert {p.id for p in await engine.library.get(every, audience=audience)} == ids
    public = await engine.library.by_reference([p.reference for p in world.passages], audience=audience)
    assert {p.id for p in public} <= ids and {p.public_id for p in public} == {p.public_id for p in open_ones}
    page = PageReader(library=engine.library)
    for each in world.passages:
        around = await engine.library.around(each.public_id, collection=each.collection, window=9, audience=audience)
        assert bool(around) == (each.id in ids) and {p.id for p in around} <= ids
        shown = await page.around(each.public_id, each.collection, 1)
        assert bool(shown) == bool(rules.readers[int(each.collection[1])] & PLAYGROUND.principals)
    more = await beyond(message, request, knowledge=engine.knowledge, passages=engine.library, memberships=world.access)
    alone = replace(place, private=True) if place.platform == "slack" else place
    assert more <= sum(p.title.split()[1] not in world.hidden(rules, alone.holds(rules)) for p in world.passages)
    assert not (place.private and more)


@examples(12)
@given(
    cases=st.lists(st.tuples(rules_of, st.sampled_from(PLACES)), min_size=3, max_size=4),
    texts=st.lists(st.sampled_from(("annual leave days", "연차 휴가", "travel", secret(0, 0))), min_size=1, max_size=3),
    must=st.sets(st.sampled_from(("leave", "휴가", "travel", *(secret(n, 2) for n in range(3)))), max_size=2),
    filter=st.builds(
        SearchFilter,
        collections=st.sampled_from(((), ("c0",), ("c0", "c2"))),
        entity=st.sampled_from(("", secret(1, 0))),
        kinds=st.sampled_from(((), ("finding",))),
        page_range=st.sampled_from((None, (1, 2))),
        sources=st.sampled_from(((), (f"/{secret(2, 1)}",))),
        date_range=st.sampled_from((None, ("2025-01-02", ""))),
    ),
    k=st.integers(1, 30),
)
async def test_no_port_gives_or_counts_what_the_audience_may_not_read(cases, texts, must, filter, k):
    async with a_world(cases[0][0]) as world:
        for rules, place in cases:
            await world.obey(rules)
            await check_ports(world, rules, place, texts, must, filter, k)


@examples(12)
@given(
    rules=rules_of, place=st.sampled_from(PLACES), must=st.sets(st.sampled_from(("leave", "휴가", "travel", "rule")))
)
async def test_what_may_not_be_read_might_as_well_not_be_there(rules, place, must):
    """The same is found, and counted, after everything closed to the audience was removed."""
    async with a_world(rules) as world:
        audience = await audience_of(place.message("x", "T", 0, MessageKind.DIRECT), world.access)
        request = SearchRequest(queries=(Query(text="annual leave travel"),), k=99, must_have=tuple(sorted(must)))

        async def found() -> list[object]:
            result = await world.engine.knowledge.search(request, audience)
            ids = [{hit.passage.id for hit in hits} for hits in (result.hits, result.findings, result.excluded)]
            sections = {group.section: {hit.passage.id for hit in group.hits} for group in result.sections}
            counts = (result.target_documents, dict(result.keyword_freq), dict(result.keyword_block_counts))
            empty = await world.engine.knowledge.empty(audience, SearchFilter())
            return [
                *ids,
                sections,
                result.must_have,
                counts,
                dict(result.rarity),
                dict(result.read_as),
                empty,
                result.warnings,
            ]

        with_all = await found()
        for n, readers in enumerate(rules.readers):
            if not audience.may_read(readers):
                await world.engine.library.drop(f"c{n}", list(await world.engine.library.fingerprints(f"c{n}")))
                assert await world.access.remove(f"c{n}")
        assert await found() == with_all

"""What an endpoint takes is found out once, and not again by the next process on the same data folder."""

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.errors import ModelError, StorageError
from agent.reasoning.contract import Reasoner
from agent.reasoning.model.transport.calls import Calls
from agent.reasoning.model.transport.dialect import KEPT_SECONDS, Dialect, Dialects, Learnt
from agent.reasoning.model.transport.endpoint import Endpoint
from agent.reasoning.model.transport.remembered_dialects import as_text, from_text, remembered
from agent.reasoning.model.transport.roles import Served
from bot.models.endpoint import endpoint_name, model_client
from bot.models.reasoners import reasoners
from bot.settings import Settings
from storage.database import BUSY_SECONDS, Database
from storage.dialects import SqlDialects
from storage.schema import WEFT
from tests.reasoning_model.making import PACK, message
from tests.reasoning_model.test_model_usage import request
from tests.servers.openai import OpenAIServer, Said, obliging

DAY = 24 * 3600.0
SECRET = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def picky(server: OpenAIServer) -> OpenAIServer:
    """An endpoint that takes neither a schema nor a temperature."""
    server.formats = {"json_object"}
    server.refused_parameters = {"temperature"}
    server.answer(obliging)
    return server


@asynccontextmanager
async def process(folder: Path, server: OpenAIServer, *, model: str = "m", url: str = "") -> AsyncIterator[Reasoner]:
    """Give the reasoner of a turn as a process of its own makes it on this data folder; the model must answer."""
    told: list[str] = []
    config = Settings.load(openai_base_url=url or server.url, openai_api_key=SECRET, model=model)
    client = model_client(config)
    async with AsyncExitStack() as stack:
        database = await Database.open(folder / "weft.db", WEFT)
        stack.push_async_callback(database.close)
        await stack.enter_async_context(client)
        for_turn = await stack.enter_async_context(reasoners(config, client, PACK, database))
        yield for_turn(request(), told.append)
    assert told == []


async def asked(folder: Path, server: OpenAIServer, **given: str) -> int:
    """Ask a question in a new process; returns how many requests that took."""
    before = len(server.chats)
    async with process(folder, server, **given) as reasoner:
        await reasoner.understand(message("When does the library close?"))
    return len(server.chats) - before


def rows(folder: Path) -> list[tuple[str, str, str, float]]:
    with closing(sqlite3.connect(folder / "weft.db")) as connection:
        return connection.execute("SELECT endpoint, model, dialect, until FROM dialects ORDER BY model").fetchall()


def change(folder: Path, column: str, value: object) -> None:
    with closing(sqlite3.connect(folder / "weft.db")) as connection, connection:
        connection.execute(f"UPDATE dialects SET {column}=?", (value,))


# --- over restarts


async def test_the_next_process_asks_at_once_as_the_endpoint_likes(picky: OpenAIServer, tmp_path: Path) -> None:
    assert await asked(tmp_path, picky) == 3  # with temperature, with a schema, as it likes
    before = time.time()
    assert await asked(tmp_path, picky) == 1
    last = picky.chats[-1]
    assert last.format == "json_object" and "temperature" not in last.body
    ((endpoint, model, text, until),) = rows(tmp_path)
    assert (endpoint, model) == (picky.url.removeprefix("http://"), "m")
    assert json.loads(text)["way"] == "json_object"
    assert before < until <= time.time() + DAY


async def test_another_model_does_not_inherit(picky: OpenAIServer, tmp_path: Path) -> None:
    await asked(tmp_path, picky)
    assert await asked(tmp_path, picky, model="other") == 3
    assert [model for _, model, _, _ in rows(tmp_path)] == ["m", "other"]
    assert await asked(tmp_path, picky) == await asked(tmp_path, picky, model="other") == 1


async def test_another_endpoint_does_not_inherit(picky: OpenAIServer, tmp_path: Path) -> None:
    await asked(tmp_path, picky)
    async with OpenAIServer(formats=["json_object"]) as other:
        other.refused_parameters = {"temperature"}
        other.answer(obliging)
        assert await asked(tmp_path, other) == 3
        assert await asked(tmp_path, other) == 1
    assert await asked(tmp_path, picky) == 1


@pytest.mark.parametrize("until", [-1.0, DAY + 60.0, float("inf"), -1e18])
async def test_what_has_ended_or_ends_too_late_is_found_out_anew(
    picky: OpenAIServer, tmp_path: Path, until: float
) -> None:
    await asked(tmp_path, picky)
    change(tmp_path, "until", time.time() + until)
    assert await asked(tmp_path, picky) == 3
    assert await asked(tmp_path, picky) == 1
    ((_, _, _, now_until),) = rows(tmp_path)
    assert time.time() < now_until <= time.time() + DAY


GOOD = json.loads(as_text(Dialect(way="json_object", temperature=False)))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("dialect", "no json"),
        ("dialect", "[" * 100_000),
        ("dialect", b"\xff\xfe"),
        ("dialect", "[]"),
        ("dialect", json.dumps({**GOOD, "way": "telepathy"})),
        ("dialect", json.dumps({**GOOD, "temperature": "no"})),
        ("dialect", json.dumps({**GOOD, "way": "tool"})),
        ("until", "tomorrow"),
        ("until", b"\xff"),
        ("model", b"\xff"),
    ],
)
async def test_a_row_that_cannot_be_read_is_learnt_anew(
    picky: OpenAIServer, tmp_path: Path, column: str, value: object
) -> None:
    await asked(tmp_path, picky)
    change(tmp_path, column, value)
    assert await asked(tmp_path, picky) == 3
    assert await asked(tmp_path, picky) == 1


async def test_no_key_is_kept(picky: OpenAIServer, tmp_path: Path) -> None:
    url = picky.url.replace("http://", f"http://user:{SECRET}@")
    await asked(tmp_path, picky, url=url)
    ((endpoint, *_),) = rows(tmp_path)
    assert endpoint == picky.url.removeprefix("http://")
    assert SECRET.encode() not in (tmp_path / "weft.db").read_bytes()


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1/", "api.openai.com:443/v1"),
        ("https://user:secret@Gateway.example.org:8443/a/b?key=secret#secret", "gateway.example.org:8443/a/b"),
        ("http://[::1]:11434/v1", "[::1]:11434/v1"),
        ("http://localhost", "localhost:80"),
    ],
)
def test_an_endpoint_is_known_by_host_port_and_path(url: str, name: str) -> None:
    assert endpoint_name(url) == name


# --- what else is learnt


@asynccontextmanager
async def door(
    folder: Path, client: openai.AsyncOpenAI, *, clock: Callable[[], float] = time.time
) -> AsyncIterator[Endpoint]:
    database = await Database.open(folder / "weft.db", WEFT)
    async with remembered(SqlDialects(database, "there"), clock=clock) as dialects:
        yield Endpoint(Calls(client, dialects=dialects), {"large": Served(name="m")})
    await database.close()


async def test_thoughts_without_a_beginning_are_remembered(
    server: OpenAIServer, client: openai.AsyncOpenAI, tmp_path: Path
) -> None:
    server.answer("I muse about it.</think>It is blue.")
    async with door(tmp_path, client) as first:
        with pytest.raises(ModelError, match="without a mark"):
            _ = [piece async for piece in first.stream("large", [{"role": "user", "content": "hi"}], tokens=50)]
    async with door(tmp_path, client) as second:
        pieces = [piece async for piece in second.stream("large", [{"role": "user", "content": "hi"}], tokens=50)]
    assert "".join(pieces) == "It is blue."


async def test_a_shape_that_was_ignored_is_remembered(
    server: OpenAIServer, client: openai.AsyncOpenAI, tmp_path: Path
) -> None:
    from tests.reasoning_model.test_model_servers import BLUE, asked

    server.answer(lambda request: BLUE if request.format == "json_object" else Said(text="It is blue."))
    async with door(tmp_path, client) as first:
        for _ in range(2):
            with pytest.raises(ModelError, match="no JSON"):
                await asked(first)
    async with door(tmp_path, client) as second:
        assert (await asked(second)).colour == "blue"
    assert [request.format for request in server.chats] == [*["json_schema"] * 4, "json_object"]


# --- time


class Store:
    """A store in memory that can be slow or broken."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[str, float]] = {}
        self.broken = False
        self.writes = 0

    async def load(self) -> Mapping[str, tuple[str, float]]:
        if self.broken:
            raise StorageError("weft.db: disk I/O error")
        return dict(self.kept)

    async def keep(self, model: str, text: str, until: float) -> None:
        self.writes += 1
        if self.broken:
            raise StorageError("weft.db: disk I/O error")
        self.kept[model] = (text, until)


PLAIN = Dialect(way="plain")


@pytest.mark.parametrize(
    ("later", "believed"),
    [(0.0, True), (1.0, True), (DAY - 1, True), (DAY, False), (DAY + 1, False), (-1.0, False), (-1e9, False)],
)
async def test_a_clock_that_jumps_ends_what_was_learnt(later: float, believed: bool) -> None:
    store, now = Store(), [1_800_000_000.0]
    async with remembered(store, clock=lambda: now[0]) as first:
        first.learn("m", PLAIN)
    now[0] += later
    assert (first.of("m") == PLAIN) is believed
    async with remembered(store, clock=lambda: now[0]) as second:
        assert (second.of("m") == PLAIN) is believed
        second.learn("m", PLAIN)
        assert second.of("m") == PLAIN
    assert now[0] < store.kept["m"][1] <= now[0] + DAY


async def test_what_is_learnt_later_does_not_prolong_what_was_learnt_before() -> None:
    store, now = Store(), [1_800_000_000.0]
    async with remembered(store, clock=lambda: now[0]) as first:
        first.learn("m", PLAIN)
    now[0] += DAY / 2
    async with remembered(store, clock=lambda: now[0]) as second:
        second.learn("m", Dialect(way="plain", seed=False))
    text, until = store.kept["m"]
    assert until == 1_800_000_000.0 + KEPT_SECONDS
    assert from_text(text) == Dialect(way="plain", seed=False)


async def test_of_two_that_learn_at_once_the_last_one_wins() -> None:
    store, now = Store(), [1_800_000_000.0]
    async with remembered(store, clock=lambda: now[0]) as first, remembered(store, clock=lambda: now[0]) as second:
        first.learn("m", PLAIN)
        second.learn("m", Dialect(way="text"))
        assert first.of("m") == PLAIN  # each goes on with what it found out itself
    async with remembered(store, clock=lambda: now[0]) as third:
        assert third.of("m") in (PLAIN, Dialect(way="text"))


async def test_what_is_known_is_not_stored_again() -> None:
    store = Store()
    async with remembered(store) as dialects:
        for _ in range(3):
            dialects.learn("m", PLAIN)
    assert store.writes == 1


# --- a store that is slow, locked or broken


async def test_all_is_stored_at_the_end() -> None:
    store = Store()
    async with remembered(store) as dialects:
        for name, seed in (("a", True), ("b", True), ("a", False)):
            dialects.learn(name, Dialect(way="text", seed=seed))
        assert not store.writes
    assert store.writes == 2 and set(store.kept) == {"a", "b"}
    assert from_text(store.kept["a"][0]) == dialects.of("a")


@pytest.mark.parametrize("more", [{"newer": True}, {}])
async def test_a_row_of_another_version_is_read_as_far_as_it_is_known(more: dict[str, object]) -> None:
    known = {name: value for name, value in GOOD.items() if name != "system"}
    assert from_text(json.dumps({**known, **more})) == Dialect(way="json_object", temperature=False)


async def test_a_broken_store_is_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    store = Store()
    async with remembered(store) as dialects:
        store.broken = True
        dialects.learn("m", PLAIN)
    assert dialects.of("m") == PLAIN
    (record,) = caplog.records
    assert record.levelno == logging.WARNING and "could not be stored" in record.message
    caplog.clear()
    async with remembered(store) as dialects:
        assert dialects.of("m") == Dialect()
    (record,) = caplog.records
    assert "found out anew" in record.message


async def test_a_locked_database_does_not_hurt_the_answer(picky: OpenAIServer, tmp_path: Path) -> None:
    async with process(tmp_path, picky) as reasoner:
        with closing(sqlite3.connect(tmp_path / "weft.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            async with asyncio.timeout(BUSY_SECONDS * 0.9):  # whoever waited for the lock would come after that
                await reasoner.understand(message("When does the library close?"))
            assert len(picky.chats) == 3 and not rows(tmp_path)
            other.execute("ROLLBACK")
    assert len(rows(tmp_path)) == 1  # what had to wait is stored before the process ends


async def test_a_database_without_room_does_not_hurt_the_answer(
    picky: OpenAIServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with process(tmp_path, picky) as reasoner:
        with closing(sqlite3.connect(tmp_path / "weft.db")) as connection, connection:
            connection.execute("DROP TABLE dialects")
        await reasoner.understand(message("When does the library close?"))
    lost = [each for each in caplog.records if getattr(each, "action", "") == "dialect_lost"]
    assert len(lost) == 1 and SECRET not in caplog.text


# --- the text that is stored

DIALECTS = st.builds(
    Dialect,
    way=st.sampled_from(["strict", "plain", "json_object", "text"]),
    limit=st.sampled_from(["max_tokens", "max_completion_tokens", ""]),
    temperature=st.booleans(),
    seed=st.booleans(),
    usage=st.booleans(),
    system=st.booleans(),
    thinks_aloud=st.booleans(),
)


@given(DIALECTS)
def test_what_is_stored_is_read_back(dialect: Dialect) -> None:
    assert from_text(as_text(dialect)) == dialect


@given(st.text())
def test_no_text_stops_the_reading(text: str) -> None:
    assert from_text(text) in (None, Dialect())


@settings(max_examples=200)
@given(st.floats(0, 4e9), st.floats(allow_nan=True, allow_infinity=True))
def test_nothing_is_believed_longer_than_it_is_kept(now: float, until: float) -> None:
    dialects = Dialects([Learnt(model="m", dialect=PLAIN, until=until)], clock=lambda: now)
    assert (dialects.of("m") == PLAIN) is (now < until <= now + KEPT_SECONDS)

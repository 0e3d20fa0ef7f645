"""The whole of Weft on PostgreSQL: asked, ingested, carried over from files, copied and put back, looked into."""

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from agent.types import Memory, MessageKind, Overlap, ProducedFile, Rating, Reason, ReasonKind
from bot.app import open_engine
from bot.cli import main
from bot.settings import Settings
from bot.stores import open_installations
from storage.contracts import Place
from storage.postgres.database import connect
from storage.postgres.failures import place_of
from storage.postgres.files import SharedFiles
from storage.postgres.transfer import MADE_AGAIN, TABLES
from storage.ratings import SqlRatings
from storage.vectors import VectorFile
from tests.contracts.files import FilesContract
from tests.contracts.schedules import standing
from tests.databases import another
from tests.fakes import RecordingAdapter, incoming


class TestSharedFiles(FilesContract):
    @pytest.fixture
    def files(self, postgres_database, tmp_path):
        return SharedFiles(postgres_database, tmp_path / "files")


async def test_files_come_to_the_machine_that_delivers_them_and_go_with_their_turn(postgres_database, tmp_path):
    async with another(postgres_database) as elsewhere:
        here, there = SharedFiles(postgres_database, tmp_path / "a"), SharedFiles(elsewhere, tmp_path / "b")
        made = await here.keep("t1", "chart.png", "image/png", b"bytes")
        gone = ProducedFile(name="gone.md", media_type="text/markdown", path="/a/gone.md", text="")
        found = await there.here("t1", (made, gone))
        assert found[0].path == str(tmp_path / "b" / "t1" / "chart.png") and found[1] == gone
        assert (tmp_path / "b" / "t1" / "chart.png").read_bytes() == b"bytes"
        assert await there.prune(older_than=1.0) == 0
        assert await there.prune(older_than=9e18) == 1
        assert (await there.here("t1", (made,)))[0] == made
        await here.keep("t2", "x.md", "text/markdown", b"x")
        await there.forget("t2")
        assert (await there.here("t2", (made,)))[0] == made


def weft(*arguments, **settings):
    return CliRunner().invoke(main, arguments, env=settings, catch_exceptions=False)


@pytest.fixture
def run(tmp_path, monkeypatch, sampled):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, url="", data="data": asyncio.to_thread(
        weft, *arguments, WEFT_DATABASE_URL=url, WEFT_DATA=str(tmp_path / data)
    )


async def ask(settings, text, number):
    async with open_engine(settings) as engine:
        adapter = RecordingAdapter()
        task = asyncio.create_task(engine.worker([adapter]).run())
        message = incoming(text=text, message_id=f"m{number}", kind=MessageKind.DIRECT, private=True)
        await engine.conversation.accept(message)
        async with asyncio.timeout(60):
            while (counts := await engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return await engine.turns.get(message.turn_id)


async def test_what_is_ingested_on_one_machine_is_answered_on_another(run, postgres_url, tmp_path):
    (tmp_path / "rota.md").write_text("# The canteen\n\nThe canteen opens at eleven o'clock.\n")
    done = await run("ingest", "rota.md", url=postgres_url, data="a")
    assert done.exit_code == 0 and "1 added" in done.output
    found = await run("search", "canteen", "--json", url=postgres_url, data="b")
    lite = await run("ingest", "rota.md", data="c"), await run("search", "canteen", "--json", data="c")
    hits = [
        [(hit["document_id"], hit["score"]) for hit in json.loads(each.output)["hits"]] for each in (found, lite[1])
    ]
    assert hits[0] == hits[1] != []
    settings = Settings.load(data=tmp_path / "b", database_url=postgres_url)
    first = await ask(settings, "When does the canteen open?", 1)
    assert "eleven" in first.response.answer
    again = await ask(Settings.load(data=tmp_path / "d", database_url=postgres_url), "And the canteen, when?", 2)
    assert again.thread == first.thread and "eleven" in again.response.answer


PLACE = Place(platform="slack", workspace="T1", channel="C1")


async def test_an_installation_of_files_is_carried_over_whole(run, postgres, tmp_path):
    name = postgres.empty()
    url = postgres.url(name)
    (tmp_path / "rota.md").write_text("# The canteen\n\nThe canteen opens at eleven o'clock.\n")
    await run("ingest", "rota.md")
    files = Settings.load(data=tmp_path / "data")
    before = await ask(files, "When does the canteen open?", 1)
    async with open_engine(files) as engine:
        memory = Memory(turn_id="t", question="q", answer="a", evidence=(), at=1.0)
        await engine.profiles.keep("slack:W:U", "handbook", memory)
        await engine.files.keep("t", "a.md", "text/markdown", b"made")
        gone, entry = await engine.schedules.put(standing()), await engine.schedules.put(standing())
        last = await engine.schedules.put(standing())
        await engine.schedules.remove(last.id)
        await engine.schedules.remove(gone.id)
        await engine.profiles.fill("slack:W:U", "handbook", {"places": ["Bonn", "Kiel"]})
        await engine.modes.set_overlap(PLACE, Overlap.BURST)
        await engine.channel_packs.set(PLACE, "handbook")
        disliked = Rating(user="U", helpful=False, at=2.0, reason=Reason(kind=ReasonKind.OTHER, text="old"))
        await SqlRatings(engine.database).put(before.response.turn_id, disliked)
        ids = await engine.library.ids()
    async with open_installations(files) as installations:
        await installations.put("", "T1", "token")
    vectors = VectorFile(tmp_path / "data" / "vectors.faiss", embedding="e")
    await vectors.add(ids, np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (len(ids), 1)))
    await vectors.save()
    await vectors.close()

    refused = await run("migrate")
    assert refused.exit_code == 2 and "WEFT_DATABASE_URL is not set" in refused.output
    done = await run("migrate", "--from", "data", url=url, data="other")
    assert done.exit_code == 0, done.output
    assert f"{len(ids)} passages" in done.output and f"{len(ids)} vectors" in done.output
    assert "1 conversations" in done.output and "1 files" in done.output
    twice = await run("migrate", "--from", "data", url=url, data="other")
    assert twice.exit_code == 2 and "holds data already" in twice.output

    settings = Settings.load(data=tmp_path / "other", database_url=url)
    async with open_engine(settings) as engine:
        assert (await engine.turns.get(before.response.turn_id)).response == before.response
        assert await engine.profiles.memories("slack:W:U", "handbook", "", k=1) == [memory]
        assert (await engine.library.ids()).tolist() == ids.tolist()
        assert await engine.schedules.all() == [entry]
        assert (await engine.profiles.load("slack:W:U", "handbook")).slots == {"places": ["Bonn", "Kiel"]}
        assert await engine.modes.overlap_of(PLACE) is Overlap.BURST
        assert await engine.channel_packs.pack_of(PLACE) == "handbook"
        assert await SqlRatings(engine.database).of(before.response.turn_id) == [disliked]
        new = await engine.schedules.put(standing())
        assert new.id == last.id + 1  # a number is never given again
        await engine.schedules.remove(new.id)
        (made,) = await engine.files.here("t", (ProducedFile(name="a.md", media_type="", path="", text=""),))
        assert await asyncio.to_thread(Path(made.path).read_bytes) == b"made"
    async with open_installations(settings) as installations:
        assert await installations.get("", "T1") == "token"
    follow = await ask(settings, "And the canteen?", 2)
    assert "eleven" in follow.response.answer

    copy = await run("backup", "all.tgz", url=url)
    assert copy.exit_code == 0, copy.output
    second = postgres.empty()
    unready = await run("restore", "all.tgz", url=postgres.url(second))
    assert unready.exit_code == 2 and "run `weft migrate`" in unready.output
    await run("migrate", url=postgres.url(second))
    back = await run("restore", "all.tgz", url=postgres.url(second))
    assert back.exit_code == 0, back.output
    for table in (*TABLES, "entities", "vectors_1"):
        assert content(url, table) == content(postgres.url(second), table), table
    assert content(postgres.url(second), "installations") == []  # tokens are no part of a backup
    (tmp_path / "late.md").write_text("# The garage\n\nThe garage opens at five.\n")
    late = await run("ingest", "late.md", url=postgres.url(second))
    assert late.exit_code == 0 and "1 added" in late.output
    full = await run("restore", "all.tgz", url=postgres.url(second))
    assert full.exit_code == 2 and "holds data already" in full.output
    (tmp_path / "half.tgz").write_bytes((tmp_path / "all.tgz").read_bytes()[:2000])
    broken = await run("restore", "half.tgz", url=postgres.url(second))
    assert broken.exit_code == 2 and "no whole backup" in broken.output
    postgres.drop(name)
    postgres.drop(second)


def content(url, table):
    with connect(url, place_of(url)) as connection:
        connection.execute("SET weft.operator = 'on'")
        return sorted(map(repr, connection.execute(f"SELECT * FROM {table}".encode()).fetchall()))


def test_every_table_is_copied_or_made_again(postgres_url):
    with connect(postgres_url, place_of(postgres_url)) as connection:
        query = (
            "SELECT table_name FROM information_schema.tables WHERE table_schema='public' AND table_type='BASE TABLE'"
        )
        tables = {name for (name,) in connection.execute(query).fetchall()}
    assert tables == {*TABLES, *MADE_AGAIN}


async def test_the_doctor_looks_into_the_database(run, postgres_url):
    well = await run("doctor", "--json", url=postgres_url)
    checks = {check["name"]: check for check in json.loads(well.output)["checks"]}
    assert checks["database"]["status"] == "ok" and checks["inbox"]["detail"] == "0 messages wait"
    wrong = await run("doctor", "--json", url=postgres_url.replace("loopback", "guess"))
    checks = {check["name"]: check for check in json.loads(wrong.output)["checks"]}
    assert checks["database"]["status"] == "problem" and checks["database"]["advice"] == "correct WEFT_DATABASE_URL"


@pytest.mark.parametrize(
    ("url", "said"), [("mysql://a@b/c", "write postgresql://"), ("postgresql://a:b@[", "write postgresql://")]
)
async def test_what_is_no_address_is_told(run, url, said):
    refused = await run("ask", "x", url=url)
    assert refused.exit_code == 2 and said in refused.output and refused.output.count("\n") == 1

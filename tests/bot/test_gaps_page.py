"""The page of gaps: behind the guard, without direct messages, and with no title that the playground may not read."""

import time
from dataclasses import replace

import httpx
import pytest

from agent.types import Rating, Reason, ReasonKind
from bot.app import open_engine
from bot.processes.gaps_page import gaps_route
from bot.processes.web import create_web
from bot.settings import Settings
from storage.ingest.run import ingest
from storage.ratings import SqlRatings
from tests.storage.turns import stored

TOKEN = "a-long-secret-of-ours"


@pytest.fixture
async def page(tmp_path, monkeypatch, sampled):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Travel.md").write_text("# Travel\n\nTrips are booked by the desk.")
    (tmp_path / "Layoffs.md").write_text("# Layoffs\n\nThe plan for spring.")
    async with open_engine(Settings.load(data=sampled)) as engine:
        await engine.library.declare("open")
        assert await engine.access.create("closed", ["group:hr"])
        await ingest([tmp_path / "Travel.md"], library=engine.library, collection="open")
        await ingest([tmp_path / "Layoffs.md"], library=engine.library, collection="closed")
        now = time.time()
        for name, question, thread in (
            ("t1", "Where is the <b>yacht</b>?", "slack:T1:C1:1.1"),
            ("t2", "Am I pregnant?", "slack:T1:D1:1.1"),
            ("t3", "May I be fired?", "discord:%40me:9:9"),
        ):
            turn = stored(
                name,
                at=now,
                response_type="not_found",
                standalone_query=question,
                nearest=("Travel", "Layoffs"),
            )
            await engine.turns.put(replace(turn, thread=thread))
        why = Reason(kind=ReasonKind.OUTDATED, text="<script>it sank\x1b[31m</script>")
        await SqlRatings(engine.database).put("t1", Rating(user="U1", helpful=False, at=now + 1, reason=why))
        app = create_web(routes=[gaps_route(engine.database)], token=TOKEN)
        transport = httpx.ASGITransport(app=app, client=("192.0.2.7", 5))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client


async def test_it_is_for_those_with_the_token(page):
    assert (await page.get("/gaps")).status_code == 401
    assert (await page.get("/gaps", headers={"Authorization": f"Bearer {TOKEN}"})).status_code == 200


@pytest.mark.parametrize(("locale", "why"), [("en", "It is out of date"), ("ko-KR,en", "오래된 내용이에요")])
async def test_it_shows_question_documents_and_reasons_and_nothing_that_is_not_for_all(page, locale, why):
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept-Language": locale}
    shown = (await page.get("/gaps?days=7", headers=headers)).text
    assert "Where is the &lt;b&gt;yacht&lt;/b&gt;?" in shown and "&lt;script&gt;it sank" in shown
    assert why in shown and "Travel" in shown and "<script" not in shown and "2" in shown
    assert "\x1b" not in shown
    for kept in ("Layoffs", "pregnant", "fired", "U1"):
        assert kept not in shown


async def test_an_odd_number_of_days_is_the_usual_one(page):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for days in ("", "x", "-1", "99999999999999999999"):
        assert "<b>30</b>" in (await page.get("/gaps", params={"days": days}, headers=headers)).text


async def test_where_there_is_none_it_says_so_and_shows_no_list(database):
    transport = httpx.ASGITransport(app=create_web(routes=[gaps_route(database)]), client=("127.0.0.1", 5))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        shown = (await client.get("/gaps")).text
    assert "every question had an answer" in shown and "<ol" not in shown

"""Guesses of the playground's token, and log lines that strangers cause."""

import logging

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bot.processes.logs import SPARED, Lines, Sparing
from bot.processes.token_guesses import Guesses
from bot.processes.web import create_web
from bot.settings import Settings
from tests.bot.test_connections import Clock

ADDRESS = "http://127.0.0.1:8080"


def browser(app, host: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app, client=(host, 1)), base_url=ADDRESS)


async def guess(client: httpx.AsyncClient, token: str) -> int:
    return (await client.get("/api/x", headers={"Authorization": f"Bearer {token}"})).status_code


def protected():
    async def hello(request):
        return PlainTextResponse("hello")

    return create_web(routes=[Route("/", hello), Route("/api/x", hello)], token="right")


async def test_who_guesses_on_is_refused_even_when_right_and_others_are_not():
    app = protected()
    async with browser(app, "203.0.113.9") as guessing, browser(app, "203.0.113.10") as other:
        assert [await guess(guessing, f"wrong{n}") for n in range(10)] == [401] * 10
        refused = await guessing.get("/", params={"token": "right"})
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["Retry-After"]) <= 6
        assert await guess(guessing, "right") == 429
        assert await guess(other, "right") == 200


async def test_who_is_signed_in_is_not_kept_out_by_guesses_from_the_same_address():
    app = protected()
    async with browser(app, "203.0.113.9") as known, browser(app, "203.0.113.9") as guessing:
        assert (await known.get("/", params={"token": "right"})).status_code == 303
        assert [await guess(guessing, "wrong") for _ in range(12)][-1] == 429
        assert (await known.get("/api/x")).status_code == 200


async def test_no_token_at_all_is_no_guess():
    async with browser(protected(), "203.0.113.9") as client:
        assert {(await client.get("/api/x")).status_code for _ in range(30)} == {401}
        assert await guess(client, "right") == 200


def test_guesses_come_back_one_by_one():
    clock = Clock()
    guesses = Guesses(most=2, every=5.0, clock=clock)
    guesses.wrong("a")
    assert guesses.wait("a") == 0
    guesses.wrong("a")
    assert guesses.wait("a") == 5.0
    assert guesses.wait("b") == 0
    clock.now += 5.0
    assert guesses.wait("a") == 0
    guesses.wrong("a")
    assert guesses.wait("a") == 5.0


def test_only_so_many_callers_are_remembered():
    guesses = Guesses(most=1, clock=Clock())
    for number in range(20_000):
        guesses.wrong(str(number))
    assert len(guesses._free_at) == 10_000
    assert guesses.wait("19999") > 0


def test_what_strangers_cause_is_logged_a_few_times_a_minute_and_counted():
    clock, lines = Clock(), []
    sparing = Sparing(clock)

    def logged(action: str, words: str = "refused: %s") -> None:
        record = logging.LogRecord("x", logging.WARNING, "", 0, words, ("100%",), None)
        record.action = action
        if sparing.filter(record):
            lines.append(Lines("%(message)s").format(record))

    for _ in range(SPARED + 7):
        logged("web_refused")
        logged("turn_failed")
    assert sum("web_refused" in line for line in lines) == SPARED
    assert sum("turn_failed" in line for line in lines) == SPARED + 7
    clock.now += 60
    logged("web_refused")
    assert lines[-1] == "refused: 100% (7 more such lines were left out) [action=web_refused]"
    logged("web_refused")
    assert "left out" not in lines[-1]


def test_trusted_proxies_are_addresses_and_networks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WEFT_TRUSTED_PROXIES", "10.0.0.5, 172.16.0.9/12, fd00::/8")
    assert Settings.load().trusted_proxies == ("10.0.0.5/32", "172.16.0.0/12", "fd00::/8")
    monkeypatch.setenv("WEFT_TRUSTED_PROXIES", "nginx")
    with pytest.raises(Exception, match=r"WEFT_TRUSTED_PROXIES.*'nginx'.*10\.0\.0\.5"):
        Settings.load()

"""Tavily's search over a real socket: the contract, and whatever the service may answer."""

import asyncio
import gzip
import json
import logging
import time
from email.utils import formatdate

import pytest

from adapters.services.tavily import TavilySearch, wrong_address
from agent.errors import WebSearchError
from tests.contracts.web_search import WebSearchContract
from tests.fakes_web import MemoryWeb
from tests.servers.tavily import Cut, Endless, Hang, Raw, TavilyServer, result


@pytest.fixture
async def server():
    async with TavilyServer([result("https://example.org/a", "A", "What a is.")]) as running:
        yield running


@pytest.fixture
async def make(server):
    opened: list[TavilySearch] = []

    def make(**options) -> TavilySearch:
        opened.append(
            TavilySearch(options.pop("key", server.key), **{"base_url": server.url, "timeout": 60, **options})
        )
        return opened[-1]

    yield make
    for search in opened:
        await search.aclose()


class TestTavilySearch(WebSearchContract):
    @pytest.fixture
    def make(self, make, server):
        async def made(pages):
            server.results = [result(p.url, p.title, p.text, p.score) for p in pages or ()]
            if pages is None:
                server.script.append(400)
            return make()

        return made


class TestMemoryWeb(WebSearchContract):
    @pytest.fixture
    def make(self):
        async def made(pages):
            return MemoryWeb(pages)

        return made


class Pauses(list):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


async def refusal(search: TavilySearch) -> str:
    with pytest.raises(WebSearchError) as caught:
        await search.search("secret question", k=3)
    words = str(caught.value)
    assert "tvly" not in words and "secret question" not in words and caught.value.__cause__ is None
    return words


async def test_it_asks_as_the_service_wants_to_be_asked(server, make):
    await make(search_depth="advanced").search(" How\nlong \u200b is a marathon? ", k=30)
    (asked,) = server.asked
    expected = {"query": "How long is a marathon?", "search_depth": "advanced", "max_results": 20}
    assert asked.body == expected and asked.headers["Authorization"] == f"Bearer {server.key}"
    assert asked.headers["Accept-Encoding"] == "identity"


async def test_a_long_question_is_cut_between_words(server, make):
    assert await make().search("word " * 200, k=1)
    assert await make().search("가" * 900, k=1)
    assert [len(asked.body["query"]) for asked in server.asked] == [399, 400]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "TAVILY_API_KEY"),
        (403, "TAVILY_API_KEY"),
        (404, "TAVILY_BASE_URL"),
        (432, "plan's limit"),
        (433, "pay-as-you-go"),
        (400, "does not take the question"),
        (422, "does not take the question"),
        (302, "redirects"),
        (204, "does not take"),
    ],
)
async def test_a_refusal_says_what_to_do_and_is_not_tried_again(server, make, status, words):
    server.script.append(Raw(status=status, headers={"Location": "http://127.0.0.1:1/"}))
    assert words in await refusal(make())
    assert len(server.asked) == 1


async def test_a_wrong_key_is_said_to_be_wrong_whatever_it_is(make):
    assert "TAVILY_API_KEY" in await refusal(make(key="tvly-wrong"))
    assert "TAVILY_API_KEY" in await refusal(make(key="tvly-é"))


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_service_is_asked_once_more(server, make, status):
    pauses = Pauses()
    server.script.append(status)
    assert len(await make(sleep=pauses).search("vpn", k=1)) == 1
    assert pauses == [0.5] and len(server.asked) == 2


async def test_twice_busy_is_an_error(server, make):
    server.script.extend([500, 429, 500])
    assert "too often" in await refusal(make(sleep=Pauses()))
    assert len(server.asked) == 2


@pytest.mark.parametrize("told", ["2", "a date"])
async def test_it_waits_as_long_as_it_is_told(server, make, told):
    pauses = Pauses()
    when = formatdate(time.time() + 4, usegmt=True) if told == "a date" else told
    server.script.append(Raw(status=429, headers={"Retry-After": when}))
    assert await make(sleep=pauses).search("vpn", k=1)
    assert 0 < pauses[0] <= 4


@pytest.mark.parametrize("told", ["60", "1e400", "-1", "soon"])
async def test_it_waits_no_longer_than_it_has(server, make, told):
    pauses = Pauses()
    server.script.extend([Raw(status=429, headers={"Retry-After": told})] * 2)
    await refusal(make(sleep=pauses))
    assert pauses == ([] if told == "60" else [0.5])


async def test_no_answer_is_given_up(server, make):
    server.script.append(Hang())
    assert "in time" in await refusal(make(timeout=0.2))


async def test_an_endless_answer_is_given_up(server, make):
    server.script.append(Endless())
    assert "more than" in await refusal(make())
    assert server.sent < 40_000_000


async def test_what_is_packed_is_not_unpacked(server, make):
    body = gzip.compress(b" " * 50_000_000)
    server.script.append(Raw(body=body, headers={"Content-Encoding": "gzip"}))
    assert "compressed" in await refusal(make())


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[" * 100_000, b"[]", b"null", b'{"results": {}}', b'{"result": []}', b"\xff\xfe"],
)
async def test_nonsense_is_an_error(server, make, body):
    server.script.append(Raw(body=body))
    assert "sent something" in await refusal(make())


async def test_a_lost_connection_is_an_error(server, make):
    server.script.append(Cut())
    assert "could not be reached" in await refusal(make())


async def test_nobody_there_is_an_error(make):
    assert "could not be reached" in await refusal(make(base_url="http://127.0.0.1:9"))


async def test_results_that_are_none_are_left_out(server, make):
    good = result("https://example.org/good", None, "Text.", None)
    wrong = [None, 7, {}, {"url": 3}, {"url": "https://example.org/empty"}, {**good, "url": "https://u:p@example.org/"}]
    nan = json.dumps({"results": [*wrong, {**good, "score": float("nan")}]}).encode()
    server.script.append(Raw(body=nan))
    (found,) = await make().search("vpn", k=9)
    assert (found.url, found.title, found.score) == ("https://example.org/good", "example.org", 0.0)


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2025-03-01T10:00:00Z", "2025-03-01"),
        ("Sat, 01 Mar 2025 10:00:00 GMT", "2025-03-01"),
        ("last week", ""),
        (None, ""),
    ],
)
async def test_a_date_is_told_as_a_day(server, make, written, day):
    server.results = [result("https://example.org/a", "A", published_date=written)]
    (found,) = await make().search("vpn", k=1)
    assert found.date == day


async def test_neither_key_nor_question_is_logged(server, make, caplog):
    caplog.set_level(logging.DEBUG)
    server.script.append(500)
    await make(sleep=Pauses()).search("secret question", k=1)
    assert server.key not in caplog.text and "secret question" not in caplog.text
    assert not [record for record in caplog.records if record.name.startswith(("httpx", "httpcore"))]


@pytest.mark.parametrize(
    ("address", "fine"),
    [
        ("https://api.tavily.com", True),
        ("https://proxy.example.org/tavily/", True),
        ("http://127.0.0.1:8000", True),
        ("http://search:8000", True),
        ("http://10.0.0.4/t", True),
        ("http://api.tavily.com", False),
        ("ftp://api.tavily.com", False),
        ("api.tavily.com", False),
        ("https://u:p@api.tavily.com", False),
        ("https://api.tavily.com/?k=v", False),
        ("https://[", False),
        ("https://a:b/", False),
        ("", False),
    ],
)
def test_an_address_where_the_key_would_be_read_is_refused(address, fine):
    assert bool(wrong_address(address)) is not fine
    if not fine:
        with pytest.raises(WebSearchError, match="TAVILY_BASE_URL"):
            TavilySearch("tvly-x", base_url=address)


async def test_a_search_that_is_cancelled_leaves_nothing(server, make):
    server.script.append(Hang())
    task = asyncio.create_task(make().search("vpn", k=1))
    while not server.asked:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

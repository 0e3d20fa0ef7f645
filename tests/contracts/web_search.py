"""What every search of the web does (`agent.ports.WebSearch`).

A test class inherits `WebSearchContract` and gives a fixture `make`: `await make(pages)` returns a search
that finds these pages, best first, whatever is asked.
"""

import unicodedata

import pytest

from agent.errors import WebSearchError
from agent.types import WebPage


def page(number: int, text: str = "Some text.", **fields) -> WebPage:
    values = {"url": f"https://example.org/{number}", "title": f"Page {number}", "score": 1 - number / 100, **fields}
    return WebPage(text=text, **values)


class WebSearchContract:
    async def test_pages_come_best_first_and_at_most_k(self, make):
        search = await make([page(n) for n in range(1, 8)])
        found = await search.search("vpn setup", k=3)
        assert [each.url for each in found] == [f"https://example.org/{n}" for n in (1, 2, 3)]
        assert found[0].title == "Page 1" and found[0].text == "Some text."

    async def test_nothing_is_asked_for_nothing(self, make):
        search = await make([page(1)])
        assert list(await search.search("vpn", k=0)) == []
        assert list(await search.search("  ", k=3)) == []

    async def test_nothing_found_is_no_error(self, make):
        assert list(await (await make([])).search("vpn", k=3)) == []

    async def test_a_page_comes_once(self, make):
        search = await make([page(1), page(2, url="https://example.org/1"), page(3, url="https://example.org/1#part")])
        assert [each.url for each in await search.search("vpn", k=5)] == ["https://example.org/1"]

    async def test_only_addresses_that_a_person_can_open_come_back(self, make):
        wrong = ("", "javascript:alert(1)", "file:///etc/passwd", "//example.org", "https://", "https://a b.org/")
        search = await make([page(n, url=url) for n, url in enumerate(wrong, start=2)] + [page(1)])
        assert [each.url for each in await search.search("vpn", k=9)] == ["https://example.org/1"]

    async def test_what_is_not_to_be_seen_is_taken_out(self, make):
        hidden = "\u202e\u200b\U000e0041\x1b[31m\x00\ufe0f\u3164"
        search = await make([page(1, f"First{hidden} line.\r\n\r\nSecond\tline.", title=f"Ti{hidden}tle\nmore")])
        (found,) = await search.search("vpn", k=1)
        assert found.text == "First[31m line.\n\nSecond line." and found.title == "Ti[31mtle more"
        assert not any(unicodedata.category(c) in ("Cf", "Cs", "Co") for c in found.text + found.title)

    async def test_a_text_has_a_bound_and_an_empty_page_is_none(self, make):
        search = await make([page(1, "word " * 100_000), page(2, " \u200b ")])
        found = await search.search("vpn", k=5)
        assert [each.url for each in found] == ["https://example.org/1"] and 1_000 < len(found[0].text) < 20_000

    async def test_several_searches_run_side_by_side(self, make):
        import asyncio

        search = await make([page(1)])
        found = await asyncio.gather(*(search.search(f"vpn {n}", k=1) for n in range(8)))
        assert all(len(each) == 1 for each in found)

    async def test_what_fails_says_so_as_one_error(self, make):
        search = await make(None)
        with pytest.raises(WebSearchError) as caught:
            await search.search("vpn", k=1)
        assert str(caught.value).endswith(".")

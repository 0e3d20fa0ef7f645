"""Pages of the web as passages: merged, cut, ranked; and what never leaves this machine."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import WebSearchError
from agent.teams.web import impersonal, pieces, web_hits
from agent.types import WEB, Query, WebPage
from tests.clock import sleep_through
from tests.contracts.web_search import page
from tests.fakes_web import MemoryWeb


async def hits(search, *texts, k=5, timeout=5.0, first_id=-1, language="en"):
    queries = [Query(text=text) for text in texts]
    return await web_hits(search, queries, k=k, language=language, timeout=timeout, first_id=first_id)


async def test_pages_become_passages_that_can_be_cited():
    search = MemoryWeb([page(1, "Alpha is first.", date="2025-03-01"), page(2, "둘째 쪽입니다.")])
    found = await hits(search, "alpha", first_id=-7)
    assert [hit.rank for hit in found] == [1, 2] and found[0].score > found[1].score
    first = found[0].passage
    assert (first.collection, first.document_id, first.source) == (
        WEB,
        "https://example.org/1",
        "https://example.org/1",
    )
    assert (first.title, first.date, first.reference) == ("Page 1", "2025-03-01", "web\thttps://example.org/1#0")
    assert [hit.passage.id for hit in found] == [-7, -8] and found[1].passage.language == "ko"


async def test_a_long_page_is_cut_and_the_piece_with_the_answer_stands_first():
    text = "\n\n".join(f"Paragraph {n} speaks of other things at some length. " * 10 for n in range(8))
    answer = "The marathon is 42.195 kilometres long."
    found = await hits(MemoryWeb([page(1, f"{text[:3000]}\n\n{answer}")]), "how long is the marathon")
    assert answer in found[0].passage.text and len(found) > 1
    assert all(len(hit.passage.text) <= 1500 for hit in found)
    assert len({hit.passage.id for hit in found}) == len(found) and all(hit.passage.id < 0 for hit in found)
    assert len({hit.passage.public_id for hit in found}) == len(found)
    assert len({hit.passage.document for hit in found}) == 1


async def test_what_several_queries_find_is_merged():
    search = MemoryWeb(by_query={"a": [page(1), page(2)], "b": [page(3), page(2)]})
    found = await hits(search, "a", "b", "a", k=2)
    assert found[0].passage.document_id == "https://example.org/2" and len(found) == 2
    assert sorted(search.asked) == ["a", "b"]


async def test_one_query_that_fails_does_not_cost_the_others():
    search = MemoryWeb(by_query={"a": [page(1)], "b": None})
    assert len(await hits(search, "a", "b")) == 1
    with pytest.raises(WebSearchError):
        await hits(MemoryWeb(None), "a", "b")


HOURS = 36_000.0


class Slow:
    def __init__(self) -> None:
        self.cancelled = 0
        self.answered = asyncio.Event()

    async def search(self, query: str, *, k: int) -> list[WebPage]:
        if query == "fast":
            self.answered.set()
            return [page(1)]
        try:
            await self.answered.wait()
            for _ in range(20):  # until that answer is heard
                await asyncio.sleep(0)
            await sleep_through(HOURS)
        finally:
            self.cancelled += 1
        return []


async def test_what_takes_too_long_is_left_out_and_let_go():
    slow = Slow()
    assert len(await hits(slow, "fast", "slow", timeout=HOURS - 60)) == 1 and slow.cancelled == 1
    with pytest.raises(WebSearchError, match="in time"):
        await hits(slow, "slow", timeout=HOURS - 60)
    assert slow.cancelled == 2


async def test_nothing_is_asked_where_nothing_is_left_of_the_question():
    search = MemoryWeb([page(1)])
    assert await hits(search, "kim@example.org", "<@U012ABCDEF>") == () == await hits(search, "a", k=0)
    assert search.asked == []


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("mail jin.kim+x@mail.example.co.kr about VAT", "mail about VAT"),
        ("call 010-1234-5678 or +82 10 1234 5678 now", "call or now"),
        ("01012345678 (02) 123-4567 555-123-4567 (555) 123-4567 020 7946 0958", ""),
        ("is <@U012ABCDEF> or <@!123456789012345678> or <#C0123|general> in", "is or or in"),
        ("ask U012ABCDEF in C9ABCDEFGH of T01234567", "ask in of"),
        ("who is 123456789012345678", "who is"),
        ("ask @지민 or @jin.kim about it", "ask or about it"),
        ("ask <@U012ABCDEF|jin> about it", "ask about it"),
        ("2026-11-21 부터 20일, 1,000,000원, ISO 27001, python 3.11.4, 8080, 1234567890123", None),
        ("npm install @types/node and C++ versus C#", None),
        ("EBITDA of CONTOSO in Q3 2025 and UNITEDSTATES", None),
    ],
)
def test_what_names_a_person_is_not_sent(written, sent):
    assert impersonal(written) == (written if sent is None else sent)


@given(st.text(alphabet=st.sampled_from("ab .\n가!?"), max_size=400), st.integers(1, 60))
def test_pieces_are_slices_in_order_and_lose_no_word(text, most):
    place = 0
    cut = list(pieces(text, most))
    assert all(piece and len(piece) <= most for piece in cut)
    for piece in cut:
        place = text.index(piece, place) + len(piece)
    assert "".join("".join(cut).split()) == "".join(text.split())

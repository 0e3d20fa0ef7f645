"""Pages of the web as passages: merged, cut, ranked; and what never leaves this machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import WebSearchError
from agent.teams.web import impersonal, pieces, web_hits
from agent.types import WEB, WebPage
from tests.clock import sleep_through
from tests.contracts.web_search import page
from tests.fakes_web import MemoryWeb


async def hits(search, text, k=5, timeout=5.0, first_id=-1, language="en"):
    return await web_hits(search, text, k=k, language=language, timeout=timeout, first_id=first_id)


async def test_pages_become_passages_that_can_be_cited():
    search = MemoryWeb([page(1, "Alpha is first.", date="2025-03-01"), page(2, "둘째 쪽입니다.")])
    found = await hits(search, "alpha", first_id=-7)
    assert len(found) == 2 and found[0].score > found[1].score
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


async def test_a_page_that_is_found_twice_is_told_once():
    found = await hits(MemoryWeb([page(1), page(2), page(1), page(3)]), "a", k=2)
    assert [hit.passage.document_id for hit in found] == ["https://example.org/1", "https://example.org/2"]


async def test_what_takes_too_long_is_let_go():
    let_go = []

    class Slow:
        async def search(self, query: str, *, k: int) -> list[WebPage]:
            try:
                await sleep_through(36_000.0)
            finally:
                let_go.append(query)
            return []

    with pytest.raises(WebSearchError, match="in time"):
        await hits(Slow(), "slow", timeout=35_940.0)
    assert let_go == ["slow"]


async def test_nothing_is_asked_where_nothing_is_left_of_the_question():
    search = MemoryWeb([page(1)])
    assert await hits(search, "kim@example.org <@U012ABCDEF>") == ()
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

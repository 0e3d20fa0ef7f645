"""A library in two languages: what is in the other one is found by its own words, and told where it is likelier."""

from dataclasses import replace

import pytest

from agent.retrieval.pack import pack
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, Hit, Passage, Query, SearchFilter, SearchRequest, WeightedTerm
from tests.agent.test_routes_taken import Talk
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))


def passage(number: int, name: str, title: str, text: str, language: str) -> Passage:
    return Passage(
        id=number, document_id=name, collection="c", title=title, section=title, text=text, language=language,
        source=f"/{name}",
    )  # fmt: skip


MOORINGS = passage(1, "moorings.md", "Moorings", "A mooring for a small boat costs 410 crowns a year.", "en")
FUEL = passage(2, "fuel.md", "Fuel", "Fuel for the motor boat is bought at the eastern pier with the club card.", "en")
KEYS = passage(3, "열쇠.md", "창고 열쇠", "창고 열쇠는 관리인에게 서명하고 받는다.", "ko")
GUESTS = passage(4, "손님.md", "손님", "손님은 회원과 함께 배를 탈 수 있다.", "ko")
LIBRARY = (MOORINGS, FUEL, KEYS, GUESTS)


def talk(*passages: Passage) -> Talk:
    return Talk(library=MemoryLibrary(passages or LIBRARY), self_refine_enabled=False)


@pytest.mark.parametrize(
    ("question", "told", "source"),
    [
        ("창고 열쇠는 누구한테 받아?", "관리인에게", "열쇠.md"),
        ("보트 연료는 어디서 사?", "eastern pier", "fuel.md"),
        ("where do i get the key of the warehouse?", "관리인에게", "열쇠.md"),
        ("how much is a mooring for a small boat?", "410", "moorings.md"),
    ],
)
async def test_each_question_is_answered_from_either_language(question, told, source):
    response = await talk().say(question)
    assert told in response.answer.partition("[1]")[0] and response.citations[0].document_id == source


async def test_what_is_surely_told_in_the_own_language_is_told_alone():
    own = passage(5, "연료.md", "배 연료", "배 연료는 서쪽 창고에서 회원 카드로 산다.", "ko")
    response = await talk(*LIBRARY, own).say("배 연료는 어디서 사?")
    assert response.response_type == "answer" and "서쪽 창고" in response.answer and "pier" not in response.answer


async def test_a_word_that_the_other_language_has_is_not_said_to_be_mentioned_nowhere():
    response = await talk().say("보트 연료?")
    assert "eastern pier" in response.answer and "나오지 않는 말" not in response.answer


def request(**more) -> SearchRequest:
    abroad = Query(text="fuel", terms=(WeightedTerm(text="boat", weight=0.7),))
    return SearchRequest(queries=(Query(text="배 연료 손님"),), language="ko", abroad=abroad, **more)


async def found(*passages: Passage, **more) -> list[Hit]:
    library = MemoryLibrary(passages)
    base = KnowledgeBase(lexical=library, passages=library)
    return list((await base.search(request(**more), EVERYBODY)).hits)


async def test_what_only_the_other_languages_words_find_comes_behind_the_rest():
    hits = await found(*LIBRARY)
    assert [hit.passage.id for hit in hits if not hit.only_abroad] == [4]
    abroad = [hit for hit in hits if hit.only_abroad]
    assert [hit.passage.id for hit in abroad] == [2, 1] == [hit.passage.id for hit in hits[1:]]
    assert all(hit.abroad and hit.abroad[0] > 0 and hit.score == 0 == hit.words for hit in abroad)


async def test_what_both_find_keeps_its_place_and_has_both_scores():
    both = passage(6, "연료-list.md", "배 연료 list", "Fuel for each boat: 연료 목록.", "en")
    first = (await found(*LIBRARY, both))[0]
    assert first.passage == both and first.score > 0 and first.abroad is not None and not first.only_abroad


async def test_a_translation_of_what_was_found_is_not_told_beside_it():
    names = [("ko/fuel.md", "en/fuel.md"), ("fuel-ko.md", "fuel-en.md"), ("fuel.ko.md", "fuel.md")]
    for korean, english in names:
        own = passage(7, korean, "배 연료", "배 연료는 동쪽 부두에서 산다.", "ko")
        other = passage(8, english, "Fuel", FUEL.text, "en")
        assert [hit.passage.id for hit in await found(own, other, GUESTS) if hit.abroad] == []
    apart = passage(8, "en/motor.md", "Fuel", FUEL.text, "en")
    assert [hit.passage.id for hit in await found(own, apart, GUESTS) if hit.abroad] == [8]


async def test_a_translation_with_a_name_of_its_own_is_known_by_its_figures():
    own = passage(7, "요금.md", "연료 요금", "연료는 5월 12, 6월 14, 7월 17, 8월 19 크로네이다.", "ko")
    other = passage(8, "prices.md", "Fuel", "Fuel costs 12, 14, 17 and 19 crowns in months 5, 6, 7 and 8.", "en")
    assert [hit for hit in await found(own, other) if hit.abroad] == []
    dearer = replace(other, text="Fuel costs 22, 24, 27 and 29 crowns.")
    assert [hit.passage.id for hit in await found(own, dearer) if hit.abroad] == [8]


@pytest.mark.parametrize("more", [{"must_have": ("연료",)}, {"filter": SearchFilter(language="ko")}])
async def test_who_wants_a_word_or_a_language_gets_no_other(more):
    assert all(hit.abroad is None for hit in await found(*LIBRARY, **more))


def test_what_is_found_abroad_takes_no_room_of_the_rest():
    def hit(number: int, abroad: tuple[float, float] | None = None) -> Hit:
        each = passage(number, f"{number}.md", str(number), f"{number} " * 50, "en" if abroad else "ko")
        return Hit(passage=each, score=0.0 if abroad else 1 / number, abroad=abroad)

    own, foreign = [hit(n) for n in range(1, 10)], [hit(n, (1 / n, 0.0)) for n in range(10, 20)]
    alone = pack(own, passages=4, characters=1000)
    packed = pack([*own, *foreign], passages=4, characters=1000)
    assert [block.passage.id for block in packed.blocks if not block.abroad] == [b.passage.id for b in alone.blocks]
    told = [block for block in packed.blocks if block.abroad]
    assert [block.passage.id for block in told] == [10, 11, 12]  # half as many characters
    assert {left.reason for left in packed.left if left.passage.id >= 10} == {"no_room"}

"""Must-have words: from the documents that hold them to findings, sections, blocks and the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.language import keys
from agent.retrieval.must_have import targets_of
from agent.retrieval.pack import pack
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, Passage, Query, SearchFilter, SearchRequest
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))
QUESTION = "합병법인 조사시 미환류소득, 대리납부 관련 적출 사례"
WORDS = ("합병법인", "미환류소득", "대리납부")


class Library:
    """Documents of several passages, numbered as they come."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self._documents = 0

    def add(self, *texts: str, title: str = "", sections: tuple[str, ...] = (), **fields) -> int:
        self._documents += 1
        for position, text in enumerate(texts):
            self.passages.append(
                Passage(
                    id=len(self.passages) + 1,
                    document_id=f"d{self._documents}",
                    collection="c",
                    title=title,
                    text=text,
                    section=sections[position] if sections else "",
                    position=position,
                    document=self._documents,
                    language="ko",
                    **({"kind": "finding"} if fields.get("findings", 0) > position else {}),
                )
            )
        return self._documents

    def knowledge(self) -> KnowledgeBase:
        memory = MemoryLibrary(self.passages)
        return KnowledgeBase(lexical=memory, passages=memory)


def cases() -> Library:
    """Return audit cases of which one alone holds all three words, in one of its chunks."""
    library = Library()
    library.add("합병법인의 이월결손금 공제를 조사에서 확인한 사례", "다른 적출 사례", title="사례 1")
    library.add("미환류소득 법인세 신고를 누락한 적출 사례와 합병법인 조사", title="사례 2")
    library.add("용역 대가의 대리납부 의무를 검토한 조사 사례", title="사례 3")
    findings = [f"{number}번 거래처의 매출 누락을 적출한 조사 사례" for number in range(30)]
    block = "합병법인이 승계한 미환류소득과 국외 용역의 대리납부 여부를 함께 검토하여 적출한다. "
    block += "신고서와 계약서를 대조한다. " * ((1458 - len(block)) // 16)
    points = [block.ljust(1458, "."), "조사 전에 신고 내역을 살핀다", "조사 대상 거래를 고른다"]
    techniques = ["계정별 원장을 조사한다", "해외 송금 내역을 조사한다", "적출한 금액을 검산한다"]
    library.add(
        *findings,
        *points,
        *techniques,
        title="사례 4",
        sections=("",) * 30 + ("사례 4 > 착안",) * 3 + ("사례 4 > 기법",) * 3,
        findings=30,
    )
    return library


async def found(library: Library, *must: str, text: str = QUESTION, k: int = 20, **fields):
    request = SearchRequest(queries=(Query(text=text),), must_have=must, k=k, **fields)
    return await library.knowledge().search(request, EVERYBODY)


def documents(hits) -> set[str]:
    return {hit.passage.document_id for hit in hits}


async def test_the_one_document_with_all_words_gives_findings_sections_and_its_block():
    result = await found(cases(), *WORDS)
    assert result.must_have == WORDS and result.target_documents == 1 and result.warnings == ()
    assert len(result.findings) == 30 and documents(result.findings) == {"d4"}
    assert {group.section: len(group.hits) for group in result.sections} == {"착안": 3, "기법": 3}
    assert documents([*result.hits, *result.excluded]) == {"d4"} and len(result.excluded) == 35
    packed = pack(result.hits, passages=8, characters=12_000)
    assert len(packed.blocks) == 1 and len(packed.blocks[0].passage.text) == 1458
    assert result.keyword_freq == dict.fromkeys(WORDS, 1) == result.keyword_block_counts


async def test_without_must_have_words_nothing_is_narrowed():
    result = await found(cases())
    assert len(documents(result.hits)) > 1 and result.target_documents == 0
    assert (result.must_have, result.findings, result.sections, result.keyword_freq) == ((), (), (), {})


async def test_words_that_no_document_holds_together_give_way_and_this_is_said():
    library = Library()
    library.add("합병법인과 미환류소득")
    library.add("대리납부와 다른 것")
    result = await found(library, *WORDS)
    assert result.must_have == ("합병법인", "미환류소득") and documents(result.hits) == {"d1"}
    assert result.warnings == ("must_have_partly",) and set(result.warnings) <= set(keys())


async def test_between_equal_parts_the_rarer_words_decide():
    library = Library()
    library.add("합병법인")
    library.add("대리납부")
    library.add("대리납부")
    result = await found(library, "대리납부", "합병법인")
    assert result.must_have == ("합병법인",) and documents(result.hits) == {"d1"}


async def test_words_that_are_nowhere_do_not_lose_the_answer():
    result = await found(cases(), "블록체인")
    assert result.hits and result.target_documents == 0 and result.must_have == ()
    assert result.warnings == ("must_have_nowhere",) and set(result.warnings) <= set(keys())


async def test_target_documents_that_hold_nothing_for_the_question_are_left():
    library = Library()
    library.add("대리납부")
    library.add("연차 휴가 일수")
    result = await found(library, "대리납부", text="연차 휴가")
    assert documents(result.hits) == {"d2"} and result.warnings == ("must_have_unrelated",)
    assert set(result.warnings) <= set(keys())


async def test_passages_that_hold_all_words_come_before_better_ones_that_hold_some():
    library = Library()
    filler = "그 밖의 내용을 길게 적어 둔 문단이다 " * 10
    library.add("합병법인 조사 합병법인 조사 적출 사례", f"합병법인 대리납부 {filler}")
    for number in range(20):
        library.add(f"그 밖의 문서 {number}")
    result = await found(library, "합병법인", "대리납부", text="합병법인 조사 적출 사례")
    assert [hit.passage.position for hit in result.hits] == [1, 0]


async def test_a_filter_and_must_have_words_work_together():
    library = cases()
    result = await found(library, *WORDS, filter=SearchFilter(kinds=("finding",)))
    assert {hit.passage.kind for hit in result.hits} == {"finding"}
    assert result.must_have == () and "must_have_nowhere" in result.warnings


@pytest.mark.parametrize("words", [(), (" ",), ("", "  ")])
async def test_no_words_no_targets(words):
    memory = MemoryLibrary(cases().passages)
    found = await targets_of(memory, words, filter=SearchFilter(), audience=EVERYBODY)
    assert (found.words, found.documents) == ((), ())


@given(st.lists(st.sets(st.sampled_from("abcde")), min_size=1, max_size=8), st.permutations("abcde"))
async def test_targets_hold_the_largest_part_that_any_document_holds(held, order):
    library = Library()
    for words in held:
        library.add(" ".join(f"word{word}" for word in sorted(words)) or "nothing")
    words = [f"word{word}" for word in order]
    targets = await targets_of(MemoryLibrary(library.passages), words, filter=SearchFilter(), audience=EVERYBODY)
    sets = {number: {f"word{word}" for word in each} for number, each in enumerate(held, start=1)}
    assert len(targets.words) == max(len(each) for each in held)
    assert set(targets.documents) == {n for n, each in sets.items() if targets.words and set(targets.words) <= each}

"""What is said twice: one of them stays, unless they differ in a word, or in a heading that counts."""

import pytest

from agent.retrieval.fold import Folding
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, Passage, Query, SearchRequest
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))
POLICY = (
    "Employees may carry over unused leave to the next year, after their manager has confirmed in writing that the "
    "work of the team is covered. Send the form to the People team, who will answer within a few working days."
)
KOREAN = (
    "직원은 사용하지 않은 연차를 다음 해로 이월할 수 있으며 팀장의 확인을 받아 피플팀에 신청서를 제출해야 합니다. "
    "피플팀은 신청서를 검토한 뒤 결과를 메일로 알려 드립니다. 문의는 사내 메신저로 해 주세요."
)


def folds(one: str, other: str, question: str = "How do I carry over leave?", **fields) -> bool:
    """Tell whether the second text is folded into the first."""
    folding = Folding(question)
    first = {name: pair[0] for name, pair in fields.items()}
    second = {name: pair[1] for name, pair in fields.items()}
    assert folding.fold(passage(1, one, **first)) is None
    kept = folding.fold(passage(2, other, **second))
    assert kept is None or kept.id == 1
    return kept is not None


def passage(n: int, text: str, *, title: str = "", **fields) -> Passage:
    return Passage(id=n, document_id=f"d{n}", collection="c", title=title, text=text, document=n, **fields)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (POLICY, POLICY),
        (POLICY, f"  {POLICY.upper()}\n"),
        (POLICY, POLICY.replace(", ", "\n").replace("unused", "**unused**")),
        (KOREAN, KOREAN),
        (KOREAN, KOREAN.replace(" ", "\n")[:-1]),
    ],
)
def test_the_same_in_another_dress_is_folded(one, other):
    assert folds(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (POLICY, POLICY.replace("may carry", "may not carry")),
        (POLICY, POLICY.replace("a few working", "5 working")),
        (f"{POLICY} At most 5 days.", f"{POLICY} At most 10 days."),
        (f"{POLICY} At most five days.", f"{POLICY} At most ten days."),
        (f"{POLICY} At most 5 days.", f"{POLICY} At least 5 days."),
        (f"{POLICY} It costs 5 %.", f"{POLICY} It costs 5 €."),
        (POLICY, POLICY.replace("may carry", "must carry")),
        (POLICY, POLICY.replace("after their", "before their")),
        (POLICY, POLICY.replace("confirmed", "unconfirmed")),
        (POLICY, POLICY.replace("People", "Finance")),
        (POLICY, POLICY.replace("a few working days", "several working days")),
        (POLICY, POLICY.replace("carry over", "sell")),
        (KOREAN, KOREAN.replace("이월할 수 있으며", "이월할 수 없으며")),
        (f"{KOREAN} 최대 5일입니다.", f"{KOREAN} 최대 10일입니다."),
        (f"{KOREAN} 세 번까지 됩니다.", f"{KOREAN} 네 번까지 됩니다."),
        (f"{KOREAN} 5일 이상입니다.", f"{KOREAN} 5일 이하입니다."),
        (POLICY, KOREAN),
        (POLICY, POLICY.split(". ")[0]),
        (f"{POLICY} The dog bites the man.", f"{POLICY} The man bites the dog."),
    ],
)  # fmt: skip
def test_what_differs_in_what_counts_is_not(one, other):
    assert not folds(one, other)


def test_a_short_text_says_nothing_without_its_heading():
    titles = {"title": ("Parental leave", "Sick leave")}
    assert folds("20 days a year", "20 days a year") and not folds("20 days a year", "20 days a year", **titles)


def test_a_title_that_is_asked_for_keeps_its_passage():
    titles = {"title": ("Leave in Germany", "Leave in France")}
    assert folds(POLICY, POLICY, **titles)
    assert not folds(POLICY, POLICY, "Is leave in Germany like leave in France?", **titles)


def test_findings_and_chunks_are_two_kinds_of_record():
    assert not folds(POLICY, POLICY, kind=("chunk", "finding"))


async def test_boilerplate_does_not_fill_the_result_and_is_told():
    boilerplate = [passage(n, f"{POLICY} {'See the portal.' if n % 2 else 'see the portal'}") for n in range(1, 61)]
    others = [
        passage(100 + n, text) for n, text in enumerate(("Carry over ends in March.", "Leave is carried by form."))
    ]
    library = MemoryLibrary([*boilerplate, *others])
    knowledge = KnowledgeBase(lexical=library, passages=library)
    request = SearchRequest(queries=(Query(text="carry over unused leave"),), k=8)
    result = await knowledge.search(request, EVERYBODY)
    kept = [hit.passage.id for hit in result.hits]
    assert {100, 101} < set(kept) and len(kept) == 3
    assert set(result.folded.values()) == {min(kept)} and set(result.folded) <= {h.passage.id for h in result.excluded}

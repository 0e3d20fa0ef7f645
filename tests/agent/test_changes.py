"""What says that it changes another document is looked at right behind what is found of that."""

import pytest

from agent.retrieval.changes import FIRST, changes, with_changes
from agent.types import Hit, Passage


def passage(n: int, title: str, text: str = "Nothing is said here.", *, document: str = "", **fields) -> Passage:
    return Passage(id=n, document_id=document or f"d{n}", collection="c", title=title, text=text, **fields)


RULES = passage(1, "Mill society: rules of the kiln", "A firing costs 4 euros.")
KOREAN = passage(2, "물레마을 가마 이용 규정", "소성비는 4천 원이다.")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("From May on this replaces the prices in the rules of the kiln. A firing is 6 euros.", RULES),
        ("The committee has amended the rules of the kiln:", RULES),
        (
            "This takes precedence over our kiln-prices list.",
            passage(3, "What a firing costs", document="a/kiln-prices.md"),
        ),
        ("가마 이용 규정 제3조를 다음과 같이 변경합니다.", KOREAN),
        ("가마 이용 규정의 소성비를 5월부터 아래와 같이 바꾸어 운영합니다.", KOREAN),
    ],
)
def test_a_notice_says_which_document_it_changes(text, other):
    assert changes(passage(9, "Notice", text), other) and not changes(other, passage(9, "Notice", text))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("A firing is 6 euros. See the rules of the kiln.", RULES),
        ("The rules of the kiln hang at the door. The price of clay has changed.", RULES),
        ("This replaces the rules of the wheel.", RULES),
        ("This replaces the glossary.", passage(3, "Glossary")),
        ("이 규정은 가마 이용 규정에 따른다.", KOREAN),
        ("소성비를 변경한다. 가마 이용 규정에 따른다.", KOREAN),
        ("Without changing the size the rules of the kiln hold.", RULES),
    ],
)
def test_who_only_names_a_document_or_changes_another_does_not(text, other):
    assert not changes(passage(9, "Notice", text), other)


def test_a_document_does_not_change_itself_nor_one_of_another_collection():
    text = "This replaces the prices in the rules of the kiln."
    assert not changes(passage(9, "Notice", text, document=RULES.document_id), RULES)
    elsewhere = Passage(id=9, document_id="n", collection="other", title="Notice", text=text)
    assert not changes(elsewhere, RULES)


def test_what_changes_one_of_the_best_stands_right_behind_it_and_nothing_is_lost_or_doubled():
    notice = passage(9, "Notice", "This replaces the prices in the rules of the kiln.")
    others = [Hit(passage=passage(n, f"Other {n}"), score=1 / n) for n in range(10, 16)]
    mine, change = Hit(passage=RULES, score=1.0), Hit(passage=notice, score=0.1)
    for hits, rest in (([mine, *others, change], []), ([mine, *others], [change])):
        placed = with_changes(hits, rest)
        assert placed == [mine, change, *others]
    newer = Hit(passage=passage(8, "Notice 2", "This replaces the notice of May."), score=0.05)
    change = Hit(passage=passage(9, "The notice of May", notice.text), score=0.1)
    assert with_changes([mine, change, *others], [newer]) == [mine, change, newer, *others]
    assert with_changes([mine, *others, change, newer], []) == [mine, change, *others, newer]
    late = [*others[:FIRST], mine, *others[FIRST:], change]
    assert with_changes(late, []) == late

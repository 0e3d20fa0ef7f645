"""Which passages of attached files a question is given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.teams.attached import attached_hits
from agent.types import ATTACHED, AttachedFile, Passage, Query


def file(name: str, *texts: str, first: int = -1) -> AttachedFile:
    passages = tuple(
        Passage(
            id=first - at,
            document_id=f"k/{name}",
            collection=ATTACHED,
            title=name,
            text=text,
            position=at,
            source=name,
        )
        for at, text in enumerate(texts)
    )
    return AttachedFile(name=name, passages=passages)


def found(files, *questions: str, k: int = 5) -> list[int]:
    hits = attached_hits(files, [Query(text=question) for question in questions], k)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.passage.id for hit in hits]


PLAN = file("plan.md", "Budget is 5 million.", "The launch is in May.", "Risks are few.")
NOTES = file("notes.txt", "May was cold.", "Nothing else.", first=-4)


def test_passages_are_ranked_for_the_question():
    assert found([PLAN, NOTES], "when is the launch?") == [-2]
    assert found([PLAN, NOTES], "launch in may", "budget", k=2)[0] == -2
    assert found([PLAN, NOTES], "holiday") == [] == found([], "budget") == found([PLAN], "budget", k=0)


@pytest.mark.parametrize(
    "question",
    [
        "Summarise this file",
        "What does the attached file say?",
        "what is in the uploaded document",
        "첨부한 파일은 어떤 내용인가요?",
        "이 문서 요약해줘",
        "summarise plan.md",
        "what does plan say",
        "plan에는 뭐라고 써 있어?",
    ],
)
def test_a_question_about_a_short_file_is_given_all_of_it_in_order(question):
    assert found([PLAN, NOTES], question)[:3] == [-1, -2, -3]


def test_the_file_that_is_named_goes_before_the_latest():
    assert found([PLAN, NOTES], "summarise notes.txt") == [-4, -5]


def test_a_question_about_a_long_file_is_given_what_fits_and_how_it_begins():
    long = file("long.txt", *(f"Page {n} says {'zebra' if n == 40 else 'little'}." for n in range(50)))
    ids = found([long], "what does this file say about the zebra", k=6)
    assert ids[0] == -41 and -1 in ids and len(ids) == 6 == len(set(ids))


@given(
    st.lists(st.text("ab cd파일", max_size=12), max_size=8),
    st.text("ab cd파일 this file", max_size=30),
    st.integers(0, 9),
)
def test_no_passage_comes_twice_and_at_most_k(texts, question, k):
    ids = found([file("a.md", *texts), file("b.md", *texts, first=-100)], question, k=k)
    assert len(ids) == len(set(ids)) <= k

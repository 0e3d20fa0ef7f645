"""Ways to search: several for every question, within what its words limit it to, and others the second time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.planning.query_expansion import expand, query_of
from agent.reasoning.rules.reading.search_filters import asked_of, filter_of
from agent.results import Again
from agent.text import tokens
from agent.types import Category, Hit, Intent, Passage, SearchFilter, Standalone, Step, Understood
from tests.contracts.reasoning import PACK, message

REASONER = OfflineReasoner()


async def expanded(text, again=None):
    understood = await REASONER.understand(message(text))
    step = Step(id="s", team="search", task="t", description=understood.question)
    return await REASONER.expand(step, Standalone(text=understood.question), understood, PACK, again)


def hit(n, text, title="", language="en"):
    passage = Passage(id=n, document_id=f"d{n}", collection="c", title=title, text=text, language=language)
    return Hit(passage=passage, score=1 / n)


def distinct(queries):
    return {(tuple(sorted(tokens(q.text))), tuple((t.text, t.weight) for t in q.terms)) for q in queries}


@pytest.mark.parametrize(
    "text", ["VPN?", "휴가", "x", "How many leave days do I get?", "What should I do on my first day?"]
)
async def test_a_standalone_question_is_one_query_as_for_the_command(text):
    (query,) = (await expanded(text)).queries
    assert query == query_of(text) and query.text == text and query.weight == 1.0


async def test_a_compound_is_searched_for_by_its_other_name_too():
    assert "day 1" in (await expanded("What should I do on my first day?")).related_terms


# --- filters ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What does it say on page 3?", SearchFilter(page_range=(3, 3))),
        ("Which limits are named on pages 2-4 of the guide?", SearchFilter(page_range=(2, 4))),
        ("3쪽에 뭐라고 나와 있나요?", SearchFilter(page_range=(3, 3))),
        ("2~4쪽에서 한도를 찾아줘", SearchFilter(page_range=(2, 4))),
        ("Which table shows the per diem?", SearchFilter(categories=(Category.TABLE,))),
        ("일비는 어느 표에 있나요?", SearchFilter(categories=(Category.TABLE,))),
        ("Is there a code example for the client?", SearchFilter(categories=(Category.CODE,))),
        ("What is the limit in travel.md?", SearchFilter(sources=("travel.md",))),
        ("According to 'travel policy-2.pdf' what is paid?", SearchFilter()),
        ("travel.md에서 한도는 얼마예요?", SearchFilter(sources=("travel.md",))),
        ("What do the Korean documents say?", SearchFilter()),
        ("What is the limit in the Korean documents?", SearchFilter(language="ko")),
        ("영어 문서에서 한도를 찾아줘", SearchFilter(language="en")),
        ("Search the documents of 2025 for the limit", SearchFilter(date_range=("2025-01-01", "2025-12-31"))),
        ("documents since 2024 on travel", SearchFilter(date_range=("2024-01-01", ""))),
        ("2025년 문서에서 한도를 찾아줘", SearchFilter(date_range=("2025-01-01", "2025-12-31"))),
    ],
)
def test_where_to_look_is_taken_from_the_words(text, wanted):
    assert filter_of(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "What do I write on page 3 of the form?",
        "신청서 3쪽에는 무엇을 적나요?",
        "How many pages may the self-review have?",
        "Is a review of 3 pages too long?",
        "자기평가는 최대 2쪽까지인가요?",
        "Show it as a table",
        "표로 보여줘",
        "Is there a table tennis room?",
        "표준 근로계약서는 어디 있나요?",
        "Is the certificate issued in English?",
        "How much leave did we get in 2025?",
        "2025년에 연차는 며칠인가요?",
        "Do I need Korean for the office in Korea?",
        "Who wrote travel.md?",
    ],
)
def test_words_that_say_nothing_of_where_to_look_limit_nothing(text):
    assert filter_of(text) == SearchFilter()


async def test_a_step_is_searched_within_what_its_words_say_and_a_file_name_is_no_must():
    expansion = await expanded('What is the limit in "travel.md"?')
    assert expansion.filter == SearchFilter(sources=("travel.md",)) and expansion.must_have == ()


# --- the second search -------------------------------------------------------------------------------

FOUND = (
    hit(1, "Parking is in basement 2. A monthly parking place is requested with form FAC-03.", "Building"),
    hit(2, "The basement garage has parking for bicycles. The garage closes at 23:00.", "Building"),
    hit(3, "The code of conduct is signed in the first week.", "Conduct"),
)


async def test_the_second_search_is_another_one():
    text = "Cases about parking in the garage"
    first = await expanded(text)
    second = await expanded(text, Again(iteration=1, tried=first, hits=FOUND))
    assert first.must_have and not second.must_have and second.filter == SearchFilter()
    assert not distinct(second.queries) & distinct(first.queries)
    assert 1 <= len(second.queries) <= 5 and all(query.weight <= 1 for query in second.queries)
    assert "parking garage" in [query.text for query in second.queries]


async def test_the_second_search_keeps_the_filter_of_the_first():
    offline, text = OfflineReasoner(), "What is said of parental leave on page 3 of the travel guide?"
    understood = await offline.understand(message(text))
    step = Step(id="s", team="search", task="t", description=text)
    first = await offline.expand(step, Standalone(text=text), understood, PACK)
    assert first.filter != SearchFilter()
    second = await offline.expand(
        step, Standalone(text=text), understood, PACK, Again(iteration=1, tried=first, hits=())
    )
    assert second.filter == first.filter


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("개인정보 유출은 어디에 신고하나요?", {"personal data"}),
        ("How long is parental leave?", {"육아휴직"}),
        ("띠앗뫼 주차는 얼마야?", {"띠앗뫼", "parking"}),  # what no dictionary has may be a name
        ("where is the Q-12 of the quorbel parked?", {"q-12", "quorbel"}),
    ],
)
async def test_the_first_search_goes_abroad_in_the_other_languages_words(text, words):
    first = await expanded(text)
    assert first.abroad is not None and not first.abroad.by_meaning
    assert words <= {each.lower() for each in (first.abroad.text, *(term.text for term in first.abroad.terms))}
    assert (await expanded(text, Again(iteration=1, tried=first))).abroad is None


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.integers(min_value=0, max_value=3))
def test_anything_can_be_searched_for(text, iteration):
    understood = Understood(question=text, language="en", intent=Intent(name="q", confidence=1), route="research")
    step = Step(id="s", team="search", task="t", description=text)
    first = expand(step, Standalone(text=text), understood)
    again = Again(iteration=iteration, tried=first, hits=FOUND) if iteration else None
    expansion = expand(step, Standalone(text=text), understood, again)
    assert 1 <= len(expansion.queries) <= 5 and all(0 < query.weight <= 1 for query in expansion.queries)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("on page 2 of faq.pdf, who approves it?", "who approves it?"),
        ("In faq.pdf: who approves it?", "who approves it?"),
        ("휴가규정.pdf에서 연차는 며칠이야?", "연차는 며칠이야?"),
        ("2쪽에서 사고 등급을 찾아줘", "사고 등급을 찾아줘"),
        ("표에서 5년 근무하면 며칠이야?", "5년 근무하면 며칠이야?"),
        ("documents from 2019: how long is it?", "how long is it?"),
        ("영문 문서에서 재택근무 규정 찾아줘", "재택근무 규정 찾아줘"),
        # these limit no search, or ask nothing else
        ("show the fees as a table", "show the fees as a table"),
        ("양식 2쪽에 무엇을 써요?", "양식 2쪽에 무엇을 써요?"),
        ("what does faq.pdf hold?", "what does faq.pdf hold?"),
        ("on page 2", "on page 2"),
    ],
)
def test_what_limits_the_search_is_not_what_is_asked(text, asked):
    assert asked_of(text) == asked

"""Answers to several questions at once, and over documents in the other language."""

from dataclasses import replace

import pytest

from agent.language import say
from agent.reasoning.grounding.citation_support import check_sentence
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.fitted.logistic_regression import Regression
from agent.reasoning.rules.planning.things import compared, things_in
from tests.contracts.reasoning import block, brief
from tests.likelihoods import BY_WORDS, SURE, UNSURE, by_rank

LEAVE = block(
    1,
    "## Maternity leave\n\nMaternity leave is 90 days. Maternity leave is fully paid.\n\n"
    "## Partner leave\n\nThe other parent has 20 days of partner leave. It can be split into four parts.\n\n"
    "## Sick leave\n\nYou have 10 paid days of sick leave a year.",
    title="Leave",
)
TABLE = block(
    2,
    "| City | Hotel limit | Per diem |\n|---|---|---|\n"
    "| Tokyo | 220 euros | 65 euros |\n| Berlin | 200 euros | 60 euros |",
    title="Travel",
)
FORMS = block(
    3,
    "Parental leave lasts up to 12 months. Send form HR-12 to apply for parental leave.\n\n"
    "Parents can work reduced hours. Use form HR-13 for reduced hours.",
    title="Parents",
)
HANGUL = block(
    4,
    "## 출산휴가\n출산휴가는 90일입니다.\n\n## 병가\n유급 병가는 1년에 10일입니다.\n\n## 재택근무\n"
    "재택근무는 일주일에 최대 3일까지 할 수 있습니다.\n\n"
    "## 기기\n노트북을 잃어버리면 보안 핫라인 555-0199로 즉시 신고하세요.",
    title="휴가와 근무",
    language="ko",
)


async def sentences(question, *blocks, **more):
    given = brief(question, *blocks, **more)
    said = [sentence async for sentence in OfflineReasoner().compose(given)]
    assert all(not check_sentence(sentence, given.blocks) for sentence in said)
    return said


async def answer(question, *blocks, **more):
    return "".join(sentence.lead + sentence.text for sentence in await sentences(question, *blocks, **more)).strip()


@pytest.fixture(autouse=True)
def by_words(weighed):
    weighed(BY_WORDS)


def under(told, *names):
    """Return what is told under each of the names of an answer, which stand in this order."""
    places = [told.index(f"**{name}**\n\n") for name in names]
    assert places == sorted(places) and places[0] == 0
    ends = [*places[1:], len(told)]
    return {name: told[at + len(name) + 6 : end] for name, at, end in zip(names, places, ends, strict=True)}


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between maternity leave and partner leave?",
        "How does maternity leave differ from partner leave?",
        "Compare maternity leave with partner leave",
        "maternity leave\npartner leave",
    ],
)
async def test_what_is_compared_is_told_apart_under_its_name(question):
    told = under(await answer(question, LEAVE), "Maternity leave", "Partner leave")
    assert "Maternity leave is 90 days." in told["Maternity leave"] and "20 days" not in told["Maternity leave"]
    assert "The other parent has 20 days of partner leave." in told["Partner leave"]


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("compare Mill Lane and Park Road 3 opening hours", ("Mill Lane opening hours", "Park Road 3 opening hours")),
        ("Compare Mill Lane with Park Road, please", ("Mill Lane", "Park Road")),
        ("Compare GPL-3 and Apache 2.0 on patents", ("GPL-3 on patents", "Apache 2.0 on patents")),
        ("Compare the rules on hiring and the rules on leaving", ("rules on hiring", "rules on leaving")),
        ("Node.js와 Deno 차이 알려줘.", ("Node.js", "Deno")),
        ("키즈반이랑 입문반이랑 중급반 비교해줘", ("키즈반", "입문반", "중급반")),
        (
            "compare annual leave with sick leave and parental leave",
            ("annual leave", "sick leave", "parental leave"),
        ),
        ("튤립이랑 수선화 심는 시기 비교", ("튤립 심는 시기", "수선화 심는 시기")),
        ("튤립이랑 물망초 구근 차이", ("튤립", "물망초 구근")),
        ("compare Lisbon and Porto parking permit fees", ("Lisbon parking permit fees", "Porto parking permit fees")),
    ],
)
def test_a_name_may_hold_a_dot_and_what_both_are_compared_in_is_asked_of_both(question, things):
    assert compared(question) == things


@pytest.mark.parametrize(
    "question",
    [
        "what is the difference between the old and the new keycards?",
        "old vs new keycards",
        "difference between the 2019 house rules and the current ones",
        "compare the old and the new keycards",
        "사물함 규정 예전거랑 지금거랑 뭐가 다른거야",
        "예전 사물함 지침하고 새 지침 차이점",
        "기존 요금제와 신규 요금제 차이",
    ],
)
def test_editions_of_one_thing_are_not_two(question):
    assert things_in(question) == (question,)


def test_two_things_are_two_however_old_they_are():
    assert things_in("old keycards vs new badges") == ("old keycards", "new badges")
    assert things_in("새 노트북과 기존 모니터 차이") == ("새 노트북", "기존 모니터")


async def test_korean_comparisons_are_told_apart_too():
    told = under(await answer("출산휴가와 병가를 비교해줘", HANGUL, language="ko"), "출산휴가", "병가")
    assert told["출산휴가"].startswith("**휴가와 근무 › 출산휴가**\n\n출산휴가는 90일입니다.")
    assert told["병가"].startswith("**휴가와 근무 › 병가**\n\n유급 병가는 1년에 10일")


async def test_one_of_two_is_never_told_as_if_it_were_all():
    told = await answer("Compare maternity leave with the stock plan", LEAVE)
    assert (
        told.startswith("**Maternity leave**\n\n**Leave › Maternity leave**\n\n")
        and "stock plan" not in told.casefold()
    )
    told = await answer("출산휴가와 스톡옵션의 차이는?", HANGUL, language="ko")
    assert told.startswith("**출산휴가**\n\n") and "스톡옵션" not in told
    told = await answer("How many days is maternity leave and how much is the stock bonus?", LEAVE)
    assert "stock bonus" not in told and "90 days" in told


async def test_nothing_is_said_of_parts_where_none_is_answered():
    assert await sentences("Compare the stock plan with the pension fund", LEAVE) == []


async def test_each_question_is_answered_from_its_own_evidence():
    told = await answer("What is the hotel limit in Tokyo and how many days is maternity leave?", TABLE, LEAVE)
    first, second = under(told, "The hotel limit in Tokyo", "How many days is maternity leave").values()
    assert "| **Tokyo** | **220 euros** | **65 euros** |" in first and "90 days" in second and "220 euros" not in second


async def test_every_quote_is_told_for_one_part():
    for question in ("Compare maternity leave with partner leave", "maternity leave\npartner leave\nsick leave"):
        said = await sentences(question, LEAVE, TABLE)
        places = [place for sentence in said for place in sentence.support]
        assert len(places) == len(set(places)) > 1


async def test_what_answers_two_parts_at_once_is_told_once_under_both_names(weighed):
    row = block(1, "Maternity leave and partner leave are both fully paid.", title="Leave")
    for model in (SURE, UNSURE):
        weighed(model)
        told = await answer("Compare maternity leave with partner leave", row)
        assert told.count("fully paid") == 1 and "do not answer" not in told
        assert told.startswith("**Maternity leave · Partner leave**\n\n")


async def test_two_sentences_of_one_paragraph_may_answer_a_part_each(weighed):
    weighed(SURE)
    page = block(1, "Maternity leave is 90 days. Sick leave is 10 paid days a year.", title="Leave")
    told = await answer("How many days is maternity leave and how many paid days is sick leave?", page)
    assert told.count("90 days") == told.count("10 paid days") == 1 and "do not answer" not in told


@pytest.mark.parametrize("question", ["Compare sick leave with annual leave", "Compare annual leave with sick leave"])
async def test_a_quote_is_told_for_the_part_of_which_it_speaks_most(weighed, question):
    weighed(by_rank(-0.1))  # what is said of sick leave is the likeliest for both
    sick = block(1, "You have 10 paid days of sick leave a year.", title="Annual leave and other time off")
    annual = block(2, "Of annual leave there are 25 days.", title="Annual leave and other time off")
    told = await answer(question, sick, annual)
    told = under(told, *sorted(("Sick leave", "Annual leave"), key=lambda name: told.index(f"**{name}**")))
    assert "10 paid days" in told["Sick leave"] and "25 days" in told["Annual leave"]
    assert "25 days" not in told["Sick leave"]


@pytest.mark.parametrize("model", [SURE, UNSURE])
async def test_a_part_is_not_left_open_because_another_one_is_answered_by_the_same_quote(weighed, model):
    weighed(model)
    page = block(1, "The Heron hall has 12 seats, and an evening is 40 euros.", title="Halls")
    (said,) = await sentences("How much does the Heron cost for an evening and how many seats does it have?", page)
    assert said.part.startswith("How much does the Heron cost for an evening?\nhow many seats")


async def test_what_surely_answers_one_part_is_not_the_closest_of_another(weighed):
    weighed(replace(BY_WORDS, answer=Regression(-1.0, {"together": 2.0}), near=0.1))
    page = block(1, "Maternity leave is 90 days.", title="Leave")
    told = await answer("How many days is maternity leave and how many bonus shares are there?", page)
    assert "bonus shares" not in told
    assert "90 days" in told and say("closest", "en") not in told


async def test_a_part_that_is_not_sure_says_so_under_its_name(weighed):
    model = replace(BY_WORDS, answer=Regression(-1.0, {"together": 2.0}), near=0.1)
    weighed(model)
    question = "How many days is maternity leave and how many shares does a parent have?"
    said = await sentences(question, LEAVE)
    text = "".join(sentence.lead + sentence.text for sentence in said)
    told = under(text, "How many days is maternity leave", "How many shares does a parent have")
    assert not told["How many days is maternity leave"].startswith(say("closest", "en"))
    assert told["How many shares does a parent have"].startswith(say("closest", "en"))
    assert {sentence.hedged for sentence in said} == {True, False}


async def test_what_speaks_of_nothing_that_a_part_names_is_not_the_closest_to_it(weighed):
    weighed(replace(UNSURE, near=0.1))
    both = "How many days is maternity leave and how many bonus shares are there?"
    said = await sentences(both, LEAVE)
    assert said and {sentence.part for sentence in said} == {"How many days is maternity leave?"}
    moon = "What is the moon policy?"
    assert await sentences(moon, LEAVE) and not await sentences(moon, LEAVE, several=True)
    assert await sentences("누가 병가를 승인하나요?", HANGUL, language="ko", several=True)
    assert not await sentences("수족관 규정은?", HANGUL, language="ko", several=True)


async def test_no_part_is_left_out_for_want_of_room():
    long = " ".join(f"It is also said that the note number {n} of many is kept in a drawer." for n in range(20))
    page = block(1, f"Maternity leave is 90 days. {long}\n\nPartner leave is 20 days. {long}", title="Leave")
    told = await answer("Compare maternity leave with partner leave", page)
    assert "90 days" in told and "20 days" in told


# --- the other language ----------------------------------------------------------------------------------


async def test_a_question_is_answered_from_documents_of_the_other_language_where_its_own_say_nothing(weighed):
    weighed(replace(BY_WORDS, near=0.02))
    english = block(1, "Parental leave lasts up to 12 months for each child.", title="Parental leave")
    assert "12 months" in await answer("육아휴직 기간은 얼마나 되나요?", english, language="ko")
    assert "10일" in await answer("How much sick leave is paid?", HANGUL)
    own = block(2, "육아휴직은 최대 1년입니다.", title="육아휴직", language="ko")
    said = await sentences("육아휴직은 최대 몇 년인가요?", english, own, language="ko")
    assert said[0].text == "육아휴직은 최대 1년입니다."


async def test_a_known_word_of_the_other_language_is_no_answer_by_itself():
    english = block(1, "Parental leave lasts up to 12 months for each child.", title="Parental leave")
    asked = "육아휴직 중에 스톡옵션은 어떻게 되나요?"
    assert all(sentence.hedged for sentence in await sentences(asked, english, language="ko"))
    assert await sentences("주차 요금은 얼마인가요?", english, language="ko") == []


GLOSSARY = block(
    5,
    "| Word | Meaning |\n|---|---|\n"
    + "\n".join(f"| {word} | {meaning}, and nothing else that you may have heard of it here |" for word, meaning in (
        ("Quay", "where boats are loaded"), ("Weir", "what holds the river"), ("Bilge", "the lowest part of a ship"),
        ("Keel", "the spine of a ship"), ("Ferry", "a boat that goes back"), ("Lock", "a lift for boats"),
        ("Sluice", "a gate for water"), ("Berth", "a place to lie at"), ("Davit", "a crane on deck"),
        ("Hawser", "a thick rope"), ("Fender", "what keeps hulls apart"),
    )),
    title="Words",
)  # fmt: skip


async def test_both_sides_of_a_comparison_are_told_from_one_table():
    said = await answer("What is the difference between a bilge and a hawser?", GLOSSARY)
    assert "the lowest part of a ship" in said and "a thick rope" in said


@pytest.mark.parametrize("question", ["what does an adult pay vs a child", "영상을 남기는 날 수 본관이랑 별관 비교"])
def test_a_name_beside_a_whole_question_is_no_question_of_its_own(question):
    assert things_in(question) == (question,)


async def test_a_quote_stands_below_its_own_heading_within_its_passage(weighed):
    weighed(SURE)
    page = block(1, "## Kiln\n\n**Where nobody is there**:\n\nSwitch the kiln off.\n", title="Rules", section="Kiln")
    assert (await answer("kiln off?", page)).startswith("**Rules › Kiln › Where nobody is there**\n\n")
    page = block(1, "## 3. Kiln\n\nSwitch the kiln off.\n", title="Rules", section="Rules > Kiln")
    assert not (await answer("kiln off?", page)).startswith("**Rules › Kiln ›")

"""What is asked for before a document is written, and how a reply is read; through the whole graph."""

import pytest

from agent.language import say
from agent.types import Step, StepStatus
from tests.agent.documents import REQUEST, Desk, document_of, order

ORDER = "Draft my parental leave request"
KOREAN = "육아휴직 신청서 초안 써줘"


@pytest.fixture
def desk():
    return Desk()


def search(text: str) -> Step:
    return Step(id="s", team="search", task="Search", description=text)


def fields(response) -> dict[str, str]:
    return {name: value for name, value in document_of(response)["fields"].items() if value}


async def test_all_that_is_missing_is_asked_for_at_once_and_nothing_is_searched(desk):
    response = await desk.draft(ORDER)
    assert (response.response_type, response.status) == ("clarification", "completed")
    for part in ("Recipient (who it is for)", "Start date", "End date", "just write it"):
        assert part in response.answer
    assert "Note" not in response.answer and desk.reasoner.searched == [] and response.files == ()
    (step,) = response.plan.steps
    assert step.status is StepStatus.SKIPPED and step.result == say("step_waits_for_details", "en")


async def test_what_the_order_tells_is_not_asked_for(desk):
    response = await desk.draft("Draft the leave request to Kim from 1 March 2027")
    assert "End date" in response.answer and "I have: Recipient: Kim; Start date: 1 March 2027" in response.answer
    assert "who it is for" not in response.answer


@pytest.mark.parametrize(
    "reply",
    [
        "Kim\n1 March 2027\n31 May 2027",
        "1. Kim\n2. 1 March 2027\n3. 31 May 2027",
        "Kim; 1 March 2027; 31 May 2027",
        "Kim, March 1, 2027, May 31, 2027",
        "1 March 2027, 31 May 2027, Kim",
        "End date: 31 May 2027\nrecipient: Kim\nStart date: 2027-03-01",
        "recipient: Kim; start_date: 2027-03-01; End Date = 31 May 2027",
        "- **Recipient**: Kim\n- Start date - 1 March 2027\n- 종료일: 2027년 5월 31일",
        "> To write this I need:\n> - Recipient\nKim\n1 March 2027\n31 May 2027",
        "recipient Kim, start date 1 March 2027, end date 31 May 2027",
        "The recipient is Kim, my start date is 1 March 2027 and the end date is 31 May 2027",
    ],
)
async def test_a_reply_gives_the_details_in_order_or_by_name(desk, reply):
    await desk.draft(ORDER)
    response = await desk.say(reply)
    assert fields(response) == {"recipient": "Kim", "start_date": "2027-03-01", "end_date": "2027-05-31"}
    assert (
        response.response_type == "document"
        and "From 1 March 2027 until 31 May 2027." in document_of(response)["markdown"]
    )


async def test_a_reply_in_korean(desk):
    asked = await desk.draft(KOREAN)
    assert "받는 사람" in asked.answer and "그냥 써줘" in asked.answer
    response = await desk.say("받는 사람: 김민지\n시작일: 2027년 3월 1일\n종료일은 2027년 5월 31일입니다")
    assert fields(response) == {"recipient": "김민지", "start_date": "2027-03-01", "end_date": "2027-05-31"}
    assert "2027년 3월 1일" in document_of(response)["markdown"] and response.language == "ko"


async def test_a_sentence_fills_what_its_words_mark_and_only_the_rest_is_asked_again(desk):
    await desk.draft(ORDER)
    again = await desk.say("It goes to Kim, and I am away from 1 March 2027")
    assert again.response_type == "clarification" and "I have: Recipient: Kim; Start date: 1 March 2027" in again.answer
    assert "one more detail: End date" in again.answer
    response = await desk.say("until 31 May 2027")
    assert fields(response) == {"recipient": "Kim", "start_date": "2027-03-01", "end_date": "2027-05-31"}


async def test_one_missing_detail_is_the_whole_reply(desk):
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    words = "on the day my daughter starts school, I suppose, so some time in autumn"
    assert fields(await desk.say(words))["end_date"] == words


async def test_the_question_stays_the_original_one_and_the_reply_is_not_searched(desk):
    await desk.draft(ORDER)
    response = await desk.say("Kim; 1 March 2027; 31 May 2027")
    assert response.standalone_query == ORDER
    assert desk.reasoner.searched and all("Kim" not in text and "March" not in text for text in desk.reasoner.searched)
    assert "12 months" in document_of(response)["markdown"]


@pytest.mark.parametrize(
    "words", ["just write it", "Just write it please", "skip", "I don't know", "그냥 써줘", "빈칸으로 둬"]
)
async def test_just_write_it_leaves_marked_blanks_and_says_so(desk, words):
    await desk.draft("Draft the leave request to Kim")
    response = await desk.say(words)
    made = document_of(response)
    assert (
        made["blanks"] == ("Start date", "End date")
        and "From [____ Start date] until [____ End date]" in made["markdown"]
    )
    assert "Left open" in response.answer and "Start date, End date" in response.answer
    assert any("Start date" in risk for risk in made["review"]["risks"]) and made["review"]["risk_level"] == "medium"


@pytest.mark.parametrize(
    "words", ["1 March 2027, just write it", "1 March 2027\njust write it", "2027-03-01, 그냥 써줘"]
)
async def test_a_reply_that_ends_with_just_write_it_leaves_open_what_it_does_not_tell(desk, words):
    await desk.draft(ORDER)
    told = fields(await desk.say(words))
    assert told["start_date"] == "2027-03-01" and told.keys().isdisjoint(("recipient", "end_date"))


async def test_a_detail_may_be_left_open_by_itself(desk):
    await desk.draft("Draft the leave request to Kim")
    response = await desk.say("Start date: 1 March 2027\nEnd date: not known yet")
    assert document_of(response)["blanks"] == ("End date",)


async def test_a_correction_replaces_what_was_told(desk):
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    again = await desk.say("no, from 3 March 2027")
    assert again.response_type == "clarification" and "Start date: 3 March 2027" in again.answer
    response = await desk.say("End date: 31 May 2027; recipient: Lee")
    assert fields(response) == {"recipient": "Lee", "start_date": "2027-03-03", "end_date": "2027-05-31"}


@pytest.mark.parametrize(
    "order",
    ["Please mail it to Mr Oh", "Insert another sentence about the key", "make it sound less formal",
     "더 부드럽게 다듬어줘", "전 직원에게 공유해 주세요"],
)  # fmt: skip
async def test_who_wants_a_finished_document_sent_or_reworded_is_told_that_it_is_not(desk, order):
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    await desk.say("End date: 31 May 2027")
    told = await desk.say(order)
    title = "Recipient" if told.language == "en" else "받는 사람"
    assert told.answer == say("document_finished", told.language, field=title) and not told.files
    assert (await desk.say(order)).answer == told.answer
    assert fields(await desk.say("Recipient: Lim"))["recipient"] == "Lim"


async def test_a_correction_of_a_date_that_can_only_be_one(desk):
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    again = await desk.say("sorry, 3 March 2027")
    assert "Start date: 3 March 2027" in again.answer and "End date" in again.answer


async def test_a_question_of_its_own_is_no_detail(desk):
    await desk.draft(ORDER)
    desk.reasoner.steps = (search("How long does parental leave last?"),)
    response = await desk.say("How long does parental leave last?")
    assert response.standalone_query == "How long does parental leave last?" and response.response_type == "answer"


async def test_an_order_for_another_document_is_no_detail(desk):
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    response = await desk.draft("Write a report on remote work", subject="report")
    assert document_of(response)["template"] == "report"


async def test_somebody_elses_words_fill_nothing(desk):
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    response = await desk.say("31 May 2027", by="bob")
    assert response.standalone_query == "31 May 2027" and response.response_type == "clarification"
    assert "one more detail: End date" in response.answer


async def test_a_reply_after_the_time_is_over_fills_nothing(desk):
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    desk.now += 25 * 3600
    response = await desk.say("31 May 2027")
    assert response.standalone_query == "31 May 2027"


async def test_the_thread_tells_what_its_patterns_mark_of_the_same_person(desk):
    step = search("parental leave")
    await desk.say("I will be away from 1 March 2027, how long does parental leave last?", step)
    response = await desk.draft("Draft the leave request to Kim")
    assert "Start date: 1 March 2027" in response.answer and "one more detail: End date" in response.answer
    other = await desk.draft("Draft the leave request to Kim", by="bob")
    assert "1 March" not in other.answer


async def test_what_another_document_was_for_is_not_for_this_one(desk):
    await desk.draft("Draft the leave request to Lee from 1 March 2027")
    response = await desk.draft("Draft my leave request")
    assert "Lee" not in response.answer and "1 March" not in response.answer


async def test_the_profile_is_used_in_private_alone(desk):
    await desk.profiles.fill("x:W:ann", "test", {"recipient": "Kim", "unrelated": "x"})
    public = await desk.draft(ORDER)
    assert "Kim" not in public.answer
    private = await desk.draft(ORDER, private=True)
    assert "I have: Recipient: Kim" in private.answer


async def test_a_document_does_not_hold_up_the_rest_of_the_answer_and_is_written_after_the_reply(desk):
    text = "How long does parental leave last? And draft the leave request to Kim from 1 March 2027"
    step = order("Draft the leave request to Kim from 1 March 2027")
    both = await desk.say(text, search("How long does parental leave last?"), step)
    assert "12 months" in both.answer and "one more detail: End date" in both.answer and both.citations
    response = await desk.say("31 May 2027", step)
    assert response.standalone_query == step.description and fields(response)["end_date"] == "2027-05-31"


async def test_details_of_two_documents_are_asked_for_together(desk):
    first = order("Draft the leave request to Kim from 1 March 2027", id="a")
    second = order("Draft the reply about remote work", "reply", id="b")
    asked = await desk.say("Draft both", first, second)
    assert "End date" in asked.answer and "who it is for" in asked.answer
    response = await desk.say("31 May 2027; Lee")
    made = {each["template"]: each["fields"] for each in response.structured_data["documents"]}
    assert made["request"]["end_date"] == "2027-05-31"
    assert made["request"]["recipient"] == "Kim" and len(response.files) == 4


async def test_values_of_any_kind_are_kept_as_they_were_told(desk):
    await desk.draft(ORDER)
    long = "Kim " + "x" * 2000
    response = await desk.say(
        f"Recipient: {long}\nStart date: next spring\nEnd date: 30 February 2027\nNote: {{{{ title }}}} <b>"
    )
    assert fields(response)["recipient"] == long and fields(response)["start_date"] == "next spring"
    made = document_of(response)
    assert long in made["markdown"] and "{{ title }} \\<b\\>" in made["markdown"]
    assert any("30 February 2027" in risk for risk in made["review"]["risks"])


def test_a_template_asks_for_nothing_optional():
    assert [field.name for field in REQUEST.fields if field.optional] == ["note"]


async def test_the_reasoner_is_asked_once_about_a_sentence_and_its_words_are_taken_out_of_the_parts(desk):
    asked = []

    async def extract(text, specs):
        asked.append((text, [spec.name for spec in specs]))
        return {spec.name: "Ms Park" for spec in specs if "Park" in text and spec.name.endswith("recipient")}

    await desk.draft(ORDER)
    desk.reasoner.extract_slots = extract
    response = await desk.say("that would be my colleague Ms Park, 1 March 2027, 31 May 2027")
    assert fields(response) == {"recipient": "Ms Park", "start_date": "2027-03-01", "end_date": "2027-05-31"}
    assert [names for _, names in asked if names == ["request.recipient"]] == [["request.recipient"]]

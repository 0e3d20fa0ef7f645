"""Documents through the whole graph: from the evidence to the files, and what is left out on the way."""

import pytest

from agent.errors import StorageError
from agent.events import TodoUpdated
from agent.language import say
from agent.packs.template import Template
from agent.types import Sentence, Step, StepStatus, Support
from tests.agent.documents import REQUEST, Desk, document_of, order
from tests.likelihoods import SURE, UNSURE

TOLD = "Draft the reply to Kim about parental leave"


@pytest.fixture
def desk():
    return Desk()


def evidence(text: str) -> Step:
    return Step(id="e", team="search", task="Search", description=text, purpose="evidence")


async def test_a_reply_is_written_from_the_documents_reviewed_and_handed_over_as_two_files(desk):
    response = await desk.say(TOLD, evidence("parental leave"), order(TOLD, "reply", dependencies=("e",)))
    assert (response.response_type, response.status, response.errors) == ("document", "completed", ())
    made = document_of(response)
    assert made["template"] == "reply" and made["title"] == "Reply: parental leave" and made["blanks"] == ()
    assert "Hello Kim," in made["markdown"] and "12 months for each child. [2]" in made["markdown"]
    assert "HR-12" in made["markdown"] and "\n2. Parental leave, Duration" in made["markdown"]
    assert [file.name for file in response.files] == ["Reply-parental-leave.docx", "Reply-parental-leave.md"]
    assert desk.files.kept["t1/Reply-parental-leave.md"].decode() == made["markdown"]
    assert "**Reply: parental leave**" in response.answer and "Review: low risk." in response.answer
    assert "12 months for each child. [2]" in response.answer
    assert response.citations[1].quote == "Parental leave lasts up to 12 months for each child."
    paragraphs = [p.text for p in desk.word(response).paragraphs]
    assert "Hello Kim," in paragraphs and "Sources" in paragraphs
    assert any(text.startswith("Parental leave, Duration") for text in paragraphs)


async def test_in_korean_with_korean_names_of_files(desk):
    text = "김민지 님께 보낼 육아휴직 문의 답장 초안 써줘"
    response = await desk.draft(text, subject="reply")
    made = document_of(response)
    assert (
        made["title"] == "답장: 육아휴직 문의"
        and "받는 사람: 김민지 님" in made["markdown"]
        and "## 출처" in made["markdown"]
    )
    assert [file.name for file in response.files] == ["답장-육아휴직-문의.docx", "답장-육아휴직-문의.md"]
    assert "최대 12개월" in response.answer and say("review_low", "ko") in response.answer
    assert desk.word(response).core_properties.language == "ko-KR"


async def test_the_step_shows_what_it_does_and_what_it_rests_on(desk):
    response = await desk.draft(TOLD, subject="reply")
    shown = [event.step for event in desk.events if isinstance(event, TodoUpdated) and event.step.id == "d"]
    phases = [step.phase for step in shown]
    for key in ("phase_drafting", "phase_reviewing", "phase_writing_files"):
        assert say(key, "en") in phases
    assert [step.progress for step in shown] == sorted(step.progress for step in shown)
    assert shown[-1].status is StepStatus.COMPLETED and shown[-1].sources[0] == "Parental leave"
    assert response.plan.steps[0].result == "Reply: parental leave, risk: low"


async def test_evidence_that_was_found_is_not_searched_for_again(desk):
    await desk.say(TOLD, evidence("parental leave"), order(TOLD, "request", dependencies=("e",)))
    await desk.say("just write it")
    assert desk.reasoner.searched[0] == "parental leave"
    assert [text for text in desk.reasoner.searched if text == "parental leave"] == ["parental leave"]


async def test_without_evidence_it_searches_for_its_topic_alone(desk):
    await desk.draft(TOLD, subject="reply")
    assert desk.reasoner.searched[:2] == ["parental leave", "How do I apply for parental leave?"]


def planted(text: str) -> Sentence:
    return Sentence(text=text, support=(Support(block=2, start=0, end=20),))


TRUE = Sentence(
    text="Parental leave lasts up to 12 months for each child.", support=(Support(block=2, start=0, end=52),), lead=""
)


async def test_a_false_sentence_goes_back_once_and_is_left_out(desk):
    false = planted("Parental leave lasts up to 36 months for each child.")
    desk.reasoner.drafts = [{"answer": [TRUE, false]}, {"answer": [TRUE, false], "invented": [TRUE]}]
    response = await desk.draft(TOLD, subject="reply")
    first, second = desk.reasoner.asked
    assert first.brief.suggestions == () and "36" in second.brief.suggestions[0].about
    assert "36 months" not in document_of(response)["markdown"] + response.answer
    assert "12 months" in response.answer and say("document_left_out", "en") in response.warnings
    assert document_of(response)["review"]["risk_level"] == "low"


async def test_a_draft_that_was_put_right_is_not_said_to_lack_anything(desk):
    desk.reasoner.drafts = [{"answer": [planted("It lasts 36 months.")]}, {"answer": [TRUE]}]
    response = await desk.draft(TOLD, subject="reply")
    assert "12 months" in response.answer and say("document_left_out", "en") not in response.warnings


async def test_where_the_documents_hold_nothing_the_part_is_a_blank(desk):
    text = "Draft the reply to Kim about submarine licences"
    made = document_of(await desk.draft(text, subject="reply"))
    assert "[____ Answer]" in made["markdown"] and made["blanks"] == ("Answer",)
    assert "Sources" not in made["markdown"] and made["review"]["risk_level"] == "medium"


async def test_what_does_not_surely_answer_is_not_written_to_somebody(desk, weighed):
    weighed(UNSURE)
    made = document_of(await desk.draft(TOLD, subject="reply"))
    assert "[____ Answer]" in made["markdown"] and say("closest", "en") not in made["markdown"]
    weighed(SURE)
    made = document_of(await desk.draft(TOLD, subject="reply"))
    assert "12 months" in made["markdown"] and made["blanks"] == ()


async def test_without_a_place_for_files_the_whole_text_is_told(desk):
    desk.files = None
    response = await desk.draft(TOLD, subject="reply")
    assert response.files == () and "Kind regards" in response.answer and "ready" not in response.answer
    assert document_of(response)["markdown"].startswith("Hello Kim,")


async def test_files_that_cannot_be_kept_are_said_and_the_text_is_told(desk):
    desk.files.trouble = StorageError("disk full")
    response = await desk.draft(TOLD, subject="reply")
    assert response.files == () and say("document_not_kept", "en") in response.warnings
    assert "Kind regards" in response.answer and response.status == "completed"


async def test_a_high_risk_comes_first_and_the_document_is_handed_over_all_the_same(desk):
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    response = await desk.say("30 January 2027")
    assert document_of(response)["review"]["risk_level"] == "high" and len(response.files) == 2
    answer = response.answer
    assert answer.index("high risk") < answer.index("The document is ready") < answer.index("To: Kim")
    assert "End date lies before Start date" in answer


async def test_a_template_may_do_without_a_review(desk):
    desk.pack = desk.pack.model_copy(update={"templates": (REQUEST.model_copy(update={"review_needed": False}),)})
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    response = await desk.say("30 January 2027")
    assert document_of(response)["review"] is None and "Review" not in response.answer


async def test_a_long_document_is_shown_in_part_and_stands_whole_in_the_file(desk):
    body = REQUEST.body + "\n\n".join(f"Paragraph {n} of a long letter." for n in range(200))
    desk.pack = desk.pack.model_copy(update={"templates": (REQUEST.model_copy(update={"body": body}),)})
    await desk.draft("Draft the leave request to Kim from 1 March 2027")
    response = await desk.say("31 May 2027")
    assert len(response.answer) < 2_000 and say("document_goes_on", "en") in response.answer
    assert "Paragraph 199" in document_of(response)["markdown"]
    assert any("Paragraph 199" in p.text for p in desk.word(response).paragraphs)


def simple(name: str, body: str, **more) -> Template:
    front = {"name": name, "title": {"en": "Note", "ko": "메모"}, "examples": ("a note",)}
    return Template.model_validate({**front, **more}).model_copy(update={"body": body})


async def test_a_template_without_fields_and_sections_is_written_at_once():
    desk = Desk(templates=(simple("note", "Just **text**, {{ today }}."),))
    response = await desk.draft("write the note", subject="note")
    assert document_of(response)["markdown"] == "Just **text**, 21 September 2026.\n" and desk.reasoner.searched == []


async def test_what_a_template_makes_is_bounded():
    field = {"name": "what", "title": {"en": "What", "ko": "무엇"}, "type": "text"}
    desk = Desk(templates=(simple("note", "{{ what }}" * 1500, fields=(field,)),))
    await desk.draft("write the note", subject="note")
    response = await desk.say("x" * 1900)
    assert response.status == "failed" and response.files == ()
    (step,) = [step for step in response.plan.steps if step.id == "d"]
    assert step.status is StepStatus.FAILED and step.error == say("step_failed", "en")


@pytest.mark.parametrize("body", ["{{ ''.__class__ }}", "{% for i in range(999999999) %}x{% endfor %}", "{{ x"])
async def test_an_unsafe_body_fails_its_step_and_not_the_answer(body):
    desk = Desk(templates=(simple("note", body),))
    search = Step(id="s", team="search", task="Search", description="How long does parental leave last?")
    response = await desk.say("parental leave and a note", search, order("write the note", "note"))
    assert "12 months" in response.answer and response.failed_teams == ("document",)


async def test_an_unknown_template_is_a_failure_that_names_those_there_are(desk):
    response = await desk.draft("write it", subject="nonsense")
    assert response.status == "failed" and "there are request, reply, report" in response.errors[0]


async def test_a_step_without_a_template_takes_the_nearest(desk):
    response = await desk.draft("Write a short report on remote work", subject="")
    assert document_of(response)["template"] == "report" and "3 days a week" in document_of(response)["markdown"]


async def test_two_documents_of_one_kind_keep_their_own_details(desk):
    first = order("Draft the reply to Kim about parental leave", "reply", id="a")
    second = order("Draft the reply to Lee about remote work", "reply", id="b")
    response = await desk.say("Draft both replies", first, second)
    texts = [made["markdown"] for made in response.structured_data["documents"]]
    assert ["Hello Kim" in text for text in texts] == [True, False]
    assert ["Hello Lee" in text for text in texts] == [False, True] and len(response.files) == 4
    assert "12 months for each child. [" in texts[0] and "3 days a week. [" in texts[1]
    assert "send form HR-12" in response.answer and "3 days a week. [" in response.answer
    assert len(response.citations) >= 2


async def test_names_of_people_do_not_reach_the_search_and_a_choice_makes_the_topic_narrower():
    kind = {
        "name": "kind", "title": {"en": "Kind", "ko": "종류"}, "type": "choice",
        "choices": ({"value": "parental leave", "names": ("육아휴직",)},),
    }  # fmt: skip
    section = {"name": "rules", "title": {"en": "Rules", "ko": "규정"}}
    desk = Desk(templates=(simple("note", "{{ kind }}\n\n{{ section.rules }}", fields=(kind,), sections=(section,)),))
    await desk.draft("Draft a leave request", subject="note")
    response = await desk.say("육아휴직")
    assert desk.reasoner.searched == ["parental leave"] and "12 months" in document_of(response)["markdown"]

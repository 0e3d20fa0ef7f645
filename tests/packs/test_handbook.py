import re

import pytest

from agent.packs.load import builtin, load_pack
from storage.ingest.sources import find


@pytest.fixture(scope="module")
def pack():
    return load_pack(builtin("handbook"))


def test_it_is_a_sample_in_both_languages(pack):
    assert pack.name == "handbook"
    assert pack.sample
    assert set(pack.languages) == {"en", "ko"}
    assert {intent.route for intent in pack.intents} == {"direct", "decline", "research"}
    for intent in pack.intents:
        korean = [example for example in intent.examples if re.search("[가-힣]", example)]
        assert 5 <= len(korean) < len(intent.examples)
    assert len(pack.suggested_prompts) >= 4


def test_its_documents_are_of_every_format(pack):
    formats = {item.format for item in find([pack.documents]).items}
    assert formats == {"Markdown", "text", "HTML", "PDF", "DOCX", "JSONL"}


def test_every_document_has_a_title_and_its_language(documents):
    for document_id, document in documents.items():
        assert document.title
        assert document.language == ("ko" if "ko" in re.split(r"[/-]", document_id) else "en")
        assert all(len(passage.text) <= 2_400 for passage in document.passages)


FACTS = [
    ("documents/en/annual-leave.md", "| 3 to 4 | 16 |"),
    ("documents/ko/annual-leave.md", "| 3~4년 | 16일 |"),
    (
        "documents/en/parental-leave.md",
        "Send form HR-12 in Hanbit Desk at least 30 days before the first day of leave.",
    ),
    ("documents/ko/parental-leave.md", "HR-12 양식을 휴직 시작 최소 30일 전에 제출합니다."),
    ("documents/en/expenses-and-travel.md", "| Singapore | 280,000 KRW | 70,000 KRW |"),
    ("documents/ko/expenses.md", "| 싱가포르 | 280,000원 | 70,000원 |"),
    ("documents/en/remote-work.md", "You can work remotely up to 3 days a week."),
    ("documents/ko/remote-work.md", "재택근무는 일주일에 최대 3일까지 할 수 있습니다."),
    ("documents/en/security.md", "A password has at least 14 characters."),
    ("documents/ko/security.md", "비밀번호는 14자 이상이어야 하며"),
    ("documents/en/incident-response.pdf", "the leak to the authority"),
    ("documents/en/on-call.html", "SEV1 | customers cannot send or track parcels | 5 minutes | 30 minutes"),
    ("documents/en/contractors.docx", "They close by themselves after 90 days"),
    ("documents/en/vpn-setup.md", "sudo wg-quick up hanbit"),
    ("documents/en/contacts.txt", "Head of People is Sora Kim."),
    ("faq-payday", "Payday is the 25th of each month"),
]


@pytest.mark.parametrize(("document_id", "fact"), FACTS)
def test_what_people_ask_for_is_in_one_passage(documents, document_id, fact):
    assert [fact in passage.text for passage in documents[document_id].passages].count(True) == 1


@pytest.mark.parametrize(
    ("english", "korean"),
    [
        ("annual-leave", "annual-leave"),
        ("parental-leave", "parental-leave"),
        ("expenses-and-travel", "expenses"),
        ("remote-work", "remote-work"),
        ("onboarding-checklist", "onboarding"),
    ],
)
def test_both_languages_name_the_same_forms_amounts_and_addresses(documents, english, korean):
    def figures(document_id):
        text = " ".join(passage.text for passage in documents[document_id].passages)
        return set(re.findall(r"[A-Z]{2,3}-\d\d|\d{1,3}(?:,\d{3})+|\S+@hanbit\.example|#ask-[a-z]+", text))

    assert figures(f"documents/en/{english}.md") == figures(f"documents/ko/{korean}.md")


def test_its_own_questions_reach_the_bar_of_their_file(weft, pack):
    marked = weft("eval", str(pack.folder / "eval.yaml"), "--pack", pack.name)
    assert marked["totals"]["questions"] == 30 and marked["below"] == []


def test_a_place_to_look_in_limits_the_search_and_nothing_else(ask):
    plain = ask("who leads an incident?")
    for question, warned in (
        ("in incident-response.pdf: who leads an incident?", False),
        ("on page 1 of incident-response.pdf, who leads an incident?", False),
        ("on page 99 of incident-response.pdf, who leads an incident?", True),  # searched without it, and said
    ):
        told = ask(question)
        assert told["answer"] == plain["answer"] and bool(told["warnings"]) == warned
        assert {each["document_id"] for each in told["citations"]} == {"documents/en/incident-response.pdf"}


@pytest.mark.parametrize(
    "text", ["in the table, how many days of annual leave after 7 years?", "표에서 7년차 연차 며칠이야?"]
)
def test_a_table_with_words_around_it_is_searched_as_a_table(ask, text):
    told = ask(text)
    assert told["citations"][0]["document_id"].endswith("annual-leave.md") and "18" in told["answer"]


def test_a_name_before_a_range_in_digits_is_a_part_of_its_own(ask):
    ask("휴가 신청서 써줘", "--thread", "range")
    told = ask("김하나, 2027.8.3~5일, 연차", "--thread", "range")
    assert "| 신청인 | 김하나 |" in told["answer"] and "| 종료일 | 2027년 8월 5일 |" in told["answer"]


KOREAN = "8월 3일부터 8월 5일까지 연차 신청서 써줘. 이름은 김민수"
ENGLISH = "draft my annual leave request from 3 August 2027 to 5 August 2027, name: Kim Minsu"


@pytest.mark.parametrize(
    ("order", "correction", "rows"),
    [
        (KOREAN, "아니 8월 4일부터", ["| 신청인 | 김민수 |", "| 시작일 | 8월 4일 |"]),
        (KOREAN, "종료일을 8월 6일로 바꿔줘", ["| 신청인 | 김민수 |", "| 종료일 | 8월 6일 |"]),
        (ENGLISH, "no, from 4 August", ["| Name | Kim Minsu |", "| First day | 4 August 2027 |"]),
        (ENGLISH, "change the last day to 9 August 2027", ["| Name | Kim Minsu |", "| Last day | 9 August 2027 |"]),
    ],
)
def test_a_document_that_was_made_is_made_again_with_what_its_asker_puts_right(ask, order, correction, rows):
    thread = ("--thread", f"made {correction}")
    made, again, after = ask(order, *thread), ask(correction, *thread), ask("연차는 며칠이야?", *thread)
    assert rows[1] not in made["answer"] and all(row in again["answer"] for row in rows)
    assert again["files"] and not after["files"]


def test_a_file_is_made_of_the_answer_before(ask):
    thread = ("--thread", "as a file")
    ask("육아휴직은 얼마나 쓸 수 있나요?", *thread)
    made = ask("파일로 만들어줘", *thread)
    assert [each["name"].rpartition(".")[2] for each in made["files"]] == ["docx", "md"] and "육아휴직" in made[
        "answer"
    ]
    ask("how many weeks of parental leave do I get?", *thread)
    assert "parental leave" in ask("make a file of that", *thread)["structured_data"]["documents"][0]["markdown"]


def test_a_file_behind_follow_ups_is_of_what_these_were_about(ask):
    thread = ("--thread", "a file behind follow-ups")
    for text in ("재택근무 신청은 어떻게 해?", "그럼 해외에서는?", "출처가 어디야?"):
        ask(text, *thread)
    (report,) = ask("파일로 보내줘", *thread)["structured_data"]["documents"]
    assert "HR-22" in report["markdown"] and not report["blanks"]


def test_of_a_document_without_a_template_is_said_that_no_file_was_made(ask):
    told = ask("사직서 써줘")
    assert "맞는 양식이 없어 파일을 만들지 않음" in told["answer"] and not told["files"]

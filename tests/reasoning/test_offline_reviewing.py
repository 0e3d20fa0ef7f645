"""The review of a document by rules: each finds its case, in both languages, and lets a sound text pass."""

import pytest

from agent.packs.pack import Pack, Words
from agent.packs.template import Template
from agent.reasoning.brief import Brief
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.rules.judging.draft_review import longest, review
from agent.types import Block, Passage, Sentence, Support

WORDS = Words(en="x", ko="x")
PACK = Pack(name="test", title=WORDS, description=WORDS)
TEXT = "Leave lasts 20 days. Everybody is always insured, which we guarantee."
BLOCK = Block(
    n=1, score=1.0, passage=Passage(id=1, document_id="d", collection="c", title="Leave", text=TEXT)
)  # fmt: skip
KOREAN_TEXT = "휴가는 20일입니다."
KOREAN = Block(
    n=1, score=1.0, passage=Passage(id=1, document_id="d", collection="c", title="휴가", text=KOREAN_TEXT)
)  # fmt: skip


def template(**more) -> Template:
    fields = (
        {"name": "recipient", "title": {"en": "Recipient", "ko": "받는 사람"}, "type": "text"},
        {"name": "start_date", "title": {"en": "First day", "ko": "시작일"}, "type": "date"},
        {"name": "end_date", "title": {"en": "Last day", "ko": "종료일"}, "type": "date"},
        {"name": "contact_phone", "title": {"en": "Phone", "ko": "전화"}, "type": "text", "optional": True},
    )
    front = {
        "name": "letter", "title": {"en": "Letter", "ko": "편지"}, "examples": ("a",), "fields": fields,
        "sections": ({"name": "answer", "title": {"en": "Answer", "ko": "답변"}},),
    }  # fmt: skip
    return Template.model_validate({**front, **more})


def sentence(text: str, start=0, end=20) -> Sentence:
    return Sentence(text=text, support=(Support(block=1, start=start, end=end),))


SOUND = {"recipient": "Kim", "start_date": "2027-03-01", "end_date": "2027-05-31"}


def reviewed(text="Dear Kim, leave lasts 20 days.", *, language="en", fields=None, sections=None, blanks=(), **more):
    block = BLOCK if language == "en" else KOREAN
    told = "Leave lasts 20 days." if language == "en" else KOREAN_TEXT
    brief = Brief(question="leave", language=language, pack=PACK, blocks=(block,))
    given = DocumentBrief(
        template=template(**more), brief=brief, fields={**SOUND, **(fields or {})}, today="2026-11-21"
    )  # fmt: skip
    made = {"answer": (sentence(told, 0, len(told)),)} if sections is None else sections
    return review(given, Drafted(sections=made, text=text, blanks=blanks, blocks=(block,)))


def test_a_sound_document_passes_every_rule():
    for made in (reviewed(), reviewed("김민지 님, 휴가는 20일입니다.", language="ko")):
        assert made.risk_level == "low" and made.risks == () and made.recommendations == ()
        assert len(made.compliance_check) >= 8 and all(check.passed for check in made.compliance_check)


CASES = [
    ("en", "I guarantee the approval.", {}, "medium", "“I guarantee”"),
    ("ko", "반드시 급여를 보장합니다.", {}, "medium", "반드시 급여를 보장합니다"),
    ("ko", "승인을 약속드립니다.", {}, "medium", "약속드립니다"),
    ("en", "This never happens.", {}, "low", "“never”"),
    ("ko", "절대로 거절되지 않습니다.", {}, "low", "절대로"),
    ("en", "Only an idiot would ask.", {}, "high", "“idiot”"),
    ("ko", "그런 한심한 질문은", {}, "high", "한심한"),
    ("en", "Number 900101-1234567.", {}, "high", "resident registration number"),
    ("ko", "번호는 900101-1234567입니다.", {}, "high", "주민등록번호"),
    ("en", "Pay with 4111 1111 1111 1111.", {}, "high", "card number"),
    ("ko", "카드 4111-1111-1111-1111", {}, "high", "카드 번호"),
    ("en", "Dear Kim", {"recipient": "Kim, 010-1234-5678"}, "medium", "Recipient holds a phone number"),
    ("ko", "김 님께", {"recipient": "kim@example.org"}, "medium", "받는 사람 항목에"),
    ("en", "From 30 February 2027.", {}, "high", "30 February 2027"),
    ("en", "From 2027-13-01.", {}, "high", "2027-13-01"),
    ("ko", "2027년 2월 30일부터", {}, "high", "2027년 2월 30"),
    ("en", "x", {"start_date": "31 April 2027"}, "high", "31 April 2027"),
    ("en", "x", {"start_date": "2026-03-01"}, "medium", "First day lies in the past"),
    ("ko", "x", {"end_date": "2027-02-01"}, "high", "종료일이 시작일보다"),
    ("en", "x", {"end_date": "2027-02-01"}, "high", "Last day lies before First day"),
    ("en", "word " * (longest("en") // 5 + 1), {}, "low", "characters"),
    ("ko", "글자 " * (longest("ko") // 3 + 1), {}, "low", "자로"),
]


@pytest.mark.parametrize(("language", "text", "fields", "level", "told"), CASES)
def test_each_rule_finds_its_case_and_says_what_to_do(language, text, fields, level, told):
    made = reviewed(text, language=language, fields=fields)
    assert (made.risk_level, len(made.risks)) == (level, 1) and told in made.risks[0]
    assert made.recommendations and sum(not check.passed for check in made.compliance_check) == 1


SOUND_TEXTS = [
    ("en", "Section 32 may apply; on 31 marketing pages, 12 decks.", {}),
    ("en", "Order 1234-5678-9012-3456, phone +82 2 555 0170, 900199-1234567.", {}),
    ("ko", "2027년 2월 28일, 3월 1일부터 12월 31일까지", {}),
    ("en", "29 February 2028 and 2028-02-29", {}),
    ("en", "x", {"contact_phone": "010-1234-5678"}),
    ("en", "x", {"start_date": "next spring", "end_date": "03-01"}),
    ("ko", "노력하겠습니다. 약속 시간은 3시입니다.", {}),
]


@pytest.mark.parametrize(("language", "text", "fields"), SOUND_TEXTS)
def test_what_only_looks_like_a_case_is_none(language, text, fields):
    assert reviewed(text, language=language, fields=fields).risks == ()


def test_what_a_cited_passage_says_itself_may_be_repeated():
    told = "Everybody is always insured, which we guarantee."
    cited = {"answer": (sentence(told, 21, len(TEXT)),)}
    assert reviewed(told, sections=cited).risks == ()
    assert len(reviewed(told, sections={"answer": ()}).risks) == 3  # and the section is empty


def test_a_statement_without_support_is_a_high_risk_and_its_figures_are_named():
    made = reviewed(sections={"answer": (sentence("Leave lasts 36 days."),)})
    assert made.risk_level == "high" and "36" in made.risks[0] and "not in the source" in made.risks[0]
    other = reviewed(sections={"answer": (sentence("Submarines need licences from harbours."),)})
    assert other.risk_level == "high" and "No document supports this" in other.risks[0]


def test_what_is_open_is_told():
    made = reviewed(blanks=("recipient",), sections={})
    assert made.risk_level == "medium"
    assert made.risks == ("Recipient is still open", "The documents hold nothing for the part “Answer”")


def test_the_gravest_risk_comes_first():
    made = reviewed("This never happens, idiot.", blanks=("recipient",))
    assert [risk.split()[0] for risk in made.risks] == ["This", "Recipient", "This"] and "idiot" in made.risks[0]
    assert made.risk_level == "high"


@pytest.mark.parametrize(
    ("check", "text", "held"),
    [
        ({"must": r"HR-\d{2}"}, "Send form HR-12.", True),
        ({"must": r"HR-\d{2}"}, "Send a form.", False),
        ({"must_not": "urgent"}, "Send a form.", True),
        ({"must_not": "urgent"}, "x " * 1000 + "this is URGENT", False),
    ],
)
def test_a_template_has_rules_of_its_own(check, text, held):
    rule = {"rule": {"en": "It names the form", "ko": "양식을 밝힘"}, "risk": "high", **check}
    made = reviewed(text, checks=(rule,))
    assert made.compliance_check[-1].rule == "It names the form" and made.compliance_check[-1].passed is held
    assert made.risk_level == ("low" if held else "high") and bool(made.risks) is not held


def test_a_rule_is_not_kept_busy_by_a_long_text():
    rule = {"rule": {"en": "a", "ko": "가"}, "must_not": r"a\w*b"}
    assert reviewed("a" * 100_000, checks=(rule,)).compliance_check[-1].passed

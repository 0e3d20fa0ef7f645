"""What a message is to a question for the details of a document: a detail, "just write it", or something of its own."""

import pytest

from agent.packs.pack import Pack, Words
from agent.reasoning.brief import Message
from agent.reasoning.rules import OfflineReasoner
from agent.types import Pending
from tests.agent.documents import REQUEST

WORDS = Words(en="x", ko="x")
PACK = Pack(name="test", title=WORDS, description=WORDS).model_copy(update={"templates": (REQUEST,)})
PENDING = Pending(
    question="Draft my parental leave request", asked_back="?", choices=(), slot="", asked_of="ann", turn_id="t",
    message_id="m", asked_at=0.0, wanted=("request.recipient", "request.end_date"), given={},
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Kim; 31 May 2027", "detail"),
        ("Kim\n31 May 2027", "detail"),
        ("recipient: who else but Kim?", "detail"),
        ("the end date is 31 May 2027", "detail"),
        ("종료일은 5월 31일", "detail"),
        ("no, from 3 March 2027", "detail"),
        ("please send it to Kim", "detail"),
        ("김민지 님께 보내 주세요", "detail"),
        ("all of them", "detail"),
        ("I want to be away until my child goes to school and after that I come back part-time", "detail"),
        ("just write it", "assume"),
        ("ok, just draft it anyway", "assume"),
        ("leave it blank", "assume"),
        ("그냥 써줘", "assume"),
        ("그냥 작성해 주세요", "assume"),
        ("나머지는 비워둬", "assume"),
        ("빈칸으로 해줘", "assume"),
        ("I don't know", "assume"),
        ("How long does parental leave last?", "new"),
        ("육아휴직은 며칠인가요?", "new"),
        ("draft a report on remote work", "new"),
        ("compare 3 May with 31 May 2027, draft the reply, and chart the travel costs", "new"),
        ("from 3 to 7 May, please write it", "detail"),
        ("재택근무 보고서 써줘", "new"),
        ("thanks", "new"),
        ("never mind", "new"),
        ("No, please cancel that", "new"),
        ("아뇨, 취소해 주세요", "new"),
        ("I don't know yet.", "assume"),
        ("shorter", "new"),
        ("출처좀", "new"),
        ("", "new"),
    ],
)
async def test_a_reply_to_a_question_for_details(text, kind):
    settled = await OfflineReasoner().settle(Message(text=text, pack=PACK), PENDING)
    assert settled.kind == kind
    assert settled.detail == "" and settled.choice == -1  # its words are no part of the question

"""Whom a message is for."""

import pytest

from agent.reasoning.rules.judging import addressee
from agent.reasoning.rules.judging.addressee import Held, is_for_others, is_for_weft, seen_of, wants_thread
from agent.types import Around, FollowUp, Intent, TurnRecord, Understood

ANSWERED = TurnRecord(
    turn_id="t", message_id="m", asked_by="U1", question="how many days of annual leave do I get?",
    standalone="how many days of annual leave do I get?", answer="15 days of annual leave a year.", route="research",
    at=0.0,
)  # fmt: skip
NEXT = Around(minutes=1.0)
TALKING = Around(minutes=9.0, since=("U2", "U1", "U2"), names=("Bob Stone", "지영"))
SURE, NOTHING = Held(likely=0.9, own=0.9, matched=1.4, strange=0.0), Held(likely=0.05, own=0.1, strange=0.7)


def decided(text, around=NEXT, *, by="U1", held=NOTHING, followup=None, replies=False, turns=(ANSWERED,)):
    understood = Understood(
        question=text, language="en", intent=Intent(name="question", confidence=0.8),
        route="followup" if followup else "research", followup=followup,
    )  # fmt: skip
    return is_for_weft(seen_of(text, around, turns, asked_by=by, understood=understood, held=held), replies=replies)


@pytest.mark.parametrize(
    "text", ["and for part-time employees?", "how many days can I carry over?", "이월은 며칠까지 되나요?"]
)
def test_a_question_that_the_documents_answer_is_for_weft_right_behind_its_answer(text):
    assert decided(text, held=SURE)


@pytest.mark.parametrize(
    "text",
    ["did you see the game last night?", "are you coming?", "haha nice one", "어제 어디 다녀오셨어요?", "ㅋㅋㅋ 대박"],
)
def test_what_people_say_to_each_other_is_not(text):
    assert not decided(text, TALKING, by="U2")


@pytest.mark.parametrize("text", ["no, sick leave I mean", "sorry, I meant for interns", "not annual, sick leave"])
def test_who_puts_their_question_right_behind_its_answer_asks_weft(text):
    assert decided(text)
    assert not decided(text, by="U2") and not decided(text, TALKING)


def test_an_answer_is_refused_by_its_asker():
    refused = FollowUp(kind="another")
    assert decided("not what I meant", followup=refused)
    assert not decided("not what I meant", by="U2", followup=refused)
    assert not decided("not what I meant", TALKING, followup=refused)


@pytest.mark.parametrize("before", ["thanks! ", "ah ok. ", "hm, ", "nice, "])
def test_what_is_said_out_of_politeness_changes_nothing(before):
    question = "and for part-time employees?"
    assert decided(before + question, held=SURE) and decided(before + question, by="U2", held=SURE)


def test_the_documents_tip_the_scale():
    asked = "how many are left?"
    assert decided(asked, TALKING, by="U3", held=SURE) and not decided(asked, TALKING, by="U3")


@pytest.mark.parametrize("text", ["price of a normal consult", "제출 기한", "sick leave for interns"])
def test_what_is_no_question_in_form_is_one_where_it_is_worded_so(text):
    assert decided(text, held=SURE)


@pytest.mark.parametrize(
    "text",
    ["ok so fifteen for me then", "I think annual leave is 15 days", "그럼 저는 이틀 남았네요", "연차는 15일이에요"],
)
def test_a_remark_on_the_answer_is_none(text):
    assert not decided(text) and not decided(text, TALKING, by="U2")


@pytest.mark.parametrize(
    "text",
    [
        "every new employee gets two security keys", "the office opens at eight", "the key goes back to the desk",
        "점심은 출근한 날 지원돼요", "병가는 일 년에 열흘이에요",
    ],
)  # fmt: skip
def test_who_tells_what_the_documents_say_asks_nothing(text):
    assert not decided(text, by="U2", held=SURE)


def test_another_form_of_the_answer_can_be_meant_for_nobody_else():
    assert decided("as a table please", TALKING, followup=FollowUp(kind="table"))
    assert decided("explain that in simpler words", TALKING, followup=FollowUp(kind="simpler"))
    assert decided("why?", NEXT, followup=FollowUp(kind="why"))
    assert not decided("why?", TALKING, by="U2", followup=FollowUp(kind="why"))
    assert not decided("as a table please", Around(), followup=FollowUp(kind="table"), turns=())


def test_a_reply_to_weft_is_for_it_where_it_asks_anything():
    assert decided("when do we meet?", TALKING, replies=True)
    assert decided("price of a normal consult", TALKING, replies=True)
    for said in ("lol", "연차는 15일이에요", "that is not what I meant"):
        assert not decided(said, TALKING, replies=True)


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("Bob, how many days do I get?", True), ("thanks bob, and sick leave?", True), ("how about that, Stone?", True),
        ("지영님 연차는 며칠이에요?", True), ("who is Bob?", False), ("how many days do I get?", False),
        ("👍👍🎉", True), ("https://shop.example/desk?colour=oak", True),
        ("", True), ("...", True), ("?", True), ("x" * 601, True), ("왜요?", False),
    ],
)  # fmt: skip
def test_whoever_is_called_by_name_is_meant(text, others):
    assert is_for_others(text, TALKING) is others


def test_a_mention_of_somebody_else_is_never_for_weft():
    assert is_for_others("how many days do I get?", Around(calls_others=True))


def test_a_thread_of_300_people_is_read():
    around = Around(names=tuple(f"Person {n}" for n in range(300)), since=tuple(f"U{n}" for n in range(50)), minutes=3)
    assert not is_for_others("how many days do I get?", around)
    assert not decided("are you coming?", around, by="U7")


def test_every_cut_is_of_something_that_is_seen():
    understood = Understood(
        question="q", language="en", intent=Intent(name="question", confidence=1.0), route="research"
    )
    seen = seen_of("q", Around(), (), asked_by="U1", understood=understood, held=Held())
    trees, _ = addressee.learnt()
    assert {name for tree in trees.trees for name, _ in tree.cuts} <= seen.figures.keys()


@pytest.mark.parametrize(
    ("text", "behind", "wanted"),
    [
        ("summarize this thread", (), True),
        ("Please summarise the discussion above", ("U2",), True),
        ("이 스레드 요약해줘", ("U2",), True),
        ("can you summarize the discussion so far?", (), True),
        ("can you summarize the discussion so far?", ("U2",), False),  # who has just spoken
        ("can someone summarize this thread?", (), False),
        ("누가 이 스레드 좀 요약해줄래요?", (), False),
        ("I'll summarize this thread later", (), False),
        ("what did we decide in this thread?", (), False),
        ("summarize the budget", (), False),
        ("is that correct?", (), False),
    ],
)
def test_an_order_about_the_thread_is_wefts_where_it_is_put_to_nobody_else(text, behind, wanted):
    assert wants_thread(text, Around(since=behind)) is wanted

"""What is wanted of messages that are pointed at, which of them is meant, and what is told of a thread."""

import pytest

from agent.language import say
from agent.packs.load import builtin, load_pack
from agent.pointed_messages import GONE, Pointed, blocks_of
from agent.reasoning.brief import Brief
from agent.reasoning.grounding.citation_support import check_all
from agent.reasoning.message.thread_messages import decides, fitting
from agent.reasoning.rules.answering.thread_digest import tell
from agent.reasoning.rules.judging.statement_verdict import checked
from agent.reasoning.rules.reading.pointed_request import aim_of
from agent.reasoning.rules.thread.pointed_target import WORDS, lent, wish_of
from agent.types import Author, Block, Passage, Said


def said(*talk: tuple[str, str]) -> tuple[Said, ...]:
    return tuple(
        Said(id=f"m{n}", place="C", author=Author(id=f"U-{name}", name=name), at=1.7e9 + n, text=text)
        for n, (name, text) in enumerate(talk)
    )


def wish(text, *talk, target=(), answered=False):
    return wish_of(text, Pointed(said=said(*talk), target=target), answered=answered)


AIMS = {
    "summary": ("summarize this thread", "Can you summarise the discussion above please?", "tl;dr", "catch me up",
                "what happened here?", "give me a quick recap", "what is this thread about?", "이 스레드 요약해줘",
                "위 대화 정리해 주세요", "무슨 얘기 했어?"),
    "decision": ("what was decided?", "what did we decide?", "What's the conclusion?", "did they agree on anything",
                 "was there a decision?", "뭐로 결정됐어?", "결론이 뭐야?", "어떻게 하기로 했어?", "언제로 정해졌죠?"),
    "check": ("is that correct?", "is this still true", "Is that right?!", "can you confirm this?", "fact check please",
              "is what he said right?", "이거 맞아?", "이 말 맞나요?", "사실이에요?", "확인해 주세요"),
    "answer": ("can you answer this?", "", "  ", "?", "any idea?", "what do you think?", "please help him",
               "이거 답해줄 수 있어?", "답변 부탁드립니다", "어떻게 생각해?"),
    "said": ("who said that?", "what did they say?", "뭐라고 했어?"),
}  # fmt: skip
OWN = (
    "how long is probation?", "how many sick days are there?", "Where is the travel policy?", "병가는 며칠인가요?",
    "where do I submit receipts", "and on Windows?", "thanks!",
)  # fmt: skip
TALK = (
    ("Bob", "Where do we hold the offsite in May?"), ("Chloe", "Busan would be nice, 120,000 won a night"),
    ("Bob", "Jeju needs flights"), ("Dan", "let's go with Busan"), ("Bob", "+1"),
)  # fmt: skip


@pytest.mark.parametrize(("aim", "text"), [(aim, text) for aim, texts in AIMS.items() for text in texts])
def test_what_points_at_messages_is_told_by_how_it_is_put(aim, text):
    found = aim_of(text)
    assert found is not None and found.aim == aim and not found.about, found


@pytest.mark.parametrize("text", OWN)
def test_a_question_of_its_own_points_at_nothing(text):
    assert aim_of(text) is None and wish(text, *TALK) is None


@pytest.mark.parametrize(
    "text",
    [
        "summarize the leave policy", "휴가 규정 정리해줘", "is it true that interns get leave?", "연차가 15일 맞아?",
        "can you explain how the VPN works?", "what does the policy say about leave?", "how do I verify my email?",
        "what is the decision process for expenses?", "help", "도와줘",
    ],
)  # fmt: skip
def test_what_is_about_something_else_is_left_to_the_documents(text):
    assert wish(text, *TALK) is None


def test_behind_an_answer_it_is_that_which_is_meant_unless_something_is_pointed_at():
    for text in ("is that correct?", "summarize", "can you explain?", "요약해줘"):
        assert wish(text, *TALK, answered=True) is None
        assert wish(text, *TALK, target=("m1",), answered=True) is not None
    assert wish("summarize this thread", *TALK, answered=True) is not None
    assert wish("what was decided?", *TALK, answered=True) is not None


def test_that_is_the_latest_statement_or_question_or_what_is_pointed_at():
    assert wish("is that correct?", *TALK).target.id == "m3"
    assert wish("can you answer this?", *TALK).target.id == "m0"
    assert wish("is that correct?", *TALK, target=("m1",)).target.id == "m1"
    assert wish("is Chloe right?", *TALK).target.id == "m1"
    assert wish("", *TALK, target=("m2",)).aim == "check"  # a statement is no question to be answered
    assert wish("is that correct?", *TALK, target=("m0",)).aim == "answer"
    trouble = (("Bob", "hello all"), ("Bob", "My VPN does not connect since today"), ("Chloe", "oh no"))
    assert wish("can you help?", *trouble, target=("m1",)).aim == "answer"
    assert wish("what do you think?", *trouble).target.id == "m1"
    assert wish("", ("Bob", "hello all"), ("Chloe", "hi")).target is None


def test_what_only_points_at_others_is_never_what_is_meant():
    asked = (*TALK, ("Bob", "summarize this thread"), ("Chloe", "can you answer this?"), ("Bob", "이거 맞아?"))
    assert wish("can you answer this?", *asked).target.id == "m0"
    assert wish("is that correct?", *asked).target.id == "m3"
    assert [each.id for each in wish("summarize this thread", *asked).messages] == ["m0", "m1", "m2", "m3", "m4"]
    assert wish("is that correct?", *asked, target=("m5",)).target.id == "m5"


def test_a_short_thread_is_told_whole_but_for_who_only_says_yes():
    talk = (
        ("Alice", "When do we get paid?"), ("Bob", "no idea, is it the 25th?"),
        ("Alice", "I think it's the last day of the month"), ("Bob", "ok"),
    )  # fmt: skip
    told = tell(brief("summary", *talk))
    assert [each.text for each in told] == [text for _, text in talk[:3]]


def test_of_a_long_message_the_question_is_taken_and_no_more_than_is_told_again():
    talk = ("Bob", f"{'Some background. ' * 200}How long is probation? Thanks!")
    assert wish("can you answer this?", talk).words == "How long is probation?"
    assert len(wish("is that correct?", ("Bob", "It is so. " * 500)).words) <= WORDS
    assert wish("", ("Bob", "> quoted by a forward, is it true?")).words == "quoted by a forward, is it true?"


def test_who_and_what_is_asked_about_limits_what_is_told():
    assert [each.id for each in wish("what did Chloe say?", *TALK).messages] == ["m1"]
    assert [each.id for each in wish("Chloe님이 뭐라고 했어?", *TALK).messages] == ["m1"]
    assert [each.id for each in wish("who said we need flights?", *TALK).messages] == ["m2"]
    assert wish("what did we decide about the offsite?", *TALK) is not None
    assert wish("what did we decide about the payroll vendor?", *TALK) is None


def test_a_question_of_its_own_may_lean_on_the_last_question_or_on_what_is_pointed_at():
    assert lent(Pointed(said=said(*TALK))).id == "m0"
    assert lent(Pointed(said=said(*TALK), target=("m1",))).id == "m1"
    assert lent(Pointed()) is None


@pytest.mark.parametrize(
    "text",
    [
        "we decided on Busan",
        "ok, going with plan B",
        "부산으로 가기로 했습니다",
        "장소는 부산으로 확정!",
        "Final: 3 March",
    ],
)
def test_a_decision_is_known_by_its_words(text):
    assert decides(text)


@pytest.mark.parametrize(
    "text", ["what did we decide?", "nothing is decided yet", "아직 결정 못 했어요", "결정해야 해요", "I like Busan"]
)
def test_what_asks_for_a_decision_or_denies_it_is_none(text):
    assert not decides(text)


def brief(aim, *talk, language="en", question="?") -> Brief:
    pack, blocks = load_pack(builtin("handbook")), blocks_of(said(*talk), language)
    return Brief(question=question, language=language, pack=pack, blocks=blocks, aim=aim)


def test_a_proposal_that_another_agrees_to_is_decided():
    talk = (*TALK[:3], ("Dan", "how about Busan then?"))
    told = tell(brief("decision", *talk, ("Bob", "+1")))
    assert [sentence.text for sentence in told] == ["how about Busan then?"] and not told[0].hedged
    alone = tell(brief("decision", *talk, ("Dan", "yes")))  # nobody else agreed
    assert all(sentence.hedged for sentence in alone) and say("thread_undecided", "en") in alone[0].lead


def test_a_summary_quotes_and_names_and_repeats_nothing():
    same = [("Bob", "Busan would be nice, 120,000 won a night")] * 5
    given = brief("summary", *TALK, *same)
    told = tell(given)
    assert told[0].text == TALK[0][1] and sum("Busan would be nice" in each.text for each in told) == 1
    assert "**Chloe**" in "".join(each.lead for each in told)
    assert check_all(told, given.blocks).score == 1.0


def test_of_a_long_message_whole_sentences_are_quoted():
    long = "First of all hello. " * 40 + "We decided to move on 3 May. " + "And so on. " * 40
    [told] = tell(brief("decision", ("Bob", long)))
    assert told.text == "We decided to move on 3 May."
    told = tell(brief("summary", ("Bob", long)))
    assert len(told) > 1 and any("3 May" in each.text for each in told) and "Bob" in told[0].lead


def test_what_fits_is_what_tells_most_in_its_order():
    blocks = blocks_of(said(*TALK[:1], *[("Bob", "hm " * 200)] * 50, *TALK[3:]), "en")
    kept = fitting(blocks, 1_000, "decision")
    assert [block.n for block in kept] == sorted(block.n for block in kept)
    assert "let's go with Busan" in [block.passage.text for block in kept]
    assert len(fitting(blocks, 10, "summary")) == 1


LEAVE = "You have 10 paid days of sick leave a year. Tell your team lead before 10:00 on the first day."


@pytest.mark.parametrize(
    ("statement", "key"),
    [
        ("You have 10 paid days of sick leave a year.", "check_agrees"),
        ("You have 12 paid days of sick leave a year.", "check_differs"),
        ("You do not have 10 paid days of sick leave a year.", "check_differs"),
        ("Sick leave is the same for everybody in Seoul and Busan.", None),
    ],
)
def test_a_verdict_is_given_only_where_a_sentence_is_about_the_same(statement, key):
    passage = Passage(id=1, document_id="d", collection="c", title="Sick leave", text=LEAVE)
    pack = load_pack(builtin("handbook"))
    blocks = [Block(n=1, passage=passage, score=1.0)]
    told = checked(Brief(question=statement, language="en", pack=pack, blocks=blocks, aim="check"))
    verdicts = [each for each in ("check_agrees", "check_differs") if told and say(each, "en") in told[0].lead]
    assert verdicts == ([key] if key else [])
    assert not key or not any(sentence.hedged for sentence in told)


RELEASE = (
    ("Alice", "I think we should ship on Friday."), ("Bob", "I would rather wait, QA is not finished."),
    ("Alice", "OK, then we ship on Monday at 10:00 and Bob writes the release notes."), ("Bob", "Agreed."),
)  # fmt: skip


@pytest.mark.parametrize("yes", ["Agreed.", "ok, agreed", "Approved", "Final!"])
def test_what_is_agreed_to_is_told_and_not_that_it_was(yes):
    told = tell(brief("decision", *RELEASE[:-1], ("Bob", yes)))
    assert [sentence.text for sentence in told if not sentence.hedged] == [RELEASE[2][1]]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_who_asks_about_a_message_without_words_of_their_own_has_what_it_says_checked(language):
    asked = say("ask_about_this", language)
    found = wish(asked, ("Bob", "The parental leave is 12 weeks."), target=("m0",))
    assert found is not None and found.aim == "check" and found.words == "The parental leave is 12 weeks."
    found = wish(asked, ("Bob", "How long is parental leave?"), target=("m0",))
    assert found is not None and found.aim == "answer"


@pytest.mark.parametrize("text", [say("ask_about_this", "en"), "is that correct?", "can you answer this?", "맞아요?"])
@pytest.mark.parametrize("answered", [True, False])
def test_no_other_message_stands_in_for_one_that_is_gone(text, answered):
    around = said(("Bob", "A lost badge costs 35 euros."), ("Dan", "who pays for it?"))
    found = wish_of(text, Pointed(said=around, trouble=GONE), answered=answered)
    assert found is not None and found.target is None and not found.messages


@pytest.mark.parametrize(
    "text", ["what do the documents say about carry-over?", "연차에 대해 문서에는 뭐라고 나와 있나요?"]
)
def test_what_the_documents_say_about_something_is_a_question_of_its_own(text):
    assert wish(text, ("Bob", "The parental leave is 12 weeks.")) is None


def test_what_is_agreed_to_is_told_in_korean_too():
    talk = (("지은", "그럼 배포는 월요일 10시에 할게요."), ("민수", "네, 확정!"))
    told = tell(brief("decision", *talk, language="ko"))
    assert [sentence.text for sentence in told if not sentence.hedged] == [talk[0][1]]


def test_a_yes_that_follows_no_statement_decides_nothing():
    told = tell(brief("decision", ("Alice", "is the printer on the third floor?"), ("Bob", "Agreed.")))
    assert all(sentence.hedged for sentence in told)


def test_a_statement_that_goes_on_from_another_is_checked_as_one():
    found = wish("is that correct?", ("Bob", "The fee is 20 euros."), ("Dan", "So then everybody pays 25 euros."))
    assert found is not None and found.aim == "check" and found.words == "So then everybody pays 25 euros."

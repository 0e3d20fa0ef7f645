"""What every reasoner does (`agent.reasoning.contract.Reasoner`). A subclass gives `reasoner`, and `answering` where it
must be told what to say."""

from agent.packs.pack import IntentSpec, Limits, Pack, Words
from agent.reasoning.contract import Brief, Message
from agent.reasoning.support import check_sentence
from agent.types import Block, Passage, Sentence, Standalone, Support, TurnRecord

LEAVE = (
    "Every employee receives 25 days of annual leave per calendar year. "
    "Up to 5 unused days are carried over until 31 March."
)
REMOTE = "재택근무는 일주일에 최대 3일까지 할 수 있습니다. 수습 기간에는 할 수 없습니다."

PACK = Pack(
    name="handbook",
    title=Words(en="the team handbook", ko="팀 안내서"),
    description=Words(en="Rules of the house", ko="사내 규정"),
    intents=(
        IntentSpec(name="greeting", route="direct", examples=("hi", "hello there", "안녕하세요")),
        IntentSpec(
            name="question", examples=("how many days of leave do I get?", "who approves it?", "휴가는 며칠인가요?")
        ),
    ),
    limits=Limits(answer_sentences=3),
)


def turn(question: str, standalone: str = "") -> TurnRecord:
    return TurnRecord(
        turn_id=f"t-{question}",
        message_id="m",
        asked_by="U1",
        question=question,
        standalone=standalone or question,
        answer="...",
        route="research",
        at=1.0,
    )


def message(text: str, *turns: TurnRecord, pack: Pack = PACK, locale: str = "") -> Message:
    return Message(text=text, pack=pack, turns=turns, locale=locale)


def block(n: int, text: str, *, title: str = "", section: str = "", **more) -> Block:
    passage = Passage(id=n, document_id=f"d{n}", collection="c", title=title, section=section, text=text, **more)
    return Block(n=n, passage=passage, score=1.0 / n)


def brief(question: str, *blocks: Block, pack: Pack = PACK, language="en", **more) -> Brief:
    return Brief(question=question, language=language, pack=pack, blocks=blocks, **more)


class ReasonerContract:
    async def test_a_question_is_read(self, reasoner):
        understood = await reasoner.understand(message("  How many days of\n leave do I get? "))
        assert understood.question == "How many days of leave do I get?"
        assert understood.language == "en" and understood.route == "research"
        assert understood.intent.name and 0.0 <= understood.intent.confidence <= 1.0

    async def test_korean_is_read_as_korean(self, reasoner):
        assert (await reasoner.understand(message("재택근무는 일주일에 며칠까지 되나요?"))).language == "ko"

    async def test_routing_can_be_switched_off(self, reasoner):
        pack = PACK.model_copy(update={"flags": PACK.flags.model_copy(update={"query_routing_enabled": False})})
        assert (await reasoner.understand(message("hello", pack=pack))).route == "research"

    async def test_a_first_question_is_left_alone(self, reasoner):
        standalone = await reasoner.resolve(message("How many days of leave do I get?"))
        assert standalone == Standalone(text="How many days of leave do I get?")

    async def test_a_plan_has_a_step_that_can_be_searched_for(self, reasoner):
        understood = await reasoner.understand(message("How many days of leave do I get?"))
        question = Standalone(text=understood.question)
        plan = await reasoner.plan(question, understood, PACK)
        assert plan.steps and not plan.validation_errors
        assert len({step.id for step in plan.steps}) == len(plan.steps)
        expansion = await reasoner.expand(plan.steps[0], question, understood, PACK)
        assert expansion.step_id == plan.steps[0].id
        assert expansion.queries and "leave" in expansion.queries[0].text
        assert all(0 < query.weight <= 1 for query in expansion.queries)

    async def test_an_answer_stands_in_the_blocks(self, reasoner):
        blocks = (block(1, LEAVE, title="Annual leave"), block(2, REMOTE, title="재택근무", language="ko"))
        asked = brief("How many days of annual leave do employees receive?", *blocks)
        sentences = [sentence async for sentence in reasoner.compose(asked)]
        assert 1 <= len(sentences) <= PACK.limits.answer_sentences
        assert "25" in " ".join(sentence.text for sentence in sentences)
        assert all(sentence.support and not check_sentence(sentence, blocks) for sentence in sentences)
        check = await reasoner.check_grounding(sentences, asked)
        assert check.is_valid and check.score == 1.0

    async def test_nothing_is_said_without_evidence(self, reasoner):
        assert [sentence async for sentence in reasoner.compose(brief("How many days of leave do I get?"))] == []

    async def test_an_invented_number_is_found_out(self, reasoner):
        place = Support(block=1, start=0, end=len(LEAVE))
        said = [Sentence(text="Every employee receives 30 days of annual leave.", support=(place,))]
        check = await reasoner.check_grounding(said, brief("How many days?", block(1, LEAVE)))
        assert not check.is_valid and check.score == 0.0
        assert any("30" in told for told in check.suggestions)

    async def test_a_greeting_gets_a_reply(self, reasoner):
        asked = message("안녕하세요")
        understood = await reasoner.understand(asked)
        assert understood.route == "direct"
        assert await reasoner.respond(asked, understood)

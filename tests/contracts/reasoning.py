"""What every reasoner does (`agent.reasoning.contract.Reasoner`). A subclass gives `reasoner`; where the rules answer,
they do so by a likelihood that holds still (`tests.likelihoods`)."""

from agent.packs.pack import IntentSpec, Limits, Pack, SlotSpec, Words
from agent.packs.template import FieldSpec, SectionSpec, Template
from agent.reasoning.analysis_contract import AnalysisBrief
from agent.reasoning.contract import Brief, Message
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.grounding.citation_support import check_sentence
from agent.reasoning.grounding.number_support import numbers_stand
from agent.results import Again, Metric
from agent.text import language_of
from agent.types import (
    Block,
    Choice,
    FollowUp,
    Hit,
    Passage,
    Pending,
    Sentence,
    Standalone,
    Summary,
    Support,
    TurnRecord,
)

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
NOTE = Template(
    name="note",
    title=Words(en="Note on a rule", ko="규정 안내문"),
    examples=("draft a note about the leave rules", "연차 규정 안내문 써 줘"),
    fields=(FieldSpec(name="recipient", title=Words(en="Recipient", ko="받는 사람"), type="text"),),
    sections=(SectionSpec(name="rule", title=Words(en="The rule", ko="규정")),),
    body="{{ recipient }}\n\n{{ rule }}",
)
PENDING = Pending(
    question="How do I set up the VPN?", asked_back="Which one do you mean?",
    choices=(Choice(label="VPN setup (Windows)"), Choice(label="VPN setup (macOS)")), slot="", asked_of="U1",
    turn_id="t0", message_id="m0", asked_at=0.0,
)  # fmt: skip
METRICS = (
    Metric(name="Sick days, total", value=420.0, written="420 days", unit="days", rests_on="sum of 12 rows"),
    Metric(name="Sick days, highest", value=61.0, written="61 days", unit="days", rests_on="row January"),
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
        assert any("30" in told.about for told in check.suggestions)

    async def test_a_greeting_needs_no_documents(self, reasoner):
        assert (await reasoner.understand(message("안녕하세요"))).route == "direct"

    async def test_several_questions_get_a_step_each_and_all_of_them_can_be_done(self, reasoner):
        text = "How many days of annual leave do I get? How often may I work from home?"
        understood = await reasoner.understand(message(text))
        pack = PACK.model_copy(update={"templates": (NOTE,)})
        plan = await reasoner.plan(Standalone(text=understood.question), understood, pack)
        ids = [step.id for step in plan.steps]
        assert 2 <= len(ids) == len(set(ids)) <= PACK.limits.max_steps and not plan.validation_errors
        assert all(step.team in pack.teams and step.description for step in plan.steps)
        assert all(set(step.dependencies) < set(ids) for step in plan.steps)
        said = " ".join(step.description for step in plan.steps)
        assert "leave" in said and "home" in said

    async def test_an_order_to_write_gets_a_document_that_rests_on_a_search(self, reasoner):
        text = "Draft a note about the annual leave rules."
        understood = await reasoner.understand(message(text))
        pack = PACK.model_copy(update={"templates": (NOTE,)})
        plan = await reasoner.plan(Standalone(text=understood.question), understood, pack)
        (document,) = [step for step in plan.steps if step.team == "document"]
        searches = {step.id for step in plan.steps if step.team == "search"}
        assert document.subject == "note" and searches & set(document.dependencies)

    async def test_another_search_is_for_the_same_step(self, reasoner):
        understood = await reasoner.understand(message("How many days of leave do I get?"))
        question = Standalone(text=understood.question)
        (step,) = (await reasoner.plan(question, understood, PACK)).steps
        first = await reasoner.expand(step, question, understood, PACK)
        hits = (Hit(passage=block(1, LEAVE).passage, score=1.0),)
        again = Again(iteration=1, tried=first, hits=hits)
        second = await reasoner.expand(step, question, understood, PACK, again)
        assert second.step_id == step.id and second.queries
        assert all(query.text and 0 < query.weight <= 1 for query in second.queries)

    async def test_fields_are_taken_from_what_was_said(self, reasoner):
        spec = SlotSpec(
            name="recipient", title=Words(en="Recipient", ko="받는 사람"), type="text",
            patterns=(r"\bto ([A-Z]\w+ [A-Z]\w+)",),
        )  # fmt: skip
        assert await reasoner.extract_slots("Write a note to Kim Minsu about leave", [spec]) == {
            "recipient": "Kim Minsu"
        }
        assert await reasoner.extract_slots("Write a note about leave", [spec]) == {}

    async def test_the_sections_of_a_document_stand_in_the_blocks(self, reasoner):
        blocks = (block(1, LEAVE, title="Annual leave"),)
        inner = brief("How many days of annual leave do employees receive?", *blocks)
        asked = DocumentBrief(template=NOTE, brief=inner, fields={"recipient": "Kim"})
        sections = await reasoner.draft_document(asked)
        assert set(sections) == {"rule"} and "25" in " ".join(each.text for each in sections["rule"])
        assert all(not check_sentence(each, blocks) for each in sections["rule"])
        text = " ".join(each.text for each in sections["rule"])
        drafted = Drafted(sections=sections, text=f"Kim\n\n{text}\n", blocks=blocks)
        assert (await reasoner.review(asked, drafted)).risk_level in ("low", "medium")
        nothing = DocumentBrief(template=NOTE, brief=brief("How many days?"))
        assert not any((await reasoner.draft_document(nothing)).values())

    async def test_insights_say_what_the_figures_say(self, reasoner):
        asked = AnalysisBrief(
            question="How many sick days were there?", language="en", pack=PACK, type="summary", subject="Sick days",
            metrics=METRICS,
        )  # fmt: skip
        told = await reasoner.analyse(asked)
        names = {metric.name for metric in METRICS}
        assert told.insights and all(set(insight.metrics) <= names for insight in told.insights)
        assert all(not numbers_stand(insight.text, METRICS) for insight in told.insights)

    async def test_an_answer_is_worth_more_than_none(self, reasoner):
        blocks = (block(1, LEAVE, title="Annual leave"),)
        asked = brief("How many days of annual leave do employees receive?", *blocks)
        sentences = [sentence async for sentence in reasoner.compose(asked)]
        good = await reasoner.grade(sentences, asked, await reasoner.check_grounding(sentences, asked))
        none = await reasoner.grade((), asked, await reasoner.check_grounding((), asked))
        assert 0.0 <= none.score < good.score <= 1.0
        assert good.check.is_valid and not good.check.needs_retry


class ReplyContract:
    """What every reasoner does that replies without documents, too."""

    async def test_what_follows_a_question_back_is_told_apart(self, reasoner):
        picked = await reasoner.settle(message("VPN setup macOS"), PENDING)
        assert (picked.kind, picked.choice) == ("choice", 1)
        told = await reasoner.settle(message("the laptop of the night shift"), PENDING)
        assert told.kind == "detail" and "night shift" in told.detail
        assert (await reasoner.settle(message("How many days of annual leave do I get?"), PENDING)).kind == "new"

    async def test_a_summary_keeps_what_was_told_and_adds_nothing(self, reasoner):
        before = Summary(text="VPN address → vpn.example", turns=1, until=0.0)
        leaving = [
            TurnRecord(
                turn_id="t9", message_id="m9", asked_by="U1", question="How many days of annual leave?",
                route="research", standalone="How many days of annual leave?", answer="25 days of annual leave. [1]",
                at=1.0, evidence=("c\td#0",),
            )
        ]  # fmt: skip
        text = await reasoner.summarise(before, leaving)
        assert "vpn.example" in text and "25" in text and len(text.encode()) <= 1200
        assert "[1]" not in text

    async def test_nothing_is_held_by_no_passages(self, reasoner):
        asked = brief("why?", followup=FollowUp(kind="why"), turns=(turn("How many days?"),))
        assert not await reasoner.holds(asked)

    async def test_what_is_asked_back_comes_from_the_documents(self, reasoner):
        blocks = (
            block(1, "Press Start, open Settings and add the VPN address vpn.example.", title="VPN setup (Windows)"),
            block(
                2, "Open the Apple menu, choose Network and add the VPN address vpn.example.", title="VPN setup (macOS)"
            ),
        )
        understood = await reasoner.understand(message("How do I set up the VPN?"))
        assert await reasoner.clarify(understood, brief(understood.question)) is None
        split = await reasoner.clarify(understood, brief(understood.question, *blocks))
        assert [choice.label for choice in split.choices] == ["VPN setup (Windows)", "VPN setup (macOS)"]
        assert split.question.endswith("?") and language_of(split.question) == "en"

    async def test_a_greeting_gets_a_reply(self, reasoner):
        asked = message("안녕하세요")
        assert await reasoner.respond(asked, await reasoner.understand(asked))

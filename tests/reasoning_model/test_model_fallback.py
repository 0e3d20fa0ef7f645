import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from agent.errors import ModelError
from agent.language import say
from agent.packs.pack import Pack, SlotSpec, Words
from agent.packs.template import FieldSpec
from agent.reasoning.analysis_contract import AnalysisBrief, Reading
from agent.reasoning.combined.composition import Trust
from agent.reasoning.combined.precedence import LIKELY
from agent.reasoning.combined.reasoner import FallbackReasoner
from agent.reasoning.contract import Brief, Message, Reasoner
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.model import ModelReasoner
from agent.reasoning.model.transport.breaker import Breaker
from agent.reasoning.rules.reasoner import OfflineReasoner
from agent.results import Again, Insight, Review
from agent.types import (
    Choice,
    Expansion,
    FollowUp,
    Grade,
    Intent,
    Memory,
    Pending,
    Plan,
    QualityCheck,
    Query,
    Remedy,
    Route,
    Sentence,
    Settled,
    Split,
    Standalone,
    Step,
    Summary,
    Support,
    TurnRecord,
    Understood,
)
from tests.contracts.reasoning import NOTE
from tests.reasoning_model.making import HOURS, PACK, brief, message, reading
from tests.servers.openai import Cut, Hang, OpenAIServer, refusal

UNDERSTOOD = Understood(question="q", language="en", intent=Intent(name="", confidence=0.0), route="research")
STEP = Step(id="s1", team="search", task="Search")


class Named:
    """A reasoner whose results carry its name; what is in `fails` raises instead."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fails: dict[str, Exception] = {}
        self.calls: list[str] = []
        self.breaks_after = 0
        self.reads: Understood | None = None
        self.steps = 1
        self.check: QualityCheck | None = None
        self.support: tuple[Support, ...] = ()
        self.settled = Settled(kind="new")
        self.split: Split | None = None
        self.summary = ""
        self.marks = Grade(check=QualityCheck(is_valid=True, score=1.0), score=1.0)
        self.tells: set[str] = set()
        self.sections: Mapping[str, Sequence[Sentence]] = {}
        self.briefs: list[Brief] = []

    def _called(self, what: str) -> None:
        self.calls.append(what)
        if what in self.fails:
            raise self.fails[what]

    async def understand(self, message: Message) -> Understood:
        self._called("understand")
        return self.reads or Understood(question=self.name, language="en", intent=UNDERSTOOD.intent, route="research")

    async def resolve(self, message: Message) -> Standalone:
        self._called("resolve")
        return Standalone(text=self.name, changed=True)

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        self._called("plan")
        steps = tuple(Step(id=f"{self.name}{n}", team="search", task="Search") for n in range(self.steps))
        return Plan(steps=steps)

    async def expand(
        self, step: Step, question: Standalone, understood: Understood, pack: Pack, again: Again | None = None
    ) -> Expansion:
        self._called("expand")
        return Expansion(step_id=step.id, queries=(Query(text="q"), Query(text=self.name)))

    async def settle(self, message: Message, pending: Pending) -> Settled:
        self._called("settle")
        return self.settled

    async def clarify(self, understood: Understood, brief: Brief, *, split: Split | None = None) -> Split | None:
        self._called("clarify")
        return replace(split, question=self.name) if split else self.split

    async def recollect(self, message: Message, understood: Understood, memories: Sequence[Memory]) -> str:
        self._called("recollect")
        return self.name

    async def holds(self, brief: Brief) -> bool:
        self._called("holds")
        return self.name == "model"

    async def summarise(self, summary: Summary | None, turns: Sequence[TurnRecord]) -> str:
        self._called("summarise")
        return self.summary or self.name

    async def grade(self, sentences: Sequence[Sentence], brief: Brief, grounding: QualityCheck) -> Grade:
        self._called("grade")
        return self.marks

    async def extract_slots(self, text: str, specs: Sequence[SlotSpec]) -> Mapping[str, Any]:
        self._called("extract_slots")
        return {spec.name: f"{self.name} {text}" for spec in specs if spec.name in self.tells}

    async def draft_document(self, brief: DocumentBrief) -> Mapping[str, Sequence[Sentence]]:
        self._called("draft_document")
        return self.sections

    async def review(self, brief: DocumentBrief, drafted: Drafted) -> Review:
        self._called("review")
        return Review(risk_level="low", risks=(self.name,))

    async def analyse(self, brief: AnalysisBrief) -> Reading:
        self._called("analyse")
        return Reading(insights=(Insight(text=self.name, metrics=(self.name,)),))

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        self.briefs.append(brief)
        for n in range(self.breaks_after if "compose" in self.fails else 2):
            yield Sentence(text=f"{self.name} {n}", support=self.support)
        self._called("compose")

    async def respond(self, message: Message, understood: Understood) -> str:
        self._called("respond")
        return self.name

    async def chat(self, message: Message) -> str:
        self._called("chat")
        return self.name

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        self._called("check_grounding")
        return self.check or QualityCheck(is_valid=True, score=1.0, reason=self.name)


CALLS: dict[str, Callable[[Reasoner], object]] = {
    "understand": lambda r: r.understand(message("When?")),
    "resolve": lambda r: r.resolve(message("When?")),
    "check_grounding": lambda r: r.check_grounding([], brief()),
}


@pytest.mark.parametrize("call", CALLS)
async def test_one_failed_call_falls_back_alone(call: str) -> None:
    model, offline, told = Named("model"), Named("offline"), list[str]()
    reasoner = FallbackReasoner(model, offline, notice=told.append)
    for every in CALLS.values():
        assert "model" in repr(await every(reasoner))  # type: ignore[misc]
    assert reasoner.warnings == ()
    model.fails[call] = ModelError("no")
    assert "offline" in repr(await CALLS[call](reasoner))  # type: ignore[misc]
    await CALLS[call](reasoner)  # type: ignore[misc]
    assert reasoner.warnings == (say("model_fallback", "en"),)
    assert told == [say("model_fallback", "en")]


@pytest.mark.parametrize(
    ("route", "confidence", "calls"), [("direct", 1.0, 0), ("direct", 0.9, 1), ("research", 1.0, 1)]
)
async def test_a_plain_greeting_costs_no_call(route: Route, confidence: float, calls: int) -> None:
    model, offline = Named("model"), Named("offline")
    offline.reads = Understood(
        question="hi", language="en", intent=Intent(name="greeting", confidence=confidence), route=route
    )
    reasoner = FallbackReasoner(model, offline)
    understood = await reasoner.understand(message("hi"))
    await reasoner.respond(message("hi"), understood)
    assert model.calls == ["understand"][:calls]
    assert reasoner.warnings == ()


async def test_the_notice_is_in_the_askers_language() -> None:
    model = Named("model")
    model.fails["resolve"] = ModelError()
    reasoner = FallbackReasoner(model, Named("offline"))
    await reasoner.resolve(message("언제 닫나요?"))
    assert reasoner.warnings == (say("model_fallback", "ko"),)


async def test_what_the_model_could_not_read_is_resolved_and_expanded_offline() -> None:
    model = Named("model")
    model.fails["understand"] = ModelError()
    reasoner = FallbackReasoner(model, Named("offline"))
    await reasoner.understand(message("When?"))
    assert (await reasoner.resolve(message("When?"))).text == "offline"
    expansion = await reasoner.expand(STEP, Standalone(text="q"), UNDERSTOOD, PACK)
    assert [query.text for query in expansion.queries] == ["q", "offline"]
    assert await reasoner.respond(message("When?"), UNDERSTOOD) == "offline"
    assert (await reasoner.plan(Standalone(text="q"), UNDERSTOOD, PACK)).steps[0].id == "offline0"
    assert model.calls == ["understand"]


async def test_what_the_model_read_it_also_expands_and_plans() -> None:
    model, offline = Named("model"), Named("offline")
    reasoner = FallbackReasoner(model, offline)
    await reasoner.understand(message("When?"))
    expansion = await reasoner.expand(STEP, Standalone(text="q"), UNDERSTOOD, PACK)
    assert [query.text for query in expansion.queries] == ["q", "offline", "model"]
    model.steps = 2
    assert len((await reasoner.plan(Standalone(text="q"), UNDERSTOOD, PACK)).steps) == 2
    model.steps, offline.steps = 1, 3
    steps = (await reasoner.plan(Standalone(text="q"), UNDERSTOOD, PACK)).steps
    assert [step.id for step in steps] == ["offline0", "offline1", "offline2"]  # nothing that they see gets lost


async def test_an_answer_that_never_began_is_composed_offline() -> None:
    model = Named("model")
    model.fails["compose"] = ModelError()
    reasoner = FallbackReasoner(model, Named("offline"))
    assert [s.text async for s in reasoner.compose(brief())] == ["offline 0", "offline 1"]
    assert reasoner.warnings


async def test_another_form_of_an_answer_is_the_rules_where_the_model_sees_none() -> None:
    class Silent(Named):
        async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
            self._called("compose")
            for sentence in ():
                yield sentence

    offline = Named("offline")
    reasoner = FallbackReasoner(Silent("model"), offline)
    asked = replace(brief("shorter", HOURS), followup=FollowUp(kind="shorter"))
    assert [s.text async for s in reasoner.compose(asked)] == ["offline 0", "offline 1"]
    assert not offline.briefs[-1].doubted and not reasoner.warnings


class Declining(Named):
    """A model that finds no answer in these documents, but where there is a plain one."""

    asked_plainly = 0

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        if brief.question == say("plain_question", brief.language):
            self.asked_plainly += 1
            yield Sentence(text=brief.blocks[0].passage.text)
            return
        self._called("compose")


class Unsure(Named):
    """Rules that only tell what comes closest."""

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        async for sentence in super().compose(brief):
            yield replace(sentence, hedged=True)


class Blind(Declining):
    """A model that finds no answer to anything."""

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        async for _ in super().compose(brief):
            pass
        for sentence in ():
            yield sentence


async def test_where_the_model_finds_no_answer_the_rules_tell_what_comes_closest_as_no_more_than_that() -> None:
    model, offline = Declining("model"), Named("offline")
    offline.marks = replace(offline.marks, score=0.8, confidence=0.3)
    reasoner = FallbackReasoner(model, offline)
    of = brief("When?", HOURS)
    assert [s.text async for s in reasoner.compose(of)] == ["offline 0", "offline 1"]
    assert offline.briefs[-1].doubted
    grade = await reasoner.grade([Sentence(text="x")], of, QualityCheck(is_valid=True, score=1.0))
    assert (grade.score, grade.confidence, grade.final) == (0.4, 0.15, False)  # it is searched for again
    offline.marks = replace(offline.marks, confidence=0.7)
    grade = await reasoner.grade([Sentence(text="x")], of, QualityCheck(is_valid=True, score=1.0))
    assert (grade.score, grade.confidence, grade.final) == (0.8, 0.35, True)  # unless it is likelier than not


async def test_a_model_is_believed_that_there_is_no_answer_while_it_answers_what_the_rules_are_sure_of() -> None:
    declining, answering, offline, trust = Declining("model"), Named("model"), Named("offline"), Trust()

    async def least_of(model: Named) -> float:
        [_ async for _ in FallbackReasoner(model, offline, trust=trust).compose(brief("When?", HOURS))]
        return offline.briefs[-1].least

    assert await least_of(declining) == LIKELY  # by one question it may be right
    assert await least_of(declining) == 0.0  # it finds nothing in anything
    assert await least_of(answering) == 0.0 and offline.briefs[-1].doubted is False
    assert await least_of(answering) == 0.0
    assert await least_of(declining) == LIKELY  # it answered two of four


async def test_a_model_that_has_answered_nothing_yet_is_asked_a_plain_question_before_it_is_believed() -> None:
    for model, least in ((Declining("model"), LIKELY), (Blind("model"), 0.0)):
        offline, trust = Unsure("offline"), Trust()
        for _ in range(3):
            reasoner = FallbackReasoner(model, offline, trust=trust)
            [_ async for _ in reasoner.compose(replace(brief("무슨 요일에?", HOURS), language="ko"))]
            assert offline.briefs[-1].least == least and offline.briefs[-1].doubted is (least > 0)
        assert model.asked_plainly == 1
    proven, offline, trust = Declining("model"), Named("offline"), Trust()
    for one in (Named("model"), proven):
        [_ async for _ in FallbackReasoner(one, offline, trust=trust).compose(brief("When?", HOURS))]
    assert proven.asked_plainly == 0 and offline.briefs[-1].doubted  # it has answered one that the rules were sure of


async def test_a_plain_question_that_fails_shows_nothing() -> None:
    class Failing(Declining):
        async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
            async for _ in super().compose(brief):
                raise ModelError("503")
            for sentence in ():
                yield sentence

    model, offline, trust = Failing("model"), Unsure("offline"), Trust()
    for _ in range(2):
        reasoner = FallbackReasoner(model, offline, trust=trust)
        [_ async for _ in reasoner.compose(brief("When?", HOURS))]
        assert offline.briefs[-1].doubted and reasoner.warnings
    assert model.asked_plainly == 2


async def test_where_it_is_not_believed_the_rules_answer_is_as_sure_as_without_it() -> None:
    declining, offline, trust = Declining("model"), Named("offline"), Trust()
    offline.marks = replace(offline.marks, score=0.8, confidence=0.7)
    for likely in (0.35, 0.7):
        reasoner = FallbackReasoner(declining, offline, trust=trust)
        of = brief("When?", HOURS)
        assert [s.text async for s in reasoner.compose(of)] == ["offline 0", "offline 1"]
        grade = await reasoner.grade([Sentence(text="x")], of, QualityCheck(is_valid=True, score=1.0))
        assert grade.confidence == likely and offline.briefs[-1].doubted is (likely < 0.5)


async def test_the_model_is_not_asked_again_about_passages_that_it_found_no_answer_in() -> None:
    model = Declining("model")
    reasoner = FallbackReasoner(model, Named("offline"))
    for of in (brief("When?", HOURS, "Cats purr."), brief("When?", HOURS), brief("When?", HOURS, "Cats purr.")):
        assert [s.text async for s in reasoner.compose(of)] == ["offline 0", "offline 1"]
    assert model.calls == ["compose"]
    for n in range(3):
        [_ async for _ in reasoner.compose(brief("When?", *[HOURS] * (3 + n)))]
    assert model.calls == ["compose"] * 2  # twice is enough in one turn
    again = Again(iteration=1, tried=Expansion(step_id="s", queries=()))
    await reasoner.understand(message("When?"))
    await reasoner.expand(STEP, Standalone(text="q"), UNDERSTOOD, PACK, again)
    assert "expand" not in model.calls


async def test_a_turn_makes_no_more_than_so_many_calls() -> None:
    model, offline = Named("model"), Named("offline")
    reasoner = FallbackReasoner(model, offline, asked=lambda: len(model.calls))
    model.check = QualityCheck(
        is_valid=False, score=0.5, suggestions=(Remedy("unsupported", "y", "x"),), needs_retry=True
    )
    sentences = [Sentence(text="y")]
    await reasoner.understand(message("When?"))
    sent_back = []
    for _ in range(4):
        [_ async for _ in reasoner.compose(brief())]
        sent_back.append((await reasoner.check_grounding(sentences, brief())).needs_retry)
    assert sent_back == [True, False, False, False]
    assert model.calls == ["understand", "compose", "check_grounding", "compose", "check_grounding", "compose"]
    assert (await reasoner.grade(sentences, brief(), model.check)).final


async def test_an_answer_that_broke_off_is_withdrawn_and_then_composed_offline() -> None:
    model = Named("model")
    model.fails["compose"] = ModelError("broke off")
    model.breaks_after = 1
    reasoner = FallbackReasoner(model, Named("offline"))
    given = []
    with pytest.raises(ModelError, match="broke off"):
        async for sentence in reasoner.compose(brief()):
            given.append(sentence.text)
    assert given == ["model 0"]
    assert [s.text async for s in reasoner.compose(brief())] == ["offline 0", "offline 1"]
    assert model.calls == ["compose"]
    assert len(reasoner.warnings) == 1


async def test_nothing_replaces_the_models_own_words() -> None:
    model, offline = Named("model"), Named("offline")
    reasoner = FallbackReasoner(model, offline)
    model.fails["chat"] = ModelError("gone")
    with pytest.raises(ModelError):
        await reasoner.chat(message("hi"))
    assert not offline.calls
    assert reasoner.warnings == ()


async def test_a_mistake_of_ours_is_not_covered_up() -> None:
    model = Named("model")
    model.fails["understand"] = KeyError("bug")
    with pytest.raises(KeyError):
        await FallbackReasoner(model, Named("offline")).understand(message("When?"))


async def test_a_turn_over_http_with_a_model_that_dies(
    server: OpenAIServer, make: Callable[..., ModelReasoner], caplog: pytest.LogCaptureFixture
) -> None:
    server.script(
        reading(),
        Cut(after="The library closes at six on weekdays. [1] And it is "),
        refusal(401, "Incorrect API key provided: sk-very-secret, asked: the library question"),
    )
    server.answer(Hang())
    reasoner = FallbackReasoner(make(timeout=60.0), Named("offline"))
    await reasoner.understand(message("When does the library close?"))
    given = []
    with pytest.raises(ModelError):
        async for sentence in reasoner.compose(brief()):
            given.append(sentence.text)
    assert given == ["The library closes at six on weekdays."]
    assert [s.text async for s in reasoner.compose(brief())] == ["offline 0", "offline 1"]
    assert (await reasoner.resolve(message("x"))).text == "offline"
    assert len(reasoner.warnings) == 1
    logged = "\n".join(f"{record.getMessage()} {record.exc_text}" for record in caplog.records)
    assert "401" in logged
    for word in ("sk-very-secret", "library", HOURS):
        assert word not in logged


async def test_a_dead_endpoint_leaves_the_offline_answer(
    server: OpenAIServer, make: Callable[..., ModelReasoner]
) -> None:
    server.answer(refusal(500, "down", **{"Retry-After": "0"}))
    offline = OfflineReasoner()
    reasoner = FallbackReasoner(make(breaker=Breaker(failures=2)), offline)
    asked = message("When does the library close on weekdays?")
    understood = await reasoner.understand(asked)
    standalone = await reasoner.resolve(asked)
    (step,) = (await reasoner.plan(standalone, understood, PACK)).steps
    expansion = await reasoner.expand(step, standalone, understood, PACK)
    sentences = [sentence async for sentence in reasoner.compose(brief(standalone.text))]
    check = await reasoner.check_grounding(sentences, brief(standalone.text))

    assert understood == await offline.understand(asked)
    assert expansion == await offline.expand(step, standalone, understood, PACK)
    assert sentences == [sentence async for sentence in offline.compose(brief(standalone.text))]
    assert sentences
    assert check.is_valid
    assert reasoner.warnings == (say("model_fallback", "en"),)
    assert len(server.chats) == 6  # two calls with two retries each, then the endpoint is left alone


def test_falling_back_needs_no_vendor() -> None:
    imports = "import sys, agent.reasoning.combined.reasoner, agent.prompts"
    code = f"{imports}; assert not {{'openai', 'httpx2'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# --- what the model adds to the rules, and need not

SPLIT = Split(question="offline", choices=(Choice(label="A"), Choice(label="B")))
PENDING = Pending(
    question="q",
    asked_back="which?",
    choices=SPLIT.choices,
    slot="",
    asked_of="u",
    turn_id="t",
    message_id="m",
    asked_at=0.0,
)
FREE = Settled(kind="detail", detail="the one with the apple")
OLDER = Summary(text="one\ntwo", turns=2, until=0.0)
TO = FieldSpec(name="to", title=Words(en="To", ko="받는 사람"), type="text")
DOCUMENT = DocumentBrief(template=NOTE, brief=brief("Draft a note", HOURS))
FIGURES = AnalysisBrief(question="q", language="en", pack=PACK, type="trend", subject="", metrics=())
GOOD = Sentence(
    text="The library closes at six on weekdays.", support=(Support(block=1, start=0, end=HOURS.index(" On")),)
)
BAD = replace(GOOD, text="The library closes at nine on weekdays.")


async def read(model: Named, offline: Named, **given: Any) -> FallbackReasoner:
    """Return a reasoner that has read a message with the model."""
    reasoner = FallbackReasoner(model, offline, **given)
    await reasoner.understand(message("When?"))
    model.calls.clear()
    return reasoner


async def test_a_translation_is_written_before_it_is_promised() -> None:
    model, offline = Named("model"), Named("offline")
    asked = replace(brief("in Korean", HOURS), followup=FollowUp(kind="translate", language="ko"))
    reasoner = FallbackReasoner(model, offline)
    assert not await reasoner.holds(asked)  # nothing of it rests on the passages
    model.support = (Support(block=1, start=0, end=5),)
    assert await reasoner.holds(asked)
    model.calls.clear()
    assert [s.text async for s in reasoner.compose(asked)] == ["model 0", "model 1"]
    assert not model.calls
    assert [s.text async for s in reasoner.compose(asked)] == ["model 0", "model 1"]
    assert model.calls == ["compose"]
    model.fails["compose"] = ModelError()
    failing = FallbackReasoner(model, offline)
    assert not await failing.holds(asked)
    assert failing.warnings


async def test_a_model_that_was_late_once_is_not_waited_for_again() -> None:
    model, offline = Named("model"), Named("offline")
    reasoner = await read(model, offline, seconds=0.05)
    waits = 0

    async def slow(*_: object, **__: object) -> None:
        nonlocal waits
        waits += 1
        await asyncio.Event().wait()

    model.plan = model.review = model.analyse = slow  # type: ignore[assignment,method-assign]
    assert (await reasoner.plan(Standalone(text="q"), UNDERSTOOD, PACK)).steps[0].id == "offline0"
    assert (await reasoner.review(DOCUMENT, Drafted(sections={}))).risks == ("offline",)
    assert [each.text for each in (await reasoner.analyse(FIGURES)).insights] == ["offline"]
    assert waits == 1
    assert reasoner.warnings == (say("model_fallback", "en"),)


async def test_the_model_sends_a_draft_back_once() -> None:
    model = Named("model")
    reasoner = FallbackReasoner(model, Named("offline"))
    check = QualityCheck(is_valid=False, score=0.6, suggestions=(Remedy("unanswered", "Saturday"),), needs_retry=True)
    model.marks = Grade(check=check, score=0.6)
    grounding = QualityCheck(is_valid=True, score=1.0)
    first = await reasoner.grade([GOOD], brief(), grounding)
    second = await reasoner.grade([BAD], brief(), grounding)
    assert first.check.needs_retry and first.check.suggestions == check.suggestions
    assert not second.check.needs_retry and second.score == 0.6


async def test_fields_are_the_rules_first_and_few_texts_go_to_the_model() -> None:
    model, offline = Named("model"), Named("offline")
    model.tells = {"to"}
    unread = FallbackReasoner(model, offline)
    assert await unread.extract_slots("first", [TO]) == {}
    reasoner = await read(model, offline)
    assert await reasoner.extract_slots("first", [TO]) == {"to": "model first"}
    assert await reasoner.extract_slots(" first ", [TO]) == {"to": "model first"}
    await reasoner.extract_slots("second", [TO])
    assert await reasoner.extract_slots("third", [TO]) == {}
    assert model.calls == ["extract_slots"] * 2
    offline.tells = {"to"}
    assert await reasoner.extract_slots("first", [TO]) == {"to": "offline first"}


async def test_a_section_that_the_model_leaves_out_is_written_by_the_rules() -> None:
    model, offline = Named("model"), Named("offline")
    offline.sections = {"rule": (GOOD,)}
    reasoner = FallbackReasoner(model, offline)
    assert await reasoner.draft_document(DOCUMENT) == {"rule": (GOOD,)}
    model.sections = {"rule": ()}
    assert await reasoner.draft_document(DOCUMENT) == {"rule": ()}  # the passages do not tell it
    model.sections = {"rule": (BAD,)}
    assert await reasoner.draft_document(DOCUMENT) == {"rule": (BAD,)}  # it is sent back with what is wrong
    again = replace(
        DOCUMENT, brief=replace(DOCUMENT.brief, suggestions=(Remedy("unsupported", "x", "the number nine"),))
    )
    assert await reasoner.draft_document(again) == {"rule": (GOOD,)}
    assert reasoner.warnings == ()
    model.fails["draft_document"] = ModelError()
    assert await reasoner.draft_document(DOCUMENT) == {"rule": (GOOD,)}
    assert len(reasoner.warnings) == 1


async def test_review_and_analysis_are_joined_and_fall_back_alone() -> None:
    model, offline = Named("model"), Named("offline")
    reasoner = FallbackReasoner(model, offline)
    assert (await reasoner.review(DOCUMENT, Drafted(sections={}))).risks == ("offline", "model")
    assert [each.text for each in (await reasoner.analyse(FIGURES)).insights] == ["model", "offline"]
    model.fails |= {"review": ModelError(), "analyse": ModelError()}
    assert (await reasoner.review(DOCUMENT, Drafted(sections={}))).risks == ("offline",)
    assert [each.text for each in (await reasoner.analyse(FIGURES)).insights] == ["offline"]
    assert len(reasoner.warnings) == 1


@pytest.mark.parametrize(
    ("seconds", "read", "written", "checked", "told"),
    [
        (10.0, "model", "model", "model", 0),
        (60.0, "offline", "model", "offline", 0),
        (200.0, "offline", "offline", "offline", 1),
    ],
)
async def test_a_slow_model_does_what_its_turn_has_time_for(
    seconds: float, read: str, written: str, checked: str, told: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    model, offline, left = Named("model"), Named("offline"), [110.0]
    reasoner = FallbackReasoner(model, offline, takes=lambda calls: calls * seconds, left=lambda: left[0])
    assert (await reasoner.understand(message("When?"))).question == read
    sentences = [sentence async for sentence in reasoner.compose(brief())]
    assert sentences[0].text == f"{written} 0"
    left[0] -= 2 * seconds if written == "model" else 0
    assert (await reasoner.check_grounding(sentences, brief())).reason == checked
    assert len(reasoner.warnings) == told
    assert ("limits.deadline_seconds" in caplog.text) is bool(told)


async def test_what_a_slow_model_would_only_add_is_not_waited_for() -> None:
    model, offline = Named("model"), Named("offline")
    for seconds, asked in ((9.0, True), (60.0, False)):
        reasoner = FallbackReasoner(model, offline, takes=lambda calls, s=seconds: calls * s)
        model.calls.clear()
        await reasoner.understand(message("When?"))
        await reasoner.plan(Standalone(text="q"), UNDERSTOOD, PACK)
        assert ("plan" in model.calls) is asked
        assert reasoner.warnings == ()

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from agent.errors import ModelError
from agent.packs.pack import Pack
from agent.reasoning.contract import Brief, Message, Reasoner
from agent.reasoning.fallback import FallbackReasoner
from agent.reasoning.model import ModelReasoner
from agent.reasoning.model.breaker import Breaker
from agent.reasoning.offline.reasoner import OfflineReasoner
from agent.types import Expansion, Intent, Plan, QualityCheck, Query, Route, Sentence, Standalone, Step, Understood
from agent.words import say
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

    def _called(self, what: str) -> None:
        self.calls.append(what)
        if what in self.fails:
            raise self.fails[what]

    async def understand(self, message: Message) -> Understood:
        self._called("understand")
        return self.reads or Understood(question=self.name, language="en", intent=UNDERSTOOD.intent, route="research")

    async def resolve(self, message: Message) -> Standalone:
        self._called("resolve")
        return Standalone(text=self.name)

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        self._called("plan")
        return Plan(steps=(Step(id=self.name, team="search", task="Search"),))

    async def expand(self, step: Step, question: Standalone, understood: Understood, pack: Pack) -> Expansion:
        self._called("expand")
        return Expansion(step_id=step.id, queries=(Query(text="q"), Query(text=self.name)))

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        for n in range(self.breaks_after if "compose" in self.fails else 2):
            yield Sentence(text=f"{self.name} {n}")
        self._called("compose")

    async def respond(self, message: Message, understood: Understood) -> str:
        self._called("respond")
        return self.name

    async def chat(self, message: Message) -> str:
        self._called("chat")
        return self.name

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        self._called("check_grounding")
        return QualityCheck(is_valid=True, score=1.0, reason=self.name)


CALLS: dict[str, Callable[[Reasoner], object]] = {
    "understand": lambda r: r.understand(message("When?")),
    "resolve": lambda r: r.resolve(message("When?")),
    "respond": lambda r: r.respond(message("When?"), UNDERSTOOD),
    "check_grounding": lambda r: r.check_grounding([], brief()),
}


@pytest.mark.parametrize("error", [ModelError("no"), TimeoutError()], ids=["error", "timeout"])
@pytest.mark.parametrize("call", CALLS)
async def test_one_failed_call_falls_back_alone(call: str, error: Exception) -> None:
    model, offline, told = Named("model"), Named("offline"), list[str]()
    reasoner = FallbackReasoner(model, offline, notice=told.append)
    for every in CALLS.values():
        assert "model" in repr(await every(reasoner))  # type: ignore[misc]
    assert reasoner.warnings == ()
    model.fails[call] = error
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
    assert model.calls == ["understand", "respond"][: 2 * calls]
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
    assert model.calls == ["understand"]


async def test_what_the_model_read_it_also_expands_but_the_plan_costs_no_call() -> None:
    model = Named("model")
    reasoner = FallbackReasoner(model, Named("offline"))
    await reasoner.understand(message("When?"))
    expansion = await reasoner.expand(STEP, Standalone(text="q"), UNDERSTOOD, PACK)
    assert [query.text for query in expansion.queries] == ["q", "offline", "model"]
    assert (await reasoner.plan(Standalone(text="q"), UNDERSTOOD, PACK)).steps[0].id == "offline"


async def test_an_answer_that_never_began_is_composed_offline() -> None:
    model = Named("model")
    model.fails["compose"] = ModelError()
    reasoner = FallbackReasoner(model, Named("offline"))
    assert [s.text async for s in reasoner.compose(brief())] == ["offline 0", "offline 1"]
    assert reasoner.warnings


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
    for error in (ModelError("gone"), TimeoutError()):
        model.fails["chat"] = error
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
    reasoner = FallbackReasoner(make(timeout=0.3), Named("offline"))
    await reasoner.understand(message("When does the library close?"))
    given = []
    with pytest.raises(ModelError):
        async for sentence in reasoner.compose(brief()):
            given.append(sentence.text)
    assert given == ["The library closes at six on weekdays."]
    assert [s.text async for s in reasoner.compose(brief())] == ["offline 0", "offline 1"]
    assert await reasoner.respond(message("x"), UNDERSTOOD) == "offline"
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
    code = "import sys, agent.reasoning.fallback, agent.prompts; assert not {'openai', 'httpx2'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

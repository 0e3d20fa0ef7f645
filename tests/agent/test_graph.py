"""Every arrow of the graph, on a scripted reasoner and a library in memory."""

import asyncio
from dataclasses import replace

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.context import KEPT_TURNS, Context, TurnRequest
from agent.errors import ModelError, StorageError, TurnTimeoutError
from agent.events import DraftWithdrawn, FinalResponse, PhaseBegan, PlanReady, TextDelta, TodoUpdated
from agent.graph import build_graph
from agent.language import say
from agent.packs.pack import Flags, Limits, Pack, Words
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.types import Around, Audience, Passage, QualityCheck, Remedy, Sentence, Step, StepStatus, Support, ThreadKey
from storage.checkpoints import SqliteCheckpoints
from tests.clock import sleep_through
from tests.fakes import ScriptedReasoner
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))
LEAVE = Passage(
    id=1, document_id="leave.md", collection="documents", title="Leave", section="Annual",
    text="Everybody has 20 days of annual leave. Unused days lapse in March.",
)  # fmt: skip
VPN = Passage(id=2, document_id="vpn.md", collection="documents", title="VPN", text="The VPN needs a token.", page=3)
BETTER = Remedy("unsupported", "x", "cite better")
RETRY = QualityCheck(is_valid=False, score=0.2, reason="not supported", suggestions=(BETTER,), needs_retry=True)


class Bench:
    def __init__(self, saver=None, *, passages=(LEAVE, VPN), readers=None) -> None:
        words = Words(en="leave", ko="휴가")
        self.pack = Pack(name="test", title=words, description=words)
        self.reasoner = ScriptedReasoner()
        self.library = MemoryLibrary(passages, readers)
        self.knowledge = KnowledgeBase(lexical=self.library, passages=self.library)
        self.agent = Agent(build_graph(saver or InMemorySaver()), self.context, summariser=self.reasoner)
        self.count = 0
        self.web = None
        self.rules = None
        self.step_times = None

    def context(self, request: TurnRequest) -> Context:
        return Context(
            request=request, pack=self.pack, reasoner=self.reasoner, knowledge=self.knowledge, web=self.web,
            step_times=self.step_times, without_model=self.rules,
        )  # fmt: skip

    def limit(self, **limits) -> None:
        self.pack = self.pack.model_copy(update={"limits": Limits(**limits)})

    async def events(
        self,
        text="annual leave days",
        *,
        thread="T",
        message_id="",
        mode="agent",
        audience=EVERYBODY,
        around=None,
    ):
        self.count += 1
        message_id = message_id or f"m{self.count}"
        key = ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id=thread)
        request = TurnRequest(
            turn_id=f"turn-{message_id}", key=key,
            message_id=message_id, asked_by="U", text=text, audience=audience, mode=mode, around=around,
        )  # fmt: skip
        return [event async for event in self.agent.run(request)]

    async def ask(self, text="annual leave days", **options):
        events = await self.events(text, **options)
        assert isinstance(events[-1], FinalResponse)
        return events[-1].response


@pytest.fixture
def bench():
    return Bench()


def moves(events) -> list[tuple[str, str]]:
    """Return which step came to which status, in order, each once."""
    return list(dict.fromkeys((e.step.id, e.step.status.value) for e in events if isinstance(e, TodoUpdated)))


def ran(response) -> list[str]:
    return list(response.timings)


async def test_research_plans_searches_composes_and_cites_verbatim(bench):
    events = await bench.events()
    response = events[-1].response
    assert ran(response) == [
        "recall",
        "understand",
        "plan",
        "search",
        "collect",
        "pack_context",
        "clarify",
        "compose",
        "ground",
        "grade",
        "remember",
    ]
    assert response.answer == "Everybody has 20 days of annual leave. [1]"
    (citation,) = response.citations
    assert citation.quote in LEAVE.text and citation.passage_id == "leave.md#0" and citation.section == "Annual"
    kinds = list(dict.fromkeys(type(e) for e in events))
    assert kinds == [PhaseBegan, PlanReady, TodoUpdated, TextDelta, FinalResponse]
    assert [e.phase for e in events if isinstance(e, PhaseBegan)] == ["planning", "searching", "writing", "checking"]
    assert [status for _, status in moves(events)] == ["in_progress", "completed"]
    assert response.plan.steps[0].status is StepStatus.COMPLETED and response.plan.steps[0].progress == 100
    assert response.total_ms > 0 and response.structured_data["metadata"]["sources"] == ["Leave"]


@pytest.mark.parametrize(("route", "kind"), [("direct", "answer"), ("decline", "declined")])
async def test_direct_and_decline_answer_without_documents(bench, route, kind):
    bench.reasoner.route = route
    response = await bench.ask("hello")
    assert ran(response) == ["recall", "understand", "respond", "remember"]
    assert (response.answer, response.response_type, response.route) == (f"response to {route}", kind, route)


async def test_a_follow_up_is_rewritten_before_it_is_planned_for(bench):
    await bench.ask("annual leave days")
    bench.reasoner.route = "contextualize"
    response = await bench.ask("and when do they lapse")
    assert ran(response)[:4] == ["recall", "understand", "rewrite", "plan"]
    assert response.standalone_query == "and when do they lapse (annual leave days)"
    assert response.citations[0].document_id == "leave.md"


async def test_without_query_routing_everything_is_planned_for(bench):
    bench.pack = bench.pack.model_copy(update={"flags": Flags(query_routing_enabled=False)})
    bench.reasoner.route = "direct"
    assert "plan" in ran(await bench.ask("hello leave"))


async def test_mode_llm_is_the_models_own_words(bench):
    response = await bench.ask("hi", mode="llm")
    assert ran(response) == ["recall", "respond", "remember"] and response.answer == "the model's words"
    bench.reasoner.chat_reply = ModelError("no model")
    response = await bench.ask("hi", mode="llm")
    assert response.status == "failed" and response.answer == say("llm_mode_needs_model", "en")


def steps(*names: str, **dependencies: tuple[str, ...]) -> list[Step]:
    return [
        Step(id=n, team="search", task=n, description=f"{n} annual leave", dependencies=dependencies.get(n, ()))
        for n in names
    ]


async def test_steps_of_a_group_run_side_by_side(bench):
    bench.reasoner.steps, bench.reasoner.strategy = tuple(steps("a", "b", "c")), "parallel"
    together = asyncio.Barrier(3)
    bench.reasoner.while_expanding = lambda step: together.wait()
    async with asyncio.timeout(120):
        response = await bench.ask()
    assert response.plan.parallel_groups == (("a", "b", "c"),)
    assert [e.step_id for e in response.expansion] == ["a", "b", "c"]


async def test_a_sequential_plan_runs_one_step_after_another(bench):
    bench.reasoner.steps = tuple(steps("a", "b"))
    events = await bench.events()
    assert moves(events) == [
        ("a", "in_progress"), ("a", "completed"), ("b", "in_progress"), ("b", "completed"),
    ]  # fmt: skip


async def test_a_failed_step_is_data_its_dependants_are_skipped_and_the_rest_still_answers(bench):
    bench.reasoner.steps, bench.reasoner.strategy = tuple(steps("a", "b", "c", b=("a",))), "parallel"
    bench.reasoner.expand_errors["a"] = StorageError("disk gone")
    response = await bench.ask()
    status = {step.id: step.status.value for step in response.plan.steps}
    assert status == {"a": "failed", "b": "skipped", "c": "completed"}
    assert response.status == "completed" and response.citations and response.failed_teams == ("search",)
    assert response.errors == ("a: disk gone",)


async def test_when_every_step_failed_the_turn_failed(bench):
    bench.reasoner.expand_errors["step_0"] = StorageError("disk gone")
    response = await bench.ask()
    assert (response.status, response.response_type) == ("failed", "error")


async def test_a_plan_with_mistakes_keeps_what_is_sound(bench):
    circle = steps("a", "b", "c", a=("b",), b=("a",))
    bench.reasoner.steps = (*circle, Step(id="d", team="nobody", task="d"), *steps("e", e=("missing",)))
    bench.reasoner.strategy = "parallel"
    response = await bench.ask()
    assert [s.id for s in response.plan.steps] == ["c", "left_out"] and response.citations
    assert len(response.plan.validation_errors) == 4


async def test_a_refused_draft_is_withdrawn_and_written_again_with_suggestions(bench):
    bench.reasoner.checks = [RETRY]
    events = await bench.events()
    response = events[-1].response
    assert response.retry_count == 1 and bench.reasoner.briefs[1].suggestions == (BETTER,)
    kinds = [type(e) for e in events]
    assert kinds.index(DraftWithdrawn) > kinds.index(TextDelta)
    assert response.grounding.is_valid and response.citations


async def test_when_the_retries_are_used_up_only_what_is_supported_is_kept(bench):
    bench.limit(max_retries=2)
    bench.reasoner.checks = [RETRY] * 9
    good = Sentence(text="Everybody has 20 days of annual leave.", support=(Support(block=1, start=0, end=38),))
    bench.reasoner.drafts = [[good, Sentence(text=f"And {n} days in Rome.")] for n in range(40, 49)]
    events = await bench.events()
    response = events[-1].response
    assert response.retry_count == 2 and len(bench.reasoner.briefs) == 3
    assert response.answer == "Everybody has 20 days of annual leave. [1]"
    assert say("unsupported_left_out", "en") in response.warnings
    assert "Rome" not in "".join(e.text for e in events if isinstance(e, TextDelta))


async def test_retries_start_anew_with_every_turn(bench):
    bench.reasoner.checks = [RETRY]
    assert (await bench.ask()).retry_count == 1
    response = await bench.ask()
    assert response.retry_count == 0 and response.errors == () and len(response.expansion) == 1


async def test_nothing_found_is_said_with_the_nearest_titles(bench):
    bench.reasoner.drafts = [[]]
    response = await bench.ask("leave on the moon")
    assert response.citations == () and response.nearest == ("Leave",)
    assert say("no_answer", "en") in response.answer and "- Leave" in response.answer


async def test_an_empty_library_says_so():
    response = await Bench(passages=()).ask("annual leave")
    assert response.answer == say("no_documents", "en") and response.status == "completed"


async def test_what_the_audience_may_not_read_is_in_no_part_of_the_response():
    bench = Bench(readers={"documents": frozenset({"user:x:W:boss"})})
    response = await bench.ask("annual leave days")
    assert "Leave" not in str(response) and "20 days" not in str(response)
    assert (await bench.ask(audience=Audience(principals=frozenset(), operator=True))).citations


async def test_an_edited_question_sees_only_what_was_before_it_and_takes_its_own_place(bench):
    for n in range(3):
        await bench.ask(f"annual leave {n}", message_id=f"q{n}")
    await bench.ask("annual leave changed", message_id="q1")
    assert [t.question for t in bench.reasoner.messages[-1].turns] == ["annual leave 0"]
    turns = await bench.agent.turns("x:W:C:T")
    assert [t.question for t in turns] == ["annual leave 0", "annual leave changed", "annual leave 2"]


async def test_a_forgotten_turn_is_gone_from_the_conversation(bench):
    for n in range(3):
        await bench.ask(f"annual leave {n}", message_id=f"q{n}")
    await bench.agent.forget("x:W:C:T", "q1")
    assert [t.message_id for t in await bench.agent.turns("x:W:C:T")] == ["q0", "q2"]


async def test_people_talking_to_each_other_are_left_alone_and_not_remembered(bench):
    await bench.ask()
    events = await bench.events("lol same here", around=Around())
    assert len(events) == 1 and events[-1].response.answer == ""
    assert len(await bench.agent.turns("x:W:C:T")) == 1
    assert (await bench.ask("how many annual leave days", around=Around())).citations


async def test_threads_know_nothing_of_each_other(bench):
    await bench.ask(thread="A")
    await bench.ask(thread="B")
    assert bench.reasoner.messages[-1].turns == ()


async def test_a_turn_past_its_deadline_ends(bench):
    bench.limit(deadline_seconds=60)
    bench.reasoner.while_planning = lambda: sleep_through(70)
    with pytest.raises(TurnTimeoutError):
        await bench.ask()
    bench.reasoner.while_planning = None
    assert (await bench.ask()).citations  # and the thread goes on


class TestCheckpoints:
    """What the conversation keeps on disk."""

    @pytest.fixture
    async def checkpoints(self, tmp_path):
        opened = await SqliteCheckpoints.open(tmp_path / "checkpoints.db")
        yield opened
        await opened.close()

    async def test_a_conversation_goes_on_after_a_restart_with_its_types_intact(self, tmp_path):
        first = await SqliteCheckpoints.open(tmp_path / "c.db")
        await Bench(first.saver).ask()
        await first.close()
        second = await SqliteCheckpoints.open(tmp_path / "c.db")
        (turn,) = await Bench(second.saver).agent.turns("x:W:C:T")
        assert (
            turn.question == "annual leave days"
            and turn.evidence == ("documents\tleave.md#0",)
            and turn.documents[0] == "leave.md"
            and isinstance(turn.evidence, tuple)
        )
        await second.close()

    async def test_document_text_is_never_stored_and_cost_does_not_grow_with_the_thread(self, checkpoints, tmp_path):
        secret = "zebra-stripes-of-a-document"
        passage = replace(LEAVE, text=f"Everybody has annual leave. {secret}")
        bench = Bench(checkpoints.saver, passages=(passage,))
        sizes = []
        for n in range(KEPT_TURNS + 8):
            await bench.ask(f"annual leave {n}")
            await checkpoints.prune("x:W:C:T")
            sql = "SELECT checkpoint, metadata FROM checkpoints"
            rows = await checkpoints.database.read(lambda c, sql=sql: c.execute(sql).fetchall())
            assert len(rows) == 1
            sizes.append(len(rows[0][0]) + len(rows[0][1]))
        assert sizes[-1] <= 1.2 * sizes[KEPT_TURNS - 1]
        files = b"".join(path.read_bytes() for path in tmp_path.glob("checkpoints.db*"))
        assert secret.encode() not in files and f"annual leave {KEPT_TURNS + 7}".encode() in files

    async def test_what_a_turn_that_was_cut_off_had_in_hand_is_gone_with_the_next(self, checkpoints, tmp_path):
        secret, done = "zebra-stripes-of-a-document", asyncio.Event()
        bench = Bench(checkpoints.saver, passages=(replace(LEAVE, text=f"Everybody has annual leave. {secret}"),))
        bench.reasoner.steps, bench.reasoner.strategy = tuple(steps("a", "b")), "parallel"
        bench.reasoner.while_expanding = lambda step: asyncio.Event().wait() if step.id == "b" else None

        async def ask():
            key = ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id="T")
            about = {"turn_id": "t", "key": key, "message_id": "m", "asked_by": "U", "audience": EVERYBODY}
            async for event in bench.agent.run(TurnRequest(**about, text="annual leave")):
                if ("a", "completed") in moves([event]):
                    done.set()

        asking = asyncio.create_task(ask())
        await done.wait()
        for _ in range(50):  # until the step has given what it found
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

        async def left():
            await checkpoints.database.scrub()
            (rows,) = await checkpoints.database.read(lambda c: c.execute("SELECT count(*) FROM writes").fetchone())
            return rows, secret.encode() in b"".join(p.read_bytes() for p in tmp_path.glob("checkpoints.db*"))

        rows, there = await left()
        assert rows > 0 and there
        await checkpoints.prune("x:W:C:T")
        assert await left() == (0, False)

    async def test_turns_of_another_version_are_left_out_not_misread(self, checkpoints, caplog):
        bench = Bench(checkpoints.saver)
        await bench.ask()
        config = {"configurable": {"thread_id": "x:W:C:T"}}
        await bench.agent._graph.aupdate_state(config, {"turns": [{"question": "old shape"}]}, as_node="remember")
        response = await bench.ask("annual leave")
        assert response.citations and bench.reasoner.messages[-1].turns == () and "another version" in caplog.text

    async def test_a_tampered_row_runs_no_code(self, checkpoints, tmp_path):
        bench = Bench(checkpoints.saver)
        await bench.ask()
        marker = tmp_path / "owned"
        import ormsgpack
        from langgraph.checkpoint.serde.jsonplus import EXT_CONSTRUCTOR_SINGLE_ARG

        evil = ormsgpack.packb(
            {"turns": ormsgpack.Ext(EXT_CONSTRUCTOR_SINGLE_ARG, ormsgpack.packb(("os", "system", f"touch {marker}")))}
        )
        checkpoints.saver.serde.loads_typed(("msgpack", evil))
        assert not marker.exists()

    async def test_idle_threads_are_found_and_forgotten(self, checkpoints):
        bench = Bench(checkpoints.saver)
        await bench.ask()
        await checkpoints.prune("x:W:C:T")
        assert await checkpoints.idle(since=0) == []
        assert await checkpoints.idle(since=9e12) == ["x:W:C:T"]
        await checkpoints.forget("x:W:C:T")
        assert await bench.agent.turns("x:W:C:T") == [] and await checkpoints.idle(since=9e12) == []
